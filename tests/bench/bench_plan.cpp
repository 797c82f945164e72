// SPDX-License-Identifier: Apache-2.0
// Measures how the cost of compiling grows with the network. The benchmark prints the time and
// memory of each stage for dense and convolution networks of 10 to 10,000 layers, and the time to
// pack 10,000 ranges.
//   strata_plan_bench [LAYERS...]
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/model/model.h"
#include "gpu/base/rng.h"
#include "gpu/devices/devices.h"

using namespace strata;
using Clock = std::chrono::steady_clock;

namespace {

double millisecondsSince(Clock::time_point start) {
  return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

Project network(bool isConvolution, int layers) {
  Json list = Json::array();
  if (isConvolution) {
    list.push_back({{"type", "Input"}, {"name", "x"}, {"shape", {8, 8, 16}}});
    for (int i = 0; i + 2 < layers; i += 3) {
      const std::string number = std::to_string(i);
      list.push_back({{"type", "Conv2D"},
                      {"name", "conv" + number},
                      {"filters", 16},
                      {"kernel_size", {3, 3}},
                      {"padding", "same"}});
      list.push_back({{"type", "BatchNormalization"}, {"name", "norm" + number}});
      list.push_back({{"type", "Activation"}, {"name", "relu" + number}, {"activation", "relu"}});
    }
    list.push_back({{"type", "GlobalAveragePooling2D"}, {"name", "pool"}});
  }
  else {
    list.push_back({{"type", "Input"}, {"name", "x"}, {"shape", {32}}});
    for (int i = 0; i + 1 < layers; ++i)
      list.push_back({{"type", "Dense"},
                      {"name", "dense" + std::to_string(i)},
                      {"units", 32},
                      {"activation", "relu"}});
  }
  list.push_back({{"type", "Dense"}, {"name", "out"}, {"units", 10}, {"activation", "softmax"}});
  return Project(Json{{"model", {{"layers", list}}},
                      {"training",
                       {{"loss", "sparse_categorical_crossentropy"},
                        {"optimizer", "adam"},
                        {"batch_size", 32}}}},
                 "");
}

struct Times {
  double graph = 0, program = 0, bind = 0, plan = 0, recompute = 0;
  size_t nodes = 0, peakBytes = 0;
  double aboveBound = 0;
};

Times measure(bool isConvolution, int layers, Device& device) {
  const Project project = network(isConvolution, layers);
  Times times;
  Diagnostics diagnostics;
  auto start = Clock::now();
  const Model model = parseModel(project, diagnostics);
  const TrainingOptions training = parseTraining(project, diagnostics);
  StepOptions options;
  options.device = device.traits();
  options.batchSize = 32;
  const StepGraph step = buildStep(model, training, options, device.passes());
  times.graph = millisecondsSince(start);
  State state(device);
  start = Clock::now();
  const auto program = Program::build(step.graph, device, state);
  times.program = millisecondsSince(start);
  start = Clock::now();
  program->bind();
  times.bind = millisecondsSince(start);
  start = Clock::now();
  const MemoryPlan plan = planMemory(step.graph, {});
  times.plan = millisecondsSince(start);
  times.nodes = step.graph.order().size();
  times.peakBytes = program->memory().peakBytes();
  times.aboveBound = static_cast<double>(times.peakBytes) /
                         static_cast<double>(program->memory().lowerBoundBytes) -
                     1;
  RecomputeOptions recompute;
  recompute.how = Recompute::Auto;
  recompute.limitBytes = plan.persistentBytes + plan.inputBytes + plan.transientBytes * 6 / 10;
  start = Clock::now();
  chooseRecompute(step.graph, recompute);
  times.recompute = millisecondsSince(start);
  return times;
}

}  // namespace

int main(int count, char** arguments) {
  std::vector<int> sizes;
  for (int i = 1; i < count; ++i)
    sizes.push_back(std::atoi(arguments[i]));
  if (sizes.empty()) sizes = {10, 100, 1000, 10000};
  const auto device = openDevice("auto", {});
  std::printf("%-8s %7s %8s %10s %11s %9s %9s %12s %10s %7s\n", "network", "layers", "nodes",
              "graph ms", "program ms", "bind ms", "plan ms", "recompute ms", "peak MiB", "holes");
  for (const bool isConvolution : {false, true}) {
    std::vector<Times> all;
    for (const int layers : sizes) {
      const Times t = all.emplace_back(measure(isConvolution, layers, *device));
      std::printf("%-8s %7d %8zu %10.1f %11.1f %9.1f %9.1f %12.1f %10.1f %6.2f%%\n",
                  isConvolution ? "conv" : "dense", layers, t.nodes, t.graph, t.program, t.bind,
                  t.plan, t.recompute, static_cast<double>(t.peakBytes) / (1 << 20),
                  100 * t.aboveBound);
    }
    if (sizes.size() < 2 || sizes[sizes.size() - 2] < 2) continue;
    const double from = sizes[sizes.size() - 2], to = sizes.back();
    const Times &before = all[all.size() - 2], &after = all.back();
    std::printf(
        "         %.0f to %.0f layers: graph %.1f, program %.1f, bind %.1f, plan %.1f, recompute "
        "%.1f times (n log n: %.1f)\n",
        from, to, after.graph / before.graph, after.program / before.program,
        after.bind / before.bind, after.plan / before.plan, after.recompute / before.recompute,
        to * std::log(to) / (from * std::log(from)));
  }
  for (const int ranges : {1000, 10000, 100000}) {
    std::vector<LiveRange> nested, scattered;
    RandomStream random(1, streamOf("bench"));
    for (int i = 0; i < ranges; ++i) {
      const size_t bytes = 64 + random.below(100000);
      nested.push_back({bytes, i, 2 * ranges - i});
      const auto begin = static_cast<int>(random.below(static_cast<uint32_t>(ranges)));
      scattered.push_back({bytes, begin, begin + static_cast<int>(random.below(50))});
    }
    for (const bool isNested : {true, false}) {
      if (!isNested && ranges > 10000) continue;
      const auto start = Clock::now();
      const ArenaPlan plan = planArena(isNested ? nested : scattered);
      std::printf("%6d %-9s ranges packed in %8.1f ms, %.3f times the bound\n", ranges,
                  isNested ? "nested" : "scattered", millisecondsSince(start),
                  static_cast<double>(plan.peakBytes) / static_cast<double>(plan.lowerBoundBytes));
    }
  }
  return 0;
}
