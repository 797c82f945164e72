// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/workspace/run_queue.h"

#include <algorithm>

namespace strata::ui {

int RunQueue::countOf(const Document* document) const {
  return static_cast<int>(std::ranges::count_if(
      m_runs, [&](const QueuedRun& run) { return run.document == document; }));
}

std::vector<QueuedRun>::iterator RunQueue::at(int id) {
  return std::ranges::find(m_runs, id, &QueuedRun::id);
}

void RunQueue::add(QueuedRun run) {
  run.id = ++m_lastId;
  m_runs.push_back(std::move(run));
  Q_EMIT changed();
}

std::optional<QueuedRun> RunQueue::takeNext() {
  if (m_runs.empty()) return std::nullopt;
  QueuedRun next = std::move(m_runs.front());
  m_runs.erase(m_runs.begin());
  Q_EMIT changed();
  return next;
}

void RunQueue::remove(int id) {
  const auto run = at(id);
  if (run == m_runs.end()) return;
  m_runs.erase(run);
  Q_EMIT changed();
}

void RunQueue::makeNext(int id) {
  const auto run = at(id);
  if (run == m_runs.end()) return;
  std::rotate(m_runs.begin(), run, run + 1);
  Q_EMIT changed();
}

int RunQueue::removeOf(const Document* document) {
  const auto removed = static_cast<int>(
      std::erase_if(m_runs, [&](const QueuedRun& run) { return run.document == document; }));
  if (removed > 0) Q_EMIT changed();
  return removed;
}

void RunQueue::clear() {
  m_runs.clear();
  Q_EMIT changed();
}

}  // namespace strata::ui
