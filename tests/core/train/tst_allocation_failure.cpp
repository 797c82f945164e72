// SPDX-License-Identifier: Apache-2.0
// Makes each allocation during compiling and the first step fail once. The error must name the
// place, no memory may leak, and the next attempt must succeed.
#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <set>

#include <doctest/doctest.h>

#include "core/train/network.h"
#include "core/train/plan.h"
#include "gpu/base/log.h"
#include "tests/support/allocation_count.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns an uncompiled network of the project on the CPU.
Network openNetwork(const Project& project) {
  NetworkOptions options;
  options.device = "cpu";
  options.threads = 2;
  return {project, options};
}

/// Compiles the network, runs one step on zeros, and returns the loss. The `failing`-th allocation
/// fails; if `failing` is 0, no allocation fails.
double oneStep(Network& network, int64_t failing = 0) {
  const int64_t batch = network.steps().batchSize();
  const std::vector<int64_t> train{batch}, none;
  const std::vector<MicroBatch> pieces = network.steps().microBatchesOf(batch);
  test::startWithFailure(failing);
  network.prepare(train, none);
  network.state().initialize(5);
  Ticket ticket;
  for (const MicroBatch& piece : pieces) {
    Program& program = network.trainProgram(piece);
    setStep(program, 1, 0.05, 5, piece.offset,
            static_cast<double>(piece.samples) / static_cast<double>(batch));
    ticket = program.submit();
    ticket.wait();
  }
  (void)test::stopCountingAllocations();
  BatchSums sums;
  network.sums().add(ticket, pieces.back().samples, sums);
  return sums.loss;
}

struct Failure {
  // `problem` says what went wrong, and is empty if the error was correct. `subject` is the subject
  // of the error.
  std::string problem, subject;
};

/// Runs a step whose `failing`-th allocation fails. Returns nullopt if the step succeeds with the
/// expected loss. Otherwise runs another step on the same network and returns the failure.
std::optional<Failure> failOnce(const Project& project, int64_t failing, double expected) {
  Network network = openNetwork(project);
  std::optional<Failure> result;
  try {
    // A pass that runs out of memory is skipped, and the step runs without this pass.
    const double loss = oneStep(network, failing);
    if (!(std::abs(loss - expected) <= 1e-4 * std::abs(expected)))
      result = Failure{"trained with the loss " + std::to_string(loss), "loss"};
    return result;
  }
  catch (const Error& error) {
    (void)test::stopCountingAllocations();
    const bool isKnown =
        error.code() == ErrorCode::OutOfMemory || error.code() == ErrorCode::DeviceFailure;
    result = Failure{isKnown && !error.subject().empty() ? "" : error.line(), error.subject()};
  }
  catch (const std::bad_alloc&) {
    (void)test::stopCountingAllocations();
    result = Failure{"failed without a word of where", {}};
  }
  if (oneStep(network) != expected) result->problem += " then trained otherwise";
  return result;
}

/// Returns a project with a Block, two micro-batches, and a limit that requires recomputation.
Project limitedProject() {
  Json document = smallProject().document();
  Json& layers = document["model"]["layers"];
  const Json input = layers[0], conv = layers[1], norm = layers[2];
  Json block{{"type", "Block"}, {"name", "stack"}, {"repeat", 2}, {"layers", {conv, norm}}};
  block["layers"][0]["padding"] = "same";
  layers = {input, block, layers[3], layers[5]};
  document["training"]["gradient_accumulation_steps"] = 2;
  PlanOptions options;
  options.device = "cpu";
  options.threads = 2;
  options.findsLargestBatch = options.measuresStepTime = false;
  options.drawsCurve = true;
  const TrainingPlan plan = planTraining(Project(document, ""), options);
  REQUIRE(plan.curve.size() > 1);
  document["execution"]["memory_limit"] = (plan.curve.back().limitBytes + plan.keptPeakBytes) / 2;
  return Project(document, "");
}

void failEach(const Project& project, const std::vector<const char*>& layers) {
  double expected = 0;
  int64_t number = 0;
  // The first run fills permanent caches, so only the allocations of the second run count.
  for (int i = 0; i < 2; ++i) {
    Network network = openNetwork(project);
    expected = oneStep(network);
    number = test::stopCountingAllocations();
  }
  CHECK(number > 500);
  (void)failOnce(project, 1, expected);
  int64_t failures = 0, leaks = 0;
  std::set<std::string> subjects;
  // `./dev soak` tests every allocation.
  const int64_t stride = std::getenv("STRATA_FULL") ? 1 : std::max<int64_t>(11, number / 900);
  const auto failFrom = [&](int64_t first) {
    for (int64_t n = first; n <= number; n += stride) {
      std::string subject;
      subject.reserve(100);
      // Memory that is kept after a second failure, too, is lost. Otherwise a permanent cache, such
      // as that of kernels, has grown.
      bool isKept = true;
      for (int attempt = 0; attempt < 2 && isKept; ++attempt) {
        const int64_t held = test::liveAllocations();
        if (const std::optional<Failure> failure = failOnce(project, n, expected)) {
          failures += attempt == 0;
          subject.assign(failure->subject);
          if (!failure->problem.empty())
            FAIL_CHECK("allocation " << n << " of " << number << ": " << failure->problem);
        }
        isKept = test::liveAllocations() > held;
      }
      leaks += isKept;
      subjects.insert(std::move(subject));
    }
  };
  failFrom(1);
  // Some layers allocate little. Allocations in between are tested until the errors have named
  // every layer.
  const auto isMissing = [&] {
    return !std::all_of(layers.begin(), layers.end(),
                        [&](const char* layer) { return subjects.contains(layer); });
  };
  for (int64_t pass = 1; pass < std::min<int64_t>(stride, 8) && isMissing(); ++pass)
    failFrom(1 + pass * stride / 8);
  MESSAGE(number, " allocations, ", failures, " ended in an error");
  CHECK(failures > number / stride / 4);
  CHECK(leaks == 0);
  for (const char* layer : layers)
    CHECK_MESSAGE(subjects.contains(layer), layer);
}

}  // namespace

TEST_SUITE("allocation failure") {
  TEST_CASE("any allocation of compiling and of a step may fail") {
    if (!test::canRun(test::whyNoAllocationCount())) return;
    // Skipped passes would write messages to the log.
    setLogSink([](LogLevel, std::string_view) {});
    SUBCASE("a small network") {
      failEach(smallProject(), {"conv", "norm", "flat", "drop", "out"});
    }
    SUBCASE("a Block, a memory limit and micro-batches") {
      failEach(limitedProject(), {"stack/0/conv", "stack/1/norm", "flat", "out"});
    }
    setLogSink({});
  }
}
