// SPDX-License-Identifier: GPL-3.0-or-later
// Decides how often a view redraws while a run trains. Redrawing takes at most a fiftieth of a
// core, but a view is never older than kLongest. Thread: GUI thread.
#pragma once

#include <algorithm>
#include <chrono>

#include "gpu/base/clock.h"

namespace strata::ui {

class RedrawPace {
 public:
  static constexpr std::chrono::milliseconds kShortest{33}, kLongest{3000};
  /// Calls `draw` if enough time has passed since the last call, or `isForced`. Returns whether it
  /// was called.
  template <class Draw>
  bool redraw(bool isForced, Draw&& draw) {
    const auto now = Clock::now();
    if (!isForced && now - m_last < m_interval) return false;
    const auto before = threadProcessorTime();
    draw();
    m_last = Clock::now();
    constexpr int kParts = 50;
    m_interval = std::clamp<std::chrono::nanoseconds>(kParts * (threadProcessorTime() - before),
                                                      kShortest, kLongest);
    return true;
  }

 private:
  Clock::time_point m_last{};
  std::chrono::nanoseconds m_interval{0};
};

}  // namespace strata::ui
