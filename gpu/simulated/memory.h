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
  /// 0xFF up to a limit. Takes whole blocks of kGranularity, which small allocations share.
  std::optional<uint64_t> allocate(size_t bytes);
  /// Returns false if no allocation begins at this address.
  bool release(uint64_t address);
  /// Returns whether all these bytes are in one allocation.
  bool contains(uint64_t address, size_t bytes) const;
  size_t totalBytes() const { return m_bytes; }
  size_t usedBytes() const { return m_used.bytes(); }
  size_t numAllocations() const { return m_allocations.size(); }
  /// Returns the first byte and the size of the allocation with this address.
  std::optional<std::pair<uint64_t, size_t>> allocationOf(uint64_t address) const;

  static constexpr size_t kGranularity = 2 * 1024 * 1024;

 private:
  /// Counts allocations: whole blocks of the large ones, and the bytes of the small ones.
  struct Used {
    size_t large = 0, small = 0;
    void add(size_t bytes);
    void remove(size_t bytes);
    size_t bytes() const;
  };

  size_t m_bytes = 0;
  Used m_used;
  uint64_t m_begin = 0;
  // Requested bytes by address
  std::map<uint64_t, size_t> m_allocations;
};

/// Returns where the host finds a byte of a card, or null if the address is not one of a card.
std::byte* hostByte(uint64_t deviceAddress);

}  // namespace strata::simulated
