// SPDX-License-Identifier: Apache-2.0
// Tests the recording of consecutive steps: it changes no weight, and its trace has what the host
// and every device did, on one time axis.
#include <algorithm>
#include <set>

#include <doctest/doctest.h>

#include "core/runs/trace_file.h"
#include "core/trace/trace_query.h"
#include "core/train/network.h"
#include "core/train/step_capture.h"
#include "tests/support/replica_runs.h"

using namespace strata;

namespace {

struct Recorded {
  std::string weights, error;
  std::vector<std::string> warnings;
  std::vector<StepsTraced> traces;
};

Recorded train(const std::string& device, const Values& values, int64_t steps,
               const std::string& directory = {}) {
  SessionOptions options = directory.empty() ? optionsFor(smallProjectWith(values))
                                             : optionsFor(smallProjectWith(values), directory);
  options.device = device;
  options.threads = 1;
  options.traceSteps = steps;
  Recorder recorder;
  Recorded result;
  const RunOutcome outcome = trainAll(options, recorder);
  if (outcome.outcome == Outcome::Failed) result.error = messageOf(outcome);
  result.weights = recorder.outcome.weightsHash;
  result.warnings = recorder.warnings;
  result.traces = recorder.traces;
  return result;
}

/// Returns the events of a lane's rows whose names begin with a text.
std::vector<TraceEvent> eventsOf(const Trace& trace, const TraceLane& lane,
                                 const std::string& prefix) {
  std::vector<TraceEvent> result;
  for (const TraceRow& row : lane.rows)
    for (size_t i = 0; i < row.events.size(); ++i)
      if (trace.nameOf(row.events[i]).starts_with(prefix)) result.push_back(row.events[i]);
  std::ranges::sort(result, {}, &TraceEvent::begin);
  return result;
}

const TraceLane* laneNamed(const Trace& trace, const std::string& name) {
  for (const auto& lane : trace.lanes)
    if (lane->name == name) return lane.get();
  return nullptr;
}

}  // namespace

