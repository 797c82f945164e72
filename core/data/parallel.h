// SPDX-License-Identifier: Apache-2.0
// Processes many samples on all cores while data is loaded, before a network runs. Not here: the
// pool of a running network (gpu/base/thread_pool.h).
// Thread: the function blocks the calling thread until all work is done.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

#include "gpu/base/machine.h"

namespace strata {

/// Calls work(i) once for each i from 0 to count - 1, in any order. A thread takes `piece`
/// successive values of i at a time. If a call throws, starts no further pieces, and rethrows the
/// first exception at the end.
template <class Work>
void forAllInParallel(int64_t count, int64_t piece, Work&& work) {
  const auto pieces = (count + piece - 1) / piece;
  const auto cores = static_cast<int64_t>(usableProcessors());
  const int64_t threads = std::min<int64_t>({pieces, cores, 32});
  std::atomic<int64_t> next{0};
  std::mutex mutex;
  std::exception_ptr failure;
  const auto run = [&] {
    for (;;) {
      const int64_t begin = next.fetch_add(piece);
      if (begin >= count) return;
      try {
        for (int64_t i = begin; i < std::min(count, begin + piece); ++i)
          work(i);
      }
      catch (...) {
        const std::lock_guard lock(mutex);
        if (!failure) failure = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> helpers;
    for (int64_t i = 1; i < threads; ++i)
      helpers.emplace_back(run);
    run();
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace strata
