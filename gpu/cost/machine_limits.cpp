// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/machine_limits.h"

#include <chrono>
#include <cstring>

#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/base/tries.h"
#include "gpu/cpu/kernels/loops.h"
#include "gpu/tensor/tensor.h"

namespace strata {

double measurePeakFlops(ThreadPool& pool) {
  constexpr int64_t kRounds = 4000;
  constexpr int kTries = 60;
  double best = 0;
  for (int i = 0; i < kTries; ++i) {
    std::vector<double> work(static_cast<size_t>(pool.numWorkers()) * 8);
    double seconds = 0;
    pool.run([&](int worker) {
      pool.barrier().wait();
      const auto start = Clock::now();
      work[static_cast<size_t>(worker) * 8] = loops().multiplyAdds(kRounds);
      pool.barrier().wait();
      if (worker == 0) seconds = secondsSince(start);
    });
    double total = 0;
    for (const double own : work)
      total += own;
    best = std::max(best, 2 * total / seconds);
  }
  return best;
}

MemorySpeed measureMemory(ThreadPool& pool, std::byte* room, size_t bytes) {
  // The size in bytes of each of the two arrays of a worker
  const size_t own = bytes / 2 / static_cast<size_t>(pool.numWorkers()) / 64 * 64;
  const int64_t floats = static_cast<int64_t>(own / sizeof(float));
  Tries tries;
  constexpr double kSeconds = 0.012;
  const auto started = Clock::now();
  for (int i = 0; i < 4 || (i < 200 && secondsSince(started) < kSeconds); ++i) {
    double seconds = 0;
    pool.run([&](int worker) {
      float* const to = reinterpret_cast<float*>(room + 2 * own * static_cast<size_t>(worker));
      pool.barrier().wait();
      const auto start = Clock::now();
      loops().accumulate(to, to + floats, floats);
      pool.barrier().wait();
      if (worker == 0) seconds = secondsSince(start);
    });
    if (i > 0) tries.add(seconds);
  }
  const double accessed = 3.0 * static_cast<double>(own) * pool.numWorkers();
  return {2.0 * static_cast<double>(own) * pool.numWorkers(), accessed / tries.typical()};
}

MachineLimits measureMachineLimits(ThreadPool& pool) {
  constexpr size_t kLargest = size_t{512} << 20;
  AlignedBytes room(std::min(kLargest, availableMemoryBytes() / 8));
  // Make the system allocate the pages before the measurement
  std::memset(room.data(), 0, room.size());
  return {measurePeakFlops(pool), measureMemory(pool, room.data(), room.size())};
}

}  // namespace strata
