// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/cuda_runner.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/base/round_up.h"
#include "gpu/cuda/graph_capture.h"
#include "gpu/graph/op.h"

namespace strata::cuda {
namespace {

// The first steps run without a graph, so that libraries load what they need before the capture
constexpr int kWarmUpSteps = 2;
// Steps with this distance record events, so that the times of their phases and of what replicas do
// together are known. Those of the steps after them are taken to be the same, so that the parts of
// a step always belong together. The first step loads libraries, so its times do not stand for
// long.
constexpr int kTimedEvery = 16, kTimedAfterFirst = 3;

int32_t isStopRequested(const void* step) {
  return static_cast<const SubmittedStep*>(step)->stop.stop_requested() ? 1 : 0;
}

/// Returns whether the kernel of a node counts the parts that it joins.
bool joinsParts(const Node& node) {
  return node.op->kind == OpKind::Reduction || node.op->name == "matmul_bias_gradient" ||
         node.op->work == WorkKind::BatchNorm || node.op->work == WorkKind::LayerNorm;
}

bool isProduct(WorkKind work) {
  return work == WorkKind::Product || work == WorkKind::Convolution || work == WorkKind::Attention;
}

}  // namespace

StrataWork workOf(const Graph& graph, const Node& node, const CudaKernel& kernel) {
  const Cost cost = costOf(graph, node);
  StrataWork work{};
  work.flops = cost.flops;
  work.bytes = cost.bytes;
  work.isProduct = isProduct(node.op->work) ? 1 : 0;
  if (const LibraryPlan* plan = kernel.choosablePlan();
      plan && plan->call().compute == STRATA_COMPUTE_TF32)
    work.precision = 1;
  if (node.inputs.empty()) return work;
  const DType dtype = graph.type(node.inputs[0]).dtype;
  if (dtype == DType::BF16) work.precision = 2;
  if (dtype == DType::F16) work.precision = 3;
  return work;
}

bool needsStop(const Node& node) {
  return node.op->role != OpRole::AllFinite && node.op->role != OpRole::AllFiniteAndNorm;
}

CudaRunner::CudaRunner(CudaStream& stream, const StepLayout& layout, StepAddresses addresses)
    : m_stream(stream),
      m_layout(layout),
      m_addresses(std::move(addresses)),
      m_inputs(stream, layout, m_addresses),
      m_profile(stream, layout) {
  size_t resultBytes = 0;
  for (const StepResult& result : m_addresses.results)
    resultBytes = std::max(resultBytes, result.offset + result.bytes);
  m_stream.reserve(m_inputs.slotBytes(), resultBytes);
  makeInstructions();
  makeParts();
}

CudaRunner::~CudaRunner() {
  try {
    m_stream.wait();
    if (!m_isBroken) return;
    // Other cards may still copy from the memory of this one
    recover();
    m_stream.card().driver().streamSynchronize(m_stream.compute());
    m_stream.card().driver().streamSynchronize(m_stream.communication());
  }
  catch (...) {
    // The card has failed, and nobody can be informed
  }
}

void CudaRunner::makeInstructions() {
  const auto address = [&](int storage) {
    return storage < 0 ? DeviceAddress() : m_addresses.storages[static_cast<size_t>(storage)];
  };
  const bool hasTransfers = std::ranges::any_of(m_layout.graph.order(), [&](NodeId id) {
    const OpRole role = m_layout.graph.node(id).op->role;
    return role == OpRole::Send || role == OpRole::Receive;
  });
  std::set<int> applies;
  for (const LaidInstruction& laid : m_layout.instructions)
    if (laid.apply >= 0) applies.insert(laid.apply);
  for (const LaidInstruction& laid : m_layout.instructions) {
    const Node& node =
        m_layout.graph.node(m_layout.graph.order()[static_cast<size_t>(laid.position)]);
    Instruction instruction;
    instruction.kernel = static_cast<const CudaKernel*>(laid.kernel.get());
    instruction.op = node.op->name;
    instruction.layer = node.layer;
    instruction.operands.apply = address(laid.apply);
    // Updates without a guard stop with the stream, too
    if (laid.apply < 0 && node.op->kind == OpKind::Update)
      instruction.operands.apply = m_stream.running();
    if (!instruction.operands.apply.isNull())
      instruction.ranges.push_back(rangeOf(instruction.operands.apply, sizeof(float), false));
    for (size_t i = 0; i < laid.inputs.size(); ++i) {
      instruction.operands.inputs.push_back(address(laid.inputs[i]));
      instruction.ranges.push_back(
          rangeOf(address(laid.inputs[i]), m_layout.graph.type(node.inputs[i]).bytes(), false));
    }
    bool makesApply = false;
    for (size_t i = 0; i < laid.outputs.size(); ++i) {
      instruction.operands.outputs.push_back(address(laid.outputs[i]));
      instruction.ranges.push_back(
          rangeOf(address(laid.outputs[i]), m_layout.graph.type(node.outputs[i]).bytes(), true));
      makesApply = makesApply || applies.contains(laid.outputs[i]);
    }
    if (laid.workspace >= 0) {
      instruction.operands.workspace = address(laid.workspace);
      instruction.ranges.push_back(
          rangeOf(address(laid.workspace), laid.kernel->workspaceBytes(), true));
    }
    if (makesApply) {
      instruction.needsStop = needsStop(node);
      instruction.operands.running = m_stream.running();
      instruction.ranges.push_back(rangeOf(m_stream.running(), sizeof(float), false));
    }
    if (joinsParts(node)) {
      instruction.operands.counters = m_stream.counters();
      instruction.ranges.push_back(
          rangeOf(m_stream.counters(), sizeof(StreamFlags::counters), true));
    }
    if (observesGradients(node) || node.op->role == OpRole::AllFiniteAndNorm) {
      instruction.operands.progress = m_stream.progress();
      instruction.ranges.push_back(rangeOf(m_stream.progress(), sizeof(uint64_t), true));
    }
    instruction.work = workOf(m_layout.graph, node, *instruction.kernel);
    const auto position = static_cast<int>(m_instructions.size());
    instruction.work.number = position + 1;
    instruction.work.running = m_stream.running().bits();
    // Parts of a step on several cards do not learn within the step that another one has stopped
    instruction.work.isStoppable = position < m_layout.lastStop && !hasTransfers ? 1 : 0;
    if (node.op->isCollective && m_stream.replica().group) makeCollective(instruction, node);
    m_instructions.push_back(std::move(instruction));
  }
  // The strings no longer move
  for (Instruction& instruction : m_instructions) {
    instruction.work.op = instruction.op.c_str();
    instruction.work.layer = instruction.layer.c_str();
    instruction.work.ranges = instruction.ranges.data();
    instruction.work.numRanges = instruction.ranges.size();
  }
}

void CudaRunner::makeCollective(Instruction& instruction, const Node& node) {
  const OpRole role = node.op->role;
  const bool isTransfer = role == OpRole::Send || role == OpRole::Sent || role == OpRole::Receive;
  std::unique_ptr<CardCollective>& collective =
      (isTransfer ? m_transfers : m_collectives)[node.attributes.get<int64_t>("number")];
  if (!collective)
    collective = isTransfer ? makeCardTransfer(m_stream, m_layout.graph, node)
                 : node.op->kind == OpKind::Update ? makeCardGather(m_stream, m_layout.graph, node)
                                                   : makeCardSum(m_stream, m_layout.graph, node);
  instruction.collective = collective.get();
  instruction.node = &node;
}

/// Divides the step at collectives.
void CudaRunner::makeParts() {
  size_t begin = 0;
  for (size_t i = 0; i < m_instructions.size(); ++i) {
    if (!m_instructions[i].collective || m_instructions[i].collective->isCapturable()) continue;
    if (begin < i) m_parts.push_back({begin, i});
    m_parts.push_back({i, i + 1, true});
    begin = i + 1;
  }
  if (begin < m_instructions.size() || m_parts.empty())
    m_parts.push_back({begin, m_instructions.size()});
}

void CudaRunner::annotate(const Instruction& instruction) {
  m_stream.card().annotate(m_stream.compute(), &instruction.work);
}

void CudaRunner::encode(Encoder& encoder, const Instruction& instruction, bool isCaptured) {
  if (m_isBroken) return;
  if (instruction.collective) return encodeCollective(instruction);
  annotate(instruction);
  try {
    instruction.kernel->encode(encoder, instruction.operands);
    if (!isCaptured && debugSettings().skipsCapture)
      m_stream.card().driver().streamSynchronize(m_stream.compute());
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::DeviceFailure) throw;
    // Without waiting, the error may belong to work that was added before
    throw Error(error.code(), error.subject(),
                "op \"" + instruction.op + "\"" +
                    (instruction.layer.empty() ? "" : " of layer " + instruction.layer) +
                    (debugSettings().skipsCapture ? "" : ", or one before it") + ": " +
                    error.what(),
                error.where());
  }
  if (!instruction.needsStop) return;
  const Function& stop = m_stream.card().function("apply_if_running");
  for (const DeviceAddress output : instruction.operands.outputs)
    encoder.launch(stop, {1}, 1, output, m_stream.running());
}

