// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/replica_group.h"

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

ReplicaGroup::ReplicaGroup(int size, ProcessLink* link)
    : m_published(static_cast<size_t>(size)),
      m_maySpin(size <= usableProcessors()),
      m_haveLeft(static_cast<size_t>(size)),
      m_waits(static_cast<size_t>(size)),
      m_log(static_cast<size_t>(size)) {
  if (link) m_processes.emplace(*link, size);
}

void ReplicaGroup::begin() {
  m_arrived = 0;
  m_hasLeft = false;
  for (std::atomic<bool>& hasLeft : m_haveLeft)
    hasLeft = false;
  for (Transfer& transfer : m_transfers) {
    transfer.value = nullptr;
    transfer.isTaken = false;
  }
  for (Published& each : m_published)
    each.number = -1;
  m_waits.assign(m_waits.size(), std::chrono::nanoseconds(0));
  m_log.beginStep();
  if (m_processes) m_processes->begin();
}

void ReplicaGroup::publish(int rank, int64_t number, std::span<std::byte* const> values) {
  Published& own = m_published[static_cast<size_t>(rank)];
  own.number = number;
  own.values.assign(values.begin(), values.end());
}

std::span<std::byte* const> ReplicaGroup::published(int rank, int64_t number) const {
  const Published& other = m_published[static_cast<size_t>(rank)];
  require(other.number == number, "replicas reach the collectives of a step in the same order");
  return other.values;
}

void ReplicaGroup::tellAll() {
  const std::lock_guard lock(m_mutex);
  m_news.set(m_news.get() + 1);
}

/// Waits until something is done, or the replica that does it has left.
template <class IsDone>
void ReplicaGroup::waitFor(int rank, IsDone isDone, const std::atomic<bool>& hasLeft) {
  if (isDone()) return;
  const auto began = Clock::now();
  while (true) {
    const uint64_t news = m_news.get();
    if (isDone() || hasLeft) break;
    if (!m_maySpin || !m_news.spin(news)) m_news.sleep(news);
  }
  m_waits[static_cast<size_t>(rank)] += Clock::now() - began;
  // A replica may leave directly after it has done it
  if (!isDone()) throw Error(ErrorCode::Stopped, "replicas", "another replica has ended its step.");
}

void ReplicaGroup::meet(int rank) {
  const int64_t before = m_meetings;
  if (++m_arrived == size()) {
    m_arrived = 0;
    ++m_meetings;
    return tellAll();
  }
  waitFor(
      rank, [&] { return m_meetings != before; }, m_hasLeft);
}

void ReplicaGroup::reserveTransfers(int64_t count) {
  while (std::ssize(m_transfers) < count)
    m_transfers.emplace_back();
}

void ReplicaGroup::offer(int64_t number, const std::byte* value) {
  m_transfers[static_cast<size_t>(number)].value = value;
  tellAll();
}

void ReplicaGroup::await(int rank, int from, int64_t number) {
  const Transfer& transfer = m_transfers[static_cast<size_t>(number)];
  waitFor(
      rank, [&] { return transfer.value != nullptr; }, m_haveLeft[static_cast<size_t>(from)]);
}

void ReplicaGroup::take(int64_t number) {
  m_transfers[static_cast<size_t>(number)].isTaken = true;
  tellAll();
}

void ReplicaGroup::awaitTaken(int rank, int to, int64_t number) {
  const Transfer& transfer = m_transfers[static_cast<size_t>(number)];
  waitFor(
      rank, [&] { return transfer.isTaken.load(); }, m_haveLeft[static_cast<size_t>(to)]);
}

void ReplicaGroup::leave(int rank) {
  m_haveLeft[static_cast<size_t>(rank)] = true;
  m_hasLeft = true;
  tellAll();
}

}  // namespace strata
