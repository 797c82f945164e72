// SPDX-License-Identifier: Apache-2.0
#include "core/train/network.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <ranges>
#include <set>

#include "core/check/data_fit.h"
#include "core/interchange/weight_names.h"
#include "core/train/planned_step.h"
#include "gpu/base/bytes.h"
#include "gpu/base/debug.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// The subject of errors that belong to no layer
constexpr const char* kNetwork = "network";

}  // namespace

Network::Network(const CheckedProject& project, const NetworkOptions& options)
    : m_steps(project, options), m_evaluateBatch(m_steps.evaluatedSamples()) {
  for (const std::unique_ptr<Device>& device : m_steps.devices())
    m_replicas.push_back(std::make_unique<Replica>(*device));
  if (m_steps.server())
    m_server = std::make_unique<ParameterServer>(m_steps, *m_steps.server(), m_replicas);
  std::vector<State*> states;
  if (m_server) states.push_back(&m_server->replica().values);
  for (const std::unique_ptr<Replica>& replica : m_replicas)
    if (states.empty() || m_steps.placement() || m_steps.isSharded())
      states.push_back(&replica->values);
  m_state = std::make_unique<NetworkState>(NetworkValues(std::move(states)));
  if (m_steps.group()) m_threads = std::make_unique<ReplicaThreads>(*m_steps.group());
}

Network::~Network() = default;

StepGraph Network::stepOf(const Replica& replica, StepMode mode, int64_t samples,
                          MicroStep microStep) {
  if (!m_steps.placement()) {
    StepHooks hooks;
    hooks.rank = rankOf(replica);
    return m_steps.stepGraph(mode, samples, microStep, hooks);
  }
  const auto key = std::tuple(mode, samples, microStep);
  auto divided = m_divided.find(key);
  if (divided == m_divided.end()) {
    StepGraph step = m_steps.stepGraph(mode, samples, microStep);
    CutStep parts = cutStep(step.graph, *m_steps.placement());
    m_steps.group()->reserveTransfers(std::ssize(parts.transfers));
    divided = m_divided.emplace(key, DividedStep{std::move(step), std::move(parts)}).first;
  }
  StepGraph part = divided->second.step;
  part.graph = divided->second.parts.parts[static_cast<size_t>(rankOf(replica))];
  return part;
}

int Network::rankOf(const Replica& replica) const {
  return static_cast<int>(std::ranges::find(m_replicas, &replica, &std::unique_ptr<Replica>::get) -
                          m_replicas.begin());
}

std::unique_ptr<Program> Network::build(Replica& replica, StepMode mode, int64_t samples,
                                        const Dataset* dataset, MicroStep microStep) {
  StepGraph step = stepOf(replica, mode, samples, microStep);
  const bool isPart = microStep != MicroStep::Whole || m_steps.numReplicas() > 1 ||
                      m_steps.joinedPieces(samples).size() > 1;
  if (mode == StepMode::Train && isPart && !step.countedBy.empty())
    throw Error(
        ErrorCode::InvalidProject, "gradient_accumulation_steps",
        unevenMicroBatches(step.countedBy, m_steps.training().accumulationSteps).sentence());
  replica.arrays.describe(step);
  state().describe(step, m_steps.model().inputs);
  m_sums.describe(step);
  requireNoCarriedState();
  if (dataset) replica.arrays.requireThoseOf(*dataset, m_steps.training());
  // The first replica has chosen the kernels
  if (&replica != &first()) replica.device.setVariants(m_steps.device().variants());
  auto program = Program::build(std::move(step.graph), replica.device, replica.values,
                                !m_steps.isPassDisabled("in_place"));
  std::vector<std::string> results = m_sums.results(program->graph());
  if (mode == StepMode::Train && findOutput(program->graph(), kFinite).isValid()) {
    results.push_back(kFinite);
    program->setGuard(kFinite);
    for (const char* measure : {kGradientNorm, kNextLossScale})
      if (findOutput(program->graph(), measure).isValid()) results.emplace_back(measure);
  }
  program->setResults(std::move(results));
  if (mode == StepMode::Train) {
    requireLimit(program->memory());
  }
  return program;
}

/// Requires that no layer carries state. A replica gets other samples in each batch, so the state
/// would not continue in the right sample.
void Network::requireNoCarriedState() const {
  if (m_steps.numReplicas() == 1) return;
  for (const VariableRequest& each : state().variables())
    if (isCarriedState(each.name))
      throw Error(ErrorCode::InvalidProject, each.layer,
                  "a layer that carries state from one batch to the next trains on one device "
                  "(expected stateful false, or one device, got " +
                      m_steps.deviceName() + ").");
}

