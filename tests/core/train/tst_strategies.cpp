// SPDX-License-Identifier: Apache-2.0
// Tests the ways in which several devices train a network together: layers on several devices,
// pipelines, divided optimizer state, parameter servers and synchronized statistics. All have the
// bits of one device or of replicas, or differ by rounding where that is promised.
#include <cmath>
#include <map>
#include <thread>

#include <doctest/doctest.h>

#include "core/interchange/safetensors.h"
#include "tests/support/has.h"
#include "tests/support/replica_runs.h"

using namespace strata;

namespace {

/// Layers that go back and forth between three devices, with a branch, a Block and a shared input.
constexpr const char* kPlacedLayers = R"([
  {"type": "Input", "name": "image", "shape": [6, 6, 1]},
  {"type": "Conv2D", "name": "conv", "filters": 4, "kernel_size": [3, 3], "padding": "same", "device": 1},
  {"type": "BatchNormalization", "name": "norm", "device": 0},
  {"type": "Activation", "name": "relu", "activation": "relu"},
  {"type": "Block", "name": "block", "repeat": 2, "device": 2, "layers": [
    {"type": "Conv2D", "name": "inner", "filters": 4, "kernel_size": [3, 3], "padding": "same"},
    {"type": "BatchNormalization", "name": "own", "device": 1}]},
  {"type": "Add", "name": "sum", "inputs": ["block", "relu", "conv"], "device": 0},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dropout", "name": "dropped", "rate": 0.3, "device": 1},
  {"type": "Dense", "name": "hidden", "units": 9, "activation": "tanh", "device": 2},
  {"type": "Dense", "name": "out", "units": 3, "activation": "softmax", "device": 1}])";

Values placed(const Values& more) {
  Values values = with({{"/model/layers", kPlacedLayers}});
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

/// The same layers on one device.
Values unplaced(Values values) {
  for (auto& [pointer, value] : values)
    if (pointer == "/model/layers")
      for (size_t at; (at = value.find(", \"device\": ")) != std::string::npos;)
        value.erase(at, std::string(", \"device\": 0").size());
  return values;
}

void checkSame(const Trained& one, const Trained& other) {
  CHECK(one.error == "");
  CHECK(other.error == "");
  REQUIRE(one.losses.size() > 4);
  CHECK(one.weights == other.weights);
  // Batches of evaluations may have other sizes
  REQUIRE(one.losses.size() == other.losses.size());
  for (size_t i = 0; i < one.losses.size(); ++i)
    CHECK(one.losses[i] == doctest::Approx(other.losses[i]).epsilon(1e-6));
}

/// Returns the weights of a run, in one list.
std::vector<float> weightsOf(const std::string& device, const Values& values) {
  TemporaryFolder folder;
  SessionOptions options = optionsFor(smallProjectWith(values), folder / "run");
  options.device = device;
  options.threads = 1;
  Recorder recorder;
  CHECK(messageOf(trainAll(options, recorder)) == "no error");
  std::vector<float> all;
  const TensorFile file = readSafetensors((folder / "run/weights.safetensors").string());
  for (const auto& [name, tensor] : file.tensors)
    for (const float value : tensor.as<float>())
      all.push_back(value);
  return all;
}

/// Stops a run at some moments, and checks that it continues with the bits of an unbroken one.
void checkContinues(const std::string& device, const std::string& continuedOn,
                    const Values& values) {
  const Trained whole = trainOn(device, values);
  CHECK(whole.error == "");
  for (int i = 0; i < 8; ++i) {
    CAPTURE(i);
    TemporaryFolder folder;
    SessionOptions options = optionsFor(smallProjectWith(values), folder / "run");
    options.device = device;
    options.threads = 1;
    {
      Recorder recorder;
      TrainingSession session(options, recorder);
      session.start();
      recorder.waitForSteps(1);
      std::this_thread::sleep_for(std::chrono::microseconds(900 * i));
      session.stop();
      CHECK(messageOf(session.wait()) == "no error");
    }
    SessionOptions resumed = resumeOptions(smallProjectWith(values), folder / "run");
    resumed.device = continuedOn;
    resumed.threads = 1;
    Recorder recorder;
    CHECK(messageOf(trainAll(resumed, recorder)) == "no error");
    if (device == continuedOn) CHECK(recorder.outcome.weightsHash == whole.weights);
    CHECK(recorder.outcome.steps == static_cast<int64_t>(whole.steps.size()));
  }
}

}  // namespace

