// SPDX-License-Identifier: GPL-3.0-or-later
// Measures frames of the timeline: change of the view, painting, and the round trip to the X
// server.
//
//     tests/support/with_display strata_timeline_bench [EVENTS] [FRAMES]
#include <QApplication>
#include <QImage>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <random>

#include "core/trace/trace_builder.h"
#include "tests/ui/frame_times.h"
#include "ui/plots/timeline_view.h"

namespace strata::ui {
namespace {

TracePointer makeTrace(int numEvents) {
  constexpr int kLanes = 40, kNames = 200;
  TraceBuilder builder;
  std::mt19937 random(1);
  std::vector<uint32_t> records;
  for (int i = 0; i < kNames; ++i)
    records.push_back(builder.record(
        {.name = builder.text("void kernel_with_a_long_name<float, " + std::to_string(i) + ">"),
         .category = builder.text(i % 3 == 0 ? "kernel" : "cpu_op")}));
  for (int lane = 0; lane < kLanes; ++lane) {
    const uint32_t process = lane % 10 == 0
                                 ? builder.addProcess("process " + std::to_string(lane / 10))
                                 : static_cast<uint32_t>(lane / 10);
    const uint32_t index = *builder.addLane(process, "lane " + std::to_string(lane));
    int64_t now = 0;
    for (int i = 0; i < numEvents / kLanes; ++i) {
      // Each fifth event is long, and the next four are nested in it
      const bool isOuter = i % 5 == 0;
      const auto duration = static_cast<int64_t>(isOuter ? 5000 : 300 + random() % 900);
      (void)builder.addEvent(index, now, duration, records[random() % kNames]);
      now += isOuter ? 50 : duration + static_cast<int64_t>(random() % 30);
      if (i % 5 == 4) now += 4000;
    }
  }
  return builder.finish();
}

/// Measures frames, each after a change of the view.
void measure(TimelineView& view, const char* name, int frames,
             const std::function<void(int)>& change) {
  measureFrames(name, frames, [&](int i) {
    change(i);
    view.viewport()->repaint();
  });
}

}  // namespace
}  // namespace strata::ui

int main(int count, char** words) {
  using namespace strata::ui;
  QApplication application(count, words);
  const int numEvents = count > 1 ? std::atoi(words[1]) : 1'000'000;
  const int frames = count > 2 ? std::atoi(words[2]) : 400;
  TimelineView view;
  view.resize(1920, 1080);
  view.show();
  view.setTrace(makeTrace(numEvents));
  QApplication::processEvents();
  std::printf("%zu events\n", view.trace()->numEvents());
  const double begin = view.begin();
  const double whole = view.end() - begin;
  measure(view, "whole trace", frames,
          [&](int i) { view.setView(begin + i, begin + i + 0.99 * whole); });
  for (const auto& [name, part] :
       {std::pair("pan, a tenth", 0.1), std::pair("pan, 1/1000, many texts", 1e-3),
        std::pair("pan, few events", 3e-5)})
    measure(view, name, frames, [&, span = part * whole](int i) {
      const double from = begin + 0.3 * whole + 0.01 * span * i;
      view.setView(from, from + span);
    });
  measure(view, "zoom", frames, [&](int i) {
    const double span = whole * std::pow(10.0, -6.0 * (i % 100) / 100);
    view.setView(begin + 0.4 * whole, begin + 0.4 * whole + span);
  });
  return 0;
}