void Network::buildTraining(const MicroBatch& piece, const Dataset* dataset) {
  Replica& replica = *m_replicas[static_cast<size_t>(piece.rank)];
  const auto build = [&] {
    return this->build(replica, StepMode::Train, piece.samples, dataset, piece.step);
  };
  std::unique_ptr<Program> program = build();
  if (piece.step == MicroStep::Last) m_steps.holdVariablesOf(program->graph());
  if (!replica.train.empty()) {
    // The program shares the inputs and constants of the largest program, and may therefore exceed
    // the limit.
    const MemoryPlan &largest = primary(replica).memory(), &own = program->memory();
    const size_t shared = largest.persistentBytes + largest.inputBytes,
                 alone = own.persistentBytes + own.inputBytes, limit = m_steps.memoryLimitBytes();
    if (shared > alone && shared + own.transientBytes > limit) {
      const StepBuilder::LowerLimit lower(m_steps, limit - std::min(limit, shared - alone));
      program = build();
    }
  }
  replica.train.emplace(std::pair{piece.samples, piece.step}, std::move(program));
}

void Network::requireFit(const Dataset& dataset) const {
  std::vector<int64_t> widths;
  for (const StepOutput& output : arrays().outputs())
    widths.push_back(output.width);
  for (const DataMisfit& misfit : findMisfits(dataset, m_steps.model(), m_steps.training(), widths))
    if (misfit.severity == Severity::Error)
      throw Error(ErrorCode::InvalidFile, misfit.place, misfit.sentence());
}

Program& Network::primary(const Replica& replica) const {
  // All programs share the inputs of the largest training batch or, without training programs, of
  // the largest evaluated batch.
  return replica.train.empty() ? *replica.evaluate.rbegin()->second
                               : *replica.train.rbegin()->second;
}

void Network::prepare(const std::vector<int64_t>& trainSamples,
                      const std::vector<int64_t>& evaluateCounts, const Dataset* dataset) {
  withMemoryFor(kNetwork, [&] {
    for (const int64_t samples : trainSamples) {
      const std::vector<MicroBatch> pieces = m_steps.compiledPiecesOf(samples);
      // Builds the updating micro-batch before the others, because they reserve its state. The
      // first replica comes first, because it chooses kernels.
      std::vector<MicroBatch> ordered(pieces.rbegin(), pieces.rend());
      std::ranges::stable_sort(ordered, {}, &MicroBatch::rank);
      for (const MicroBatch& piece : ordered)
        if (!m_replicas[static_cast<size_t>(piece.rank)]->train.contains(
                {piece.samples, piece.step}))
          buildTraining(piece, dataset);
    }
    if (m_server && !m_server->isPrepared() && !first().train.empty()) {
      const int64_t samples = first().train.begin()->first.first;
      m_server->prepare(stepOf(first(), StepMode::Train, samples, MicroStep::First));
      state().describe(m_server->step(), m_steps.model().inputs);
    }
    m_evaluateCounts.insert(evaluateCounts.begin(), evaluateCounts.end());
    buildEvaluations(dataset);
    if (dataset) requireFit(*dataset);
    for (const std::unique_ptr<Replica>& replica : m_replicas)
      bindPrograms(*replica);
    if (m_server) {
      m_server->reserve();
      bindPrograms(m_server->replica());
      m_server->bind();
    }
  });
  m_divided.clear();
  m_steps.endPreparation();
}

void Network::bindPrograms(Replica& replica) {
  std::vector<Program*> programs;
  for (const auto& [key, program] : replica.train)
    programs.push_back(program.get());
  for (const auto& [samples, program] : replica.evaluate)
    programs.push_back(program.get());
  if (programs.empty()) return;
  // Reserves memory for all programs first, because addresses are fixed afterwards.
  State& values = replica.values;
  for (const Program* program : programs) {
    values.ensureVariables(program->graph());
    values.transient(program->memory().transientBytes);
  }
  Program& owner = primary(replica);
  owner.bind();
  for (Program* program : programs) {
    if (program == &owner) continue;
    program->shareInputs(owner);
    program->bind();
  }
}