TEST_SUITE("layers on several devices") {
  TEST_CASE("have the bits of one device") {
    const Values changes{
        {"/execution/precision", "\"float32\""},
        {"/execution/precision", "\"bfloat16\""},
        {"/execution/precision", "\"float16\""},
        {"/execution/recompute", "\"all\""},
        {"/training/gradient_accumulation_steps", "3"},
        {"/training/optimizer", R"({"type": "adam", "global_clipnorm": 0.1, "use_ema": true})"},
        {"/training/optimizer", R"({"type": "lamb"})"},
        {"/training/loss", R"({"type": "sparse_categorical_crossentropy", "reduction": "sum"})"},
        {"/training/stages",
         R"([{"epochs": 1, "trainable": ["hidden", "out"]}, {"trainable": ["conv", "norm"]}])"}};
    for (const auto& [pointer, value] : changes) {
      CAPTURE(value);
      const Values values = placed({{pointer, value}, {"/training/batch_size", "25"}});
      checkSame(trainOn("cpu*3", values), trainOn("cpu", unplaced(values)));
    }
  }

  TEST_CASE("may carry state, and share weights with a pass of one device") {
    const Values values{{"/model/layers", R"([
        {"type": "Input", "name": "image", "shape": [6, 6, 1]},
        {"type": "Reshape", "name": "steps", "target_shape": [6, 6]},
        {"type": "SimpleRNN", "name": "rnn", "units": 4, "stateful": true, "device": 1},
        {"type": "Dense", "name": "out", "units": 3, "activation": "softmax", "device": 0}])"},
                        {"/training/shuffle", "false"},
                        {"/training/batch_size", "9"},
                        {"/data/validation_split", "0"},
                        {"/data/source/samples", "90"}};
    checkSame(trainOn("cpu*2", values), trainOn("cpu", unplaced(values)));
  }

  TEST_CASE("continue after a stop with the same bits") {
    checkContinues("cpu*3", "cpu*3", placed({{"/training/epochs", "5"}}));
  }

  TEST_CASE("name a layer whose loss is not finite, as one device does") {
    const Values values =
        placed({{"/training/optimizer", R"({"type": "sgd", "learning_rate": 1e30})"}});
    const Trained several = trainOn("cpu*3", values), one = trainOn("cpu", unplaced(values));
    CHECK(several.error != "");
    CHECK(several.error == one.error);
  }

  TEST_CASE("need a device of the list") {
    Values values = placed({});
    CHECK(has(trainOn("cpu*2", values).error,
              "device is 2, but the devices are cpu*2 (expected 0 to 1)"));
  }
}

