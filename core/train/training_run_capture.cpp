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
      warn(m_network->steps().isStale()
               ? "No step was recorded, because the workers of a parameter server compute several "
                 "at the same time."
               : "No step was recorded, because the run ended too early. Train longer.");
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
