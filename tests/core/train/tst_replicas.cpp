// SPDX-License-Identifier: Apache-2.0
// Tests replicas on logical processors ("cpu*N"): they have the bits of one device that accumulates
// N micro-batches, stop together, and refuse what they cannot do.
#include <atomic>
#include <thread>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "gpu/base/error.h"
#include "gpu/exec/replica_group.h"
#include "tests/support/replica_runs.h"

using namespace strata;

namespace {

/// Checks that N replicas have the bits of N micro-batches on one device.
void checkEqual(int replicas, Values values) {
  CAPTURE(replicas);
  const std::string count = std::to_string(replicas);
  const Trained side = trainOn("cpu*" + count, values);
  values.emplace_back("/training/gradient_accumulation_steps", count);
  const Trained after = trainOn("cpu", values);
  CHECK(side.error == "");
  CHECK(after.error == "");
  REQUIRE(side.losses.size() > 4);
  REQUIRE(side.losses.size() == after.losses.size());
  CHECK(side.weights == after.weights);
  for (size_t i = 0; i < side.losses.size(); ++i)
    CHECK(side.losses[i] == doctest::Approx(after.losses[i]).epsilon(1e-6));
}

}  // namespace

TEST_SUITE("replicas") {
  TEST_CASE("N replicas have the bits of N accumulated micro-batches") {
    for (const char* precision : {"float32", "bfloat16", "float16"})
      for (const int replicas : {2, 3, 4, 8}) {
        CAPTURE(precision);
        // The last batch of an epoch is smaller, and shares differ by one sample
        checkEqual(replicas, with({{"/execution/precision", "\"" + std::string(precision) + "\""},
                                   {"/training/batch_size", "25"}}));
      }
  }

  TEST_CASE("optimizers that read all gradients, and losses that are sums, agree, too") {
    const Values changes{
        {"/training/optimizer", R"({"type": "adam", "global_clipnorm": 0.1})"},
        {"/training/optimizer", R"({"type": "adam", "use_ema": true})"},
        {"/training/loss", R"({"type": "sparse_categorical_crossentropy", "reduction": "sum"})"},
        {"/execution/recompute", "\"all\""},
        {"/training/stages",
         R"([{"epochs": 1, "trainable": ["hidden", "out"]}, {"trainable": ["conv", "norm"]}])"}};
    for (const auto& [pointer, value] : changes) {
      CAPTURE(value);
      checkEqual(3, with({{pointer, value}, {"/training/batch_size", "20"}}));
    }
  }

  TEST_CASE("replicas that accumulate agree with each other in every run") {
    const Values values =
        with({{"/training/gradient_accumulation_steps", "2"}, {"/training/batch_size", "22"}});
    const Trained first = trainOn("cpu*3", values), again = trainOn("cpu*3", values);
    CHECK(first.error == "");
    CHECK(first.weights == again.weights);
    CHECK(first.losses == again.losses);
  }

  TEST_CASE("a batch with fewer samples than replicas is refused") {
    const Trained small = trainOn("cpu*4", with({{"/training/batch_size", "3"}}));
    CHECK(small.error.find("a batch of 3 samples has fewer samples than replicas (expected at "
                           "least 4)") != std::string::npos);
  }

  TEST_CASE("layers that carry state from batch to batch are refused") {
    const Trained carried = trainOn("cpu*2", {{"/model/layers", R"([
          {"type": "Input", "name": "image", "shape": [6, 6, 1]},
          {"type": "Reshape", "name": "steps", "target_shape": [6, 6]},
          {"type": "SimpleRNN", "name": "rnn", "units": 4, "stateful": true},
          {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])"},
                                              {"/training/batch_size", "16"}});
    CHECK(carried.error.find("rnn") != std::string::npos);
  }

  TEST_CASE("stops at any moment leave replicas equal, and the run continues with the same bits") {
    const Values values = with({{"/training/epochs", "6"}, {"/training/batch_size", "20"}});
    const Trained whole = trainOn("cpu*3", values);
    for (int i = 0; i < 12; ++i) {
      CAPTURE(i);
      TemporaryFolder folder;
      SessionOptions options = optionsFor(smallProjectWith(values), folder / "run");
      options.device = "cpu*3";
      options.threads = 1;
      bool hasFiles = false;
      {
        Recorder recorder;
        TrainingSession session(options, recorder);
        session.start();
        recorder.waitForSteps(1);
        std::this_thread::sleep_for(std::chrono::microseconds(700 * i));
        session.stop();
        const RunOutcome outcome = session.wait();
        CHECK(messageOf(outcome) == "no error");
        hasFiles = outcome.steps > 0;
      }
      REQUIRE(hasFiles);
      SessionOptions resumed = resumeOptions(smallProjectWith(values), folder / "run");
      resumed.device = "cpu*3";
      resumed.threads = 1;
      Recorder recorder;
      CHECK(messageOf(trainAll(resumed, recorder)) == "no error");
      CHECK(recorder.outcome.weightsHash == whole.weights);
    }
  }

  TEST_CASE("members of a group meet, and leave each other if one does not come") {
    ReplicaGroup group(3);
    group.begin();
    std::atomic<int> met{0}, left{0};
    const auto member = [&](int rank, int meetings) {
      try {
        for (int i = 0; i < meetings; ++i) {
          group.meet(rank);
          ++met;
        }
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::Stopped);
        ++left;
      }
      group.leave(static_cast<int>(rank));
    };
    { std::jthread a(member, 0, 5), b(member, 1, 3), c(member, 2, 5); }
    CHECK(met == 9);
    CHECK(left == 2);
    // A new step begins anew
    group.begin();
    { std::jthread a(member, 0, 2), b(member, 1, 2), c(member, 2, 2); }
    CHECK(met == 15);
    CHECK(left == 2);
  }
}