void Network::mirror() {
  const State& from = first().values;
  if (m_steps.placement() || m_server || m_mirrored == from.changes()) return;
  for (size_t rank = 1; rank < m_replicas.size(); ++rank) {
    State& to = m_replicas[rank]->values;
    for (const std::string& name : from.names())
      if (to.has(name) && !state().values().isDivided(name)) to.write(name, from.read(name));
  }
  m_mirrored = from.changes();
}

/// Changes a weight of a replica, which may be in another process, for tests.
void Network::flipWeight(int number) {
  const int rank = number - m_steps.group()->numberOf(0);
  if (rank < 0 || rank >= std::ssize(m_replicas)) return;
  State& values = m_replicas[static_cast<size_t>(rank)]->values;
  const std::string& name = state().variables().front().name;
  Tensor value = values.read(name);
  value.as<float>()[0] += 1;
  values.write(name, value);
}

/// Submits the programs of m_round. Returns false if the rest of the update must not run.
bool Network::submitRound(const std::stop_token& stop, std::vector<Ticket>& tickets) {
  if (!m_threads) {
    tickets.push_back(m_round.front()->submit(stop));
    return true;
  }
  mirror();
  if (m_server)
    for (size_t worker = 0; worker < m_round.size(); ++worker)
      if (m_round[worker]) m_server->refresh(worker);
  m_round.resize(m_replicas.size());
  const ReplicaFault& fault = debugSettings().replicaFault;
  if (fault.kind == ReplicaFault::Kind::Flip && ++m_rounds == fault.step) flipWeight(fault.rank);
  bool isDone = true;
  std::vector<Ticket> done = m_threads->submit(m_round, stop);
  for (size_t rank = 0; rank < done.size(); ++rank) {
    if (!m_round[rank]) continue;
    isDone = isDone && done[rank].wait() == StepOutcome::Done;
    tickets.push_back(std::move(done[rank]));
  }
  return isDone;
}

Ticket Network::applySums(size_t workers) {
  std::vector<size_t> all(workers);
  std::iota(all.begin(), all.end(), size_t{0});
  return m_server->apply(all, m_numbers);
}

void Network::computeStale(const std::vector<StaleUpdate>& updates, const std::stop_token& stop) {
  for (size_t worker = 0; worker < updates.size(); ++worker)
    m_server->refresh(worker);
  size_t rounds = 0;
  for (const StaleUpdate& update : updates)
    rounds = std::max(rounds, update.pieces.size());
  for (size_t round = 0; round < rounds; ++round) {
    m_round.assign(m_replicas.size(), nullptr);
    for (size_t worker = 0; worker < updates.size(); ++worker) {
      if (round >= updates[worker].pieces.size()) continue;
      MicroBatch piece = updates[worker].pieces[round];
      piece.rank = static_cast<int>(worker);
      m_round[worker] = &updates[worker].place(piece);
    }
    std::vector<Ticket> done = m_threads->submit(m_round, stop);
    bool isDone = true;
    for (size_t worker = 0; worker < updates.size(); ++worker) {
      if (!m_round[worker]) continue;
      isDone = isDone && done[worker].wait() == StepOutcome::Done;
      updates[worker].tickets->push_back(std::move(done[worker]));
    }
    if (!isDone) return;
  }
}

std::pair<Ticket, int64_t> Network::applyStale(size_t worker, const UpdateNumbers& numbers) {
  const int64_t age = m_server->ageOf(worker);
  const size_t workers[]{worker};
  return {m_server->apply(workers, numbers), age};
}

bool Network::requireEqualReplicas() const {
  // Others get new values of the first replica before the next step
  if (m_mirrored != first().values.changes()) return false;
  bool hasCompared = false;
  const Snapshot expected = first().values.snapshot();
  for (size_t rank = 1; rank < m_replicas.size(); ++rank) {
    const Snapshot got = m_replicas[rank]->values.snapshot();
    for (const auto& [name, view] : expected.views()) {
      const auto found = got.views().find(name);
      // Sums over micro-batches are those of a replica alone
      if (found == got.views().end() || state().values().isDivided(name) ||
          first().values.category(name) == Category::Gradient)
        continue;
      hasCompared = true;
      if (std::memcmp(view.data, found->second.data, view.type.bytes()) != 0)
        throw Error(ErrorCode::Internal, name,
                    "replica " + std::to_string(rank) +
                        " has other values than the first one. The run stops without a checkpoint. "
                        "Continue from the last one.");
    }
  }
  return hasCompared;
}

