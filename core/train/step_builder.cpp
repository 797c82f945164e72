// SPDX-License-Identifier: Apache-2.0
#include "core/train/step_builder.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "core/compile/server_step.h"
#include "core/cost/algorithms_file.h"
#include "core/cost/open_device.h"
#include "core/cost/simulated_card.h"
#include "core/model/model.h"
#include "core/train/planned_step.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/exec/state.h"
#include "gpu/exec/step_layout.h"
#include "gpu/graph/op.h"

namespace strata {

namespace {

// Time limit for timing kernels, so that a run starts quickly
constexpr std::chrono::milliseconds kMeasuringTime{150};
// Time limit on cards, where a user asked for the fastest algorithms
constexpr std::chrono::milliseconds kCardMeasuringTime{10'000};
// Cards allocate whole pages of 2 MiB, so the 8 allocations of a network may take this much more
constexpr size_t kCardPages = size_t{8} * (2 << 20);
// The pass that may keep images in two orders of their axes
constexpr const char* kChooseLayouts = "choose_layouts";

}  // namespace

StepBuilder::StepBuilder(const CheckedProject& project, const NetworkOptions& options)
    : m_project(project.project()),
      m_model(project.model()),
      m_training(project.recipe()),
      m_execution(project.execution()),
      m_plannedProcesses(options.plannedProcesses) {
  project.requireSound();
  if (options.isAlone) m_execution.strategy = Strategy::Any;
  if (options.recompute) m_execution.recompute = *options.recompute;
  if (m_execution.disabledPasses.contains("recompute")) m_execution.recompute = Recompute::None;
  if (options.accumulationSteps) m_training.accumulationSteps = *options.accumulationSteps;
  if (!options.classWeights.empty()) m_training.classWeights = options.classWeights;
  m_stop = options.stop;
  m_batchSize = std::min(options.batchSize.value_or(m_training.batchSize), options.maxBatch);
  if (m_batchSize < 1)
    throw Error(
        ErrorCode::InvalidArgument, "batch_size",
        "must be at least 1 (got " + std::to_string(m_batchSize) + "). Set it to 1 or more.");
  DeviceOptions deviceOptions;
  deviceOptions.threads = options.threads > 0 ? options.threads : m_execution.threads;
  deviceOptions.niceness = options.niceness;
  deviceOptions.isTf32 = m_execution.precision == Precision::Tf32;
  deviceOptions.isAttentionDeterministic = m_execution.isAttentionDeterministic;
  openDevices(options.device.empty() ? m_execution.device : options.device, deviceOptions,
              options.link);
  if (!options.isAlone) placeLayers();
  if (isSharded() && options.link)
    throw Error(ErrorCode::UnsupportedOp, "shard_optimizer",
                "the optimizer state is divided among the devices of one process only (expected "
                "devices such as cpu*2, without launch). Set it to false, or train without "
                "launch.");
  if (m_batchSize < numReplicas()) microBatchesOf(m_batchSize);
  // Only cards offer algorithms of libraries
  if (DeviceName(device().name()).isGpu()) device().setPinned(m_execution.algorithms, pathOfLayer);
  m_execution.memoryLimitBytes =
      options.memoryLimitBytes ? options.memoryLimitBytes : m_execution.limitOf(device().name());
  m_limitBytes =
      m_execution.memoryLimitBytes.value_or(freeBytes(project.data(), options.dataBytes));
  const bool chooses = m_execution.kernelChoice != KernelChoice::Rule &&
                       !m_execution.disabledPasses.contains("choose_kernels");
  m_chooser = std::make_unique<KernelChooser>(
      device(), chooses ? m_execution.kernelChoice : KernelChoice::Rule);
  if (options.variants) {
    m_chooser->fix(*options.variants);
  }
  else if (chooses) {
    knowTimes(options.measuresKernels);
  }
}

/// Opens the device, or one for each replica of this process.
void StepBuilder::openDevices(const std::string& name, DeviceOptions options, ProcessLink* link) {
  const DeviceName read(resolvedDeviceName(name));
  const bool hasServer = m_execution.strategy == Strategy::ParameterServer;
  if (hasServer && link)
    throw Error(ErrorCode::UnsupportedOp, name,
                "a parameter server trains in one process (expected devices such as cpu*2, without "
                "launch). Train without launch, or choose another strategy.");
  if (read.copies == 1 && !link && !hasServer) {
    m_devices.push_back(openNamedDevice(name, options));
    return;
  }
  if (link && read.isGpu()) return openCardOfProcess(read, options, *link);
  if (read.copies > kMaxReplicas)
    throw Error(ErrorCode::InvalidArgument, name,
                "too many replicas (expected at most " + std::to_string(kMaxReplicas) +
                    "). Use fewer devices.");
  m_group = std::make_unique<ReplicaGroup>(read.copies, link);
  if (options.threads == 0) {
    const int replicas = read.copies * (link ? link->sizeOnMachine() : 1);
    options.threads = std::max(1, usableProcessors() / replicas);
  }
  for (int rank = 0; rank < read.copies; ++rank) {
    options.replica = {m_group.get(), rank};
    m_devices.push_back(openNamedDevice(read.at(rank), options));
  }
  m_detour = connectDevices(m_devices);
  options.replica = {};
  if (hasServer) m_server = openNamedDevice(read.at(0), options);
}

/// Opens the card of this process: the one that the processes of this machine have in common, or
/// that of its place in a list.
void StepBuilder::openCardOfProcess(const DeviceName& name, DeviceOptions options,
                                    ProcessLink& link) {
  const bool isList = !name.ordinals.empty();
  const auto near = static_cast<size_t>(link.sizeOnMachine());
  if (name.copies > 1 && !isList)
    throw Error(ErrorCode::InvalidArgument, "processes",
                "each process has one card (expected a device such as " + name.at(0) +
                    ", got several). Start one process for each card.");
  if (isList && near > name.ordinals.size())
    throw Error(ErrorCode::InvalidArgument, "processes",
                "a machine has " + std::to_string(near) +
                    " processes, but the list of devices has " +
                    std::to_string(name.ordinals.size()) +
                    " cards (expected one card for each process). Start fewer processes, or name "
                    "more cards.");
  if (link.size() > kMaxReplicas && !m_execution.isAllReduceFast)
    throw Error(ErrorCode::InvalidArgument, "processes",
                "too many cards add in order (expected at most " + std::to_string(kMaxReplicas) +
                    " processes). Use fewer, or set all_reduce to fast.");
  m_group = std::make_unique<ReplicaGroup>(1, &link);
  m_group->setEntersTogether(true);
  options.replica = {m_group.get(), 0};
  if (options.threads == 0)
    options.threads = std::max(1, usableProcessors() / link.sizeOnMachine());
  m_devices.push_back(
      openNamedDevice(isList ? name.at(link.rankOnMachine()) : name.at(0), options));
  joinCards(*m_devices.front(), link, m_execution.isAllReduceFast);
}

/// Decides which device computes which layer, if not each of them computes all.
void StepBuilder::placeLayers() {
  const bool hasPlaces = placesLayers(m_model);
  if (m_execution.strategy != Strategy::Pipeline && !hasPlaces) return;
  if (m_group && m_group->processes())
    throw Error(ErrorCode::InvalidProject, "/execution",
                "the layers have devices, or the strategy is pipeline, but several processes train "
                "(expected one process). Train without launch.");
  const auto numDevices = static_cast<int>(m_devices.size());
  if (hasPlaces) {
    m_placement = placementOf(m_model, numDevices, deviceName());
  }
  else {
    StepOptions options;
    options.batchSize = joinedPieces(m_batchSize).back().samples;
    options.lossScale = m_execution.lossScale();
    options.stopAfter = Stage::Differentiated;
    options.stop = m_stop;
    m_placement =
        proposedPlacement(m_model, buildStep(m_model, m_training, options).graph, numDevices);
  }
  if (numDevices == 1 && m_execution.strategy == Strategy::Pipeline)
    throw Error(ErrorCode::InvalidProject, "/execution/strategy",
                "the strategy pipeline does not fit the device " + deviceName() +
                    " (expected several devices). Use several devices, such as cpu*2, or remove "
                    "the strategy.");
  if (numDevices == 1) m_placement.reset();
}

std::string StepBuilder::deviceName() const {
  std::string name = device().name();
  if (m_devices.size() == 1) return name;
  if (m_devices.back()->name() == name) return name + "*" + std::to_string(m_devices.size());
  std::string names = name;
  for (size_t i = 1; i < m_devices.size(); ++i)
    names += "," + m_devices[i]->name();
  return names;
}

/// Loads the stored times of kernels, and allows the chooser to measure others.
void StepBuilder::knowTimes(bool measures) {
  const bool isCard = !device().variantsAreAlike();
  if (isCard && m_execution.kernelChoice != KernelChoice::Fastest) return;
  m_chooser->know(keptTimes(device()));
  if (measures)
    m_chooser->measure(isCard ? kCardMeasuringTime : kMeasuringTime, m_stop, m_limitBytes);
}

void StepBuilder::requirePinnedOps(const Graph& graph) const {
  for (const auto& [layer, ops] : device().pinned()) {
    std::set<std::string> own;
    for (const NodeId id : graph.order()) {
      const Node& node = graph.node(id);
      if (node.op->kind == OpKind::Source || node.op->kind == OpKind::View ||
          pathOfLayer(node.layer) != layer)
        continue;
      // Ops without a library call have no algorithm
      const std::unique_ptr<Kernel> kernel = device().createKernel(graph, id);
      if (kernel && !kernel->algorithm().empty()) own.insert(node.op->name);
    }
    for (const auto& [op, algorithm] : ops) {
      if (own.contains(op)) continue;
      std::string names;
      for (const std::string& each : own)
        names += (names.empty() ? "" : ", ") + each;
      throw Error(ErrorCode::InvalidProject, layer,
                  "the layer has no op \"" + op + "\" with algorithms (expected " +
                      (names.empty() ? "none" : "one of: " + names) +
                      "). Correct the name in execution/algorithms, or remove it.");
    }
  }
}

/// Returns the memory that steps may use if data sets take `dataBytes` of host memory.
size_t StepBuilder::freeBytes(const DatasetInfo& data, size_t dataBytes) const {
  if (const auto use = device().memoryUse()) {
    const auto samples = static_cast<size_t>(microBatchesOf(m_batchSize).back().samples);
    size_t inputBytes = 0;
    for (const DataInput& input : data.inputs)
      inputBytes += samples * static_cast<size_t>(std::max<int64_t>(0, input.shape.numElements())) *
                    sizeof(float);
    for (const DataTarget& target : data.targets)
      inputBytes += samples *
                    static_cast<size_t>(std::max<int64_t>(0, target.shape.numElements())) *
                    sizeof(float);
    const size_t taken =
        use->contextBytes + use->otherBytes + kCardPages + device().transferBytesFor(inputBytes, 0);
    // Replicas on one GPU divide its memory; simulated cards with one name are different cards
    const size_t sharing =
        device().isSimulated()
            ? 1
            : static_cast<size_t>(std::ranges::count(
                  m_devices, device().name(), [](const auto& each) { return each->name(); }));
    return (use->totalBytes - std::min(use->totalBytes, taken)) / sharing;
  }
  const size_t available = availableMemoryBytes(), replicas = m_devices.size();
  const ProcessSums* processes = m_group ? m_group->processes() : nullptr;
  const auto others = static_cast<size_t>(processes ? processes->link().sizeOnMachine() : 1);
  return (available / others - std::min(available / others, dataBytes)) / replicas;
}

RecomputeOptions StepBuilder::recomputeOptions() const {
  RecomputeOptions options;
  options.how = m_execution.recompute;
  options.limitBytes = m_limitBytes;
  options.inPlace = !isPassDisabled("in_place");
  options.alignment = device().traits().alignment;
  options.workspaces = kernelWorkspaces(device());
  return options;
}

/// Returns whether a step exceeds the limit and might need less memory if all images had one order
/// of axes. Ignores the memory of other programs, because a continued run must choose the same
/// orders.
bool StepBuilder::missesLimit(const StepGraph& step, size_t limitBytes) const {
  const auto report = std::ranges::find(step.reports, kChooseLayouts, &PassReport::pass);
  if (report == step.reports.end() || report->rewrites == 0) return false;
  if (const auto use = device().memoryUse(); use && !m_execution.memoryLimitBytes)
    limitBytes += use->otherBytes;
  // The estimate has no gaps between values, and planning takes much longer
  if (step.reports.back().after.peakBytes < limitBytes / 2) return false;
  return planProgram(step.graph, device(), !isPassDisabled("in_place")).peakBytes() > limitBytes;
}

StepGraph StepBuilder::stepGraph(StepMode mode, int64_t samples, MicroStep microStep,
                                 const StepHooks& hooks) const {
  RecomputeOptions recompute;
  if (mode == StepMode::Train && m_execution.recompute != Recompute::None)
    recompute = recomputeOptions();
  // Without a limit of the user, a step that needs far less than the available memory is not
  // examined.
  recompute.skipsSmallSteps = !m_execution.memoryLimitBytes;
  return stepGraph(mode, samples, recompute, microStep, hooks);
}

StepGraph StepBuilder::stepGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute,
                                 MicroStep microStep, const StepHooks& hooks) const {
  if (mode == StepMode::Train && isPipeline()) {
    const std::vector<MicroBatch> pieces = joinedPieces(samples);
    if (pieces.size() > 1) return joinedGraph(pieces, recompute, hooks);
  }
  return pieceGraph(mode, samples, recompute, microStep, hooks);
}

/// Returns the step of a pipeline, which computes all micro-batches of an update.
StepGraph StepBuilder::joinedGraph(const std::vector<MicroBatch>& pieces,
                                   const RecomputeOptions& recompute,
                                   const StepHooks& hooks) const {
  std::map<std::pair<int64_t, MicroStep>, StepGraph> steps;
  std::vector<JoinedPiece> joined;
  for (const MicroBatch& piece : pieces) {
    const std::pair key(piece.samples, piece.step);
    auto found = steps.find(key);
    if (found == steps.end())
      found = steps
                  .emplace(key,
                           pieceGraph(StepMode::Train, piece.samples, recompute, piece.step, hooks))
                  .first;
    joined.push_back({&found->second, piece.offset, piece.samples});
  }
  return joinPieces(joined);
}

std::vector<MicroBatch> StepBuilder::joinedPieces(int64_t samples) const {
  return microBatches(samples, isPipeline() ? m_training.accumulationSteps : 1);
}

/// Returns the options of all steps.
StepOptions StepBuilder::passOptions() const {
  StepOptions options;
  options.precision = m_execution.precision;
  options.lossScale = m_execution.lossScale();
  options.disabledPasses = m_execution.disabledPasses;
  // Parts of variables, and the variables of a server, have the order of files
  if (isSharded() || m_server) options.disabledPasses.emplace("store_filters");
  options.stop = m_stop;
  options.chooseKernels = [this](const Graph& graph, PassReport& report) {
    m_chooser->choose(graph, report);
  };
  options.device = device().traits();
  return options;
}

StepGraph StepBuilder::serverStep(const StepGraph& worker) const {
  return buildServerStep(worker, m_training, passOptions(), device().passes());
}

StepGraph StepBuilder::pieceGraph(StepMode mode, int64_t samples, const RecomputeOptions& recompute,
                                  MicroStep microStep, const StepHooks& hooks) const {
  StepOptions options = passOptions();
  options.onStage = hooks.onStage;
  options.onPass = hooks.onPass;
  options.microStep = microStep;
  if (mode == StepMode::Train) {
    options.replicas = numReplicas();
    options.isSharded = isSharded();
    options.rank = hooks.rank;
    // Other updates have only a part of the gradients in one place
    options.measuresGradients = !isSharded() && !m_placement && !m_server;
    if (m_group && m_group->processes()) options.processes = m_group->processes()->link().size();
    if (options.device.packsSums) options.processes = options.replicas;
    if (m_plannedProcesses > 1) options.replicas = options.processes = m_plannedProcesses;
  }
  options.recompute = recompute;
  const std::map<std::string, TensorType> held = heldBy(hooks.rank);
  // In the step of a pipeline, the last micro-batch declares them for all
  const bool isJoined = microStep == MicroStep::First || microStep == MicroStep::Middle;
  if (!isPipeline() || !isJoined) options.held = &held;
  options.mode = mode;
  options.batchSize = samples;
  if (mode == StepMode::Evaluate) options.stateRows = evaluatedSamples();
  // Each device updates the variables of its layers
  if (m_placement || isSharded()) options.disabledPasses.emplace("join_updates");
  options.seconds = hooks.seconds;
  StepGraph step = buildStep(m_model, m_training, options, device().passes());
  if (mode == StepMode::Train &&
      missesLimit(step, recompute.how == Recompute::Auto ? recompute.limitBytes : m_limitBytes)) {
    options.disabledPasses.emplace(kChooseLayouts);
    step = buildStep(m_model, m_training, options, device().passes());
  }
  for (const VariableRequest& each : step.optimizerState)
    if (!each.shards.empty()) m_shards[each.name] = each;
  // Later parts of a run may freeze layers, which then have no gradients
  if (mode == StepMode::Train && !m_hasCheckedPins) {
    requirePinnedOps(step.graph);
    m_hasCheckedPins = true;
  }
  return step;
}

std::vector<int64_t> StepBuilder::batchesOf(int64_t count) const {
  std::vector<int64_t> result;
  if (count >= m_batchSize) result.push_back(m_batchSize);
  if (count % m_batchSize != 0) result.push_back(count % m_batchSize);
  return result;
}

void StepBuilder::adopt(const CheckedProject& changed) {
  changed.requireSound();
  m_model = changed.model();
  m_training.optimizer = changed.recipe().optimizer;
}

void StepBuilder::holdVariablesOf(const Graph& graph) {
  for (const Variable& variable : graph.variables())
    if (!isCopy(graph, variable)) m_held.emplace(variable.name, typeInFiles(graph, variable));
  for (const auto& [name, request] : m_shards)
    m_held[name] = {DType::F32, request.shape};
}

/// Returns held() with the types that a replica has.
std::map<std::string, TensorType> StepBuilder::heldBy(int rank) const {
  std::map<std::string, TensorType> held = m_held;
  for (const auto& [name, request] : m_shards) {
    const auto found = held.find(name);
    if (found == held.end()) continue;
    const int64_t count = request.shards[static_cast<size_t>(rank)].count;
    if (count == 0)
      held.erase(found);
    else if (count < request.shape.numElements())
      found->second.shape = Shape{count};
  }
  return held;
}

std::vector<MicroBatch> StepBuilder::microBatchesOf(int64_t samples) const {
  const int replicas = numReplicas();
  if (replicas == 1) {
    std::vector<MicroBatch> result;
    const int64_t pieces = isPipeline() ? 1 : m_training.accumulationSteps;
    const int numParts = m_placement ? static_cast<int>(m_devices.size()) : 1;
    for (const MicroBatch& piece : microBatches(samples, pieces))
      for (int rank = 0; rank < numParts; ++rank)
        result.push_back({piece.offset, piece.samples, stepOf(piece), rank});
    return result;
  }
  if (samples < replicas)
    throw Error(ErrorCode::InvalidProject, "batch_size",
                "a batch of " + std::to_string(samples) +
                    " samples has fewer samples than replicas (expected at least " +
                    std::to_string(replicas) + "). Choose another batch_size, or fewer devices.");
  const std::vector<MicroBatch> shares = microBatches(samples, replicas);
  // The first share is the smallest one
  const int64_t rounds = std::min(m_training.accumulationSteps, shares.front().samples);
  std::vector<MicroBatch> result;
  for (int64_t round = 0; round < rounds; ++round)
    for (int rank = 0; rank < m_group->size(); ++rank) {
      const MicroBatch& share = shares[static_cast<size_t>(m_group->numberOf(rank))];
      MicroBatch piece = microBatches(share.samples, rounds)[static_cast<size_t>(round)];
      piece.offset += share.offset;
      piece.rank = rank;
      piece.step = stepOf(piece);
      result.push_back(piece);
    }
  return result;
}

/// Returns the position of a micro-batch. Those of a parameter server only add their gradients.
MicroStep StepBuilder::stepOf(const MicroBatch& piece) const {
  if (!m_server) return piece.step;
  return piece.step == MicroStep::Whole || piece.step == MicroStep::First ? MicroStep::First
                                                                          : MicroStep::Middle;
}

std::vector<MicroBatch> StepBuilder::compiledPiecesOf(int64_t samples) const {
  std::vector<MicroBatch> pieces = microBatchesOf(samples);
  if (!isStale()) return pieces;
  // Any worker may get the batch
  std::vector<MicroBatch> result;
  for (int rank = 0; rank < updatesAtOnce(); ++rank)
    for (MicroBatch piece : pieces) {
      piece.rank = rank;
      result.push_back(piece);
    }
  return result;
}

int64_t StepBuilder::evaluatedSamples() const {
  int64_t most = 1;
  for (const MicroBatch& piece : microBatchesOf(m_batchSize))
    if (piece.rank == 0)
      for (const MicroBatch& joined : joinedPieces(piece.samples))
        most = std::max(most, joined.samples);
  return most;
}

std::vector<MicroBatch> StepBuilder::evaluatedPiecesOf(int64_t samples) const {
  const int64_t pieces = m_training.accumulationSteps * numReplicas(), most = evaluatedSamples();
  return microBatches(samples, std::max(pieces, (samples + most - 1) / most));
}

StepBuilder::~StepBuilder() = default;

void StepBuilder::endPreparation() {
  m_stop = {};
  // Later kernels are not timed.
  m_chooser->measure({});
  if (m_chooser->hasMeasured()) keepTimes(device(), m_chooser->measurements());
}

}  // namespace strata
