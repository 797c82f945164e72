// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/launched_process.h"

#include <unistd.h>

#include <iostream>

#include "app/cli/command.h"
#include "gpu/base/debug.h"
#include "gpu/replicate/mpi_link.h"

namespace strata::cli {

std::unique_ptr<LaunchedProcess> LaunchedProcess::join() {
  const std::optional<LaunchPlace> place = launchPlace();
  if (!place) {
    // Each process would train the whole project on its own
    const std::string size = environmentVariable("OMPI_COMM_WORLD_SIZE").value_or("1");
    if (size != "1")
      throw Error(ErrorCode::InvalidArgument, "train",
                  "was started by mpirun (expected strata launch). Write strata launch -np " +
                      size + " train PROJECT.");
    return nullptr;
  }
  return std::unique_ptr<LaunchedProcess>(new LaunchedProcess(joinProcesses(), *place));
}

LaunchedProcess::LaunchedProcess(std::unique_ptr<ProcessLink> link, const LaunchPlace& place)
    : m_link(std::move(link)) {
  m_control = std::make_unique<WorkerControl>(place, m_link->rank(),
                                              WorkerControl::Calls{[this] { stopSession(); },
                                                                   [this](const std::string& why) {
                                                                     m_link->breakOff(why);
                                                                     stopSession();
                                                                   }});
}

void LaunchedProcess::stopSession() {
  const std::lock_guard lock(m_mutex);
  m_isStopped = true;
  if (m_session) m_session->stop();
}

void LaunchedProcess::setSession(TrainingSession* session) {
  const std::lock_guard lock(m_mutex);
  m_session = session;
  if (m_session && m_isStopped) m_session->stop();
}

void LaunchedProcess::onState(RunState state) {
  constexpr const char* kNames[] = {"preparing", "training", "pausing",
                                    "paused",    "stopping", "ended"};
  m_control->setState(kNames[static_cast<size_t>(state)]);
}

void LaunchedProcess::onStart(const RunStart& start) {
  if (!start.runDirectory.empty()) m_control->setRun(start.runDirectory);
}

void LaunchedProcess::onOutcome(const RunOutcome& outcome) {
  if (outcome.error) m_error = outcome.error->line();
}

int LaunchedProcess::end(int code) {
  setSession(nullptr);
  std::cout.flush();
  const bool isWell = m_control->end(code, m_error);
  // The library cannot be left without the others, and it may still write to memory of this process
  if (!isWell) ::_exit(code);
  leaveProcesses();
  return kDone;
}

}  // namespace strata::cli
