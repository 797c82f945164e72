// SPDX-License-Identifier: GPL-3.0-or-later
// Measures frames of a view: each is a change of the view, its painting, and the round trip to the
// X server. Thread: GUI thread.
#pragma once

#include <QApplication>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <vector>

namespace strata::ui {

/// Prints the times of frames. `change` receives the number of the frame, and paints.
inline void measureFrames(const char* name, int frames, const std::function<void(int)>& change) {
  using Clock = std::chrono::steady_clock;
  std::vector<double> times;
  for (int i = 0; i < frames; ++i) {
    const Clock::time_point begin = Clock::now();
    change(i);
    QApplication::sync();
    times.push_back(1e3 * std::chrono::duration<double>(Clock::now() - begin).count());
    QApplication::processEvents();
  }
  std::ranges::sort(times);
  std::printf("%-28s median %6.2f ms  p99 %6.2f ms\n", name, times[times.size() / 2],
              times[times.size() * 99 / 100]);
}

}  // namespace strata::ui
