// SPDX-License-Identifier: Apache-2.0
#include "core/train/control.h"

#include <algorithm>
#include <utility>

namespace strata {

void RunControl::pause() {
  const std::lock_guard lock(m_mutex);
  m_isPaused = true;
  m_singleSteps = 0;
  m_needsAttention.store(true, std::memory_order_release);
  // Only a running session can pause here. A run that is being prepared pauses before its first
  // step, and a run that is stopping or has ended does not pause.
  RunState expected = RunState::Running;
  m_state.compare_exchange_strong(expected, RunState::Pausing);
}

void RunControl::answer(DiskAnswer answer) {
  const std::lock_guard lock(m_mutex);
  if (m_isAsking) m_answer = std::move(answer);
  m_changed.notify_all();
}

void RunControl::ask() {
  const std::lock_guard lock(m_mutex);
  m_isAsking = true;
  m_answer.reset();
}

std::optional<DiskAnswer> RunControl::waitForAnswer() {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [&] { return m_isAbandoned || m_answer.has_value(); });
  m_isAsking = false;
  const std::optional<DiskAnswer> given = std::exchange(m_answer, std::nullopt);
  return m_isAbandoned ? std::nullopt : given;
}

void RunControl::resume() {
  const std::lock_guard lock(m_mutex);
  if (m_isAsking) m_answer = DiskAnswer{};
  m_isPaused = false;
  m_singleSteps = 0;
  m_changed.notify_all();
}

void RunControl::step() {
  const std::lock_guard lock(m_mutex);
  m_isPaused = true;
  ++m_singleSteps;
  m_needsAttention.store(true, std::memory_order_release);
  m_changed.notify_all();
}

void RunControl::stop() {
  const std::lock_guard lock(m_mutex);
  // The first stop gives up the checkpoint. The files are tried again at the end of the run.
  if (m_isAsking && !m_stop.stop_requested())
    m_answer = DiskAnswer{DiskAnswer::Choice::WithoutFiles, {}};
  else if (m_isAsking && !m_answer)
    m_isAbandoned = true;
  m_stop.request_stop();
  m_needsAttention.store(true, std::memory_order_release);
  if (m_state.load() != RunState::Ended) m_state.store(RunState::Stopping);
  m_changed.notify_all();
}

void RunControl::abandon() {
  stop();
  const std::lock_guard lock(m_mutex);
  m_isAbandoned = true;
  m_changed.notify_all();
}

void RunControl::change(SettingRequest request) {
  const std::lock_guard lock(m_mutex);
  // A slider sends many values, and only the last one counts.
  const auto same =
      std::find_if(m_settings.begin(), m_settings.end(), [&](const SettingRequest& other) {
        return other.name == request.name && other.step == request.step;
      });
  if (same != m_settings.end())
    *same = std::move(request);
  else
    m_settings.push_back(std::move(request));
  m_needsAttention.store(true, std::memory_order_release);
  m_changed.notify_all();
}

bool RunControl::mustWait() {
  const std::lock_guard lock(m_mutex);
  if (m_stop.stop_requested()) return false;
  if (!m_isPaused) {
    m_needsAttention.store(!m_settings.empty(), std::memory_order_release);
    return false;
  }
  if (m_singleSteps == 0) return true;
  --m_singleSteps;
  return false;
}

void RunControl::wait() {
  std::unique_lock lock(m_mutex);
  m_changed.wait(lock, [&] {
    return m_stop.stop_requested() || !m_isPaused || m_singleSteps > 0 || !m_settings.empty();
  });
}

std::vector<SettingRequest> RunControl::takeSettings() {
  const std::lock_guard lock(m_mutex);
  return std::exchange(m_settings, {});
}

}  // namespace strata
