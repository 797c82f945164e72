// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_capture.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

#include "core/runs/device_lanes.h"
#include "core/train/step_profile.h"

namespace strata {

static const std::string kTrainingThread = "training thread";

static int64_t nanoseconds(Clock::duration time) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(time).count();
}

void StepCapture::begin(int64_t steps) {
  m_left = std::clamp<int64_t>(steps, 1, kMostSteps);
  m_began = Clock::now();
  m_steps.clear();
  m_launches.clear();
  m_devices.clear();
  m_server = {};
  m_spans.start();
}

void StepCapture::addHost(const std::string& what, Clock::time_point begin, Clock::time_point end) {
  if (isOn()) m_spans.add({kTrainingThread, what, begin, end});
}

void StepCapture::beginStep(int64_t step) {
  if (m_numOpen++ == 0) {
    m_expected.clear();
    m_launchBegan = Clock::now();
  }
  m_update = nullptr;
  m_steps.emplace_back().number = step;
}

void StepCapture::expect(Program& program, size_t rank, int64_t step) {
  const auto found =
      std::ranges::find(m_steps.end() - m_numOpen, m_steps.end(), step, &Step::number);
  if (rank >= found->pieces.size()) found->pieces.resize(rank + 1);
  program.setProfiling(true);
  m_expected.push_back(
      {&program, rank, static_cast<size_t>(found - m_steps.begin()), ++found->pieces[rank]});
}

void StepCapture::expectUpdate(Program& program) {
  program.setProfiling(true);
  m_update = &program;
  m_updateBegan = Clock::now();
}

void StepCapture::forgetPrograms() {
  m_update = nullptr;
  m_expected.clear();
  for (Device& device : m_devices)
    for (Kernels& kernels : device.programs)
      kernels.program = nullptr;
  for (Kernels& kernels : m_server.programs)
    kernels.program = nullptr;
}

bool StepCapture::expects(size_t rank) const {
  return std::ranges::find(m_expected, rank, &Expected::rank) != m_expected.end();
}

void StepCapture::endLaunch(Clock::time_point at) {
  if (m_expected.empty()) return;
  const auto [first, last] = std::ranges::minmax(m_expected, {}, &Expected::step);
  m_launches.push_back({m_launchBegan, at, first.step, last.step, first.piece});
  for (const Expected& expected : m_expected)
    expected.program->setProfiling(false);
}

/// Adds the records of a program that is done.
void StepCapture::record(Device& device, const Expected& expected, std::optional<size_t> launch,
                         Clock::time_point begin) {
  const auto known = std::ranges::find(device.programs, expected.program, &Kernels::program);
  const auto index = static_cast<size_t>(known - device.programs.begin());
  if (known == device.programs.end()) {
    device.programs.push_back({expected.program, {}});
    device.programs.back().profile.maxTraced = std::numeric_limits<size_t>::max();
  }
  KernelProfile& profile = device.programs[index].profile;
  const StepRecords records = expected.program->lastRecords();
  const size_t before = profile.traced.size();
  profile.add(m_steps[expected.step].number, records);
  if (profile.traced.size() == before) {
    if (expected.program->numInstructions() == 0) return;
    Step& step = m_steps[expected.step];
    step.lacksKernels = true;
    step.whyNoKernels = records.problem;
    return;
  }
  if (profile.memory.empty()) profile.memory = memoryByInstruction(*expected.program);
  device.runs.push_back(
      {index, before, expected.step, launch, expected.piece, records.began.value_or(begin)});
}

void StepCapture::take() {
  for (const Expected& expected : m_expected) {
    if (expected.rank >= m_devices.size()) m_devices.resize(expected.rank + 1);
    record(m_devices[expected.rank], expected, m_launches.size() - 1, m_launches.back().begin);
  }
  m_expected.clear();
  m_launchBegan = Clock::now();
}

bool StepCapture::endStep() {
  take();
  const size_t step = m_steps.size() - static_cast<size_t>(m_numOpen);
  if (Program* const update = std::exchange(m_update, nullptr)) {
    update->setProfiling(false);
    // The server updates when all gradients of the launch are there
    record(m_server, {update, 0, step, 0}, {},
           m_launches.empty() ? m_updateBegan : std::max(m_updateBegan, m_launches.back().end));
  }
  m_steps[step].isDone = true;
  --m_numOpen;
  return --m_left > 0;
}

