// SPDX-License-Identifier: Apache-2.0
#include "core/train/planner.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <tuple>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/train/feeder.h"
#include "gpu/exec/state.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

/// Fills in the memory over time, and the values and workspaces that are live at the peak.
void describeMemory(const Graph& graph, TrainingPlan& plan) {
  const auto bytes = memoryTimeline(graph, plan.memory);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const Node& node = graph.node(graph.order()[i]);
    PlanInstant instant{node.op->name, node.layer, node.phase, false, bytes[i], 0};
    for (const size_t category : bytes[i])
      instant.liveBytes += category;
    plan.timeline.push_back(std::move(instant));
  }
  for (const LiveBytes& live : liveAtPeak(graph, plan.memory)) {
    if (live.bytes == 0) continue;
    plan.atPeak.push_back(
        {live.layer,
         live.value.isValid() ? graph.node(graph.value(live.value).producer).op->name : "",
         live.category, live.bytes});
  }
  plan.whyAboveBound = whyAboveBound(graph, plan.memory);
}

/// Adds a row for each layer in each repetition of a Block.
void addInnerRows(const Layer& block, const std::string& name, std::vector<PlanInnerLayer>& rows) {
  std::vector<const Layer*> inner;
  for (const Layer& layer : block.inner->drafts)
    inner.push_back(&layer);
  std::sort(inner.begin(), inner.end(),
            [](const Layer* a, const Layer* b) { return a->index < b->index; });
  const auto repeat = block.fields->at("repeat").get<int64_t>();
  for (int64_t i = 0; i < repeat; ++i) {
    for (const Layer* layer : inner) {
      const std::string own = name + "/" + std::to_string(i) + "/" + layer->name;
      if (layer->inner)
        addInnerRows(*layer, own, rows);
      else
        rows.push_back({own, layer->definition->schema.type, 0, 0, {}, {}});
    }
  }
}

}  // namespace

/// Returns the options for the steps. Limits the batch size to the number of samples, as training
/// does.
NetworkOptions Planner::networkOptions() const {
  NetworkOptions result;
  result.device = m_options.device;
  result.threads = m_options.threads;
  result.niceness = m_options.niceness;
  result.memoryLimitBytes = m_options.memoryLimitBytes;
  result.recompute = m_options.recompute;
  result.stop = m_options.stop;
  if (m_options.batchSize > 0) result.batchSize = m_options.batchSize;
  if (!m_data.isKnown) return result;
  result.maxBatch = std::max<int64_t>(1, m_data.trainCount);
  const int64_t batch =
      std::min(m_options.batchSize > 0 ? m_options.batchSize : m_recipe.batchSize, result.maxBatch);
  result.dataBytes = static_cast<size_t>(
      m_data.dataset ? decodedForSteps(m_data, batch, m_recipe.accumulationSteps) : m_data.bytes());
  return result;
}

void Planner::planMemory() {
  m_plan.device = steps().deviceName();
  m_plan.leavesOutExchange = steps().placement() || steps().server();
  m_plan.batchSize = steps().batchSize();
  m_plan.requestedBatchSize = m_options.batchSize > 0 ? m_options.batchSize : m_recipe.batchSize;
  m_plan.limitBytes = steps().memoryLimitBytes();
  if (const auto use = steps().device().memoryUse()) {
    m_plan.cardBytes = use->totalBytes;
    m_plan.contextBytes = use->contextBytes;
    m_plan.isContextEstimated = steps().device().isSimulated();
  }
  if (m_data.isKnown)
    m_plan.dataBytes = static_cast<size_t>(
        m_data.bytes() + decodedForSteps(m_data, m_plan.batchSize, m_recipe.accumulationSteps));
  m_plan.keptDataBytes = KeptData::expectedBytes(steps().device(), m_data);
  m_recompute = steps().recomputeOptions();
  m_plan.recompute = m_recompute.how;
  planParts();
  m_plan.stage = m_parts[m_part].stage;
  m_plan.fromStep = m_parts[m_part].fromStep;
  m_plan.project = project();
  m_kept = m_updates[m_part].kept;
  m_runs = m_updates[m_part].runs;
  m_step = m_updates[m_part].step;
  m_keptTimes.resize(m_kept.size());
  m_plan.keptPeakBytes = m_step.keptPeakBytes;
  const PlannedStep& highest = m_updates[m_peakPart].step;
  const PlannedMicroBatch& largest = highest.pieces[highest.largest];
  m_plan.peakBytes = highest.peakBytes;
  m_plan.fits = m_plan.peakBytes <= m_plan.limitBytes;
  m_plan.isPeakInOtherPart = m_peakPart != m_part;
  m_plan.peakStage = m_parts[m_peakPart].stage;
  m_plan.peakFromStep = m_parts[m_peakPart].fromStep;
  m_plan.memory = largest.memory;
  m_plan.lowerBoundBytes = largest.memory.lowerBoundBytes;
  if (m_options.listsAlgorithms) m_plan.algorithms = algorithmsOf(steps(), m_kept.front().graph);
  m_plan.paths = kernelPathsOf(steps(), m_kept.front().graph);
  m_plan.transferBytes = steps().device().transferBytesFor(largest.memory.inputBytes, 0);
  m_plan.isPeakInLastBatch = m_updates[m_peakPart].runs[highest.largest] == 0;
  addSavings();
  describeMemory(largest.graph, m_plan);
  for (size_t i = 0; i < m_plan.timeline.size(); ++i)
    m_plan.timeline[i].isRepeat =
        largest.graph.order()[i].index >= largest.keptNodes &&
        largest.graph.node(largest.graph.order()[i]).phase != Phase::Update;
  addReserved();
  std::ranges::stable_sort(m_plan.atPeak, std::greater(), &PlanHolder::bytes);
}

