// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <set>
#include <tuple>

#include "core/check/checked_project.h"
#include "core/cost/calibration_file.h"
#include "core/data/dataset.h"
#include "core/project/text.h"
#include "core/train/batch_search.h"
#include "core/train/feeder.h"
#include "core/train/planned_step.h"
#include "core/train/trial_steps.h"
#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/cost/present_speed.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

// Steps with a longer predicted time are not tried
constexpr double kMaxTrialMicroseconds = 5e6;

void checkStop(const PlanOptions& options) {
  if (options.stop.stop_requested())
    throw Error(ErrorCode::Stopped, "plan", "planning was stopped.");
}

/// Times of a step and of its nodes, in any unit.
struct NodeTimes {
  double step = 0;
  // By NodeId.index
  std::map<int, double> byNode;
};

/// The additional time, as a fraction of the step, of recomputing nodes and of smaller workspaces:
/// from measured times of the nodes if known, otherwise from the costs of their ops.
double slowdownOf(const RecomputeChoice& choice, const NodeTimes& kept) {
  if (kept.step <= 0) return choice.extraSeconds / std::max(choice.stepSeconds, 1e-12);
  double extra = 0;
  const auto timeOf = [&](NodeId id) {
    const auto at = kept.byNode.find(id.index);
    return at == kept.byNode.end() ? 0.0 : at->second;
  };
  for (const NodeId id : choice.repeated)
    extra += timeOf(id);
  for (const ShrunkWorkspace& shrunk : choice.shrunk)
    extra += (shrunk.choice.slowdown - 1) * timeOf(shrunk.node);
  return extra / kept.step;
}

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

/// Limits the batch of the project to the number of samples, as training does. A batch size in the
/// options is planned unchanged.
NetworkOptions networkOptionsFor(const TrainingOptions& recipe, const PlanOptions& options,
                                 const DatasetInfo& data) {
  NetworkOptions result;
  result.device = options.device;
  result.threads = options.threads;
  result.niceness = options.niceness;
  result.memoryLimitBytes = options.memoryLimitBytes;
  result.recompute = options.recompute;
  result.stop = options.stop;
  if (options.batchSize > 0) result.batchSize = options.batchSize;
  if (!data.isKnown) return result;
  const int64_t batch = options.batchSize > 0 ? options.batchSize : recipe.batchSize;
  result.dataBytes = static_cast<size_t>(
      data.dataset ? decodedForSteps(data, batch, recipe.accumulationSteps) : data.bytes());
  if (options.batchSize == 0) result.maxBatch = std::max<int64_t>(1, data.trainCount);
  return result;
}

/// A row for each layer of each repeat of a Block.
void addInnerRows(const Layer& block, const std::string& name, std::vector<PlanInnerLayer>& rows) {
  std::vector<const Layer*> inner;
  for (const Layer& layer : block.inner->drafts)
    inner.push_back(&layer);
  std::sort(inner.begin(), inner.end(),
            [](const Layer* a, const Layer* b) { return a->index < b->index; });
  for (int64_t i = 0; i < block.fields->at("repeat").get<int64_t>(); ++i) {
    for (const Layer* layer : inner) {
      const std::string own = name + "/" + std::to_string(i) + "/" + layer->name;
      if (layer->inner)
        addInnerRows(*layer, own, rows);
      else
        rows.push_back({own, layer->definition->schema.type, 0, 0, {}, {}});
    }
  }
}

/// Plans a run with all its parts. The methods are in the order in which planTraining needs them.
class Planner {
 public:
  Planner(const CheckedProject& project, const PlanOptions& options)
      : m_options(options), m_recipe(project.recipe()), m_data(project.data()) {
    const TrainingOptions& training = m_recipe;
    m_plan.stages = static_cast<int64_t>(training.stages.size());
    m_parts = options.parts;
    RunSpan span;
    if (m_data.isKnown) {
      const int64_t samples = std::max<int64_t>(1, m_data.trainCount),
                    batch = options.batchSize > 0 ? options.batchSize : training.batchSize;
      span.stepsPerEpoch =
          training.stepsPerEpoch.value_or(batchesIn(samples, std::min(batch, samples)));
      span.lastStep = training.epochs > INT64_MAX / span.stepsPerEpoch
                          ? INT64_MAX
                          : training.epochs * span.stepsPerEpoch;
    }
    if (m_parts.empty())
      m_parts = runParts(project.project(), training.stages, training.changes, span);
    m_steps.emplace(m_parts.front().project, networkOptionsFor(m_recipe, options, m_data));
  }

