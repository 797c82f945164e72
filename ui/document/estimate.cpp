// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/estimate.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <QCoreApplication>

#include "core/compile/compile.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/train/options.h"
#include "gpu/exec/backend.h"
#include "gpu/exec/program.h"
#include "ui/format.h"

namespace strata::ui {

namespace {

struct Estimates {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::Estimate)
};

constexpr int kTrialSteps = 3;
constexpr int kNice = 19;
/// Forward alone is about a third of a step (forward, gradient of inputs, gradient of weights).
constexpr double kForwardShare = 1.0 / 3;

void fillInput(Program& program, const std::string& name, const TensorType& type) {
  std::byte* address = program.inputAddress(name);
  std::memset(address, 0, type.bytes());
  if (name == "learning_rate") {
    const float rate = 1e-6F;
    std::memcpy(address, &rate, sizeof rate);
  } else if (name == "step") {
    const int64_t step = 1;
    std::memcpy(address, &step, sizeof step);
  } else if (type.dtype == DType::F32) {
    // Not zeros: kernels skip nothing, but powers and logs of zero take other paths.
    auto* values = reinterpret_cast<float*>(address);
    const size_t count = type.bytes() / sizeof(float);
    for (size_t i = 0; i < count; ++i) values[i] = static_cast<float>(i % 17) / 17.0F;
  }
}

void readMemory(const MemoryPlan& plan, Estimate& estimate) {
  estimate.hasMemory = true;
  estimate.peakBytes = static_cast<double>(plan.peakBytes());
  estimate.lowerBoundBytes = static_cast<double>(plan.lowerBoundBytes);
  for (int i = 0; i < kNumCategories; ++i) {
    const size_t bytes = plan.byCategoryAtPeak[static_cast<size_t>(i)];
    if (bytes > 0) estimate.byCategory.emplace_back(categoryName(static_cast<Category>(i)), static_cast<double>(bytes));
  }
  for (const auto& row : plan.byLayerAtPeak) {
    if (!row.layer.empty()) estimate.bytesByLayer[row.layer] = static_cast<double>(row.bytes);
  }
}

void measureTime(const EstimateRequest& request, Program& program, const Graph& graph, int64_t batchSize, int64_t epochs,
                 const std::stop_token& stop, Estimate& estimate) {
  using Clock = std::chrono::steady_clock;
  for (const NamedValue& input : graph.inputs()) fillInput(program, input.name, graph.type(input.value));
  if (program.run(stop) == Program::Outcome::Stopped) return;  // the first touches its memory
  double best = 0;
  program.setProfiling(true);
  program.resetProfile();
  for (int i = 0; i < kTrialSteps; ++i) {
    const auto begin = Clock::now();
    if (program.run(stop) == Program::Outcome::Stopped) return;
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = i == 0 ? seconds : std::min(best, seconds);
  }
  estimate.hasTime = true;
  estimate.stepSeconds = best;
  for (const ProfileRow& row : program.profile()) {
    if (!row.layer.empty()) estimate.secondsByLayer[row.layer] += std::chrono::duration<double>(row.total).count() / kTrialSteps;
  }
  Diagnostics ignored;
  const DatasetInfo data = describeDataset(request.project, ignored);
  if (!data.isKnown || batchSize < 1) return;
  const auto steps = [&](int64_t samples) { return static_cast<double>((samples + batchSize - 1) / batchSize); };
  estimate.totalSeconds = best * (static_cast<double>(epochs) * (steps(data.trainCount) + kForwardShare * steps(data.validationCount)) +
                                  kForwardShare * steps(data.testCount));
}

}  // namespace

void makeEstimate(const EstimateRequest& request, const std::stop_token& stop, const std::function<void(const Estimate&)>& deliver) {
  Estimate estimate;
  estimate.revision = request.revision;
  const QString notYet = Estimates::tr("unknown until three trial steps have run");
  estimate.whyNoMemory = estimate.whyNoTime = notYet;
  try {
    Diagnostics diagnostics;
    const Model model = parseModel(request.project, diagnostics);
    const TrainingOptions training = parseTraining(request.project, diagnostics);
    const ExecutionOptions execution = parseExecution(request.project, diagnostics);
    if (hasErrors(diagnostics)) return;
    const std::unique_ptr<Backend> backend = openDevice(execution.device, {.threads = execution.threads, .niceness = kNice});
    StepOptions options;
    options.batchSize = training.batchSize;
    options.disabledPasses = execution.disabledPasses;
    StepGraph step = buildStep(model, training, options, backend->passes());
    if (stop.stop_requested()) return;
    State state;
    state.ensureVariables(step.graph);
    const std::unique_ptr<Program> program = Program::build(std::move(step.graph), *backend, state, !execution.disabledPasses.contains("in_place"));
    readMemory(program->memory(), estimate);
    if (!request.withTime) estimate.whyNoTime = Estimates::tr("unknown, because a run is using this machine");
    deliver(estimate);
    if (!request.withTime || stop.stop_requested()) return;
    program->bind();
    for (const VariableRequest& variable : step.variables) state.write(variable.name, initialValue(variable, training.seed));
    measureTime(request, *program, program->graph(), training.batchSize, training.epochs, stop, estimate);
    if (estimate.hasTime) deliver(estimate);
  } catch (const std::exception& error) {
    const auto* known = dynamic_cast<const Error*>(&error);
    const QString why = Estimates::tr("unknown, because: %1").arg(text(known ? known->line() : error.what()));
    if (!estimate.hasMemory) estimate.whyNoMemory = why;
    estimate.whyNoTime = why;
    deliver(estimate);
  }
}

}  // namespace strata::ui