TEST_SUITE("step capture") {
  TEST_CASE("recording changes no weight") {
    for (const char* device : {"cpu", "cpu*2"})
      for (const char* pieces : {"1", "2"}) {
        CAPTURE(device);
        const Values values = with(
            {{"/training/batch_size", "20"}, {"/training/gradient_accumulation_steps", pieces}});
        const Recorded plain = train(device, values, 0), recorded = train(device, values, 5);
        CHECK(recorded.error == "");
        CHECK(plain.weights == recorded.weights);
        CHECK(plain.traces.empty());
        REQUIRE(recorded.traces.size() == 1);
        CHECK(recorded.traces[0].firstStep == 2);
        CHECK(recorded.traces[0].steps == 5);
      }
  }

  TEST_CASE("a trace has the host, and the kernels of each device within their steps") {
    const Recorded recorded = train("cpu*2", with({{"/training/batch_size", "20"}}), 3);
    REQUIRE(recorded.traces.size() == 1);
    const Trace& trace = *recorded.traces[0].trace;
    REQUIRE(trace.processes.size() == 3);
    CHECK(trace.processes[0].name == "host");
    CHECK(trace.processes[1].name == "cpu:0");
    CHECK(trace.processes[2].name == "cpu:1");
    const TraceLane* host = laneNamed(trace, "training thread");
    REQUIRE(host);
    const std::vector<TraceEvent> launches = eventsOf(trace, *host, "run step ");
    REQUIRE(launches.size() == 3);
    CHECK(trace.nameOf(launches[0]) == "run step 2");
    CHECK(eventsOf(trace, *host, "prepare batch").size() == 6);
    CHECK(eventsOf(trace, *host, "note results").size() == 3);
    size_t kernels = 0;
    for (const auto& lane : trace.lanes) {
      if (lane->kind != LaneKind::Device) continue;
      CHECK(eventsOf(trace, *lane, "step ").size() == 3);
      for (const TraceRow& row : lane->rows)
        for (size_t i = 0; i < row.events.size(); ++i) {
          const TraceEvent& event = row.events[i];
          if (trace.texts[trace.recordOf(event).category] != "kernel") continue;
          ++kernels;
          CHECK(std::ranges::count_if(launches, [&](const TraceEvent& launch) {
                  return launch.begin() <= event.begin() && event.end() <= launch.end();
                }) == 1);
        }
    }
    CHECK(kernels > 20);
    CHECK(trace.links.size() == kernels);
  }

  TEST_CASE("a recorded step without kernels is named") {
    Network network(smallProject(), {});
    network.prepare({16}, {});
    network.state().initialize(1);
    Program& program = network.trainProgram(16);
    REQUIRE(program.lastRecords().records.empty());
    StepCapture capture;
    capture.begin(2);
    for (const int64_t step : {3, 4}) {
      capture.beginStep(step);
      capture.expect(program, 0, step);
      setStep(program, step, 1e-4, 1, 0, 1);
      // The first step has no records, as some steps of a card
      if (step == 4) REQUIRE(program.run() == Program::Outcome::Done);
      capture.endLaunch(Clock::now());
      // As a profile of the run does before the step ends
      program.resetProfile();
      capture.endStep();
    }
    const StepsTraced traced = capture.finish({"cpu"});
    CHECK(traced.steps == 2);
    REQUIRE(traced.trace->notes.size() == 1);
    CHECK(noteText(traced.trace->notes[0]) ==
          "Recorded steps whose kernels are unknown: 1 (the first one: step 3)");
  }

  TEST_CASE("all micro-batches of a step are in the trace") {
    for (const char* device : {"cpu", "cpu*2", "simulated:H100"}) {
      CAPTURE(device);
      const Recorded recorded = train(
          device,
          with({{"/training/batch_size", "16"}, {"/training/gradient_accumulation_steps", "4"}}),
          3);
      if (recorded.error.find("simulated") != std::string::npos) continue;
      REQUIRE(recorded.error == "");
      REQUIRE(recorded.traces.size() == 1);
      const Trace& trace = *recorded.traces[0].trace;
      const TraceLane* host = laneNamed(trace, "training thread");
      REQUIRE(host);
      const std::vector<TraceEvent> launches = eventsOf(trace, *host, "run step ");
      REQUIRE(launches.size() == 12);
      CHECK(trace.nameOf(launches[1]).ends_with(", micro-batch 2 of 4"));
      size_t kernels = 0;
      for (const auto& lane : trace.lanes) {
        if (lane->kind != LaneKind::Device) continue;
        if (const auto steps = eventsOf(trace, *lane, "step "); !steps.empty()) {
          CHECK(steps.size() == 12);
          CHECK(trace.nameOf(steps[5]).find("micro-batch 2 of 4") != std::string::npos);
        }
        for (const TraceRow& row : lane->rows)
          for (size_t i = 0; i < row.events.size(); ++i)
            kernels += trace.texts[trace.recordOf(row.events[i]).category] == "kernel";
      }
      // Each kernel is linked with the launch of its micro-batch, which began before it
      CHECK(trace.links.size() == kernels);
      for (const TraceLink& link : trace.links)
        CHECK(link.from.begin() <= link.to.begin());
    }
  }

  TEST_CASE("steps of a parameter server are recorded, also those of stale workers") {
    for (const char* staleness : {"0", "2"}) {
      CAPTURE(staleness);
      const Values values = with({{"/training/batch_size", "12"},
                                  {"/training/gradient_accumulation_steps", "2"},
                                  {"/execution/strategy", "\"parameter_server\""},
                                  {"/execution/staleness", staleness}});
      const Recorded plain = train("cpu*3", values, 0), recorded = train("cpu*3", values, 4);
      REQUIRE(plain.error == "");
      CHECK(recorded.error == "");
      CHECK(recorded.warnings.empty());
      CHECK(plain.weights == recorded.weights);
      REQUIRE(recorded.traces.size() == 1);
      CHECK(recorded.traces[0].steps == 4);
      const Trace& trace = *recorded.traces[0].trace;
      REQUIRE(trace.processes.size() == 5);
      CHECK(trace.processes.back().name == "parameter server");
      size_t updates = 0, pieces = 0;
      for (const auto& lane : trace.lanes)
        for (const TraceEvent& event : eventsOf(trace, *lane, "step "))
          ++(trace.nameOf(event).ends_with("update") ? updates : pieces);
      CHECK(updates == 4);
      // All workers compute each step, or each worker computes its own
      CHECK(pieces == (*staleness == '0' ? 4 * 3 * 2 : 4 * 2));
    }
  }

  TEST_CASE("the trace of a run is a file of the run") {
    const TemporaryFolder folder;
    const std::string directory = (folder / "run").string();
    const Recorded recorded = train("cpu", with({}), 4, directory);
    REQUIRE(recorded.traces.size() == 1);
    CHECK(recorded.traces[0].path == directory + "/trace.bin");
    const TracePointer read = readRunTrace(directory);
    REQUIRE(read);
    CHECK(read->numEvents() == recorded.traces[0].trace->numEvents());
    CHECK(readRunTrace((folder / "none").string()) == nullptr);
  }

  TEST_CASE("samples that a loader loads are in the trace") {
    // A simulated card does not compute on the host, so a loader prepares its batches
    SessionOptions options = optionsFor(smallProjectWith(with({{"/training/batch_size", "4"}})));
    options.device = "simulated:H100*2";
    options.traceSteps = 4;
    Recorder recorder;
    const RunOutcome outcome = trainAll(options, recorder);
    if (outcome.outcome == Outcome::Failed) {
      MESSAGE("skipped: " << messageOf(outcome));
      return;
    }
    REQUIRE(recorder.traces.size() == 1);
    const Trace& trace = *recorder.traces[0].trace;
    CHECK(recorder.traces[0].steps == 4);
    const TraceLane* loader = laneNamed(trace, "loader 1");
    REQUIRE(loader);
    CHECK(!eventsOf(trace, *loader, "load batch ").empty());
    CHECK(!trace.links.empty());
    CHECK(trace.processes.back().name.ends_with("(predicted times)"));
  }

  TEST_CASE("a run that ends too early says so") {
    const Recorded recorded =
        train("cpu", with({{"/training/epochs", "1"}, {"/training/batch_size", "64"}}), 500);
    const bool hasTrace = !recorded.traces.empty();
    REQUIRE(recorded.warnings.size() == 1);
    CHECK(recorded.warnings[0].find(hasTrace ? "steps were recorded, because the run ended"
                                             : "No step was recorded") != std::string::npos);
  }

  TEST_CASE("a run records again when somebody asks during the run") {
    SessionOptions options = optionsFor(
        smallProjectWith(with({{"/training/epochs", "40"}, {"/training/batch_size", "8"}})));
    options.device = "cpu";
    options.threads = 1;
    Recorder recorder;
    TrainingSession session(options, recorder);
    recorder.onStepDone = [&](int64_t step) {
      if (step == 10 || step == 40) session.capture(2);
    };
    session.start();
    session.wait();
    REQUIRE(recorder.traces.size() == 2);
    CHECK(recorder.traces[0].firstStep == 11);
    CHECK(recorder.traces[1].firstStep == 41);
  }
}
