// SPDX-License-Identifier: Apache-2.0
#include "core/train/planned_step.h"

#include <algorithm>
#include <set>
#include <utility>

#include "gpu/passes/standard_passes.h"

namespace strata {
namespace {

KeptPiece keptPiece(Network& network, const MicroBatch& piece) {
  KeptPiece kept{piece, network.stepGraph(StepMode::Train, piece.samples, {}, piece.step).graph, {}};
  kept.memory = planGraph(network, kept.graph);
  return kept;
}

PlannedStep planPiece(Network& network, const KeptPiece& kept, Recompute how, size_t limitBytes) {
  PlannedStep step;
  step.graph = kept.graph;
  step.keptPeakBytes = kept.memory.peakBytes();
  if (how == Recompute::All || (how == Recompute::Auto && step.keptPeakBytes > limitBytes)) {
    RecomputeOptions recompute = network.recomputeOptions();
    recompute.how = how;
    recompute.limitBytes = limitBytes;
    step.choice = recomputeToFit(step.graph, recompute);
  }
  step.memory = step.choice.changesSomething() ? planGraph(network, step.graph) : kept.memory;
  step.peakBytes = step.memory.peakBytes();
  return step;
}

}  // namespace

MemoryPlan planGraph(Network& network, const Graph& graph) { return planProgram(graph, network.backend(), network.isInPlace()); }

std::vector<KeptPiece> keptPiecesOf(Network& network, int64_t samples, int64_t ragged) {
  std::vector<MicroBatch> pieces = network.microBatchesOf(samples);
  std::vector<KeptPiece> kept;
  kept.push_back(keptPiece(network, pieces.back()));
  if (ragged > 0)
    for (const MicroBatch& piece : network.microBatchesOf(ragged)) pieces.push_back(piece);
  const std::map<std::string, TensorType> held = network.held();
  if (pieces.size() > 1) network.holdVariablesOf(kept.front().graph);
  std::set<std::pair<int64_t, MicroStep>> seen{{kept.front().piece.samples, kept.front().piece.step}};
  for (const MicroBatch& piece : pieces)
    if (seen.emplace(piece.samples, piece.step).second) kept.push_back(keptPiece(network, piece));
  network.hold(held);
  return kept;
}

PlannedStep planStep(Network& network, const std::vector<KeptPiece>& pieces, Recompute how, size_t limitBytes) {
  PlannedStep step = planPiece(network, pieces.front(), how, limitBytes);
  for (size_t i = 1; i < pieces.size(); ++i) {
    PlannedStep other = planPiece(network, pieces[i], how, limitBytes);
    const size_t moreInput = step.memory.inputBytes - std::min(step.memory.inputBytes, other.memory.inputBytes);  // all share one
    if (const size_t bytes = other.peakBytes + moreInput; bytes > limitBytes)
      other = planPiece(network, pieces[i], how, limitBytes - std::min(limitBytes, bytes - limitBytes));
    step.keptPeakBytes = std::max(step.keptPeakBytes, other.keptPeakBytes + moreInput);
    if (other.peakBytes + moreInput <= step.peakBytes) continue;
    step.peakBytes = other.peakBytes + moreInput;
    other.memory.inputBytes += moreInput;
    other.memory.lowerBoundBytes += moreInput;
    other.memory.byCategoryAtPeak[static_cast<size_t>(Category::Input)] += moreInput;
    step.largest = {pieces[i].graph.numNodes(), std::move(other.graph), std::move(other.memory)};
  }
  return step;
}

}  // namespace strata
