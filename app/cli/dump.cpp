// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/check/checked_project.h"
#include "core/compile/compile.h"
#include "core/cost/algorithms_file.h"
#include "core/cost/calibration_file.h"
#include "core/cost/open_device.h"
#include "core/cost/simulated_card.h"
#include "core/data/dataset.h"
#include "core/model/model.h"
#include "core/train/network.h"
#include "gpu/base/machine.h"
#include "gpu/devices/device_name.h"
#include "gpu/graph/op.h"
#include "gpu/graph/text.h"

namespace strata::cli {

static Json graphToJson(const Graph& graph) {
  Json nodes = Json::array();
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    Json attributes = Json::object(), inputs = Json::array(), outputs = Json::array();
    for (const auto& [name, value] : node.attributes.entries())
      attributes[name] = std::visit([](const auto& v) { return Json(v); }, value);
    if (node.slices != 1) attributes["slices"] = node.slices;
    for (ValueId input : node.inputs)
      inputs.push_back(input.index);
    for (ValueId output : node.outputs)
      outputs.push_back({{"value", output.index},
                         {"type", graph.type(output).toString()},
                         {"category", categoryName(graph.value(output).category)}});
    nodes.push_back({{"op", node.op->name},
                     {"layer", node.layer},
                     {"phase", phaseName(node.phase)},
                     {"inputs", inputs},
                     {"outputs", outputs},
                     {"attributes", attributes}});
  }
  Json variables = Json::array(), outputs = Json::object();
  for (const Variable& variable : graph.variables())
    variables.push_back(
        {{"name", variable.name}, {"value", variable.value.index}, {"next", variable.next.index}});
  for (const NamedValue& output : graph.outputs())
    outputs[output.name] = output.value.index;
  return {{"nodes", nodes}, {"variables", variables}, {"outputs", outputs}};
}

static Json estimateToJson(const StepEstimate& estimate) {
  return {{"peak_bytes", estimate.peakBytes},
          {"moved_bytes", estimate.movedBytes},
          {"seconds", estimate.seconds}};
}

static Json reportsToJson(const std::vector<PassReport>& reports) {
  Json list = Json::array();
  for (const PassReport& report : reports)
    list.push_back({{"pass", report.pass},
                    {"rewrites", report.rewrites},
                    {"nodes_before", report.nodesBefore},
                    {"nodes_after", report.nodesAfter},
                    {"before", estimateToJson(report.before)},
                    {"after", estimateToJson(report.after)},
                    {"disabled", report.isDisabled},
                    {"failure", report.failure},
                    {"details", report.details}});
  return list;
}

static Json planToJson(const MemoryPlan& plan, bool listsStorages) {
  static const char* const kLanes[] = {"persistent", "input", "transient"};
  Json answer{{"peak_bytes", plan.peakBytes()}, {"lower_bound_bytes", plan.lowerBoundBytes}};
  if (!listsStorages) return answer;
  Json& storages = answer["storages"] = Json::array();
  for (const Storage& storage : plan.storages) {
    Json values = Json::array();
    for (ValueId value : storage.values)
      values.push_back(value.index);
    storages.push_back({{"lane", kLanes[static_cast<int>(storage.lane)]},
                        {"offset", storage.offset},
                        {"bytes", storage.bytes},
                        {"category", categoryName(storage.category)},
                        {"layer", storage.layer},
                        {"begin", storage.begin},
                        {"end", storage.end},
                        {"values", values}});
  }
  return answer;
}

/// Prints notes about the other steps of a training run: micro-batches and the last batch of an
/// epoch.
static void printOtherSteps(const CheckedProject& project, const TrainingOptions& training,
                            int64_t batchSize) {
  const DatasetInfo& data = project.data();
  const int64_t samples = data.isKnown ? data.trainCount : batchSize, ragged = samples % batchSize;
  const int64_t pieces = std::min(training.accumulationSteps, batchSize);
  if (samples < batchSize)
    std::cout << "# the training set has only " << samples << " samples, fewer than a batch of "
              << batchSize << ": --batch-size " << samples << " prints their step\n";
  else if (pieces > 1)
    std::cout << "# training splits a batch into " << pieces
              << " micro-batches (gradient_accumulation_steps): --piece 1.." << pieces
              << " prints them; strata plan includes them"
              << (ragged > 0 ? " and those of the last batch of an epoch, which has " +
                                   std::to_string(ragged) + " samples"
                             : "")
              << "\n";
  else if (ragged > 0)
    std::cout << "# the last batch of an epoch has " << ragged << " of " << batchSize
              << " samples: --batch-size " << ragged
              << " prints its step; strata plan includes both\n";
}

