// SPDX-License-Identifier: Apache-2.0
#include "core/train/plan.h"

#include <algorithm>
#include <limits>

#include "core/train/network.h"
#include "gpu/exec/device.h"
#include "gpu/graph/op.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int64_t kMostBatch = int64_t{1} << 24;
constexpr int kTrialSteps = 3;

void checkStop(const PlanOptions& options) {
  if (options.stop.stop_requested()) throw Error(ErrorCode::Stopped, "plan", "planning was stopped.");
}

MemoryPlan planGraph(Network& network, const Graph& graph) { return planProgram(graph, network.backend(), network.isInPlace()); }

/// The memory of training steps of any batch; nothing is allocated. Workspaces are those of the kernels the device makes.
class StepPlanner {
 public:
  StepPlanner(Network& network, const RecomputeChoice& choice, int nodes) : m_network(network), m_choice(choice), m_nodes(nodes) {}
  /// What is recomputed for one batch is recomputed for all: their graphs have the same nodes.
  MemoryPlan plan(int64_t batch) const {
    const MicroBatch piece = m_network.microBatchesOf(batch).back();
    Graph graph = m_network.stepGraph(StepMode::Train, piece.samples, {}, piece.step).graph;
    if (m_choice.changesSomething() && graph.numNodes() == m_nodes) applyRecompute(graph, m_choice);
    return planGraph(m_network, graph);
  }

 private:
  Network& m_network;
  const RecomputeChoice& m_choice;
  const int m_nodes;
};

/// Bytes grow with the batch, so the largest that fits is found by doubling and halving; each guess is planned exactly.
std::optional<int64_t> largestBatch(const StepPlanner& planner, const PlanOptions& options, size_t limit, int64_t known, size_t knownPeak) {
  const auto fits = [&](int64_t batch) {
    checkStop(options);
    if (batch == known) return knownPeak <= limit;
    try {
      return planner.plan(batch).peakBytes() <= limit;
    } catch (const Error& error) {
      if (error.code() == ErrorCode::OutOfMemory) return false;  // more elements than a size can say
      throw;
    }
  };
  if (!fits(1)) return std::nullopt;
  int64_t low = 1, high = kMostBatch + 1;
  if (known > 1 && fits(known))
    low = known;
  else if (known > 1)
    high = known;
  // First guesses from the bytes a sample takes: two plans give the slope.
  const size_t atOne = planner.plan(1).peakBytes();
  const int64_t other = known > 1 ? known : 2;
  const size_t atOther = known > 1 ? knownPeak : planner.plan(2).peakBytes();
  const double slope = (static_cast<double>(atOther) - static_cast<double>(atOne)) / static_cast<double>(other - 1);
  if (slope > 0) {
    const double guess = 1 + (static_cast<double>(limit) - static_cast<double>(atOne)) / slope;
    for (const double factor : {0.98, 1.02, 0.999, 1.001}) {
      const auto batch = static_cast<int64_t>(std::min(guess * factor, static_cast<double>(kMostBatch)));
      if (batch <= low || batch >= high) continue;
      (fits(batch) ? low : high) = batch;
    }
  }
  // To a hundredth: a plan is exact, but nobody trains with 48,213 because 48,214 does not fit.
  while (high - low > std::max<int64_t>(1, low / 1000)) {
    const int64_t middle = low + (high - low) / 2;
    (fits(middle) ? low : high) = middle;
  }
  return low > kMostBatch ? kMostBatch : low;
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
      network.setStep(program, step, network.training().learningRate, network.training().seed, piece.offset,
                      static_cast<double>(piece.samples) / static_cast<double>(batch));
      // Zeros as data: a loss that is not finite on them costs the same time.
      if (program.run(options.stop) == Program::Outcome::Stopped) checkStop(options);
    }
    return std::chrono::duration<double, std::micro>(Clock::now() - start).count();
  };
  run();  // first use of kernels and memory
  Timing timing;
  timing.microseconds = run();
  for (int i = 1; i < kTrialSteps; ++i) timing.microseconds = std::min(timing.microseconds, run());
  Program& program = network.trainProgram(batch);
  program.setProfiling(true);
  for (int i = 0; i < kTrialSteps; ++i) run();
  double measured = 0;
  const std::vector<ProfileRow> rows = program.profile();
  for (const ProfileRow& row : rows) measured += static_cast<double>(row.total.count());
  for (const ProfileRow& row : rows) {
    const double own = measured > 0 ? static_cast<double>(row.total.count()) * timing.microseconds / measured : 0;
    timing.byLayer[row.layer] += own;
    timing.byNode[row.node.index] += own;
  }
  return timing;
}