TEST_SUITE("pipelines") {
  TEST_CASE("have the bits of one device that accumulates their micro-batches") {
    for (const char* precision : {"float32", "bfloat16", "float16"})
      for (const int pieces : {1, 2, 3, 8}) {
        CAPTURE(precision);
        CAPTURE(pieces);
        Values values = placed({{"/execution/precision", "\"" + std::string(precision) + "\""},
                                {"/training/batch_size", "25"},
                                {"/training/gradient_accumulation_steps", std::to_string(pieces)}});
        const Trained one = trainOn("cpu", unplaced(values));
        values.emplace_back("/execution/strategy", "\"pipeline\"");
        checkSame(trainOn("cpu*3", values), one);
      }
  }

  TEST_CASE("place layers by memory if none has a device") {
    for (const int devices : {2, 4, 8}) {
      Values values = with({{"/training/gradient_accumulation_steps", "4"}});
      const Trained one = trainOn("cpu", values);
      values.emplace_back("/execution/strategy", "\"pipeline\"");
      checkSame(trainOn("cpu*" + std::to_string(devices), values), one);
    }
  }

  TEST_CASE("continue after a stop with the same bits") {
    checkContinues("cpu*2", "cpu*2",
                   with({{"/training/epochs", "5"},
                         {"/execution/strategy", "\"pipeline\""},
                         {"/training/gradient_accumulation_steps", "3"}}));
  }

  TEST_CASE("end a run whose loss is not finite") {
    const Trained bad =
        trainOn("cpu*2", with({{"/training/optimizer", R"({"type": "sgd", "learning_rate": 1e30})"},
                               {"/execution/strategy", "\"pipeline\""},
                               {"/training/gradient_accumulation_steps", "3"}}));
    CHECK(has(bad.error, "Lower the learning rate"));
  }
}

