// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/memory.h"

#include <sys/mman.h>

#include <cstring>
#include <new>

#include "gpu/base/round_up.h"
#include "gpu/cuda/emulation/emulation.h"

namespace strata::simulated {
namespace {

constexpr size_t kMaxFilledBytes = size_t{64} << 20;
// Smaller allocations share blocks, in pieces of this size
constexpr size_t kLargeBytes = size_t{1} << 20, kPieceBytes = 512;

/// Two halves of equal size: addresses without access, and memory at a fixed distance.
struct AddressSpace {
  uint64_t begin = 0;
  size_t half = 0, used = 0;
};

AddressSpace& space() {
  static AddressSpace result = [] {
    AddressSpace made;
    // 2 TiB hold eight cards with 192 GB. Systems that limit address space get less.
    for (size_t half = size_t{1} << 41; half >= size_t{1} << 34; half /= 2) {
      void* memory =
          mmap(nullptr, 2 * half, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
      if (memory == MAP_FAILED) continue;
      made.begin = static_cast<uint64_t>(reinterpret_cast<uintptr_t>(memory));
      made.half = half;
      break;
    }
    return made;
  }();
  return result;
}

size_t wholeBlocks(size_t bytes) { return roundUp(bytes, CardMemory::kGranularity); }

void* memoryAt(uint64_t address) {
  return reinterpret_cast<void*>(static_cast<uintptr_t>(address + space().half));
}

}  // namespace

void CardMemory::Used::add(size_t bytes) {
  if (bytes < kLargeBytes)
    small += roundUp(bytes, kPieceBytes);
  else
    large += wholeBlocks(bytes);
}

void CardMemory::Used::remove(size_t bytes) {
  Used one;
  one.add(bytes);
  small -= one.small;
  large -= one.large;
}

size_t CardMemory::Used::bytes() const { return large + wholeBlocks(small); }

CardMemory::CardMemory(size_t bytes) : m_bytes(bytes) {
  AddressSpace& all = space();
  // Twice the size, so that freed blocks of the wrong size do not make a card full
  const size_t reserved = wholeBlocks(2 * bytes);
  if (all.half - all.used < reserved) throw std::bad_alloc();
  m_begin = all.begin + all.used;
  all.used += reserved;
}

CardMemory::~CardMemory() {
  while (!m_allocations.empty())
    release(m_allocations.begin()->first);
}

std::optional<uint64_t> CardMemory::allocate(size_t bytes) {
  const size_t size = wholeBlocks(bytes);
  Used total = m_used;
  total.add(bytes);
  if (bytes == 0 || bytes > m_bytes || total.bytes() > m_bytes) return std::nullopt;
  uint64_t at = m_begin;
  for (const auto& [begin, used] : m_allocations) {
    if (begin - at >= size) break;
    at = begin + wholeBlocks(used);
  }
  if (at + size > m_begin + 2 * m_bytes) return std::nullopt;
  void* memory = memoryAt(at);
  if (mprotect(memory, size, PROT_READ | PROT_WRITE) != 0) return std::nullopt;
  std::memset(memory, 0xFF, bytes < kMaxFilledBytes ? bytes : kMaxFilledBytes);
  m_allocations.emplace(at, bytes);
  m_used = total;
  return at;
}

bool CardMemory::release(uint64_t address) {
  const auto found = m_allocations.find(address);
  if (found == m_allocations.end()) return false;
  const size_t size = wholeBlocks(found->second);
  madvise(memoryAt(address), size, MADV_DONTNEED);
  mprotect(memoryAt(address), size, PROT_NONE);
  m_used.remove(found->second);
  m_allocations.erase(found);
  return true;
}

std::optional<std::pair<uint64_t, size_t>> CardMemory::allocationOf(uint64_t address) const {
  auto found = m_allocations.upper_bound(address);
  if (found == m_allocations.begin()) return std::nullopt;
  --found;
  if (address >= found->first + found->second) return std::nullopt;
  return std::pair(found->first, found->second);
}

bool CardMemory::contains(uint64_t address, size_t bytes) const {
  if (bytes == 0) return true;
  const auto found = allocationOf(address);
  return found && address + bytes <= found->first + found->second;
}

std::byte* hostByte(uint64_t deviceAddress) {
  const AddressSpace& all = space();
  if (deviceAddress < all.begin || deviceAddress >= all.begin + all.half) return nullptr;
  return static_cast<std::byte*>(memoryAt(deviceAddress));
}

}  // namespace strata::simulated

namespace strata::emulated {

uint64_t hostAddress(uint64_t deviceAddress) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(simulated::hostByte(deviceAddress)));
}

}  // namespace strata::emulated
