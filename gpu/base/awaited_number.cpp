// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/awaited_number.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <bit>
#include <chrono>
#include <limits>

#include "gpu/base/clock.h"

namespace strata {
namespace {

/// Calls the system's futex on the lower 32 bits of the number.
void futex(std::atomic<uint64_t>& number, int operation, uint32_t value) {
  static_assert(std::endian::native == std::endian::little && sizeof number == sizeof(uint64_t));
  syscall(SYS_futex, reinterpret_cast<uint32_t*>(&number), operation, value, nullptr, nullptr, 0);
}

}  // namespace

// The changes of m_number and m_numSleepers are sequentially consistent: either set() sees the
// sleeper, or the sleeper sees the new number.
void AwaitedNumber::set(uint64_t number) {
  m_number.store(number, std::memory_order_seq_cst);
  if (m_numSleepers.load(std::memory_order_seq_cst) > 0)
    futex(m_number, FUTEX_WAKE_PRIVATE, std::numeric_limits<int>::max());
}

bool AwaitedNumber::spin(uint64_t old) const {
  constexpr int kRounds = 32;
  const auto start = Clock::now();
  do {
    if (spin(old, kRounds)) return true;
  } while (Clock::now() - start < kSpin);
  return false;
}

void AwaitedNumber::sleep(uint64_t old) {
  m_numSleepers.fetch_add(1, std::memory_order_seq_cst);
  while (m_number.load(std::memory_order_seq_cst) == old)
    futex(m_number, FUTEX_WAIT_PRIVATE, static_cast<uint32_t>(old));
  m_numSleepers.fetch_sub(1, std::memory_order_relaxed);
}

}  // namespace strata