/// The share of a step that running some nodes twice adds: by measured times where there are, else by the costs of their ops.
double slowdownOf(const RecomputeChoice& choice, const std::optional<Timing>& kept) {
  if (!kept || kept->microseconds <= 0) return choice.extraSeconds / std::max(choice.stepSeconds, 1e-12);
  double extra = 0;
  for (const NodeId id : choice.repeated)
    if (const auto at = kept->byNode.find(id.index); at != kept->byNode.end()) extra += at->second;
  return extra / kept->microseconds;
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

NetworkOptions networkOptionsFor(const PlanOptions& options) {
  NetworkOptions result;
  result.device = options.device;
  result.threads = options.threads;
  result.niceness = options.niceness;
  result.memoryLimitBytes = options.memoryLimitBytes;
  result.recompute = options.recompute;
  if (options.batchSize > 0) result.batchSize = options.batchSize;
  return result;
}

/// Plans one project; the parts of planTraining in the order they are asked for.
class Planner {
 public:
  Planner(const Project& project, const PlanOptions& options)
      : m_project(project), m_options(options), m_network(project, networkOptionsFor(options)), m_recompute(m_network.recomputeOptions()) {}

  TrainingPlan run() {
    planStep();
    addLayers();
    checkStop(m_options);
    measure();
    m_plan.slowdown = slowdownOf(m_choice, m_keptTiming);
    if (m_options.drawsCurve) drawCurve();
    if (m_options.findsLargestBatch) findBatches();
    return std::move(m_plan);
  }

 private:
  void planStep() {
    m_plan.device = m_network.deviceName();
    m_plan.batchSize = m_network.batchSize();
    m_plan.limitBytes = m_network.memoryLimitBytes();
    m_plan.recompute = m_recompute.how;
    const MicroBatch piece = m_network.microBatchesOf(m_plan.batchSize).back();  // of the pieces the last and largest
    m_kept = m_network.stepGraph(StepMode::Train, piece.samples, {}, piece.step).graph;
    const MemoryPlan kept = planGraph(m_network, m_kept);
    m_plan.keptPeakBytes = kept.peakBytes();
    Graph graph = m_kept;
    if (m_recompute.how == Recompute::All || (m_recompute.how == Recompute::Auto && kept.peakBytes() > m_plan.limitBytes))
      m_choice = recomputeToFit(graph, m_recompute);
    m_plan.memory = m_choice.changesSomething() ? planGraph(m_network, graph) : kept;
    m_plan.peakBytes = m_plan.memory.peakBytes();
    m_plan.lowerBoundBytes = m_plan.memory.lowerBoundBytes;
    m_plan.fits = m_plan.peakBytes <= m_plan.limitBytes;
    m_plan.updatesEarly = m_choice.updatesEarly;
    for (const NodeId id : m_choice.repeated) {
      const Node& node = m_kept.node(id);
      PlanRepeat repeat{node.layer, node.op->name, 0};
      for (const ValueId output : node.outputs) repeat.bytes += m_kept.type(output).bytes();
      m_plan.repeats.push_back(std::move(repeat));
    }
    describeMemory(graph, m_plan);
    for (size_t i = 0; i < m_plan.timeline.size(); ++i) m_plan.timeline[i].isRepeat = graph.order()[i].index >= m_kept.numNodes();
  }

  void addLayers() {
    Diagnostics ignored;
    const ModelSummary summary = summarizeModel(m_network.model(), m_project, m_plan.batchSize, ignored);
    for (const LayerSummary& layer : summary.layers) {
      PlanLayer row;
      row.summary = layer;
      for (const MemoryPlan::LayerBytes& bytes : m_plan.memory.byLayerAtPeak)
        if (bytes.layer == layer.name) row.bytesAtPeak += bytes.bytes;
      m_plan.layers.push_back(std::move(row));
    }
    m_plan.parameters = summary.parameters;
    m_plan.multiplyAdds = summary.multiplyAdds;
  }

  void measure() {
    if (!m_options.measuresStepTime) {
      m_plan.whyNoStepTime = "no trial steps were asked for";
      return;
    }
    const bool keptFits = m_plan.keptPeakBytes <= availableMemoryBytes();
    if (keptFits && (m_choice.changesSomething() || m_options.drawsCurve || !m_plan.fits)) {
      NetworkOptions unlimited = networkOptionsFor(m_options);
      unlimited.memoryLimitBytes = std::numeric_limits<size_t>::max();
      unlimited.recompute = Recompute::None;
      Network kept(m_project, unlimited);
      m_keptTiming = timeSteps(kept, m_options);
      m_plan.keptStepMicroseconds = m_keptTiming->microseconds;
    }
    if (!m_plan.fits) {
      m_plan.whyNoStepTime = "the step does not fit in memory, so no trial steps could be timed";
      return;
    }
    const Timing timing = m_keptTiming && !m_choice.changesSomething() ? *m_keptTiming : timeSteps(m_network, m_options);
    m_plan.stepMicroseconds = timing.microseconds;
    if (!m_choice.changesSomething()) m_plan.keptStepMicroseconds = timing.microseconds;
    for (PlanLayer& layer : m_plan.layers)
      if (const auto it = timing.byLayer.find(layer.summary.name); it != timing.byLayer.end()) layer.stepMicroseconds = it->second;
  }

  std::optional<double> withSlowdown(double slowdown) const {
    return m_plan.keptStepMicroseconds ? std::optional(*m_plan.keptStepMicroseconds * (1 + slowdown)) : std::nullopt;
  }

  void drawCurve() {
    for (const RecomputeChoice& choice : recomputeCurve(m_kept, m_recompute)) {
      checkStop(m_options);
      const double slowdown = slowdownOf(choice, m_keptTiming);
      m_plan.curve.push_back({choice.lowerBoundBytes, slowdown, withSlowdown(slowdown), static_cast<int>(choice.repeated.size())});
    }
  }

  void findBatches() {
    RecomputeChoice smallest;
    if (m_recompute.how != Recompute::None) {
      RecomputeOptions all = m_recompute;
      all.how = Recompute::All;
      smallest = chooseRecompute(m_kept, all);
    }
    const StepPlanner kept(m_network, m_none, m_kept.numNodes()), recomputed(m_network, smallest, m_kept.numNodes());
    const auto search = [&](const StepPlanner& planner) {
      return largestBatch(planner, m_options, m_plan.limitBytes, m_plan.batchSize, planner.plan(m_plan.batchSize).peakBytes());
    };
    m_plan.largestBatch = search(recomputed);
    if (m_plan.fits) return;
    const std::optional<int64_t> keptBatch = m_recompute.how == Recompute::None ? m_plan.largestBatch : search(kept);
    if (keptBatch) addRemedy("batch_size", *keptBatch, *keptBatch, kept, 0);
    if (m_recompute.how != Recompute::None) {
      if (m_plan.largestBatch)
        addRemedy("batch_size", *m_plan.largestBatch, *m_plan.largestBatch, recomputed, slowdownOf(smallest, m_keptTiming));
      addAccumulation();
      return;
    }
    RecomputeOptions automatic = m_recompute;
    automatic.how = Recompute::Auto;
    Graph graph = m_kept;
    const RecomputeChoice choice = recomputeToFit(graph, automatic);
    const size_t peak = planGraph(m_network, graph).peakBytes();
    if (peak <= m_plan.limitBytes)
      m_plan.remedies.push_back(
          {"recompute", static_cast<int64_t>(choice.repeated.size()), peak, withSlowdown(slowdownOf(choice, m_keptTiming))});
    addAccumulation();
  }

  /// The fewest pieces, a power of two of them, that fit with nothing recomputed. What they take beyond their share of the operations is not known before.
  void addAccumulation() {
    const int64_t batch = m_plan.batchSize;
    for (int64_t pieces = 2; pieces < 2 * batch; pieces *= 2) {
      checkStop(m_options);
      const int64_t samples = (batch + pieces - 1) / pieces;
      const Graph graph = m_network.stepGraph(StepMode::Train, samples, {}, MicroStep::Last).graph;
      const size_t peak = planGraph(m_network, graph).peakBytes();
      if (peak > m_plan.limitBytes) continue;
      PlanRemedy remedy{"gradient_accumulation_steps", pieces, peak, m_plan.keptStepMicroseconds};
      if (remedy.stepMicroseconds)
        *remedy.stepMicroseconds *= static_cast<double>(pieces) * secondsOf(graph) / std::max(secondsOf(m_kept), 1e-12);
      m_plan.remedies.push_back(std::move(remedy));
      return;
    }
  }

  static double secondsOf(const Graph& graph) {
    double total = 0;
    for (const NodeId id : graph.order()) total += costSeconds(graph, id);
    return total;
  }

  void addRemedy(const char* what, int64_t value, int64_t batch, const StepPlanner& planner, double slowdown) {
    PlanRemedy remedy{what, value, planner.plan(batch).peakBytes(), withSlowdown(slowdown)};
    if (remedy.stepMicroseconds) {
      const Graph graph = m_network.stepGraph(StepMode::Train, batch, {}).graph;
      *remedy.stepMicroseconds *= secondsOf(graph) / std::max(secondsOf(m_kept), 1e-12);
    }
    m_plan.remedies.push_back(std::move(remedy));
  }

  const Project& m_project;
  const PlanOptions& m_options;
  Network m_network;
  const RecomputeOptions m_recompute;
  const RecomputeChoice m_none;
  Graph m_kept;  // the step with nothing recomputed
  RecomputeChoice m_choice;
  std::optional<Timing> m_keptTiming;
  TrainingPlan m_plan;
};

}  // namespace

TrainingPlan planTraining(const Project& project, const PlanOptions& options) { return Planner(project, options).run(); }

}  // namespace strata
