// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/process_sums.h"

#include <algorithm>
#include <cstring>

#include "gpu/base/error.h"

namespace strata {
namespace {

// Up to this many bytes of a replica go to all processes at once, which saves a round
constexpr size_t kMaxSmallBytes = 32 << 10;
// Shares begin at multiples of a cache line
constexpr int64_t kBlock = 16;

/// What processes tell each other before they exchange values.
struct Greeting {
  int64_t number = 0;
  ProcessState state = ProcessState::Sums;
  char why[244] = {};
};

}  // namespace

void ProcessSums::meet(int64_t number, ProcessState state, const std::string& why) {
  m_hasMet = true;
  Greeting own{number, state, {}};
  std::memcpy(own.why, why.data(), std::min(why.size(), sizeof own.why - 1));
  std::vector<Greeting> all(static_cast<size_t>(m_link.size()));
  m_link.gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(all)));
  if (state != ProcessState::Sums) return;
  for (const Greeting& each : all)
    if (each.state == ProcessState::Failed)
      throw Error(ErrorCode::DeviceFailure, kProcesses, std::string(each.why));
  for (const Greeting& each : all) {
    if (each.state == ProcessState::Stopped)
      throw Error(ErrorCode::Stopped, kProcesses, "another process has stopped the step.");
    require(each.number == number, "processes reach the collectives of a step in the same order");
  }
}

void ProcessSums::leave(ProcessState state, const std::string& why) { meet(-1, state, why); }

void ProcessSums::layOut(std::span<const Operand> operands) {
  if (std::ranges::equal(operands, m_operands) && !m_begins.empty()) return;
  m_operands.assign(operands.begin(), operands.end());
  size_t bytes = 0;
  for (const Operand& each : operands)
    bytes += static_cast<size_t>(each.count) * dtypeBytes(each.type);
  m_numShares = bytes <= kMaxSmallBytes ? 1 : m_link.size();
  m_ownShare = m_numShares == 1 ? 0 : m_link.rank();
  m_begins.assign(static_cast<size_t>(m_numShares) * m_operands.size(), 0);
  m_shareBytes.assign(static_cast<size_t>(m_numShares), 0);
  m_resultBegins.assign(static_cast<size_t>(m_numShares), 0);
  size_t all = 0;
  for (int share = 0; share < m_numShares; ++share) {
    size_t& end = m_shareBytes[static_cast<size_t>(share)];
    for (size_t i = 0; i < m_operands.size(); ++i) {
      begin(share, i) = end;
      const Range range = rangeOf(share, i);
      // Operands of 8 bytes stay aligned
      end += (static_cast<size_t>(range.end - range.begin) * dtypeBytes(m_operands[i].type) + 7) /
             8 * 8;
    }
    m_resultBegins[static_cast<size_t>(share)] = all;
    all += end;
  }
  const auto replicas = static_cast<size_t>(m_replicas);
  m_outgoing.resize(all * replicas);
  m_incoming.resize(m_shareBytes[static_cast<size_t>(m_ownShare)] * replicas *
                    static_cast<size_t>(m_link.size()));
  m_results.resize(all);
}

ProcessSums::Range ProcessSums::rangeOf(int share, size_t operand) const {
  const int64_t count = m_operands[operand].count, blocks = (count + kBlock - 1) / kBlock;
  const auto at = [&](int64_t part) {
    return std::min(count, blocks * part / m_numShares * kBlock);
  };
  return {at(share), at(share + 1)};
}

void ProcessSums::pack(int share, std::span<std::byte* const> values, std::byte* to) const {
  for (size_t i = 0; i < m_operands.size(); ++i) {
    const Range range = rangeOf(share, i);
    if (range.begin == range.end) continue;
    const size_t bytes = dtypeBytes(m_operands[i].type);
    std::memcpy(to + begin(share, i), values[i] + static_cast<size_t>(range.begin) * bytes,
                static_cast<size_t>(range.end - range.begin) * bytes);
  }
}

void ProcessSums::exchange(int64_t number, std::span<const Operand> operands,
                           std::span<const std::span<std::byte* const>> values) {
  meet(number, ProcessState::Sums, "");
  layOut(operands);
  m_sent.clear();
  m_received.clear();
  const auto replicas = static_cast<size_t>(m_replicas);
  const size_t ownBytes = m_shareBytes[static_cast<size_t>(m_ownShare)];
  for (int share = 0; share < m_numShares; ++share) {
    const auto at = static_cast<size_t>(share);
    std::byte* const to = m_outgoing.data() + m_resultBegins[at] * replicas;
    for (size_t replica = 0; replica < replicas; ++replica)
      pack(share, values[replica], to + replica * m_shareBytes[at]);
  }
  for (int peer = 0; peer < m_link.size(); ++peer) {
    const auto share = static_cast<size_t>(m_numShares == 1 ? 0 : peer);
    const std::byte* const from = m_outgoing.data() + m_resultBegins[share] * replicas;
    std::byte* const to = m_incoming.data() + static_cast<size_t>(peer) * ownBytes * replicas;
    if (peer == m_link.rank()) {
      std::memcpy(to, from, ownBytes * replicas);
      continue;
    }
    m_sent.push_back({peer, from, m_shareBytes[share] * replicas});
    m_received.push_back({peer, to, ownBytes * replicas});
  }
  m_link.exchange(m_sent, m_received);
}

const std::byte* ProcessSums::received(int replica, size_t operand) const {
  return m_incoming.data() +
         static_cast<size_t>(replica) * m_shareBytes[static_cast<size_t>(m_ownShare)] +
         begin(m_ownShare, operand);
}

std::byte* ProcessSums::sums(size_t operand) {
  return m_results.data() + m_resultBegins[static_cast<size_t>(m_ownShare)] +
         begin(m_ownShare, operand);
}

void ProcessSums::gather() {
  if (m_numShares == 1) return;
  m_sent.clear();
  m_received.clear();
  for (int peer = 0; peer < m_link.size(); ++peer) {
    if (peer == m_link.rank()) continue;
    const auto own = static_cast<size_t>(m_ownShare), other = static_cast<size_t>(peer);
    m_sent.push_back({peer, m_results.data() + m_resultBegins[own], m_shareBytes[own]});
    m_received.push_back({peer, m_results.data() + m_resultBegins[other], m_shareBytes[other]});
  }
  m_link.exchange(m_sent, m_received);
}

const std::byte* ProcessSums::results(int share, size_t operand) const {
  return m_results.data() + m_resultBegins[static_cast<size_t>(share)] + begin(share, operand);
}

}  // namespace strata
