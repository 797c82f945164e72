// SPDX-License-Identifier: Apache-2.0
#include "core/train/planned_step.h"

#include <algorithm>
#include <set>
#include <utility>

#include "core/interchange/weight_names.h"
#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

KeptMicroBatch keptPiece(StepBuilder& steps, const MicroBatch& piece) {
  StepGraph step = steps.stepGraph(StepMode::Train, piece.samples, {}, piece.step);
  MemoryPlan memory = planGraph(steps, step.graph);
  const bool hasStates = std::any_of(step.variables.begin(), step.variables.end(),
                                     [](const auto& each) { return isCarriedState(each.name); });
  return {piece, std::move(step.graph), std::move(memory), !step.countedBy.empty() || hasStates};
}

PlannedMicroBatch planPiece(StepBuilder& steps, const KeptMicroBatch& kept, Recompute how,
                            size_t limitBytes) {
  PlannedMicroBatch planned{kept.graph, kept.graph.numNodes(), {}, kept.memory, {}};
  if (how == Recompute::None || (how == Recompute::Auto && kept.memory.peakBytes() <= limitBytes))
    return planned;
  RecomputeOptions recompute = steps.recomputeOptions();
  recompute.how = how;
  recompute.limitBytes = limitBytes;
  planned.choice = recomputeToFit(planned.graph, recompute);
  if (planned.choice.changesSomething()) planned.memory = planGraph(steps, planned.graph);
  return planned;
}

}  // namespace

MemoryPlan planGraph(StepBuilder& steps, const Graph& graph) {
  return planProgram(graph, steps.device(), !steps.isPassDisabled("in_place"));
}

std::vector<KeptMicroBatch> keptMicroBatches(StepBuilder& steps,
                                             const std::vector<MicroBatch>& pieces) {
  const auto isUpdating = [](const MicroBatch& piece) {
    return piece.step == MicroStep::Whole || piece.step == MicroStep::Last;
  };
  std::vector<KeptMicroBatch> kept;
  const auto updating = std::find_if(pieces.begin(), pieces.end(), isUpdating);
  // The workers of a parameter server do not update. The first micro-batch is the largest one
  kept.push_back(keptPiece(steps, updating == pieces.end() ? pieces.front() : *updating));
  struct Reset {
    StepBuilder& steps;
    std::map<std::string, TensorType> before;
    ~Reset() { steps.hold(std::move(before)); }
  } reset{steps, steps.held()};
  steps.holdVariablesOf(kept.front().graph);
  std::set<std::pair<int64_t, MicroStep>> seen{
      {kept.front().piece.samples, kept.front().piece.step}};
  for (const MicroBatch& piece : pieces)
    if (seen.emplace(piece.samples, piece.step).second) kept.push_back(keptPiece(steps, piece));
  return kept;
}

ReservedBytes reserve(MemoryPlan& memory, const MemoryPlan& first, const std::string& input) {
  const auto above = [](size_t bytes, size_t own) {
    return bytes - std::min(bytes, own);
  };
  const ReservedBytes more{above(first.inputBytes, memory.inputBytes),
                           above(first.persistentBytes, memory.persistentBytes)};
  const auto add = [&](Category category, const std::string& layer, size_t bytes) {
    if (bytes == 0) return;
    memory.lowerBoundBytes += bytes;
    memory.byCategoryAtPeak[static_cast<size_t>(category)] += bytes;
    std::vector<MemoryPlan::LayerBytes>& rows = memory.byLayerAtPeak;
    const auto row = std::ranges::find(rows, layer, &MemoryPlan::LayerBytes::layer);
    (row == rows.end() ? rows.emplace_back(layer, 0) : *row).bytes += bytes;
  };
  add(Category::Input, input, more.inputs);
  add(Category::Temporary, "", more.constants);
  memory.inputBytes += more.inputs;
  memory.persistentBytes += more.constants;
  return more;
}

bool PlannedStep::changesSomething() const {
  return std::any_of(pieces.begin(), pieces.end(), [](const PlannedMicroBatch& piece) {
    return piece.choice.changesSomething();
  });
}

size_t PlannedStep::maxRecomputed() const {
  size_t most = 0;
  for (const PlannedMicroBatch& piece : pieces)
    most = std::max(most, piece.choice.repeated.size());
  return most;
}

PlannedStep planStep(StepBuilder& steps, const std::vector<KeptMicroBatch>& pieces, Recompute how,
                     size_t limitBytes) {
  PlannedStep step;
  for (const KeptMicroBatch& kept : pieces) {
    PlannedMicroBatch planned = planPiece(steps, kept, how, limitBytes);
    // All micro-batches share the inputs and constants of the first one, which has the largest
    // arrays.
    const MemoryPlan& first = step.pieces.empty() ? planned.memory : step.updating().memory;
    const size_t shared = first.persistentBytes + first.inputBytes;
    if (const size_t own = planned.memory.persistentBytes + planned.memory.inputBytes;
        shared > own && shared + planned.memory.transientBytes > limitBytes)
      planned = planPiece(steps, kept, how, limitBytes - std::min(limitBytes, shared - own));
    planned.reserved = reserve(planned.memory, first, steps.model().inputs.front());
    step.keptPeakBytes = std::max(step.keptPeakBytes, shared + kept.memory.transientBytes);
    if (planned.memory.peakBytes() > step.peakBytes) {
      step.peakBytes = planned.memory.peakBytes();
      step.largest = step.pieces.size();
    }
    step.pieces.push_back(std::move(planned));
  }
  return step;
}

std::vector<std::string> repeatedLayers(const PlannedStep& step,
                                        const std::vector<KeptMicroBatch>& pieces) {
  std::vector<std::string> layers;
  for (size_t i = 0; i < pieces.size(); ++i)
    for (const NodeId id : step.pieces[i].choice.repeated)
      if (const std::string& layer = pieces[i].graph.node(id).layer;
          std::ranges::find(layers, layer) == layers.end())
        layers.push_back(layer);
  return layers;
}

}  // namespace strata