/// Sets `step` to micro-batch `number` of a batch. `held` receives the optimizer state, which only
/// the last micro-batch updates.
static void selectMicroBatch(int64_t number, const Model& model, const TrainingOptions& training,
                             Device& device, StepOptions& step,
                             std::map<std::string, TensorType>& held) {
  const std::vector<MicroBatch> pieces = microBatches(step.batchSize, training.accumulationSteps);
  const auto count = static_cast<int64_t>(pieces.size());
  if (number > count)
    throw Error(ErrorCode::InvalidArgument, "--piece " + std::to_string(number),
                "a batch of " + std::to_string(step.batchSize) + " has only " +
                    formatCounted(count, "micro-batch") + " (expected at most " +
                    std::to_string(count) + "). Choose one of them.");
  StepOptions last = step;
  last.batchSize = pieces.back().samples;
  last.microStep = pieces.back().step;
  last.stopAfter = Stage::Differentiated;
  const StepGraph updating = buildStep(model, training, last, device.passes());
  for (const Variable& variable : updating.graph.variables())
    held.emplace(variable.name, updating.graph.type(variable.value));
  step.held = &held;
  step.batchSize = pieces[static_cast<size_t>(number) - 1].samples;
  step.microStep = pieces[static_cast<size_t>(number) - 1].step;
}

static void printPlanned(const Graph& graph, const Program& program) {
  const MemoryPlan& plan = program.memory();
  const auto implementations = program.implementations();
  static const char* const kLanes[] = {"persistent", "input", "transient"};
  for (const Storage& storage : plan.storages) {
    std::cout << kLanes[static_cast<int>(storage.lane)] << " " << storage.offset << " + "
              << storage.bytes << "  " << categoryName(storage.category);
    if (storage.lane == Storage::Lane::Transient)
      std::cout << "  live " << storage.begin << ".." << storage.end;
    std::cout << "  " << (storage.layer.empty() ? "-" : storage.layer);
    for (ValueId value : storage.values)
      std::cout << " %" << value.index;
    std::cout << "\n";
  }
  std::cout << "# kernels in execution order\n";
  for (size_t i = 0; i < graph.order().size(); ++i) {
    const Node& node = graph.node(graph.order()[i]);
    std::cout << i << " " << node.op->name << " " << (node.layer.empty() ? "-" : node.layer) << "  "
              << implementations[i] << "\n";
  }
}

static Stage lastStageFor(const std::string& stage) {
  if (stage == "lowered") return Stage::Lowered;
  if (stage == "differentiated") return Stage::Differentiated;
  return Stage::Optimized;
}

/// Returns one of the devices that a name means. All of them have the same graph, apart from sums
/// over replicas.
static std::string oneOf(const std::string& name) {
  const DeviceName read(resolvedDeviceName(name));
  return read.copies > 1 ? read.at(0) : name;
}