  TrainingPlan run() {
    planStep();
    addLayers();
    checkStop(m_options);
    predict();
    checkStop(m_options);
    measure();
    m_plan.slowdown = slowdownOf(m_step);
    if (m_options.drawsCurve) drawCurve();
    if (m_options.findsLargestBatch) findBatches();
    return std::move(m_plan);
  }

 private:
  void planStep() {
    m_plan.device = steps().backend().name();
    m_plan.batchSize = steps().batchSize();
    m_plan.limitBytes = steps().memoryLimitBytes();
    if (m_data.isKnown)
      m_plan.dataBytes = static_cast<size_t>(
          m_data.bytes() + decodedForSteps(m_data, m_plan.batchSize, m_recipe.accumulationSteps));
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
    m_plan.isPeakInLastBatch = m_updates[m_peakPart].runs[highest.largest] == 0;
    addSavings();
    describeMemory(largest.graph, m_plan);
    for (size_t i = 0; i < m_plan.timeline.size(); ++i)
      m_plan.timeline[i].isRepeat = largest.graph.order()[i].index >= largest.keptNodes;
    const auto addReserved = [&](Category category, const std::string& layer, const char* op,
                                 size_t bytes) {
      if (bytes == 0) return;
      for (PlanInstant& instant : m_plan.timeline) {
        instant.bytes[static_cast<size_t>(category)] += bytes;
        instant.liveBytes += bytes;
      }
      m_plan.atPeak.push_back({layer, op, category, bytes});
    };
    addReserved(Category::Input, steps().model().inputs.front(), "input", largest.reserved.inputs);
    addReserved(Category::Temporary, "", "constant", largest.reserved.constants);
    std::ranges::stable_sort(m_plan.atPeak, std::greater(), &PlanHolder::bytes);
  }