/// Adds the inputs and constants of other steps, which stay allocated while the described step
/// runs.
void Planner::addReserved() {
  const PlannedStep& highest = m_updates[m_peakPart].step;
  const ReservedBytes& reserved = highest.pieces[highest.largest].reserved;
  const auto add = [&](Category category, const std::string& layer, const char* op, size_t bytes) {
    if (bytes == 0) return;
    for (PlanInstant& instant : m_plan.timeline) {
      instant.bytes[static_cast<size_t>(category)] += bytes;
      instant.liveBytes += bytes;
    }
    m_plan.atPeak.push_back({layer, op, category, bytes});
  };
  add(Category::Input, steps().model().inputs.front(), "input", reserved.inputs);
  add(Category::Temporary, "", "constant", reserved.constants);
}

/// Adds the savings of the micro-batch that saves most. Each micro-batch is planned for the limit
/// separately, and a smaller one may not need to save anything.
void Planner::addSavings() {
  size_t most = 0;
  const auto efforts = [&](size_t i) {
    const RecomputeChoice& choice = m_step.pieces[i].choice;
    return std::tuple(choice.repeated.size() + choice.shrunk.size(), choice.updatesEarly,
                      m_runs[i] > 0);
  };
  for (size_t i = 1; i < m_kept.size(); ++i)
    if (efforts(i) > efforts(most)) most = i;
  const RecomputeChoice& choice = m_step.pieces[most].choice;
  const Graph& kept = m_kept[most].graph;
  m_plan.updatesEarly = choice.updatesEarly;
  for (const NodeId id : choice.repeated) {
    const Node& node = kept.node(id);
    PlanRepeat repeat{node.layer, node.op->name, 0};
    for (const ValueId output : node.outputs)
      repeat.bytes += kept.type(output).bytes();
    m_plan.repeats.push_back(std::move(repeat));
  }
  for (const ShrunkWorkspace& shrunk : choice.shrunk) {
    const Node& node = kept.node(shrunk.node);
    m_plan.shrunk.push_back({node.layer, node.op->name, shrunk.usualBytes, shrunk.choice.bytes});
  }
}

/// Plans all parts of the run. The plan describes the part that needs the most memory without
/// recomputation, because a limit slows down this part most. Under the limit, another part may have
/// a higher peak.
void Planner::planParts() {
  std::map<std::string, TensorType> held;
  for (size_t i = 0; i < m_parts.size(); ++i) {
    m_held.push_back(held);
    const Update& update = m_updates.emplace_back(
        planUpdateOf(i, m_plan.batchSize, m_steps->training().accumulationSteps, m_recompute.how,
                     m_options.drawsCurve));
    const Graph& graph = update.kept.front().graph;
    for (const Variable& variable : graph.variables())
      if (!isCopy(graph, variable)) held.emplace(variable.name, typeInFiles(graph, variable));
  }
  const auto kept = [](const Update& update) {
    return std::pair(update.step.keptPeakBytes, update.step.peakBytes);
  };
  m_part = m_peakPart =
      static_cast<size_t>(std::ranges::max_element(m_updates, {}, kept) - m_updates.begin());
  for (size_t i = 0; i < m_parts.size(); ++i)
    if (m_updates[i].step.peakBytes > m_updates[m_peakPart].step.peakBytes) m_peakPart = i;
}

