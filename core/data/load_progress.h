// SPDX-License-Identifier: Apache-2.0
// Reports how many files of a data set have been read, and lets another thread stop the reading.
// Not here: reading (read_dataset.h).
// Thread: the object belongs to the thread that loads. Any thread may call step(), and `report` is
// called on the thread that calls it.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <stop_token>

namespace strata {

class LoadProgress {
 public:
  using Report = std::function<void(int64_t done, int64_t total)>;
  /// Reports what this thread loads until the object is destroyed. Only one object at a time.
  LoadProgress(Report report, std::stop_token stop);
  ~LoadProgress();
  LoadProgress(const LoadProgress&) = delete;
  LoadProgress& operator=(const LoadProgress&) = delete;
  /// Returns the object of this thread, or null.
  static LoadProgress* current();

  /// Adds files to the total.
  void begin(int64_t files) { m_total += files; }
  /// Counts a file, and reports about every hundredth of the total. Fails: Stopped.
  void step();

 private:
  const Report m_report;
  const std::stop_token m_stop;
  std::atomic<int64_t> m_done{0}, m_total{0};
};

}  // namespace strata