  /// Adds the savings of the micro-batch that saves most: each one is planned for the limit by
  /// itself, and the smaller last batch may not need to save anything.
  void addSavings() {
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

  /// An update on a full batch, together with the micro-batches of the smaller last batch of an
  /// epoch.
  struct Update {
    std::vector<KeptMicroBatch> kept;
    // For each of `kept`: how often it runs in the update of a full batch
    std::vector<int64_t> runs;
    // Pieces in the order of `kept`
    PlannedStep step;
    // Maximum over all parts of the run
    size_t peakBytes = 0;
  };

  /// Plans all parts. The plan describes the part that takes the most memory without recomputation,
  /// because a limit slows it most. Under the limit, another part may have the higher peak.
  void planParts() {
    // State that earlier parts leave to later ones
    std::map<std::string, TensorType> held;
    for (size_t i = 0; i < m_parts.size(); ++i) {
      m_held.push_back(held);
      const Update& update = m_updates.emplace_back(
          planUpdate(i, m_plan.batchSize, m_steps->training().accumulationSteps, m_recompute.how,
                     m_options.drawsCurve));
      const Graph& graph = update.kept.front().graph;
      for (const Variable& variable : graph.variables())
        held.emplace(variable.name, graph.type(variable.value));
    }
    const auto kept = [](const Update& update) {
      return std::pair(update.step.keptPeakBytes, update.step.peakBytes);
    };
    m_part = m_peakPart =
        static_cast<size_t>(std::ranges::max_element(m_updates, {}, kept) - m_updates.begin());
    for (size_t i = 0; i < m_parts.size(); ++i)
      if (m_updates[i].step.peakBytes > m_updates[m_peakPart].step.peakBytes) m_peakPart = i;
  }

  /// The update of the described part, with the peak of all parts.
  Update planUpdate(int64_t samples, int64_t accumulationSteps, Recompute how, bool withRagged) {
    Update update;
    size_t peakBytes = 0;
    for (size_t i = 0; i < m_parts.size(); ++i) {
      Update own = planUpdate(i, samples, accumulationSteps, how, withRagged);
      peakBytes = std::max(peakBytes, own.step.peakBytes);
      if (i == m_part) update = std::move(own);
    }
    update.peakBytes = peakBytes;
    return update;
  }

  /// Where something is recomputed, the smaller last batch is planned, too: it recomputes less, and
  /// so may take as much memory as a full batch.
  Update planUpdate(size_t part, int64_t samples, int64_t accumulationSteps, Recompute how,
                    bool withRagged) {
    StepBuilder& steps = stepsOf(part);
    const int64_t ragged =
        m_data.isKnown && m_data.trainCount > samples ? m_data.trainCount % samples : 0;
    const std::vector<MicroBatch> pieces = microBatches(samples, accumulationSteps);
    Update update;
    update.kept = keptMicroBatches(steps, pieces);
    update.step = planStep(update.kept, how, m_plan.limitBytes);
    if (ragged > 0 && (withRagged || update.step.changesSomething())) {
      std::vector<MicroBatch> all = pieces;
      for (const MicroBatch& piece : microBatches(ragged, accumulationSteps))
        all.push_back(piece);
      update.kept = keptMicroBatches(steps, all);
      update.step = planStep(update.kept, how, m_plan.limitBytes);
    }
    for (const KeptMicroBatch& kept : update.kept)
      update.runs.push_back(
          std::count_if(pieces.begin(), pieces.end(), [&](const MicroBatch& piece) {
            return piece.samples == kept.piece.samples && piece.step == kept.piece.step;
          }));
    return update;
  }

  PlannedStep planStep(const std::vector<KeptMicroBatch>& pieces, Recompute how,
                       size_t limitBytes) {
    checkStop(m_options);
    return strata::planStep(*m_steps, pieces, how, limitBytes);
  }

  /// The peak of all planned parts under another limit.
  size_t peakOf(Recompute how, size_t limitBytes) {
    size_t peakBytes = 0;
    for (const Update& update : m_updates)
      peakBytes = std::max(peakBytes, planStep(update.kept, how, limitBytes).peakBytes);
    return peakBytes;
  }

  void addLayers() {
    // Reported when the project is checked
    Diagnostics ofShapes;
    const ModelSummary summary =
        summarizeModel(steps().model(), project(), m_plan.batchSize, ofShapes);
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

  void predict() {
    if (!m_options.predictsStepTime) {
      m_plan.whyNoPrediction = "no prediction was requested";
      return;
    }
    if (m_plan.device != "cpu") {
      m_plan.whyNoPrediction = "the cost model only knows the kernels of the device cpu";
      return;
    }
    m_calibration = calibrationFor(steps().backend().pool());
    m_plan.isPredictionDoubtful = m_calibration->isDisturbed();
    checkStop(m_options);
    constexpr double kSpeedTestSeconds = 0.15;
    m_speed = measureSpeed(m_step.updating().graph, m_step.updating().memory, steps().backend(),
                           *m_calibration, kSpeedTestSeconds, m_options.stop);
    checkStop(m_options);
    std::map<std::string, double> byLayer;
    double total = 0;
    for (size_t i = 0; i < m_kept.size(); ++i) {
      const auto runs = static_cast<double>(m_runs[i]);
      if (runs == 0) continue;
      const PlannedMicroBatch& planned = m_step.pieces[i];
      const StepPrediction prediction =
          predictStep(planned.graph, planned.memory, steps().backend(), *m_calibration, &m_speed);
      total += runs * prediction.seconds;
      for (const NodePrediction& node : prediction.nodes) {
        const std::string& layer = planned.graph.node(node.node).layer;
        byLayer[layer] += 1e6 * runs * node.seconds;
        if (const std::string block = rowOfLayer(layer); block != layer)
          byLayer[block] += 1e6 * runs * node.seconds;
      }
    }
    m_plan.keptPredictedMicroseconds = 1e6 * keptSeconds();
    m_plan.predictedStepMicroseconds = 1e6 * total;
    for (PlanLayer& layer : m_plan.layers)
      if (const auto at = byLayer.find(layer.summary.name); at != byLayer.end())
        layer.predictedMicroseconds = at->second;
    for (PlanLayer& layer : m_plan.layers)
      for (PlanInnerLayer& row : layer.inner)
        if (const auto at = byLayer.find(row.name); at != byLayer.end())
          row.predictedMicroseconds = at->second;
  }

  void addInnerTotals() {
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

  void measure() {
    if (!m_options.measuresStepTime) {
      m_plan.whyNoStepTime = STRATA_TEXT("argument", "no trial steps were requested").source;
      return;
    }
    if (m_plan.predictedStepMicroseconds.value_or(0) > kMaxTrialMicroseconds) {
      m_plan.whyNoStepTime =
          STRATA_TEXT("argument", "a step takes too long for trial steps").source;
      return;
    }
    // Allocate state and arena only for steps that fit the limit and the available memory
    const size_t room = std::min(m_plan.limitBytes, availableMemoryBytes());
    if (m_plan.keptPeakBytes <= room && (m_step.changesSomething() || m_options.drawsCurve)) {
      NetworkOptions unlimited = networkOptionsFor(m_recipe, m_options, m_data);
      unlimited.memoryLimitBytes = std::numeric_limits<size_t>::max();
      unlimited.recompute = Recompute::None;
      m_keptTiming = trialOf(unlimited);
      m_keptTimes.front() = {m_keptTiming->microseconds, m_keptTiming->byNode};
      m_plan.keptStepMicroseconds = m_keptTiming->microseconds;
    }
    if (m_plan.peakBytes > room) {
      m_plan.whyNoStepTime =
          STRATA_TEXT("argument", "the step does not fit in memory, so trial steps could not run")
              .source;
      return;
    }
    const StepTiming timing = m_keptTiming && !m_step.changesSomething()
                                  ? *m_keptTiming
                                  : trialOf(networkOptionsFor(m_recipe, m_options, m_data));
    m_plan.stepMicroseconds = timing.microseconds;
    if (!m_step.changesSomething()) m_plan.keptStepMicroseconds = timing.microseconds;
    for (PlanLayer& layer : m_plan.layers) {
      if (const auto it = timing.byLayer.find(layer.summary.name); it != timing.byLayer.end())
        layer.stepMicroseconds = it->second;
      for (PlanInnerLayer& row : layer.inner)
        if (const auto it = timing.byLayer.find(row.name); it != timing.byLayer.end())
          row.stepMicroseconds = it->second;
    }
  }

  StepTiming trialOf(const NetworkOptions& options) {
    Network network(project(), options);
    network.steps().hold(m_held[m_part]);
    return timeSteps(network, m_options.stop);
  }

  /// The slowdown of an update on a full batch, with pieces in the order of m_kept.
  double slowdownOf(const PlannedStep& step) {
    if (!step.changesSomething()) return 0;
    if (m_calibration) return std::max(0.0, secondsOf(step, m_runs) / keptSeconds() - 1);
    double weighed = 0;
    for (size_t i = 0; i < m_kept.size(); ++i)
      weighed += static_cast<double>(m_runs[i] * m_kept[i].piece.samples) *
                 strata::slowdownOf(step.pieces[i].choice, m_keptTimes[i]);
    return weighed / static_cast<double>(m_plan.batchSize);
  }

  /// The time of the step without recomputation: measured if possible, otherwise predicted.
  std::optional<double> keptMicroseconds() const {
    return m_plan.keptStepMicroseconds ? m_plan.keptStepMicroseconds
                                       : m_plan.keptPredictedMicroseconds;
  }

  std::optional<double> withSlowdown(double slowdown) const {
    const std::optional<double> kept = keptMicroseconds();
    return kept ? std::optional(*kept * (1 + slowdown)) : std::nullopt;
  }

  /// Computes the cost of each memory budget; budgets that cost as much as a smaller one are
  /// dropped.
  void drawCurve() {
    constexpr size_t kPoints = 20;
    const size_t kept = m_plan.keptPeakBytes, smallest = peakOf(Recompute::All, m_plan.limitBytes);
    // Rounds budgets to readable numbers
    const size_t grain = std::max<size_t>(256, std::bit_floor(kept / 1024));
    for (size_t i = 0; i <= kPoints; ++i) {
      const size_t bytes = kept - (kept - std::min(kept, smallest)) * i / kPoints,
                   limit = (bytes + grain - 1) / grain * grain;
      if (!m_plan.curve.empty() && limit >= m_plan.curve.back().limitBytes) continue;
      const PlannedStep step = planStep(m_kept, Recompute::Auto, limit);
      const size_t peak = m_parts.size() == 1 ? step.peakBytes : peakOf(Recompute::Auto, limit);
      if (peak > limit) continue;
      const double slowdown = slowdownOf(step);
      while (m_plan.curve.size() > 1 && m_plan.curve.back().slowdown >= slowdown)
        m_plan.curve.pop_back();
      m_plan.curve.push_back(
          {limit, peak, slowdown, withSlowdown(slowdown), static_cast<int>(step.maxRecomputed())});
    }
  }

  void findBatches() {
    const auto search = [&](Recompute how) {
      return BatchSearch(
                 [&](int64_t batch) {
                   try {
                     return planUpdate(batch, steps().training().accumulationSteps, how, false)
                         .peakBytes;
                   }
                   catch (const Error& error) {
                     if (error.code() == ErrorCode::Stopped) throw;
                     // Too many elements for the engine
                     return std::numeric_limits<size_t>::max();
                   }
                 },
                 m_plan.limitBytes)
          .from(m_plan.batchSize);
    };
    const Recompute how = m_recompute.how;
    m_plan.largestBatch = search(how);
    if (m_plan.fits) return;
    const std::optional<int64_t> keptBatch =
        how == Recompute::None ? m_plan.largestBatch : search(Recompute::None);
    if (keptBatch) addBatchRemedy(*keptBatch, Recompute::None);
    if (how == Recompute::None)
      addRecomputeRemedy();
    else if (m_plan.largestBatch && m_plan.largestBatch != keptBatch)
      addBatchRemedy(*m_plan.largestBatch, how);
    const int64_t pieces = addAccumulation(Recompute::None, m_plan.batchSize);
    if (how != Recompute::None) addAccumulation(how, pieces - 1);
    if (m_plan.remedies.empty() && how == Recompute::None) {
      if (const std::optional<int64_t> batch = search(Recompute::Auto))
        addBatchRemedy(*batch, Recompute::Auto);
      addAccumulation(Recompute::Auto, m_plan.batchSize);
    }
    if (m_plan.remedies.empty())
      m_plan.smallestPeakBytes = planUpdate(1, 1, Recompute::Auto, false).peakBytes;
    // First the remedies that keep the batch size, fastest first; then the largest batch
    std::stable_sort(m_plan.remedies.begin(), m_plan.remedies.end(),
                     [](const PlanRemedy& a, const PlanRemedy& b) {
                       const bool isBatchA = a.what == "batch_size",
                                  isBatchB = b.what == "batch_size";
                       if (isBatchA && isBatchB) return a.value > b.value;
                       if (isBatchA || isBatchB) return isBatchB;
                       return a.stepMicroseconds < b.stepMicroseconds;
                     });
  }

  void addRecomputeRemedy() {
    const Update update =
        planUpdate(m_plan.batchSize, steps().training().accumulationSteps, Recompute::Auto, false);
    const PlannedStep& step = update.step;
    if (update.peakBytes > m_plan.limitBytes) return;
    PlanRemedy remedy{"recompute",
                      0,
                      update.peakBytes,
                      withSlowdown(slowdownOf(step)),
                      true,
                      true,
                      steps().isPassDisabled("recompute"),
                      {}};
    remedy.value = static_cast<int64_t>(step.maxRecomputed());
    for (size_t i = 0; i < update.kept.size(); ++i) {
      for (const NodeId id : step.pieces[i].choice.repeated)
        if (const std::string& layer = update.kept[i].graph.node(id).layer;
            std::find(remedy.layers.begin(), remedy.layers.end(), layer) == remedy.layers.end())
          remedy.layers.push_back(layer);
    }
    m_plan.remedies.push_back(std::move(remedy));
  }

  /// Finds the smallest number of micro-batches that fits: a power of two, at most `most`. Returns
  /// that number, or most + 1 if there is none.
  int64_t addAccumulation(Recompute how, int64_t most) {
    for (int64_t steps = 2; steps <= most; steps *= 2) {
      const Update update = planUpdate(m_plan.batchSize, steps, how, false);
      if (update.kept.front().isCountedOver) break;
      if (update.peakBytes > m_plan.limitBytes) continue;
      addRemedy("gradient_accumulation_steps", steps, update, how);
      return steps;
    }
    return most + 1;
  }

  /// True if the project has to allow recomputation first.
  bool setsRecompute(Recompute how) const {
    return how != Recompute::None && m_recompute.how == Recompute::None;
  }

  /// From the cost model if it was calibrated, otherwise from the costs of the ops, which are only
  /// good for comparisons.
  double secondsOf(const Graph& graph, const MemoryPlan& memory) {
    if (m_calibration)
      return predictStep(graph, memory, steps().backend(), *m_calibration, &m_speed).seconds;
    double total = 0;
    for (const NodeId id : graph.order())
      total += costSeconds(graph, id);
    return total;
  }

  /// The time of an update that runs each piece as often as `runs` says.
  double secondsOf(const PlannedStep& step, const std::vector<int64_t>& runs) {
    double seconds = 0;
    for (size_t i = 0; i < runs.size(); ++i)
      if (runs[i] > 0)
        seconds +=
            static_cast<double>(runs[i]) * secondsOf(step.pieces[i].graph, step.pieces[i].memory);
    return seconds;
  }

  double keptSeconds() {
    if (m_keptSeconds == 0)
      for (size_t i = 0; i < m_kept.size(); ++i)
        if (m_runs[i] > 0)
          m_keptSeconds +=
              static_cast<double>(m_runs[i]) * secondsOf(m_kept[i].graph, m_kept[i].memory);
    return std::max(m_keptSeconds, 1e-12);
  }

  /// Scales a time from secondsOf() to the known time of the step.
  std::optional<double> scaled(double seconds) {
    const std::optional<double> kept = keptMicroseconds();
    return kept ? std::optional(*kept * seconds / keptSeconds()) : std::nullopt;
  }

  void addBatchRemedy(int64_t batch, Recompute how) {
    addRemedy("batch_size", batch,
              planUpdate(batch, steps().training().accumulationSteps, how, false), how);
  }

  void addRemedy(const char* what, int64_t value, const Update& update, Recompute how) {
    const PlannedStep& step = update.step;
    m_plan.remedies.push_back({what,
                               value,
                               update.peakBytes,
                               scaled(secondsOf(step, update.runs)),
                               step.changesSomething(),
                               setsRecompute(how),
                               setsRecompute(how) && steps().isPassDisabled("recompute"),
                               {}});
  }

  StepBuilder& stepsOf(size_t part) {
    if (part != m_present) m_steps->adopt(m_parts[part].project);
    m_steps->hold(m_held[part]);
    m_present = part;
    return *m_steps;
  }
  StepBuilder& steps() { return m_held.empty() ? *m_steps : stepsOf(m_part); }
  const Project& project() const { return m_parts[m_part].project; }

  const PlanOptions& m_options;
  const TrainingOptions m_recipe;
  const DatasetInfo m_data;
  std::vector<RunPart> m_parts;
  // For each part: the state that earlier parts leave
  std::vector<std::map<std::string, TensorType>> m_held;
  // For each part
  std::vector<Update> m_updates;
  // Adopts one part after the other; nothing is compiled
  std::optional<StepBuilder> m_steps;
  // The part that m_steps has adopted
  size_t m_present = 0;
  // The part that the plan describes
  size_t m_part = 0;
  // The part with the highest peak
  size_t m_peakPart = 0;
  RecomputeOptions m_recompute;
  std::vector<KeptMicroBatch> m_kept;
  // For each of m_kept: how often it runs in an update on a full batch
  std::vector<int64_t> m_runs;
  // For each of m_kept: measured times; step 0: unknown
  std::vector<NodeTimes> m_keptTimes;
  // Pieces in the order of m_kept
  PlannedStep m_step;
  std::optional<StepTiming> m_keptTiming;
  std::optional<Calibration> m_calibration;
  PresentSpeed m_speed;
  // Time of an update without recomputation, from secondsOf()
  double m_keptSeconds = 0;
  TrainingPlan m_plan;
};

}  // namespace

TrainingPlan planTraining(const CheckedProject& project, const PlanOptions& options) {
  return Planner(project, options).run();
}

}  // namespace strata
