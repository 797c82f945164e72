// SPDX-License-Identifier: Apache-2.0
// Measures a training step of a project on random numbers: the minimum and the median of whole
// steps, and the time of each node.
//   strata_step_bench PROJECT[:BATCH] [DEVICE] [THREADS] [SECONDS]
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "core/compile/compile.h"
#include "core/model/model.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"

using namespace strata;
using Clock = std::chrono::steady_clock;

namespace {

double microseconds(Clock::duration d) {
  return std::chrono::duration<double, std::micro>(d).count();
}

int measure(const std::string& path, int64_t batch, const std::string& name, int threads,
            double seconds) {
  const Project project = loadProject(path).value();
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  const TrainingOptions training = parseTraining(project, diagnostics);
  const auto device = openDevice(name, {threads, 0});
  StepOptions options;
  options.device = device->traits();
  options.batchSize = batch > 0 ? batch : training.batchSize;
  StepGraph step = buildStep(model, training, options, device->passes());
  for (const PassReport& report : step.reports)
    std::printf("%s\n", report.line().c_str());
  State state(device);
  initializeState(state, step, 1);
  auto program = Program::build(step.graph, *device, state);
  program->bind();
  RandomStream random(1, 2);
  for (const NamedValue& named : program->graph().inputs()) {
    Tensor value(program->graph().type(named.value));
    if (named.name == "learning_rate")
      value.as<float>()[0] = 0.001f;
    else if (named.name == "target" && value.dtype() == DType::I32)
      for (int32_t& label : value.as<int32_t>())
        label = static_cast<int32_t>(random.below(10));
    else if (value.dtype() == DType::F32)
      for (float& x : value.as<float>())
        x = random.uniform();
    else if (value.dtype() == DType::I64)
      value.as<int64_t>()[0] = 1;
    program->writeInput(named.name, value);
  }
  std::vector<double> times;
  const auto start = Clock::now();
  while (microseconds(Clock::now() - start) < seconds * 1e6 || times.size() < 20) {
    const auto before = Clock::now();
    program->run();
    times.push_back(microseconds(Clock::now() - before));
  }
  std::sort(times.begin(), times.end());
  std::printf(
      "%s batch %lld on %s, %d workers: least %.1f us, median %.1f us of %zu steps; %d barriers; "
      "peak %.2f MiB\n",
      project.name().c_str(), static_cast<long long>(options.batchSize), device->name().c_str(),
      device->numWorkers(), times.front(), times[times.size() / 2], times.size(),
      program->numBarriers(), static_cast<double>(program->memory().transientBytes) / 1048576);
  program->setProfiling(true);
  std::vector<double> best;
  for (int i = 0; i < 400; ++i) {
    program->resetProfile();
    program->run();
    const auto rows = program->profile();
    if (best.empty()) best.assign(rows.size(), 1e30);
    for (size_t r = 0; r < rows.size(); ++r)
      best[r] = std::min(best[r], microseconds(rows[r].total));
  }
  double sum = 0;
  const auto rows = program->profile();
  for (size_t r = 0; r < rows.size(); ++r) {
    const Node& node = program->graph().node(rows[r].node);
    std::string shapes;
    for (ValueId value : node.inputs)
      shapes += program->graph().shape(value).toString();
    std::printf("%9.1f us  %-10s %-28s %-24s %s\n", best[r], rows[r].layer.c_str(),
                rows[r].op.c_str(), rows[r].implementation.c_str(), shapes.c_str());
    sum += best[r];
  }
  std::printf("%9.1f us  sum of the least times of each node\n", sum);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "strata_step_bench PROJECT[:BATCH] [DEVICE] [THREADS] [SECONDS]\n");
    return 2;
  }
  const std::string item = argv[1];
  const size_t colon = item.rfind(':');
  try {
    return measure(item.substr(0, colon),
                   colon == std::string::npos ? 0 : std::atoll(item.c_str() + colon + 1),
                   argc > 2 ? argv[2] : "cpu", argc > 3 ? std::atoi(argv[3]) : 0,
                   argc > 4 ? std::atof(argv[4]) : 1);
  }
  catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.line().c_str());
    return 1;
  }
}
