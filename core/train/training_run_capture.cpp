// SPDX-License-Identifier: Apache-2.0
// Records steps of a run, and writes them as a trace.
#include "core/runs/trace_file.h"
#include "core/train/training_run.h"
#include "gpu/devices/device_name.h"

namespace strata {

/// Whether the next step must run alone: it is measured or recorded.
bool TrainingRun::needsAlone() const {
  return m_capture.isOn() || m_control.hasCapture() ||
         (m_control.isProfiling() && m_profile.wantsMeasuring());
}

/// Begins to record if somebody has requested it. The first step of a run is not typical, because
/// caches and pages are cold, and a card has records only of steps that it has captured as a graph.
void TrainingRun::beginCapture() {
  constexpr int64_t kBeforeOnHost = 1, kBeforeOnCard = 4;
  const bool isOnHost = m_network->steps().device().readsHostMemory();
  if (m_capture.isOn() || m_profile.phases().steps < (isOnHost ? kBeforeOnHost : kBeforeOnCard))
    return;
  const int64_t steps = m_control.takeCapture();
  if (steps > 0) m_capture.begin(steps);
}

/// Begins to record a step.
void TrainingRun::beginRecorded(int64_t number) {
  m_capture.beginStep(number);
  Program* const update = m_network->serverUpdate();
  if (update && !m_network->steps().isStale()) m_capture.expectUpdate(*update);
}

/// Takes the records of the micro-batch before this one. A program keeps those of its last run
/// alone, so the micro-batches of a recorded step run one at a time.
void TrainingRun::awaitRecorded(PendingStep& step, const MicroBatch& piece) {
  if (!m_capture.expects(static_cast<size_t>(piece.rank))) return;
  const auto began = Clock::now();
  m_capture.endLaunch(began);
  for (Ticket& ticket : step.tickets)
    ticket.wait();
  m_capture.take();
  m_capture.addHost("wait for the micro-batch", began, Clock::now());
}

/// Takes the records of a step that is done.
void TrainingRun::captureStep(Clock::time_point waitStarted, Clock::time_point waitEnded) {
  m_capture.addHost("wait for the step", waitStarted, waitEnded);
  m_capture.addHost("note results", waitEnded, Clock::now());
  if (!m_capture.endStep()) endCapture();
}

/// Ends recording, writes the trace, and tells observers. Does nothing if no step was recorded.
void TrainingRun::endCapture() {
  const bool isIncomplete = m_capture.isOn();
  StepsTraced traced = m_capture.finish(DeviceName(m_network->steps().deviceName()).each());
  const auto warn = [&](const std::string& text) {
    notify([&](RunObserver& o) { o.onWarning(text); });
  };
  if (traced.steps == 0) {
    if (m_control.takeCapture() > 0)
      warn("No step was recorded, because the run ended too early. Train longer.");
    return;
  }
  if (isIncomplete)
    warn("Only " + std::to_string(traced.steps) +
         " steps were recorded, because the run ended. Train longer to record more.");
  if (m_files && !m_isWithoutFiles) {
    try {
      writeRunTrace(m_files->directory(), *traced.trace);
      traced.path = runTracePath(m_files->directory());
    }
    catch (const Error& error) {
      // The run does not depend on the trace
      warn(error.line());
    }
  }
  notify([&](RunObserver& o) { o.onTrace(traced); });
}

}  // namespace strata
