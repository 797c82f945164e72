// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/process_link.h"

#include <cstdint>
#include <cstring>

#include "gpu/base/error.h"

namespace strata {

// Texts between processes are settings and positions of a run
static constexpr uint64_t kMaxTextBytes = uint64_t{1} << 30;

void ProcessLink::broadcast(std::span<std::byte> bytes) {
  m_sent.clear();
  m_received.clear();
  if (isFirst())
    for (int peer = 1; peer < m_size; ++peer)
      m_sent.push_back({peer, bytes.data(), bytes.size()});
  else
    m_received.push_back({0, bytes.data(), bytes.size()});
  exchange(m_sent, m_received);
}

std::string ProcessLink::broadcast(const std::string& text) {
  uint64_t size = text.size();
  broadcast(std::as_writable_bytes(std::span(&size, 1)));
  require(size <= kMaxTextBytes, "texts between processes are short");
  std::string result = isFirst() ? text : std::string(size, '\0');
  broadcast(std::as_writable_bytes(std::span(result)));
  return result;
}

void ProcessLink::gather(std::span<const std::byte> own, std::span<std::byte> all) {
  require(all.size() == own.size() * static_cast<size_t>(m_size), "gathered bytes have room");
  m_sent.clear();
  m_received.clear();
  for (int peer = 0; peer < m_size; ++peer) {
    std::byte* const to = all.data() + static_cast<size_t>(peer) * own.size();
    if (peer == m_rank) {
      if (!own.empty()) std::memcpy(to, own.data(), own.size());
      continue;
    }
    m_sent.push_back({peer, own.data(), own.size()});
    m_received.push_back({peer, to, own.size()});
  }
  exchange(m_sent, m_received);
}

std::vector<std::string> ProcessLink::gather(const std::string& text) {
  const uint64_t own = text.size();
  std::vector<uint64_t> sizes(static_cast<size_t>(m_size));
  gather(std::as_bytes(std::span(&own, 1)), std::as_writable_bytes(std::span(sizes)));
  std::vector<std::string> texts(sizes.size());
  m_sent.clear();
  m_received.clear();
  for (int peer = 0; peer < m_size; ++peer) {
    const auto at = static_cast<size_t>(peer);
    require(sizes[at] <= kMaxTextBytes, "texts between processes are short");
    if (peer == m_rank) {
      texts[at] = text;
      continue;
    }
    texts[at].resize(sizes[at]);
    m_sent.push_back({peer, reinterpret_cast<const std::byte*>(text.data()), text.size()});
    m_received.push_back({peer, reinterpret_cast<std::byte*>(texts[at].data()), texts[at].size()});
  }
  exchange(m_sent, m_received);
  return texts;
}

void ProcessLink::breakOff(const std::string& why) {
  const std::lock_guard lock(m_mutex);
  if (m_why.empty()) m_why = why;
  m_isBroken = true;
  if (m_onBreak) m_onBreak();
}

void ProcessLink::setOnBreak(std::function<void()> onBreak) {
  const std::lock_guard lock(m_mutex);
  m_onBreak = std::move(onBreak);
}

void ProcessLink::requireWhole() const {
  if (!m_isBroken) return;
  const std::lock_guard lock(m_mutex);
  throw Error(ErrorCode::DeviceFailure, kProcesses, m_why);
}

}  // namespace strata