TEST_SUITE("divided optimizer state") {
  TEST_CASE("has the bits of replicas with whole state") {
    std::vector<Values> changes;
    for (const char* optimizer : {"sgd", "adamw", "rmsprop", "adagrad", "adamax", "nadam",
                                  "adadelta", "ftrl", "lion", "lamb", "adafactor", "muon", "lars"})
      changes.push_back(
          {{"/training/optimizer", R"({"type": ")" + std::string(optimizer) + "\"}"}});
    changes.push_back({{"/training/optimizer", R"({"type": "adam", "amsgrad": true,
        "use_ema": true, "ema_overwrite_frequency": 2, "clipnorm": 0.1, "weight_decay": 0.01})"}});
    changes.push_back({{"/execution/precision", "\"float16\""}});
    changes.push_back(
        {{"/execution/precision", "\"bfloat16\""}, {"/training/gradient_accumulation_steps", "2"}});
    changes.push_back(
        {{"/training/stages",
          R"([{"epochs": 1, "trainable": ["hidden", "out"]}, {"trainable": ["conv"]}])"}});
    for (const Values& change : changes)
      for (const int replicas : {2, 5}) {
        CAPTURE(change.front().second);
        CAPTURE(replicas);
        Values values = with(change);
        values.emplace_back("/training/batch_size", "25");
        const std::string device = "cpu*" + std::to_string(replicas);
        const Trained whole = trainOn(device, values);
        values.emplace_back("/execution/shard_optimizer", "true");
        checkSame(trainOn(device, values), whole);
      }
  }

  TEST_CASE("is whole in checkpoints, and continues on other numbers of devices") {
    const Values values = with({{"/execution/shard_optimizer", "true"}, {"/training/epochs", "5"}});
    checkContinues("cpu*3", "cpu*3", values);
    checkContinues("cpu*4", "cpu*2", values);
    checkContinues("cpu*2", "cpu", values);
  }

  TEST_CASE("takes less memory") {
    const auto bytesOf = [](const char* sharded) {
      const Trained run = trainOn("cpu*4", {{"/model/layers", R"([
            {"type": "Input", "name": "image", "shape": [6, 6, 1]},
            {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "wide", "units": 4000},
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])"},
                                            {"/execution/shard_optimizer", sharded},
                                            {"/training/epochs", "1"}});
      CHECK(run.error == "");
      return run.steps.back().replicaBytes;
    };
    const std::vector<size_t> whole = bytesOf("false"), divided = bytesOf("true");
    // 160,003 weights, and two moments of Adam
    constexpr size_t kSaved = size_t{160'003} * 2 * sizeof(float) * 3 / 4;
    for (size_t rank = 0; rank < 4; ++rank)
      CHECK(divided[rank] + kSaved * 8 / 10 < whole[rank] + 160'003);
  }
}

TEST_SUITE("parameter server") {
  Values server(const Values& more, int staleness = 0) {
    Values values = with({{"/execution/strategy", "\"parameter_server\""},
                          {"/execution/staleness", std::to_string(staleness)}});
    values.insert(values.end(), more.begin(), more.end());
    return values;
  }

  TEST_CASE("synchronous workers have the bits of replicas") {
    const std::vector<Values> changes{
        {{"/training/batch_size", "25"}},
        {{"/execution/precision", "\"bfloat16\""}},
        {{"/execution/precision", "\"float16\""}},
        {{"/training/gradient_accumulation_steps", "2"}, {"/training/batch_size", "25"}},
        {{"/training/optimizer", R"({"type": "adam", "global_clipnorm": 0.1, "use_ema": true})"}},
        {{"/training/stages",
          R"([{"epochs": 1, "trainable": ["hidden", "out"]}, {"trainable": ["conv", "norm"]}])"}}};
    for (const Values& change : changes)
      for (const int workers : {1, 2, 3}) {
        CAPTURE(change.front().second);
        CAPTURE(workers);
        const std::string device = "cpu*" + std::to_string(workers);
        checkSame(trainOn(device, server(change)), trainOn(device, with(change)));
      }
  }

  TEST_CASE("no gradient is older than the staleness, and every run has the same bits") {
    for (const int staleness : {1, 2, 5}) {
      CAPTURE(staleness);
      const Values values = server({{"/training/batch_size", "9"}}, staleness);
      const Trained run = trainOn("cpu*4", values), again = trainOn("cpu*4", values);
      checkSame(run, again);
      int64_t oldest = 0;
      for (const StepMetrics& step : run.steps) {
        REQUIRE(step.staleness);
        CHECK(*step.staleness <= staleness);
        oldest = std::max(oldest, *step.staleness);
      }
      CHECK(oldest == std::min(staleness, 3));
      CHECK(run.losses.back() < run.losses.front());
      // Old gradients give other weights
      CHECK(run.weights != trainOn("cpu", with({{"/training/batch_size", "9"}})).weights);
    }
  }

  TEST_CASE("continues after a stop with the same bits") {
    checkContinues("cpu*3", "cpu*3", server({{"/training/epochs", "5"}}));
    checkContinues("cpu*3", "cpu*3",
                   server({{"/training/epochs", "5"}, {"/training/batch_size", "9"}}, 2));
  }

  TEST_CASE("ends a run whose loss is not finite") {
    for (const int staleness : {0, 2})
      CHECK(has(trainOn("cpu*3", server({{"/training/optimizer",
                                          R"({"type": "sgd", "learning_rate": 1e30})"}},
                                        staleness))
                    .error,
                "Lower the learning rate"));
  }
}

TEST_SUITE("synchronized batch normalization") {
  Values synchronized(const char* isOn, const char* optimizer) {
    std::string layers = kReplicaLayers;
    const std::string norm = R"("name": "norm")";
    layers.insert(layers.find(norm) + norm.size(), R"(, "synchronized": )" + std::string(isOn));
    // Dropout depends on the place of a sample in the batch alone
    return with(
        {{"/model/layers", layers}, {"/training/epochs", "3"}, {"/training/optimizer", optimizer}});
  }

  TEST_CASE("is that of one device with the whole batch") {
    constexpr const char* kSgd = R"({"type": "sgd", "learning_rate": 0.05})";
    const std::vector<float> one = weightsOf("cpu", synchronized("true", kSgd));
    for (const int replicas : {2, 3, 5}) {
      CAPTURE(replicas);
      const std::string device = "cpu*" + std::to_string(replicas);
      const std::vector<float> several = weightsOf(device, synchronized("true", kSgd)),
                               apart = weightsOf(device, synchronized("false", kSgd));
      REQUIRE(several.size() == one.size());
      double largest = 0, largestApart = 0;
      for (size_t i = 0; i < one.size(); ++i) {
        largest = std::max<double>(largest, std::abs(several[i] - one[i]));
        largestApart = std::max<double>(largestApart, std::abs(apart[i] - one[i]));
      }
      CHECK(largest < 1e-5);
      CHECK(largestApart > 1e-4);
    }
  }
}
