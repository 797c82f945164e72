// SPDX-License-Identifier: Apache-2.0
#include "core/train/replica.h"

#include <unistd.h>

#include <exception>

#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/exec/replica_group.h"

namespace strata {

ReplicaThreads::ReplicaThreads(ReplicaGroup& group)
    : m_group(group), m_maySpin(group.size() <= usableProcessors()) {
  for (int rank = 1; rank < group.size(); ++rank)
    m_threads.emplace_back([this, rank] { work(rank); });
}

ReplicaThreads::~ReplicaThreads() {
  m_ends = true;
  m_begun.set(m_begun.get() + 1);
}

/// Waits until a number differs from `old`.
static void awaitChange(AwaitedNumber& number, uint64_t old, bool maySpin) {
  while (number.get() == old)
    if (!maySpin || !number.spin(old)) number.sleep(old);
}

void ReplicaThreads::work(int rank) {
  for (uint64_t done = 0;; ++done) {
    awaitChange(m_begun, done, m_maySpin);
    if (m_ends) return;
    runOne(rank);
    if (--m_running == 0) m_done.set(done + 1);
  }
}

/// Runs the program of a rank. The others do not wait for it afterwards.
void ReplicaThreads::runOne(int rank) {
  const auto at = static_cast<size_t>(rank);
  if (!m_programs[at]) return m_group.leave(rank);
  try {
    if (const ReplicaFault& fault = debugSettings().replicaFault;
        fault.rank == m_group.numberOf(rank) && step() >= fault.step) {
      if (fault.kind == ReplicaFault::Kind::Slow)
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
      if (fault.kind == ReplicaFault::Kind::Exits) ::_exit(0);
      if (fault.kind == ReplicaFault::Kind::Throws)
        throw Error(ErrorCode::DeviceFailure, "", "a fault for tests.");
    }
    const bool enters = m_group.entersTogether() && !m_stop.stop_requested();
    if (enters) m_group.processes()->enter();
    m_tickets[at] = m_programs[at]->submit(enters ? std::stop_token() : m_stop);
    m_tickets[at].wait();
  }
  catch (...) {
    m_failures[at] = std::current_exception();
  }
  m_group.leave(rank);
}

/// Adds the number of the replica to its error.
Error ReplicaThreads::withNumber(const Error& error, size_t rank) const {
  if (error.subject() == kProcesses) return error;
  return Error(
      error.code(), error.subject(),
      "replica " + std::to_string(m_group.numberOf(static_cast<int>(rank))) + ": " + error.what(),
      error.where());
}

/// Tells other processes that this one does not end the step.
void ReplicaThreads::leaveProcesses(ProcessState state, const std::string& why) {
  if (ProcessSums* processes = m_group.processes()) processes->leave(state, why);
}

std::vector<Ticket> ReplicaThreads::submit(std::span<Program* const> programs,
                                           const std::stop_token& stop) {
  m_group.begin();
  const ReplicaFault& fault = debugSettings().replicaFault;
  const bool drops = fault.kind == ReplicaFault::Kind::Drop && step() + 1 == fault.step;
  m_group.dropSums(drops ? fault.rank - m_group.numberOf(0) : -1);
  m_programs = programs;
  m_stop = stop;
  m_tickets.clear();
  m_tickets.resize(programs.size());
  m_failures.assign(programs.size(), nullptr);
  m_running = m_group.size() - 1;
  const uint64_t before = m_done.get();
  m_begun.set(m_begun.get() + 1);
  runOne(0);
  if (m_group.size() > 1) awaitChange(m_done, before, m_maySpin);
  // A replica that waited for another one fails with Stopped, because the other one has ended
  size_t stopped = programs.size();
  for (size_t rank = 0; rank < programs.size(); ++rank) {
    if (!m_programs[rank]) continue;
    if (!m_failures[rank]) {
      if (m_tickets[rank].wait() == StepOutcome::Stopped) stopped = rank;
      continue;
    }
    try {
      std::rethrow_exception(m_failures[rank]);
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::Stopped) {
        m_tickets[rank] = {};
        // Another process may have stopped
        if (stopped == programs.size()) stopped = rank;
        continue;
      }
      const Error named = withNumber(error, rank);
      leaveProcesses(ProcessState::Failed, named.what());
      throw named;
    }
  }
  if (stopped < programs.size()) leaveProcesses(ProcessState::Stopped, "");
  std::vector<Ticket> tickets = std::move(m_tickets);
  if (stopped < tickets.size()) std::swap(tickets[0], tickets[stopped]);
  return tickets;
}

}  // namespace strata