void Network::adopt(const CheckedProject& changed, const Dataset* dataset) {
  m_steps.adopt(changed);
  if (first().train.empty() && evaluator().evaluate.empty()) return;
  std::vector<MicroBatch> pieces;
  for (size_t rank = 0; rank < m_replicas.size(); ++rank)
    for (const auto& [key, program] : std::views::reverse(m_replicas[rank]->train))
      pieces.push_back({0, key.first, key.second, static_cast<int>(rank)});
  // Frees the old programs first, because old and new programs together may not fit into memory.
  for (const std::unique_ptr<Replica>& replica : m_replicas) {
    replica->train.clear();
    replica->evaluate.clear();
    // Frees the arena, so that its new size matches the plan of this part of the run.
    replica->values.dropTransient();
  }
  if (m_server) {
    m_server->forget();
    m_server->replica().evaluate.clear();
    m_server->replica().values.dropTransient();
  }
  state().forgetRequests();
  const std::vector<std::string> before = state().values().names();
  std::map<std::string, TensorType> held = m_steps.held();
  for (const std::string& name : before)
    held.emplace(name, state().values().type(name));
  m_steps.hold(std::move(held));
  withMemoryFor(kNetwork, [&] {
    for (const MicroBatch& piece : pieces)
      buildTraining(piece, dataset);
  });
  prepare({}, {}, dataset);
  state().addMissing(before, m_steps.training().seed);
}

void Network::resetOptimizer() {
  // Makes all layers trainable in a copy of the project, so that the state of frozen layers is
  // reset, too.
  Project all = m_steps.project();
  TrainStage everything;
  everything.trainable = layerPaths(all.document());
  const std::vector<std::string> paths = *everything.trainable;
  std::erase_if(*everything.trainable, [&](const std::string& path) {
    return std::any_of(paths.begin(), paths.end(),
                       [&](const std::string& other) { return other.starts_with(path + "/"); });
  });
  applyStage(all.document(), everything);
  StepOptions options;
  options.batchSize = m_steps.microBatchesOf(m_steps.batchSize()).back().samples;
  options.stopAfter = Stage::Differentiated;
  options.lossScale = m_steps.execution().lossScale();
  for (const VariableRequest& request :
       buildStep(CheckedProject(all).model(), m_steps.training(), options).optimizerState)
    if (state().values().has(request.name))
      state().values().write(request.name, initialValue(request, m_steps.training().seed));
}

void Network::lookAhead(const std::vector<RunPart>& parts, int64_t samples) {
  const StepBuilder::KeptDesign kept(m_steps);
  std::vector<MicroBatch> pieces;
  for (const int64_t batch : m_steps.batchesOf(samples))
    for (const MicroBatch& piece : m_steps.microBatchesOf(batch))
      pieces.push_back(piece);
  MemoryPlan largest;
  for (const RunPart& part : parts) {
    m_steps.adopt(part.project);
    const std::vector<KeptMicroBatch> whole = keptMicroBatches(m_steps, pieces);
    PlannedStep step =
        planStep(m_steps, whole, m_steps.execution().recompute, m_steps.memoryLimitBytes());
    requireLimit(step.pieces[step.largest].memory, &part);
    if (step.peakBytes > largest.peakBytes()) largest = std::move(step.pieces[step.largest].memory);
    m_steps.holdVariablesOf(whole.front().graph);
  }
  if (largest.peakBytes() > m_laterMemory.peakBytes()) m_laterMemory = std::move(largest);
}

void Network::requireLimit(const MemoryPlan& plan, const RunPart* part) const {
  std::optional<size_t> limit = m_steps.execution().memoryLimitBytes;
  std::string what = "does not fit";
  const bool isOfCard = !limit && m_steps.device().memoryUse();
  if (isOfCard) {
    limit = m_steps.memoryLimitBytes();
    what += " in the memory of " + m_steps.device().name();
  }
  if (!limit || plan.peakBytes() <= *limit) return;
  std::string place;
  if (part && part->stage > 0) place = " of stage " + std::to_string(part->stage);
  if (part && part->fromStep > 0) place += " from step " + std::to_string(part->fromStep) + " on";
  std::string largest;
  if (const auto layer =
          std::ranges::max_element(plan.byLayerAtPeak, {}, &MemoryPlan::LayerBytes::bytes);
      layer != plan.byLayerAtPeak.end() && !layer->layer.empty())
    largest = "; layer " + layer->layer + " holds the most, " +
              bytesText(static_cast<double>(layer->bytes));
  throw Error(
      ErrorCode::OutOfMemory, kMemoryLimit,
      "the training step" + place + " " + what + " (expected at most " +
          bytesText(static_cast<double>(*limit)) + ", got " +
          bytesText(static_cast<double>(plan.peakBytes())) +
          (m_steps.execution().recompute == Recompute::None ? " without recomputation"
                                                            : " with all useful recomputation") +
          largest +
          (isOfCard ? "). Change the settings (see strata plan), or use a larger card."
                    : "). Raise the limit, or change the settings (see strata plan)."));
}

