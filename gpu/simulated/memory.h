// SPDX-License-Identifier: Apache-2.0
// The memory of simulated cards. Each address exists twice: the address that the engine gets has no
// access rights, so host code that reads it ends by a fault. Kernels get the address plus a fixed
// distance, where the bytes are.
// Thread: the caller holds the lock of the driver (driver.cpp); hostAddress() may be called by any
// thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

namespace strata::simulated {

/// The range of addresses of one card.
class CardMemory {
 public:
  /// Reserves addresses for a card with this many bytes. Fails: std::bad_alloc.
  explicit CardMemory(size_t bytes);
  ~CardMemory();
  CardMemory(const CardMemory&) = delete;
  CardMemory& operator=(const CardMemory&) = delete;

  /// Returns the address of `bytes` new bytes, or nullopt if the card is full. They are filled with
  /// 0xFF up to a limit. Uses whole blocks of kGranularity, as the driver does.
  std::optional<uint64_t> allocate(size_t bytes);
  /// Returns false if no allocation begins at this address.
  bool release(uint64_t address);
  /// Returns whether all these bytes are in one allocation.
  bool contains(uint64_t address, size_t bytes) const;
  size_t totalBytes() const { return m_bytes; }
  size_t usedBytes() const { return m_used; }
  size_t numAllocations() const { return m_allocations.size(); }
  /// Returns the first byte and the size of the allocation with this address.
  std::optional<std::pair<uint64_t, size_t>> allocationOf(uint64_t address) const;

  // Small allocations share a block of the driver; this is the size that they are rounded to.
  static constexpr size_t kGranularity = 2 * 1024 * 1024;

 private:
  size_t m_bytes = 0, m_used = 0;
  uint64_t m_begin = 0;
  // Requested bytes by address
  std::map<uint64_t, size_t> m_allocations;
};

/// Returns where the host finds a byte of a card, or null if the address is not one of a card.
std::byte* hostByte(uint64_t deviceAddress);

}  // namespace strata::simulated
