// SPDX-License-Identifier: GPL-3.0-or-later
// Measures frames of a curve: change of the view, painting, and the round trip to the X server.
//
//     tests/support/with_display strata_curve_bench [STEPS] [FRAMES]
#include <QApplication>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/run/metric_history.h"

namespace strata::ui {
namespace {

/// Prints the times of frames, each after a change of the view or of the run.
void measure(const char* name, int frames, const std::function<void(int)>& change) {
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

}  // namespace
}  // namespace strata::ui

int main(int count, char** words) {
  using namespace strata::ui;
  QApplication application(count, words);
  const int steps = count > 1 ? std::atoi(words[1]) : 10'000'000;
  const int frames = count > 2 ? std::atoi(words[2]) : 200;
  MetricHistory history;
  std::mt19937 random(1);
  std::normal_distribution<double> noise(0, 0.2);
  const auto valueOf = [&](int step) {
    return 2 / std::sqrt(1 + 1e-4 * step) + std::abs(noise(random));
  };
  for (int step = 1; step <= steps; ++step) {
    history.series("loss").append(step, valueOf(step));
    if (step % 1000 == 0) history.series("val_loss").append(step, valueOf(step));
  }
  MetricPlot plot(QStringLiteral("Loss"), MetricPlot::Scale::Value);
  plot.setSeries("loss", "val_loss");
  plot.resize(1920, 1080);
  plot.show();
  plot.setPlan(steps + frames, 1000);
  QApplication::processEvents();
  measure("a new step", frames, [&](int i) {
    history.series("loss").append(steps + i + 1, valueOf(steps));
    plot.refresh(history);
  });
  for (const auto& [name, part] : {std::pair("pan, a tenth", 0.1), std::pair("pan, 1/1000", 1e-3)})
    measure(name, frames, [&, span = part * steps](int i) {
      const double from = 0.3 * steps + 0.01 * span * i;
      plot.navigator()->setView(from, from + span);
    });
  measure("zoom", frames, [&](int i) {
    const double span = steps * std::pow(10.0, -5.0 * (i % 100) / 100);
    plot.navigator()->setView(0.4 * steps, 0.4 * steps + span);
  });
  return 0;
}