size_t Network::allocatedBytes() const {
  const Replica& replica = largestReplica();
  return replica.values.allocatedBytes() + primary(replica).ownBytes();
}
std::vector<size_t> Network::replicaBytes() const {
  std::vector<size_t> result;
  for (const std::unique_ptr<Replica>& replica : m_replicas)
    result.push_back(replica->values.allocatedBytes() +
                     (replica->train.empty() ? 0 : primary(*replica).ownBytes()));
  return result;
}
std::optional<ProcessSums::Times> Network::communication() const {
  const ReplicaGroup* const group = m_steps.group();
  if (!group || !m_steps.group()->processes()) return std::nullopt;
  if (!group->entersTogether()) return m_steps.group()->processes()->times();
  // Cards communicate themselves
  ProcessSums::Times times;
  times.meeting = group->waits().front();
  times.waiting = times.meeting + group->log().communicating(0);
  times.communicating = times.waiting + group->log().hidden(0);
  for (const auto& [key, sum] : group->log().of(0)) {
    times.bytes += static_cast<int64_t>(sum.bytes);
    ++times.sums;
  }
  return times;
}

std::array<size_t, kNumCategories> Network::categoriesOf(size_t rank) const {
  const Replica& replica = *m_replicas[rank];
  if (replica.train.empty()) return {};
  return primary(replica).memory().byCategoryAtPeak;
}

std::span<const std::chrono::nanoseconds> Network::waits() const {
  if (!m_steps.group()) return {};
  return m_steps.group()->waits();
}
size_t Network::presentPeakBytes(const Replica& replica) const {
  const MemoryPlan& plan = primary(replica).memory();
  // All programs use the same arena.
  size_t transient = 0;
  for (const auto& [key, program] : replica.train)
    transient = std::max(transient, program->memory().transientBytes);
  for (const auto& [samples, program] : replica.evaluate)
    transient = std::max(transient, program->memory().transientBytes);
  return plan.persistentBytes + plan.inputBytes + transient;
}
const Replica& Network::largestReplica() const {
  if (!m_steps.placement()) return first();
  return **std::ranges::max_element(
      m_replicas, {}, [&](const auto& replica) { return presentPeakBytes(*replica); });
}
size_t Network::plannedPeakBytes() const {
  return std::max(m_laterMemory.peakBytes(), presentPeakBytes(largestReplica()));
}
const Program& Network::largestProgram() const {
  const Replica& replica = largestReplica();
  const Program* largest = &primary(replica);
  for (const auto& [key, program] : replica.train)
    if (program->memory().transientBytes > largest->memory().transientBytes)
      largest = program.get();
  return *largest;
}

MemoryPlan Network::memoryPlan() const {
  if (m_laterMemory.peakBytes() >= presentPeakBytes(largestReplica())) return m_laterMemory;
  MemoryPlan plan = largestProgram().memory();
  reserve(plan, primary(largestReplica()).memory(), m_steps.model().inputs.front());
  return plan;
}

StepMemory Network::stepMemory() const {
  const Program& program = largestProgram();
  MemoryPlan plan = program.memory();
  const std::string& input = m_steps.model().inputs.front();
  const ReservedBytes reserved = reserve(plan, primary(largestReplica()).memory(), input);
  StepMemory memory = stepMemoryOf(program.graph(), plan, m_steps.batchSize());
  const int last = static_cast<int>(memory.instructions.size()) - 1;
  if (reserved.constants > 0)
    memory.blocks.push_back({"constants of other steps", "", Category::Temporary,
                             Storage::Lane::Persistent, reserved.constants,
                             plan.persistentBytes - reserved.constants, 0, last});
  if (reserved.inputs > 0)
    memory.blocks.push_back({"inputs of larger batches", input, Category::Input,
                             Storage::Lane::Input, reserved.inputs,
                             plan.persistentBytes + plan.inputBytes - reserved.inputs, 0, last});
  return memory;
}

}  // namespace strata