/// If another replica has left the step, the rest of it changes nothing and is not added.
void CudaRunner::encodeCollective(const Instruction& instruction) {
  try {
    instruction.collective->encode(*instruction.node, instruction.operands, instruction.work);
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::Stopped) throw;
    m_isBroken = true;
    m_stream.card().annotate(m_stream.compute(), nullptr);
    m_stream.setRunning(false);
  }
}

/// After a step that another replica has left, waits for what others still do with the memory of
/// this one.
void CudaRunner::recover() {
  if (!std::exchange(m_isBroken, false)) return;
  for (const auto* collectives : {&m_collectives, &m_transfers})
    for (const auto& [number, collective] : *collectives)
      collective->recover();
}

/// Takes out of the phases how long the step waited until other cards began theirs.
void CudaRunner::leaveOutStart() {
  // A collective waits in the last of its nodes
  std::map<const CardCollective*, Phase> phaseOf;
  for (size_t i = 0; i < m_instructions.size(); ++i)
    phaseOf[m_instructions[i].collective] = m_layout.instructions[i].phase;
  for (const auto& [number, collective] : m_collectives)
    m_profile.leaveOut(phaseOf[collective.get()], collective->times().waiting);
}

/// Adds the collectives of a step that is done to the figures of the replicas. `isTimed`: its
/// phases were timed, too. `isStart`: it is the first with other cards.
void CudaRunner::noteTimes(bool isTimed, bool isStart) {
  if (m_collectives.empty() && m_transfers.empty()) return;
  ReplicaGroup& group = *m_stream.replica().group;
  const int rank = m_stream.replica().rank;
  SumTimes total;
  const auto add = [&](const auto& collectives) {
    for (const auto& [number, collective] : collectives) {
      CardCollective::Times times = collective->times();
      if (isStart) times.waiting = {};
      total.waiting += times.waiting;
      total.exposed += times.exposed;
      total.hidden += std::max(std::chrono::nanoseconds(0), times.duration - times.exposed);
      if (times.duration.count() > 0)
        group.noteCollective(rank, collective->name(), number, collective->bytes(),
                             times.duration + times.waiting, times.waiting);
    }
  };
  add(m_collectives);
  add(m_transfers);
  if (isTimed) m_sumTimes = total;
  group.noteTimes(rank, m_sumTimes);
}

