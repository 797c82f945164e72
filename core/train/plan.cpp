// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan.h"

#include <algorithm>
#include <limits>
#include <set>

#include "core/cost/calibration_file.h"
#include "core/data/dataset.h"
#include "core/project/text.h"
#include "core/train/batch_search.h"
#include "core/train/batches.h"
#include "core/train/network.h"
#include "gpu/base/clock.h"
#include "gpu/cost/present_speed.h"
#include "gpu/exec/device.h"
#include "gpu/graph/op.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

namespace {

constexpr int kTrialSteps = 3, kMostTrialSteps = 50;
constexpr double kTrialMicroseconds = 5000;  // short steps are tried more often: what disturbs one of them is many times its length

void checkStop(const PlanOptions& options) {
  if (options.stop.stop_requested()) throw Error(ErrorCode::Stopped, "plan", "planning was stopped.");
}

MemoryPlan planGraph(Network& network, const Graph& graph) { return planProgram(graph, network.backend(), network.isInPlace()); }

/// A training step of some batch as it will run, with its memory; nothing is allocated. Workspaces are those of the kernels the device makes.
struct PlannedStep {
  Graph kept;  // with nothing recomputed
  size_t keptPeakBytes = 0;
  Graph graph;
  RecomputeChoice choice;
  MemoryPlan memory;
  size_t peakBytes = 0;  // of the whole update, as keptPeakBytes
  /// Where a batch is cut: the piece whose values take more than those of the last one, which the rest is said of.
  struct Piece {
    int keptNodes = 0;
    Graph graph;
    MemoryPlan memory;
  };
  std::optional<Piece> largest;
};

PlannedStep planPieceOf(Network& network, const MicroBatch& piece, Recompute how, size_t lessThanLimit = 0) {
  RecomputeOptions recompute = network.recomputeOptions();  // with what is known of the workspaces of this graph alone
  recompute.how = how;
  recompute.limitBytes -= std::min(recompute.limitBytes, lessThanLimit);
  PlannedStep step;
  step.graph = network.stepGraph(StepMode::Train, piece.samples, {}, piece.step).graph;
  step.kept = step.graph;
  step.memory = planGraph(network, step.graph);
  step.keptPeakBytes = step.memory.peakBytes();
  if (recompute.how == Recompute::All || (recompute.how == Recompute::Auto && step.keptPeakBytes > recompute.limitBytes))
    step.choice = recomputeToFit(step.graph, recompute);
  if (step.choice.changesSomething()) step.memory = planGraph(network, step.graph);
  step.peakBytes = step.memory.peakBytes();
  return step;
}

PlannedStep planStepOf(Network& network, int64_t batch, Recompute how) {
  std::vector<MicroBatch> pieces = network.microBatchesOf(batch);
  PlannedStep step = planPieceOf(network, pieces.back(), how);
  if (pieces.size() == 1) return step;
  const std::map<std::string, TensorType> held = network.held();
  network.holdVariablesOf(step.graph);
  std::set<std::pair<int64_t, MicroStep>> seen{{pieces.back().samples, pieces.back().step}};
  for (const MicroBatch& piece : pieces) {
    if (!seen.emplace(piece.samples, piece.step).second) continue;
    PlannedStep other = planPieceOf(network, piece, how);
    const size_t moreInput = step.memory.inputBytes - std::min(step.memory.inputBytes, other.memory.inputBytes);  // all share one
    const size_t limit = network.memoryLimitBytes();
    if (const size_t bytes = other.peakBytes + moreInput; bytes > limit) other = planPieceOf(network, piece, how, bytes - limit);
    step.keptPeakBytes = std::max(step.keptPeakBytes, other.keptPeakBytes + moreInput);
    if (other.peakBytes + moreInput <= step.peakBytes) continue;
    step.peakBytes = other.peakBytes + moreInput;
    other.memory.inputBytes += moreInput;
    other.memory.lowerBoundBytes += moreInput;
    other.memory.byCategoryAtPeak[static_cast<size_t>(Category::Input)] += moreInput;
    step.largest = {other.kept.numNodes(), std::move(other.graph), std::move(other.memory)};
  }
  network.hold(held);
  return step;
}

/// Times of a step on data of zeros.
struct Timing {
  double microseconds = 0;
  std::map<int, double> byNode;  // by NodeId.index, as shares of a step that is not measured node by node
  std::map<std::string, double> byLayer;
};

Timing timeSteps(Network& network, const PlanOptions& options) {
  const int64_t batch = network.batchSize();
  const std::vector<MicroBatch> pieces = network.microBatchesOf(batch);
  network.prepare({batch}, {});
  network.initialize(network.training().seed);
  int64_t step = 0;
  const auto run = [&] {
    checkStop(options);
    ++step;
    const auto start = Clock::now();
    for (const MicroBatch& piece : pieces) {
      Program& program = network.trainProgram(piece);
      network.setStep(program, step, network.training().learningRateAt(step), network.training().seed, piece.offset,
                      static_cast<double>(piece.samples) / static_cast<double>(batch));
      // Zeros as data: a loss that is not finite on them costs the same time.
      if (program.run(options.stop) == Program::Outcome::Stopped) checkStop(options);
    }
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  run();  // first use of kernels and memory
  Timing timing;
  timing.microseconds = run();
  const int trials = static_cast<int>(std::clamp(kTrialMicroseconds / timing.microseconds, 1.0 * kTrialSteps, 1.0 * kMostTrialSteps));
  for (int i = 1; i < trials; ++i) timing.microseconds = std::min(timing.microseconds, run());
  Program& program = network.trainProgram(batch);
  program.setProfiling(true);
  std::vector<ProfileRow> rows;
  for (int i = 0; i < trials; ++i) {
    program.resetProfile();
    run();
    std::vector<ProfileRow> own = program.profile();
    if (!rows.empty())
      for (size_t row = 0; row < own.size(); ++row) own[row].total = std::min(own[row].total, rows[row].total);
    rows = std::move(own);
  }
  double measured = 0;
  for (const ProfileRow& row : rows) measured += static_cast<double>(row.total.count());
  for (const ProfileRow& row : rows) {
    const double own = measured > 0 ? static_cast<double>(row.total.count()) * timing.microseconds / measured : 0;
    timing.byLayer[row.layer] += own;
    if (const std::string block = rowOfLayer(row.layer); block != row.layer) timing.byLayer[block] += own;
    timing.byNode[row.node.index] += own;
  }
  return timing;
}

/// What the nodes of a step take, in any unit.
struct NodeTimes {
  double step = 0;
  std::map<int, double> byNode;  // by NodeId.index
};

/// The share of a step that running some nodes twice, or in less workspace, adds: by times of its nodes where there are, else by the costs of their ops.
double slowdownOf(const RecomputeChoice& choice, const std::optional<NodeTimes>& kept) {
  if (!kept || kept->step <= 0) return choice.extraSeconds / std::max(choice.stepSeconds, 1e-12);
  double extra = 0;
  const auto timeOf = [&](NodeId id) {
    const auto at = kept->byNode.find(id.index);
    return at == kept->byNode.end() ? 0.0 : at->second;
  };
  for (const NodeId id : choice.repeated) extra += timeOf(id);
  for (const ShrunkWorkspace& shrunk : choice.shrunk) extra += (shrunk.choice.longer - 1) * timeOf(shrunk.node);
  return extra / kept->step;
}

void describeMemory(const Graph& graph, TrainingPlan& plan) {
  const auto bytes = memoryTimeline(graph, plan.memory);
  for (size_t i = 0; i < bytes.size(); ++i) {
    const Node& node = graph.node(graph.order()[i]);
    PlanInstant instant{node.op->name, node.layer, node.phase, false, bytes[i], 0};
    for (const size_t category : bytes[i]) instant.liveBytes += category;
    plan.timeline.push_back(std::move(instant));
  }
  for (const LiveBytes& live : liveAtPeak(graph, plan.memory)) {
    if (live.bytes == 0) continue;
    plan.atPeak.push_back(
        {live.layer, live.value.isValid() ? graph.node(graph.value(live.value).producer).op->name : "", live.category, live.bytes});
  }
  plan.whyAboveBound = whyAboveBound(graph, plan.memory);
}

/// Its problems are told where the project is checked.
DatasetInfo describedData(const Project& project) {
  Diagnostics ignored;
  return describeDataset(project, ignored);
}

/// A batch larger than the data is cut to it, as training does; one that is asked for is planned as asked.
NetworkOptions networkOptionsFor(const Project& project, const PlanOptions& options, const DatasetInfo& data) {
  NetworkOptions result;
  result.device = options.device;
  result.threads = options.threads;
  result.niceness = options.niceness;
  result.memoryLimitBytes = options.memoryLimitBytes;
  result.recompute = options.recompute;
  result.stop = options.stop;
  if (options.batchSize > 0) result.batchSize = options.batchSize;
  if (!data.isKnown) return result;
  result.dataBytes = static_cast<size_t>(data.dataset ? decodedForSteps(project, data, options.batchSize) : data.bytes());
  if (options.batchSize == 0) result.mostBatch = std::max<int64_t>(1, data.trainCount);
  return result;
}

/// A row for each layer of each repeat of a Block.
void addInnerRows(const Layer& block, const std::string& name, std::vector<PlanInnerLayer>& rows) {
  std::vector<const Layer*> inner;
  for (const Layer& layer : block.inner->drafts) inner.push_back(&layer);
  std::sort(inner.begin(), inner.end(), [](const Layer* a, const Layer* b) { return a->index < b->index; });
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

/// Plans one project; the parts of planTraining in the order they are asked for.
class Planner {
 public:
  /// held: as Network::hold().
  Planner(const Project& project, const PlanOptions& options, std::map<std::string, TensorType> held = {})
      : m_project(project),
        m_options(options),
        m_data(describedData(project)),
        m_networkOptions(networkOptionsFor(project, options, m_data)),
        m_network(project, m_networkOptions),
        m_recompute(m_network.recomputeOptions()) {
    m_network.hold(std::move(held));
  }

  TrainingPlan run() {
    planStep();
    addLayers();
    checkStop(m_options);
    predict();
    checkStop(m_options);
    measure();
    m_plan.slowdown = predictedSlowdown();
    if (m_options.drawsCurve) drawCurve();
    if (m_options.findsLargestBatch) findBatches();
    return std::move(m_plan);
  }

 private:
  void planStep() {
    m_plan.device = m_network.deviceName();
    m_plan.batchSize = m_network.batchSize();
    m_plan.limitBytes = m_network.memoryLimitBytes();
    if (m_data.isKnown) m_plan.dataBytes = static_cast<size_t>(m_data.bytes() + decodedForSteps(m_project, m_data, m_options.batchSize));
    m_plan.recompute = m_recompute.how;
    PlannedStep step = planStepOf(m_network, m_plan.batchSize, m_recompute.how);
    const Graph& graph = step.largest ? step.largest->graph : step.graph;
    m_kept = std::move(step.kept);
    m_plan.keptPeakBytes = step.keptPeakBytes;
    m_choice = step.choice;
    m_memory = step.memory;
    m_plan.memory = step.largest ? step.largest->memory : step.memory;
    m_plan.peakBytes = step.peakBytes;
    m_plan.lowerBoundBytes = m_plan.memory.lowerBoundBytes;
    m_plan.fits = m_plan.peakBytes <= m_plan.limitBytes;
    m_plan.updatesEarly = m_choice.updatesEarly;
    for (const NodeId id : m_choice.repeated) {
      const Node& node = m_kept.node(id);
      PlanRepeat repeat{node.layer, node.op->name, 0};
      for (const ValueId output : node.outputs) repeat.bytes += m_kept.type(output).bytes();
      m_plan.repeats.push_back(std::move(repeat));
    }
    for (const ShrunkWorkspace& shrunk : m_choice.shrunk) {
      const Node& node = m_kept.node(shrunk.node);
      m_plan.shrunk.push_back({node.layer, node.op->name, shrunk.usualBytes, shrunk.choice.bytes});
    }
    describeMemory(graph, m_plan);
    const int keptNodes = step.largest ? step.largest->keptNodes : m_kept.numNodes();
    for (size_t i = 0; i < m_plan.timeline.size(); ++i) m_plan.timeline[i].isRepeat = graph.order()[i].index >= keptNodes;
    m_step = std::move(step.graph);
  }

  void addLayers() {
    Diagnostics ignored;
    const ModelSummary summary = summarizeModel(m_network.model(), m_project, m_plan.batchSize, ignored);
    for (const LayerSummary& layer : summary.layers) {
      PlanLayer row;
      row.summary = layer;
      for (const MemoryPlan::LayerBytes& bytes : m_plan.memory.byLayerAtPeak)
        if (rowOfLayer(bytes.layer) == layer.name) row.bytesAtPeak += bytes.bytes;
      if (const Layer* block = m_network.model().find(layer.name); block && block->inner) addInnerRows(*block, block->name, row.inner);
      m_plan.layers.push_back(std::move(row));
    }
    addInnerFigures();
    m_plan.parameters = summary.parameters;
    m_plan.multiplyAdds = summary.multiplyAdds;
  }

  void predict() {
    if (!m_options.predictsStepTime) {
      m_plan.whyNoPrediction = "none was asked for";
      return;
    }
    if (m_plan.device != "cpu") {
      m_plan.whyNoPrediction = "the cost model knows the kernels of the device cpu alone";
      return;
    }
    m_calibration = calibrationFor(m_network.backend().pool());
    checkStop(m_options);
    constexpr double kTrying = 0.15;  // seconds
    m_speed = measureSpeed(m_step, m_memory, m_network.backend(), *m_calibration, kTrying, m_options.stop);
    checkStop(m_options);
    std::map<std::string, double> byLayer;
    double total = 0;
    const auto add = [&](const Graph& graph, const MemoryPlan& memory) {
      const StepPrediction prediction = predictStep(graph, memory, m_network.backend(), *m_calibration, &m_speed);
      total += 1e6 * prediction.seconds;
      for (const NodePrediction& node : prediction.nodes) {
        const std::string& layer = graph.node(node.node).layer;
        byLayer[layer] += 1e6 * node.seconds;
        if (const std::string block = rowOfLayer(layer); block != layer) byLayer[block] += 1e6 * node.seconds;
      }
      return prediction.seconds;
    };
    const std::vector<MicroBatch> pieces = m_network.microBatchesOf(m_plan.batchSize);
    for (const MicroBatch& piece : pieces) {
      if (&piece == &pieces.back()) {
        m_stepSeconds = add(m_step, m_memory);
        continue;
      }
      Graph graph = m_network.stepGraph(StepMode::Train, piece.samples, piece.step).graph;
      add(graph, planGraph(m_network, graph));
    }
    const StepPrediction kept = predictStep(m_kept, planGraph(m_network, m_kept), m_network.backend(), *m_calibration, &m_speed);
    m_keptTimes = NodeTimes{kept.seconds, {}};
    for (const NodePrediction& node : kept.nodes) m_keptTimes->byNode[node.node.index] = node.seconds;
    m_plan.keptPredictedMicroseconds = m_choice.changesSomething() ? total * kept.seconds / std::max(m_stepSeconds, 1e-12) : total;
    m_plan.predictedStepMicroseconds = total;
    for (PlanLayer& layer : m_plan.layers)
      if (const auto at = byLayer.find(layer.summary.name); at != byLayer.end()) layer.predictedMicroseconds = at->second;
    for (PlanLayer& layer : m_plan.layers)
      for (PlanInnerLayer& row : layer.inner)
        if (const auto at = byLayer.find(row.name); at != byLayer.end()) row.predictedMicroseconds = at->second;
  }

  void addInnerFigures() {
    std::map<std::string_view, PlanInnerLayer*> rows;
    for (PlanLayer& layer : m_plan.layers)
      for (PlanInnerLayer& row : layer.inner) rows.emplace(row.name, &row);
    if (rows.empty()) return;
    for (const MemoryPlan::LayerBytes& bytes : m_plan.memory.byLayerAtPeak)
      if (const auto row = rows.find(bytes.layer); row != rows.end()) row->second->bytesAtPeak += bytes.bytes;
    std::vector<VariableRequest> variables;
    NextValues nextValues;
    Graph scratch;
    lowerLayers(scratch, m_network.model(), StepMode::Train, m_plan.batchSize, variables, nextValues);
    for (const VariableRequest& variable : variables)
      if (const auto row = rows.find(variable.layer); row != rows.end()) row->second->parameters += variable.shape.numElements();
  }

  void measure() {
    if (!m_options.measuresStepTime) {
      m_plan.whyNoStepTime = STRATA_TEXT("argument", "no trial steps were asked for").source;
      return;
    }
    const bool keptFits = m_plan.keptPeakBytes <= availableMemoryBytes();
    if (keptFits && (m_choice.changesSomething() || m_options.drawsCurve || !m_plan.fits)) {
      NetworkOptions unlimited = m_networkOptions;
      unlimited.memoryLimitBytes = std::numeric_limits<size_t>::max();
      unlimited.recompute = Recompute::None;
      Network kept(m_project, unlimited);
      m_keptTiming = timeSteps(kept, m_options);
      if (!m_keptTimes) m_keptTimes = NodeTimes{m_keptTiming->microseconds, m_keptTiming->byNode};
      m_plan.keptStepMicroseconds = m_keptTiming->microseconds;
    }
    if (!m_plan.fits) {
      m_plan.whyNoStepTime = STRATA_TEXT("argument", "the step does not fit in memory, so no trial steps could be timed").source;
      return;
    }
    const Timing timing = m_keptTiming && !m_choice.changesSomething() ? *m_keptTiming : timeSteps(m_network, m_options);
    m_plan.stepMicroseconds = timing.microseconds;
    if (!m_choice.changesSomething()) m_plan.keptStepMicroseconds = timing.microseconds;
    for (PlanLayer& layer : m_plan.layers) {
      if (const auto it = timing.byLayer.find(layer.summary.name); it != timing.byLayer.end()) layer.stepMicroseconds = it->second;
      for (PlanInnerLayer& row : layer.inner)
        if (const auto it = timing.byLayer.find(row.name); it != timing.byLayer.end()) row.stepMicroseconds = it->second;
    }
  }

  double predictedSlowdown() const {
    if (m_calibration && m_choice.changesSomething()) return m_stepSeconds / m_keptTimes->step - 1;
    return slowdownOf(m_choice, m_keptTimes);
  }

  /// Of the step with nothing recomputed: as it was timed, else as it is predicted.
  std::optional<double> keptMicroseconds() const {
    return m_plan.keptStepMicroseconds ? m_plan.keptStepMicroseconds : m_plan.keptPredictedMicroseconds;
  }

  std::optional<double> withSlowdown(double slowdown) const {
    const std::optional<double> kept = keptMicroseconds();
    return kept ? std::optional(*kept * (1 + slowdown)) : std::nullopt;
  }

  void drawCurve() {
    for (const RecomputeChoice& choice : recomputeCurve(m_kept, m_recompute)) {
      checkStop(m_options);
      const double slowdown = slowdownOf(choice, m_keptTimes);
      m_plan.curve.push_back({choice.lowerBoundBytes, slowdown, withSlowdown(slowdown), static_cast<int>(choice.repeated.size())});
    }
  }

  void findBatches() {
    const auto search = [&](Recompute how) {
      return BatchSearch(
                 [&](int64_t batch) {
                   checkStop(m_options);
                   try {
                     return planStepOf(m_network, batch, how).peakBytes;
                   } catch (const Error& error) {
                     if (error.code() == ErrorCode::OutOfMemory)
                       return std::numeric_limits<size_t>::max();  // more elements than a size can say
                     throw;
                   }
                 },
                 m_plan.limitBytes)
          .from(m_plan.batchSize);
    };
    m_plan.largestBatch = search(m_recompute.how);
    if (m_plan.fits) return;
    const std::optional<int64_t> keptBatch = m_recompute.how == Recompute::None ? m_plan.largestBatch : search(Recompute::None);
    if (keptBatch) addBatchRemedy(*keptBatch, Recompute::None);
    if (m_recompute.how == Recompute::None)
      addRecomputeRemedy();
    else if (m_plan.largestBatch && m_plan.largestBatch != keptBatch)
      addBatchRemedy(*m_plan.largestBatch, m_recompute.how);
    if (!addAccumulation(Recompute::None) && m_recompute.how != Recompute::None) addAccumulation(m_recompute.how);
    if (!m_plan.remedies.empty() || m_recompute.how != Recompute::None) return;
    if (const std::optional<int64_t> batch = search(Recompute::Auto)) addBatchRemedy(*batch, Recompute::Auto);
    addAccumulation(Recompute::Auto);
  }

  void addRecomputeRemedy() {
    RecomputeOptions automatic = m_recompute;
    automatic.how = Recompute::Auto;
    Graph graph = m_kept;
    const RecomputeChoice choice = recomputeToFit(graph, automatic);
    const size_t peak = planGraph(m_network, graph).peakBytes();
    if (peak > m_plan.limitBytes) return;
    PlanRemedy remedy{
        "recompute", static_cast<int64_t>(choice.repeated.size()), peak, withSlowdown(slowdownOf(choice, m_keptTimes)), true, true, {}};
    for (const NodeId id : choice.repeated)
      if (const std::string& layer = m_kept.node(id).layer;
          std::find(remedy.layers.begin(), remedy.layers.end(), layer) == remedy.layers.end())
        remedy.layers.push_back(layer);
    m_plan.remedies.push_back(std::move(remedy));
  }

  /// The fewest pieces, a power of two of them, that fit. False: none.
  bool addAccumulation(Recompute how) {
    const int64_t batch = m_plan.batchSize;
    const auto graphOf = [&](int64_t samples, MicroStep piece) {
      RecomputeOptions recompute = m_network.recomputeOptions();
      recompute.how = how;
      return m_network.stepGraph(StepMode::Train, samples, recompute, piece);
    };
    for (int64_t pieces = 2; pieces < 2 * batch; pieces *= 2) {
      checkStop(m_options);
      const int64_t samples = (batch + pieces - 1) / pieces;
      const StepGraph step = graphOf(samples, MicroStep::Last);
      if (!step.countedBy.empty()) return false;
      const Graph& last = step.graph;
      const MemoryPlan memory = planGraph(m_network, last);
      if (memory.peakBytes() > m_plan.limitBytes) continue;
      const std::map<std::string, TensorType> held = m_network.held();
      m_network.holdVariablesOf(last);
      size_t peakBytes = memory.peakBytes();
      if (pieces > 2) peakBytes = std::max(peakBytes, planGraph(m_network, graphOf(samples, MicroStep::Middle).graph).peakBytes());
      const Graph other = graphOf(samples, MicroStep::First).graph;
      const MemoryPlan ofOther = planGraph(m_network, other);
      m_network.hold(held);
      peakBytes = std::max(peakBytes, ofOther.peakBytes());
      if (peakBytes > m_plan.limitBytes) continue;
      const double seconds = static_cast<double>(pieces - 1) * secondsOf(other, ofOther) + secondsOf(last, memory);
      m_plan.remedies.push_back(
          {"gradient_accumulation_steps", pieces, peakBytes, scaled(seconds), how != Recompute::None, setsRecompute(how), {}});
      return true;
    }
    return false;
  }

  /// Does the project have to be let do so first?
  bool setsRecompute(Recompute how) const { return how != Recompute::None && m_recompute.how == Recompute::None; }

  /// By the cost model where it may be used, else by the costs of the ops, which are for comparing only.
  double secondsOf(const Graph& graph, const MemoryPlan& memory) {
    if (m_calibration) return predictStep(graph, memory, m_network.backend(), *m_calibration, &m_speed).seconds;
    double total = 0;
    for (const NodeId id : graph.order()) total += costSeconds(graph, id);
    return total;
  }

  /// A step's time from secondsOf(), on the scale of the step that is known.
  std::optional<double> scaled(double seconds) {
    if (m_keptSeconds <= 0) m_keptSeconds = secondsOf(m_kept, planGraph(m_network, m_kept));
    const std::optional<double> kept = keptMicroseconds();
    return kept ? std::optional(*kept * seconds / std::max(m_keptSeconds, 1e-12)) : std::nullopt;
  }

  void addBatchRemedy(int64_t batch, Recompute how) {
    const PlannedStep step = planStepOf(m_network, batch, how);
    m_plan.remedies.push_back({"batch_size",
                               batch,
                               step.peakBytes,
                               scaled(secondsOf(step.graph, step.memory)),
                               step.choice.changesSomething(),
                               setsRecompute(how),
                               {}});
  }

  const Project& m_project;
  const PlanOptions& m_options;
  const DatasetInfo m_data;
  const NetworkOptions m_networkOptions;
  Network m_network;
  const RecomputeOptions m_recompute;
  Graph m_kept;         // the step with nothing recomputed
  Graph m_step;         // as planned
  MemoryPlan m_memory;  // of m_step
  RecomputeChoice m_choice;
  std::optional<Timing> m_keptTiming;
  std::optional<NodeTimes> m_keptTimes;  // of m_kept: predicted, else measured
  std::optional<Calibration> m_calibration;
  PresentSpeed m_speed;
  double m_stepSeconds = 0, m_keptSeconds = 0;  // of m_step by the cost model; of m_kept by secondsOf()
  TrainingPlan m_plan;
};

}  // namespace

TrainingPlan planTraining(const Project& project, const PlanOptions& options) {
  const std::vector<Project> stages = stageProjects(project);
  if (stages.size() == 1) return Planner(stages[0], options).run();
  size_t largest = 0, most = 0;
  std::map<std::string, TensorType> held, heldAtLargest;  // state of the layers that learned before
  for (size_t i = 0; i < stages.size(); ++i) {
    checkStop(options);
    Network network(stages[i], networkOptionsFor(stages[i], options, describedData(stages[i])));
    network.hold(held);
    const PlannedStep step = planStepOf(network, network.batchSize(), Recompute::None);
    if (step.keptPeakBytes > most) {
      most = step.keptPeakBytes;
      largest = i;
      heldAtLargest = held;
    }
    for (const Variable& variable : step.graph.variables()) held.emplace(variable.name, step.graph.type(variable.value));
  }
  TrainingPlan plan = Planner(stages[largest], options, std::move(heldAtLargest)).run();
  plan.stage = static_cast<int64_t>(largest) + 1;
  plan.stages = static_cast<int64_t>(stages.size());
  return plan;
}

}  // namespace strata