Action setupDump(Arguments& accepted) {
  struct Options {
    ProjectArgument project;
    std::string stage = "optimized", format = "text", deviceName = "auto", recompute;
    int64_t batchSize = 0, memoryLimit = 0, piece = 0;
  };
  auto options = std::make_shared<Options>();
  options->project.addTo(accepted);
  accepted.choice("--stage", options->stage, "Stage of compilation to print", "STAGE",
                  {"lowered", "differentiated", "optimized", "planned"}, Need::Required);
  accepted.choice("--format", options->format, "Output format (default: text)", "FORMAT",
                  {"text", "dot", "json"});
  options->project.addPassesTo(accepted);
  accepted.batchSize(options->batchSize, "Batch size (default: the project's)");
  accepted.count("--piece", options->piece,
                 "With gradient_accumulation_steps, print the step of this micro-batch, from 1; "
                 "the last one updates the weights");
  options->project.addDeviceTo(accepted, options->deviceName, "auto");
  addRecompute(accepted, options->recompute);
  addMemoryLimit(accepted, options->memoryLimit);
  return [options] {
    const CheckedProject project = options->project.loadChecked();
    const Model& model = project.model();
    const TrainingOptions& training = project.recipe();
    StepOptions step;
    step.batchSize = options->batchSize > 0 ? options->batchSize : training.batchSize;
    step.stopAfter = lastStageFor(options->stage);
    const ExecutionOptions& execution = project.execution();
    step.disabledPasses = execution.disabledPasses;
    step.precision = execution.precision;
    step.lossScale = execution.lossScale();
    DeviceOptions deviceOptions;
    deviceOptions.isTf32 = execution.precision == Precision::Tf32;
    deviceOptions.isAttentionDeterministic = execution.isAttentionDeterministic;
    step.replicas = DeviceName(options->deviceName).copies;
    auto device = openNamedDevice(oneOf(options->deviceName), deviceOptions);
    const std::optional<DeviceMemoryUse> own = device->memoryUse();
    step.device = device->traits();
    if (step.device.packsSums) step.processes = step.replicas;
    step.recompute.how = recomputeFor(project, options->recompute).value_or(execution.recompute);
    step.recompute.limitBytes = options->memoryLimit > 0
                                    ? static_cast<size_t>(options->memoryLimit)
                                    : execution.limitOf(device->name())
                                          .value_or(own ? own->freeBytes : availableMemoryBytes());
    step.recompute.inPlace = !step.disabledPasses.contains("in_place");
    step.recompute.workspaces = kernelWorkspaces(*device);
    KernelChooser chooser(*device, execution.kernelChoice);
    if (device->variantsAreAlike() || execution.kernelChoice == KernelChoice::Fastest)
      chooser.know(keptTimes(*device));
    if (DeviceName(device->name()).isGpu()) device->setPinned(execution.algorithms, pathOfLayer);
    step.seconds = nodeSecondsOf(*device);
    step.chooseKernels = [&](const Graph& same, PassReport& report) {
      chooser.choose(same, report);
    };
    std::map<std::string, TensorType> held;
    if (options->piece > 0) selectMicroBatch(options->piece, model, training, *device, step, held);
    StepGraph built = buildStep(model, training, step, device->passes());
    const Graph graph = built.graph;
    State state(*device);
    std::unique_ptr<Program> program;
    std::optional<MemoryPlan> memory;
    if (options->stage == "planned") {
      state.ensureVariables(graph);
      program = Program::build(std::move(built.graph), *device, state, step.recompute.inPlace);
      memory = program->memory();
    }
    else if (options->stage == "optimized") {
      memory = planProgram(graph, *device, step.recompute.inPlace);
    }
    if (options->format == "json") {
      Json answer = graphToJson(graph);
      answer["passes"] = reportsToJson(built.reports);
      if (memory) answer["memory"] = planToJson(*memory, program != nullptr);
      printJsonDocument(answer);
    }
    else if (options->format == "dot") {
      std::cout << toDot(graph);
    }
    else {
      for (const PassReport& report : built.reports) {
        std::cout << "# " << report.line() << "\n";
        for (const std::string& detail : report.details)
          std::cout << "#     " << detail << "\n";
      }
      if (memory)
        std::cout << "# planned peak: " << memory->peakBytes()
                  << " bytes including kernel workspaces (persistent " << memory->persistentBytes
                  << ", input " << memory->inputBytes << ", transient " << memory->transientBytes
                  << "), lower bound " << memory->lowerBoundBytes << "\n";
      if (options->piece == 0) printOtherSteps(project, training, step.batchSize);
      std::cout << printGraph(graph);
      if (program) printPlanned(graph, *program);
    }
    return kDone;
  };
}

}  // namespace strata::cli