/// Says that the next work writes the next entry of the ring. A graph does so at another entry each
/// time.
StrataRange CudaRunner::nextEntry() const {
  return rangeOf(m_stream.ring() + m_stream.nextEntry() * m_stream.recordBytes(),
                 m_stream.recordBytes(), true);
}

/// Copies the results of the step, and the guard, into the next entry of the ring.
void CudaRunner::encodeResults(Encoder& encoder, bool isCaptured) {
  std::vector<StrataRange> ranges{rangeOf(m_stream.running(), sizeof(float), true),
                                  rangeOf(m_stream.ringCounter(), sizeof(int32_t), true)};
  if (!isCaptured) ranges.push_back(nextEntry());
  for (const StepResult& result : m_addresses.results)
    ranges.push_back(
        rangeOf(m_addresses.storages[static_cast<size_t>(result.storage)], result.bytes, false));
  StrataWork work{};
  work.op = "results";
  work.layer = "";
  work.ranges = ranges.data();
  work.numRanges = ranges.size();
  m_stream.card().annotate(m_stream.compute(), &work);
  const auto recordWords = static_cast<int64_t>(m_stream.recordBytes() / sizeof(float));
  // What one block copies quickly
  constexpr int64_t kFewWords = 4096;
  ResultList list;
  int64_t words = 0;
  const auto gather = [&] {
    if (list.count > 0)
      encoder.launch(m_stream.card().function("gather_results"), {list.count}, kBlock, list,
                     m_stream.ring(), m_stream.ringCounter(), recordWords);
    list = {};
    words = 0;
  };
  for (const StepResult& result : m_addresses.results) {
    if (list.count == kMaxResults) gather();
    list.from[list.count].bits = m_addresses.storages[static_cast<size_t>(result.storage)].bits();
    list.words[list.count] = static_cast<int32_t>(result.bytes / sizeof(float));
    list.at[list.count] =
        static_cast<int32_t>((sizeof(StepRecord) + result.offset) / sizeof(float));
    words += list.words[list.count++];
  }
  if (words > kFewWords) gather();
  DeviceAddress guard;
  if (m_addresses.guard >= 0)
    guard = m_addresses.storages[static_cast<size_t>(
        m_addresses.results[static_cast<size_t>(m_addresses.guard)].storage)];
  const auto threads =
      static_cast<int>(std::clamp<int64_t>(roundUp(words, kWarpThreads), kWarpThreads, kBlock));
  encoder.launch(m_stream.card().function("finish_step"), {1}, threads, list, guard,
                 m_stream.running(), m_stream.ring(), m_stream.ringCounter(), recordWords,
                 static_cast<int32_t>(CudaStream::kRingEntries));
}

