// SPDX-License-Identifier: Apache-2.0
// A number that threads wait for. A waiting thread should first spin for about half as long as
// waking it up would take, and then sleep. It should never yield: a thread that yields next to a
// busy program gives up its share of the processor.
// Thread: any.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace strata {

/// Hints to the processor that the thread spins.
inline void pauseProcessor() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

class AwaitedNumber {
 public:
  /// The time that spin() takes without a change.
  static constexpr std::chrono::microseconds kSpin{40};
  /// Returns the number. The caller then sees everything that was written before its set().
  uint64_t get() const { return m_number.load(std::memory_order_acquire); }
  /// Changes the number and wakes the threads that sleep until it changes. The lower 32 bits must
  /// change.
  void set(uint64_t number);
  /// Spins up to `rounds` times until the number differs from `old`. Returns whether it does.
  bool spin(uint64_t old, int rounds) const {
    for (int i = 0; i < rounds; ++i) {
      if (get() != old) return true;
      pauseProcessor();
    }
    return false;
  }
  /// As above, but spins for half of the time that it takes to wake up a thread.
  bool spin(uint64_t old) const;
  /// Sleeps until the number differs from `old`.
  void sleep(uint64_t old);

 private:
  alignas(64) std::atomic<uint64_t> m_number{0};
  alignas(64) std::atomic<int> m_numSleepers{0};
};

}  // namespace strata
