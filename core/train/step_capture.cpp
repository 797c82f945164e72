// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_capture.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/runs/device_lanes.h"
#include "core/trace/trace_builder.h"
#include "core/train/step_profile.h"

namespace strata {

static const std::string kTrainingThread = "training thread";

void StepCapture::begin(int64_t steps) {
  m_left = std::clamp<int64_t>(steps, 1, kMostSteps);
  m_began = Clock::now();
  m_steps.clear();
  m_replicas.clear();
  m_spans.start();
}

void StepCapture::addHost(const std::string& what, Clock::time_point begin, Clock::time_point end) {
  if (isOn()) m_spans.add({kTrainingThread, what, begin, end});
}

void StepCapture::beginStep(int64_t step) {
  m_steps.push_back({step, {}, {}});
  m_isInStep = true;
  m_expected.clear();
}

void StepCapture::expect(Program& program, size_t rank) {
  program.setProfiling(true);
  if (std::ranges::find(m_expected, &program, &Expected::program) == m_expected.end())
    m_expected.push_back({&program, rank});
}

void StepCapture::setLaunch(Clock::time_point begin, Clock::time_point end) {
  m_steps.back().launchBegin = begin;
  m_steps.back().launchEnd = end;
  for (const Expected& expected : m_expected)
    expected.program->setProfiling(false);
}

bool StepCapture::endStep() {
  const Step& step = m_steps.back();
  for (const Expected& expected : m_expected) {
    if (expected.rank >= m_replicas.size()) m_replicas.resize(expected.rank + 1);
    Replica& replica = m_replicas[expected.rank];
    const StepRecords records = expected.program->lastRecords();
    replica.kernels.maxTraced = static_cast<size_t>(kMostSteps);
    const size_t before = replica.kernels.traced.size();
    replica.kernels.add(step.number, records);
    if (replica.kernels.traced.size() == before) continue;
    if (replica.kernels.memory.empty())
      replica.kernels.memory = memoryByInstruction(*expected.program);
    replica.begins.push_back(records.began.value_or(step.launchBegin));
    replica.steps.push_back(m_steps.size() - 1);
  }
  m_isInStep = false;
  return --m_left > 0;
}

StepsTraced StepCapture::finish(const std::vector<std::string>& devices) {
  m_left = 0;
  // A stopped step has no records
  if (std::exchange(m_isInStep, false)) m_steps.pop_back();
  const std::vector<HostSpans::Span> spans = m_spans.stop();
  TraceBuilder builder;
  const auto sinceBegin = [this](Clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(time - m_began);
  };
  const uint32_t host = builder.addProcess("host");
  std::map<std::string, uint32_t> lanes;
  const auto laneOf = [&](const std::string& name) {
    const auto [lane, isNew] = lanes.try_emplace(name, 0);
    if (isNew) lane->second = builder.addLane(host, name).value_or(0);
    return lane->second;
  };
  laneOf(kTrainingThread);
  for (const HostSpans::Span& span : spans) {
    const uint32_t record = builder.record({builder.text(span.name), builder.text("host")});
    builder.addEvent(laneOf(span.lane), sinceBegin(span.begin).count(),
                     (span.end - span.begin).count(), record);
  }
  // The event that started each step
  std::vector<std::optional<TraceEvent>> launches;
  for (const Step& step : m_steps)
    launches.push_back(
        builder.addEvent(laneOf(kTrainingThread), sinceBegin(step.launchBegin).count(),
                         (step.launchEnd - step.launchBegin).count(),
                         builder.record({builder.text("run step " + std::to_string(step.number)),
                                         builder.text("launch")})));
  for (size_t rank = 0; rank < m_replicas.size(); ++rank) {
    Replica& replica = m_replicas[rank];
    replica.kernels.device = rank < devices.size() ? devices[rank] : std::to_string(rank);
    const bool isPredicted = replica.kernels.source == StepRecords::Source::Predicted;
    const uint32_t process =
        builder.addProcess(replica.kernels.device + (isPredicted ? " (predicted times)" : ""));
    DeviceLanes device(builder, process, replica.kernels);
    for (size_t i = 0; i < replica.kernels.traced.size(); ++i) {
      const auto added = device.addStep(replica.kernels.traced[i], sinceBegin(replica.begins[i]));
      if (const auto& launch = launches[replica.steps[i]])
        for (const DeviceLanes::Added& each : added)
          builder.addLink({laneOf(kTrainingThread), each.lane, *launch, each.event});
    }
  }
  StepsTraced result;
  if (!m_steps.empty()) result.firstStep = m_steps.front().number;
  result.steps = static_cast<int64_t>(m_steps.size());
  result.trace = builder.finish();
  m_replicas.clear();
  m_steps.clear();
  return result;
}

}  // namespace strata
