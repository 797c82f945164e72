// SPDX-License-Identifier: GPL-3.0-or-later
// Measures frames of a curve: change of the view, painting, and the round trip to the X server.
//
//     tests/support/with_display strata_curve_bench [STEPS] [FRAMES]
#include <QApplication>
#include <cmath>
#include <cstdlib>
#include <random>

#include "tests/ui/frame_times.h"
#include "ui/plots/metric_plot.h"
#include "ui/plots/plot_navigator.h"
#include "ui/run/metric_history.h"

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
  measureFrames("a new step", frames, [&](int i) {
    history.series("loss").append(steps + i + 1, valueOf(steps));
    plot.refresh(history);
  });
  for (const auto& [name, part] : {std::pair("pan, a tenth", 0.1), std::pair("pan, 1/1000", 1e-3)})
    measureFrames(name, frames, [&, span = part * steps](int i) {
      const double from = 0.3 * steps + 0.01 * span * i;
      plot.navigator()->setView(from, from + span);
    });
  measureFrames("zoom", frames, [&](int i) {
    const double span = steps * std::pow(10.0, -5.0 * (i % 100) / 100);
    plot.navigator()->setView(0.4 * steps, 0.4 * steps + span);
  });
  return 0;
}