void CudaRunner::encodePart(Encoder& encoder, const Part& part, bool isCaptured, bool isTimed) {
  if (part.begin == 0 && isTimed) m_profile.recordPhase(0, isCaptured);
  for (size_t i = part.begin; i < part.end; ++i) {
    encode(encoder, m_instructions[i], isCaptured);
    if (isTimed) m_profile.recordPhase(i + 1, isCaptured);
  }
  if (part.end == m_instructions.size()) encodeResults(encoder, isCaptured);
}

/// Launches the graph of a part, and captures it first if there is none.
void CudaRunner::launchPart(Encoder& encoder, const Part& part, GraphHandle& graph, bool isTimed) {
  if (!graph.get())
    graph = captureGraph(m_stream, [&] { encodePart(encoder, part, true, isTimed); });
  StrataWork work{};
  work.op = "step";
  work.layer = "";
  const StrataRange entry = nextEntry();
  if (part.end == m_instructions.size()) {
    work.ranges = &entry;
    work.numRanges = 1;
  }
  m_stream.card().annotate(m_stream.compute(), &work);
  m_stream.card().driver().graphLaunch(graph.get(), m_stream.compute());
}

/// Adds the work of a step, uncaptured at first and then as graphs.
void CudaRunner::launchStep(Encoder& encoder, PartGraphs& graphs, bool isTimed) {
  // Libraries have loaded what this step needs
  if (m_submitted == kWarmUpSteps) m_stream.card().measureContext();
  const bool isCaptured = ++m_submitted > kWarmUpSteps && !debugSettings().skipsCapture;
  if (isCaptured && m_generation != m_stream.generation()) {
    m_graphs.clear();
    m_timedGraphs.clear();
    m_recordedGraphs.clear();
    m_generation = m_stream.generation();
  }
  graphs.resize(m_parts.size());
  for (size_t i = 0; i < m_parts.size(); ++i) {
    const Part& part = m_parts[i];
    if (m_isBroken) {
      // Only the results are missing
      encodePart(encoder, {m_instructions.size(), m_instructions.size()}, false, false);
      break;
    }
    if (isCaptured && !part.isCollective)
      launchPart(encoder, part, graphs[i], isTimed);
    else
      encodePart(encoder, part, false, isTimed);
  }
}

void CudaRunner::submit(SubmittedStep& step) {
  m_stream.card().use();
  recover();
  m_hasTimes = true;
  Encoder encoder(m_stream.card(), m_stream.compute());
  step.outcome = StepOutcome::Done;
  step.phases = m_profile.phases();
  if (step.stop.stop_requested()) {
    // Later steps must not run either
    step.outcome = StepOutcome::Stopped;
    m_stream.setRunning(false);
    encodeResults(encoder, false);
    m_stream.add(step);
    return;
  }
  m_stream.card().setStop(m_stream.compute(), {isStopRequested, &step});
  if (step.isProfiled && runRecorded(encoder, step)) return;
  m_inputs.encode(encoder, step);
  if (step.isProfiled) {
    runProfiled(encoder, step);
    return;
  }
  if (m_hasCanaries) {
    runWithCanaries(encoder);
    m_stream.add(step);
    return;
  }
  // Only one timed step at a time, because its events are used again
  const bool isTimed = !m_timedStep && m_submitted >= m_nextTimed;
  if (isTimed) {
    m_timedStep = &step;
    m_nextTimed = m_submitted == 0 ? kTimedAfterFirst : m_submitted + kTimedEvery;
  }
  launchStep(encoder, isTimed ? m_timedGraphs : m_graphs, isTimed);
  m_stream.add(step);
}