/// Returns what the training thread did, such as "run step 7, micro-batch 2 of 4".
std::string StepCapture::nameOf(const Launch& launch) const {
  const Step& step = m_steps[launch.first];
  std::string name = "run step " + std::to_string(step.number);
  if (launch.last > launch.first)
    name = "run steps " + std::to_string(step.number) + " to " +
           std::to_string(m_steps[launch.last].number);
  const int64_t pieces = step.pieces.empty() ? 1 : std::ranges::max(step.pieces);
  if (pieces > 1)
    name += ", micro-batch " + std::to_string(launch.piece) + " of " + std::to_string(pieces);
  return name;
}

/// Adds the lanes of a device, and links its kernels with the launches.
void StepCapture::addDevice(TraceBuilder& builder, const Device& device, const std::string& name,
                            uint32_t hostLane,
                            const std::vector<std::optional<TraceEvent>>& launches) const {
  if (device.programs.empty()) return;
  DeviceLanes lanes(builder, name,
                    device.programs.front().profile.source == StepRecords::Source::Predicted);
  for (const Recorded& run : device.runs) {
    const Step& step = m_steps[run.step];
    // A stopped step has no records of all its programs
    if (!step.isDone) continue;
    const KernelProfile& kernels = device.programs[run.program].profile;
    const int64_t pieces = step.pieces.empty() ? 1 : std::ranges::max(step.pieces);
    std::string part;
    if (run.piece == 0)
      part = "update";
    else if (pieces > 1)
      part = "micro-batch " + std::to_string(run.piece) + " of " + std::to_string(pieces);
    const auto added =
        lanes.addStep(kernels, kernels.traced[run.traced], sinceBegin(run.begin), part);
    if (!run.launch || !launches[*run.launch]) continue;
    for (const DeviceLanes::Added& each : added)
      builder.addLink({hostLane, each.lane, *launches[*run.launch], each.event});
  }
}

StepsTraced StepCapture::finish(const std::vector<std::string>& devices) {
  m_left = m_numOpen = 0;
  const std::vector<HostSpans::Span> spans = m_spans.stop();
  TraceBuilder builder;
  const uint32_t host = builder.addProcess("host");
  std::map<std::string, uint32_t> lanes;
  const auto laneOf = [&](const std::string& name) {
    const auto [lane, isNew] = lanes.try_emplace(name, 0);
    if (isNew) lane->second = builder.addLane(host, name).value_or(0);
    return lane->second;
  };
  const uint32_t thread = laneOf(kTrainingThread);
  for (const HostSpans::Span& span : spans) {
    const uint32_t record = builder.record({builder.text(span.name), builder.text("host")});
    builder.addEvent(laneOf(span.lane), nanoseconds(sinceBegin(span.begin)),
                     nanoseconds(span.end - span.begin), record);
  }
  std::vector<std::optional<TraceEvent>> launches;
  for (const Launch& launch : m_launches) {
    launches.emplace_back();
    if (!m_steps[launch.last].isDone) continue;
    launches.back() = builder.addEvent(
        thread, nanoseconds(sinceBegin(launch.begin)), nanoseconds(launch.end - launch.begin),
        builder.record({builder.text(nameOf(launch)), builder.text("launch")}));
  }
  for (size_t rank = 0; rank < m_devices.size(); ++rank)
    addDevice(builder, m_devices[rank],
              rank < devices.size() ? devices[rank] : std::to_string(rank), thread, launches);
  addDevice(builder, m_server, "parameter server", thread, launches);
  for (const Step& step : m_steps)
    if (step.isDone && step.lacksKernels)
      builder.addNote(TraceNote::Kind::NoKernels,
                      "step " + std::to_string(step.number) +
                          (step.whyNoKernels.empty() ? "" : ", " + step.whyNoKernels));
  StepsTraced result;
  std::erase_if(m_steps, [](const Step& step) { return !step.isDone; });
  if (!m_steps.empty()) result.firstStep = m_steps.front().number;
  result.steps = static_cast<int64_t>(m_steps.size());
  result.trace = builder.finish();
  m_devices.clear();
  m_server = {};
  m_steps.clear();
  m_launches.clear();
  return result;
}

}  // namespace strata
