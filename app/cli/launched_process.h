// SPDX-License-Identifier: GPL-3.0-or-later
// A process of `train` that `strata launch` has started: it joins the other processes, and reports
// its state to launch. Thread: main thread, except for the observer.
#pragma once

#include <memory>
#include <string>

#include "core/launch/worker_control.h"
#include "core/runs/events.h"
#include "core/train/session.h"
#include "gpu/exec/process_link.h"

namespace strata::cli {

class LaunchedProcess : public RunObserver {
 public:
  /// Joins the other processes; returns null if launch has not started this process.
  /// Fails: InvalidArgument if mpirun or srun has started it without launch; as joinProcesses().
  static std::unique_ptr<LaunchedProcess> join();

  ProcessLink& link() { return *m_link; }
  bool isFirst() const { return m_link->isFirst(); }
  /// Lets stops reach the session, or null.
  void setSession(TrainingSession* session);
  /// Reports the end of the run to launch, waits for its permission to exit, and returns the exit
  /// code for mpirun. Exits the process if the run has failed.
  int end(int code);

  void onState(RunState state) override;
  void onStart(const RunStart& start) override;
  void onStep(const StepMetrics& step) override { m_control->setStep(step.step); }
  void onOutcome(const RunOutcome& outcome) override;

 private:
  LaunchedProcess(std::unique_ptr<ProcessLink> link, const LaunchPlace& place);
  void stopSession();
  const std::unique_ptr<ProcessLink> m_link;
  std::mutex m_mutex;
  // m_mutex protects these members.
  TrainingSession* m_session = nullptr;
  bool m_isStopped = false;
  std::unique_ptr<WorkerControl> m_control;
  // Why the run has failed
  std::string m_error;
};

}  // namespace strata::cli