/// Runs a step as a graph while the card records it, and waits for it. Returns false if the card
/// cannot be recorded, or the step must still run without a graph.
bool CudaRunner::runRecorded(Encoder& encoder, SubmittedStep& step) {
  if (m_submitted < kWarmUpSteps || !m_profile.canRecord()) return false;
  const auto synchronize = [&] {
    m_stream.card().driver().streamSynchronize(m_stream.compute());
  };
  // Work of earlier steps would be recorded, too. Their copies are done before they are.
  synchronize();
  if (!m_profile.beginRecords()) return false;
  try {
    m_inputs.encode(encoder, step);
    launchStep(encoder, m_recordedGraphs, false);
    m_stream.add(step);
    synchronize();
  }
  catch (...) {
    m_profile.dropRecords();
    throw;
  }
  m_profile.endRecords(step);
  return true;
}

/// Runs a step with an event after each instruction, and waits for it.
void CudaRunner::runProfiled(Encoder& encoder, SubmittedStep& step) {
  m_profile.recordInstruction(0);
  for (size_t i = 0; i < m_instructions.size(); ++i) {
    encode(encoder, m_instructions[i]);
    m_profile.recordInstruction(i + 1);
  }
  encodeResults(encoder, false);
  m_stream.add(step);
  m_stream.card().driver().streamSynchronize(m_stream.compute());
  m_profile.readInstructions(step);
}

/// Runs a step instruction by instruction, and checks after each that the dead bytes of the arena
/// are as they were.
void CudaRunner::runWithCanaries(Encoder& encoder) {
  const Driver& driver = m_stream.card().driver();
  std::vector<std::byte> arena(m_layout.plan.transientBytes);
  const auto fill = [&](const std::vector<ByteRange>& ranges) {
    for (const ByteRange& range : ranges)
      driver.memsetD8Async((m_addresses.arena + range.begin).bits(), kCanary,
                           range.end - range.begin, m_stream.compute());
  };
  if (!arena.empty()) fill({{0, arena.size()}});
  for (size_t i = 0; i < m_instructions.size(); ++i) {
    encode(encoder, m_instructions[i]);
    if (arena.empty()) continue;
    m_stream.card().annotate(m_stream.compute(), nullptr);
    copyToHost(m_stream.card(), m_stream.compute(), arena.data(), m_addresses.arena.bits(),
               arena.size());
    checkCanaries(m_layout, m_dead, i, arena.data());
    fill(m_dead.after[i]);
  }
  encodeResults(encoder, false);
}

void CudaRunner::setCanaries(bool on) {
  m_hasCanaries = on;
  if (on) m_dead = deadBytesOf(m_layout);
}

void CudaRunner::wait(SubmittedStep& step) {
  m_stream.finish(step);
  const bool isTimed = &step == m_timedStep;
  const bool isDone =
      m_hasTimes && !step.failure && !m_isBroken && step.outcome == StepOutcome::Done;
  const bool isStart = isDone && !m_collectives.empty() && m_stream.isFirstMeeting();
  if (isTimed) {
    m_timedStep = nullptr;
    if (!step.failure && step.outcome != StepOutcome::Stopped) m_profile.readPhases();
    if (isStart) leaveOutStart();
  }
  // Those of a profiled step only count if there are no others
  if (m_profile.phases() != StepPhases{}) step.phases = m_profile.phases();
  if (step.failure) std::rethrow_exception(step.failure);
  if (isDone) noteTimes(isTimed, isStart);
  m_hasTimes = false;
}

void CudaRunner::bindInput(int, const std::byte*) {
  throw Error(ErrorCode::Internal, m_stream.card().name(), "the card does not read host memory.");
}

}  // namespace strata::cuda
