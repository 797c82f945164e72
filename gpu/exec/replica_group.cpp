// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/replica_group.h"

#include "gpu/base/clock.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

ReplicaGroup::ReplicaGroup(int size, ProcessLink* link)
    : m_published(static_cast<size_t>(size)),
      m_maySpin(size <= usableProcessors()),
      m_waits(static_cast<size_t>(size)) {
  if (link) m_processes.emplace(*link, size);
}

void ReplicaGroup::begin() {
  m_arrived = 0;
  m_hasLeft = false;
  for (Published& each : m_published)
    each.number = -1;
  m_waits.assign(m_waits.size(), std::chrono::nanoseconds(0));
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

void ReplicaGroup::meet(int rank) {
  const int64_t before = m_meetings;
  if (++m_arrived == size()) {
    m_arrived = 0;
    ++m_meetings;
    return tellAll();
  }
  const auto arrived = Clock::now();
  while (true) {
    const uint64_t news = m_news.get();
    if (m_meetings != before || m_hasLeft) break;
    if (!m_maySpin || !m_news.spin(news)) m_news.sleep(news);
  }
  m_waits[static_cast<size_t>(rank)] += Clock::now() - arrived;
  // A replica may leave directly after all have met
  if (m_meetings == before)
    throw Error(ErrorCode::Stopped, "replicas", "another replica has ended its step.");
}

void ReplicaGroup::leave() {
  m_hasLeft = true;
  tellAll();
}

}  // namespace strata