/// Returns the update of the described part, with the highest peak of all parts.
Planner::Update Planner::planUpdate(int64_t samples, int64_t accumulationSteps, Recompute how,
                                    bool withLastBatch) {
  Update update;
  size_t peakBytes = 0;
  for (size_t i = 0; i < m_parts.size(); ++i) {
    Update own = planUpdateOf(i, samples, accumulationSteps, how, withLastBatch);
    peakBytes = std::max(peakBytes, own.step.peakBytes);
    if (i == m_part) update = std::move(own);
  }
  update.peakBytes = peakBytes;
  return update;
}

/// Plans an update on `samples` samples. With `withLastBatch`, or if operations are recomputed,
/// also plans the smaller last batch of an epoch. This batch recomputes less, so it may need as
/// much memory as a full batch.
Planner::Update Planner::planUpdateOf(size_t part, int64_t samples, int64_t accumulationSteps,
                                      Recompute how, bool withLastBatch) {
  StepBuilder& steps = stepsOf(part);
  const int64_t lastBatch =
      m_data.isKnown && m_data.trainCount > samples ? m_data.trainCount % samples : 0;
  // Replicas have equal devices and nearly equal shares, so the largest share stands for all
  const auto piecesOf = [&](int64_t batch) {
    const int64_t replicas = steps.numReplicas();
    // The step of a pipeline contains all micro-batches
    return microBatches((batch + replicas - 1) / replicas,
                        steps.isPipeline() ? 1 : accumulationSteps);
  };
  const std::vector<MicroBatch> pieces = piecesOf(samples);
  Update update;
  update.kept = keptMicroBatches(steps, pieces);
  update.step = planStepWithin(m_plan.limitBytes, update.kept, how);
  if (lastBatch > 0 && (withLastBatch || update.step.changesSomething())) {
    std::vector<MicroBatch> all = pieces;
    for (const MicroBatch& piece : piecesOf(lastBatch))
      all.push_back(piece);
    update.kept = keptMicroBatches(steps, all);
    update.step = planStepWithin(m_plan.limitBytes, update.kept, how);
  }
  for (const KeptMicroBatch& kept : update.kept)
    update.runs.push_back(std::count_if(pieces.begin(), pieces.end(), [&](const MicroBatch& piece) {
      return piece.samples == kept.piece.samples && piece.step == kept.piece.step;
    }));
  return update;
}

PlannedStep Planner::planStepWithin(size_t limitBytes, const std::vector<KeptMicroBatch>& kept,
                                    Recompute how) {
  checkStop();
  return planStep(*m_steps, kept, how, limitBytes);
}

/// Returns the highest peak of all parts under another limit.
size_t Planner::peakOf(Recompute how, size_t limitBytes) {
  size_t peakBytes = 0;
  for (const Update& update : m_updates)
    peakBytes = std::max(peakBytes, planStepWithin(limitBytes, update.kept, how).peakBytes);
  return peakBytes;
}

StepBuilder& Planner::stepsOf(size_t part) {
  if (part != m_adopted) m_steps->adopt(m_parts[part].project);
  m_steps->hold(m_held[part]);
  m_adopted = part;
  return *m_steps;
}

void Planner::addLayers() {
  // Checking the project has reported these problems.
  Diagnostics ignored;
  const ModelSummary summary =
      summarizeModel(steps().model(), project(), m_plan.batchSize, ignored);
  for (const LayerSummary& layer : summary.layers) {
    PlanLayer row;
    row.summary = layer;
    for (const MemoryPlan::LayerBytes& bytes : m_plan.memory.byLayerAtPeak)
      if (rowOfLayer(bytes.layer) == layer.name) row.bytesAtPeak += bytes.bytes;
    if (const Layer* block = steps().model().find(layer.name); block && block->inner)
      addInnerRows(*block, block->name, row.inner);
    m_plan.layers.push_back(std::move(row));
  }
  addInnerTotals();
  m_plan.parameters = summary.parameters;
  m_plan.multiplyAdds = summary.multiplyAdds;
}

/// Adds bytes and parameters to the rows of layers in Blocks.
void Planner::addInnerTotals() {
  std::map<std::string_view, PlanInnerLayer*> rows;
  for (PlanLayer& layer : m_plan.layers)
    for (PlanInnerLayer& row : layer.inner)
      rows.emplace(row.name, &row);
  if (rows.empty()) return;
  for (const MemoryPlan::LayerBytes& bytes : m_plan.memory.byLayerAtPeak)
    if (const auto row = rows.find(bytes.layer); row != rows.end())
      row->second->bytesAtPeak += bytes.bytes;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  Graph scratch;
  lowerLayers(scratch, steps().model(), StepMode::Train, m_plan.batchSize, variables, nextValues);
  for (const VariableRequest& variable : variables)
    if (const auto row = rows.find(variable.layer); row != rows.end())
      row->second->parameters += variable.shape.numElements();
}

}  // namespace strata
