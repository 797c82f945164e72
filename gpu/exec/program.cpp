// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/program.h"

#include <algorithm>
#include <cstring>

#include "gpu/base/bytes.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"
#include "gpu/exec/kernel_cache.h"
#include "gpu/exec/program_impl.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

/// Throws if a plan needs more memory than the machine has. Otherwise the operating system would
/// kill the process during the step.
void checkFits(const MemoryPlan& plan) {
  const size_t limit = usableMemoryBytes();
  if (plan.peakBytes() <= limit) return;
  const auto largest =
      std::max_element(plan.byLayerAtPeak.begin(), plan.byLayerAtPeak.end(),
                       [](const auto& a, const auto& b) { return a.bytes < b.bytes; });
  throw Error(
      ErrorCode::OutOfMemory, largest == plan.byLayerAtPeak.end() ? std::string() : largest->layer,
      "the step needs " + bytesText(static_cast<double>(plan.peakBytes())) + " (this machine has " +
          bytesText(static_cast<double>(limit)) + "); this layer uses the most, " +
          bytesText(largest == plan.byLayerAtPeak.end() ? 0.0
                                                        : static_cast<double>(largest->bytes)) +
          ". Use a smaller batch or fewer units.");
}

/// Returns the kernels by position in the order. Sources and views have null.
std::vector<std::shared_ptr<const Kernel>> createKernels(const Graph& graph, Backend& backend) {
  std::vector<std::shared_ptr<const Kernel>> kernels;
  KernelCache cache(backend);
  for (const NodeId id : graph.order()) {
    graph.checkStop();
    const Node& node = graph.node(id);
    const bool runs = node.op->kind != OpKind::Source && node.op->kind != OpKind::View;
    kernels.push_back(withMemoryFor(node.layer.empty() ? node.op->name : node.layer,
                                    [&] { return runs ? cache.kernelOf(graph, id) : nullptr; }));
    if (runs && !kernels.back())
      throw Error(ErrorCode::UnsupportedOp, node.layer,
                  "op \"" + node.op->name + "\" has no kernel on device " + backend.name() +
                      ". Choose another device or layer.");
  }
  return kernels;
}

std::vector<size_t> workspacesOf(const std::vector<std::shared_ptr<const Kernel>>& kernels) {
  std::vector<size_t> result;
  for (const auto& kernel : kernels)
    result.push_back(kernel ? kernel->workspaceBytes() : 0);
  return result;
}

}  // namespace

MemoryPlan planProgram(const Graph& graph, Backend& backend, bool inPlace) {
  return planMemory(graph, workspacesOf(createKernels(graph, backend)), inPlace);
}

std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> kernelWorkspaces(
    Backend& backend) {
  auto known = std::make_shared<std::map<NodeId, std::vector<WorkspaceChoice>>>();
  auto cache = std::make_shared<KernelCache>(backend);
  return [known, cache](const Graph& graph, NodeId id) {
    if (const auto at = known->find(id); at != known->end()) return at->second;
    const std::shared_ptr<const Kernel> kernel = cache->kernelOf(graph, id);
    std::vector<WorkspaceChoice> choices;
    choices.push_back({kernel ? kernel->workspaceBytes() : 0, 1, 1});
    if (kernel)
      for (const SmallerWorkspace& smaller : kernel->smallerWorkspaces())
        choices.push_back({smaller.bytes, smaller.slices, smaller.slowdown});
    return known->emplace(id, std::move(choices)).first->second;
  };
}

Program::Program() : m_impl(std::make_unique<Impl>()) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::build(Graph graph, Backend& backend, State& state, bool inPlace,
                                        const std::function<void(MemoryPlan&)>& alterPlan) {
  std::unique_ptr<Program> program(new Program);
  Impl& impl = *program->m_impl;
  impl.graph = std::move(graph);
  impl.backend = &backend;
  impl.state = &state;
  impl.kernels = createKernels(impl.graph, backend);
  impl.plan = planMemory(impl.graph, workspacesOf(impl.kernels), inPlace);
  checkFits(impl.plan);
  if (alterPlan) alterPlan(impl.plan);
  impl.failures.resize(static_cast<size_t>(backend.numWorkers()));
  return program;
}

std::byte* Program::Impl::storageAddress(int index) const {
  const Storage& storage = plan.storages[static_cast<size_t>(index)];
  switch (storage.lane) {
    case Storage::Lane::Transient: return arena + storage.offset;
    case Storage::Lane::Input: return const_cast<std::byte*>(inputBytes.data()) + storage.offset;
    case Storage::Lane::Persistent: break;
  }
  const ValueId first = storage.values.front();
  const Node& source = graph.node(graph.value(first).producer);
  // The cast is safe, because no kernel writes to a constant
  if (source.payload) return const_cast<std::byte*>(source.payload->data());
  if (source.op->role == OpRole::Variable)
    return state->address(source.attributes.get<std::string>("name"));
  throw Error(ErrorCode::Internal, source.layer,
              "a persistent value is neither a variable nor a constant.");
}

const std::byte* Program::Impl::addressOf(ValueId value) const {
  const int storage = plan.storageOf[static_cast<size_t>(value.index)];
  require(storage >= 0, "the value exists in the program");
  for (const StepInput& input : inputs)
    if (input.storage == storage) return input.bound;
  return storageAddress(storage);
}

void Program::bind() {
  Impl& impl = *m_impl;
  impl.state->ensureVariables(impl.graph);
  impl.arena = impl.state->transient(impl.plan.transientBytes);
  if (!impl.inputOwner && impl.inputBytes.size() != impl.plan.inputBytes) {
    impl.inputBytes = AlignedBytes(impl.plan.inputBytes);
    std::memset(impl.inputBytes.data(), 0, impl.plan.inputBytes);
  }
  impl.inputs.clear();
  for (const NamedValue& named : impl.graph.inputs()) {
    StepInput input;
    input.name = named.name;
    input.value = named.value;
    input.storage = impl.plan.storageOf[static_cast<size_t>(named.value.index)];
    // An input without a storage is never read, so it needs no memory
    if (input.storage >= 0)
      input.own = impl.inputOwner ? impl.inputOwner->inputAddress(named.name)
                                  : impl.storageAddress(input.storage);
    input.bound = input.own;
    impl.inputs.push_back(std::move(input));
  }
  impl.makeInstructions();
  impl.placeBarriers();
  impl.placeGuard();
  impl.phaseReadings = 2;
  for (size_t i = 1; i < impl.instructions.size(); ++i)
    impl.phaseReadings += impl.instructions[i].phase != impl.instructions[i - 1].phase;
  impl.nodeTimes.assign(impl.instructions.size(), std::chrono::nanoseconds(0));
  impl.profiledSteps = 0;
  if (impl.hasCanaries) impl.makeCanaries();
  // The stop token only applies to compiling
  impl.graph.setStop({});
  impl.isBound = true;
}

void Program::Impl::makeInstructions() {
  instructions.clear();
  std::vector<std::byte*> addresses(plan.storages.size());
  for (size_t i = 0; i < addresses.size(); ++i)
    if (plan.storages[i].lane != Storage::Lane::Input)
      addresses[i] = storageAddress(static_cast<int>(i));
  for (const StepInput& input : inputs)
    if (input.storage >= 0) addresses[static_cast<size_t>(input.storage)] = input.own;
  const auto storageOf = [&](ValueId value) {
    return static_cast<size_t>(plan.storageOf[static_cast<size_t>(value.index)]);
  };
  bool writesState = false;
  firstStateWrite = -1;
  for (size_t position = 0; position < kernels.size(); ++position) {
    if (!kernels[position]) continue;
    graph.checkStop();
    const Node& node = graph.node(graph.order()[position]);
    Instruction instruction;
    instruction.kernel = kernels[position].get();
    instruction.numStages = instruction.kernel->numStages();
    instruction.position = static_cast<int>(position);
    instruction.phase = node.phase;
    instruction.isSolo = instruction.kernel->isSolo();
    for (const ValueId value : node.inputs) {
      instruction.arguments.inputs.push_back(addresses[storageOf(value)]);
      for (StepInput& input : inputs)
        if (input.storage == static_cast<int>(storageOf(value)))
          input.patches.push_back({static_cast<int>(instructions.size()),
                                   static_cast<int>(instruction.arguments.inputs.size()) - 1});
    }
    for (const ValueId value : node.outputs) {
      instruction.arguments.outputs.push_back(addresses[storageOf(value)]);
      if (plan.storages[storageOf(value)].lane == Storage::Lane::Persistent) writesState = true;
    }
    if (const int workspace = plan.workspaceOf[position]; workspace >= 0)
      instruction.arguments.workspace = addresses[static_cast<size_t>(workspace)];
    if (writesState && firstStateWrite < 0) firstStateWrite = static_cast<int>(instructions.size());
    instructions.push_back(std::move(instruction));
  }
  if (firstStateWrite < 0) firstStateWrite = static_cast<int>(instructions.size());
  areAllSolo = std::ranges::all_of(instructions, &Instruction::isSolo);
}

namespace {

/// Records the bytes that instructions have accessed since the last barrier. They are stored as
/// disjoint intervals, so that checks stay fast after thousands of instructions without a barrier.
class AccessedBytes {
 public:
  void clear() {
    for (auto& intervals : m_intervals)
      intervals.clear();
  }
  void add(const std::byte* begin, size_t bytes, bool isWritten, bool isSolo) {
    if (bytes == 0) return;
    Intervals& intervals = m_intervals[index(isWritten, isSolo)];
    const std::byte* end = begin + bytes;
    auto at = intervals.upper_bound(begin);
    if (at != intervals.begin() && std::prev(at)->second >= begin) --at;
    while (at != intervals.end() && at->first <= end) {
      begin = std::min(begin, at->first);
      end = std::max(end, at->second);
      at = intervals.erase(at);
    }
    intervals.emplace(begin, end);
  }
  /// Returns whether an instruction that accesses these bytes must wait for earlier ones.
  bool hasConflict(const std::byte* begin, size_t bytes, bool isWritten, bool isSolo) const {
    for (const bool otherWritten : {false, true})
      for (const bool otherSolo : {false, true})
        if ((isWritten || otherWritten) && !(isSolo && otherSolo) &&
            overlaps(m_intervals[index(otherWritten, otherSolo)], begin, bytes))
          return true;
    return false;
  }

 private:
  // Maps the begin of each interval to its end
  using Intervals = std::map<const std::byte*, const std::byte*>;
  static size_t index(bool isWritten, bool isSolo) {
    return (isWritten ? 2u : 0u) + (isSolo ? 1u : 0u);
  }
  static bool overlaps(const Intervals& intervals, const std::byte* begin, size_t bytes) {
    const auto at = intervals.lower_bound(begin + bytes);
    return at != intervals.begin() && std::prev(at)->second > begin;
  }
  std::array<Intervals, 4> m_intervals;
};

}  // namespace

/// Places a barrier before an instruction if an instruction since the last barrier accesses the
/// same bytes and one of the two writes them. Two solo instructions need no barrier between them,
/// because worker 0 runs both.
void Program::Impl::placeBarriers() {
  struct Access {
    const std::byte* address;
    size_t bytes;
    bool isWritten, isSolo;
  };
  AccessedBytes accessed;
  std::vector<Access> own;
  for (Instruction& instruction : instructions) {
    const Node& node = graph.node(graph.order()[static_cast<size_t>(instruction.position)]);
    own.clear();
    for (size_t i = 0; i < node.inputs.size(); ++i)
      own.push_back({instruction.arguments.inputs[i], graph.type(node.inputs[i]).bytes(), false,
                     instruction.isSolo});
    for (size_t i = 0; i < node.outputs.size(); ++i)
      own.push_back({instruction.arguments.outputs[i], graph.type(node.outputs[i]).bytes(), true,
                     instruction.isSolo});
    if (instruction.arguments.workspace)
      own.push_back({instruction.arguments.workspace, instruction.kernel->workspaceBytes(), true,
                     instruction.isSolo});
    // A single worker has a barrier before each instruction: it costs nothing, and stop requests
    // are checked there
    instruction.hasBarrier = backend->numWorkers() == 1;
    for (const Access& access : own)
      instruction.hasBarrier =
          instruction.hasBarrier ||
          accessed.hasConflict(access.address, access.bytes, access.isWritten, access.isSolo);
    if (instruction.hasBarrier) accessed.clear();
    for (const Access& access : own)
      accessed.add(access.address, access.bytes, access.isWritten, access.isSolo);
  }
}

/// Places a barrier before the first change of a variable. After it, each worker reads the guarded
/// value and decides for itself whether to leave the step, so no further communication is needed.
void Program::Impl::placeGuard() {
  guard = nullptr;
  if (guardName.empty()) return;
  const ValueId value = findOutput(graph, guardName);
  if (!value.isValid() || graph.type(value) != TensorType{DType::F32, {}})
    throw Error(ErrorCode::InvalidArgument, guardName,
                "the program has no scalar f32 output with this name.");
  const NodeId producer = graph.value(value).producer;
  for (size_t i = static_cast<size_t>(firstStateWrite); i < instructions.size(); ++i)
    if (graph.order()[static_cast<size_t>(instructions[i].position)] == producer)
      throw Error(ErrorCode::InvalidArgument, guardName,
                  "the output is computed only after variables have been updated.");
  guard = reinterpret_cast<const float*>(addressOf(value));
  if (firstStateWrite < static_cast<int>(instructions.size()))
    instructions[static_cast<size_t>(firstStateWrite)].hasBarrier = true;
}

void Program::shareInputs(Program& other) {
  m_impl->inputOwner = &other;
  m_impl->inputBytes = {};
}

void Program::setGuard(std::string_view output) { m_impl->guardName = output; }

const Graph& Program::graph() const { return m_impl->graph; }
const MemoryPlan& Program::memory() const { return m_impl->plan; }
int Program::numInstructions() const { return static_cast<int>(m_impl->instructions.size()); }

size_t Program::ownBytes() const {
  size_t result = m_impl->inputOwner ? 0 : m_impl->plan.inputBytes;
  for (const NodeId id : m_impl->graph.order())
    if (const Node& node = m_impl->graph.node(id); node.payload)
      result += alignedBytes(node.payload->bytes());
  return result;
}

int Program::numBarriers() const {
  int result = 0;
  if (m_impl->backend->numWorkers() > 1 && !m_impl->areAllSolo)
    for (const Instruction& instruction : m_impl->instructions)
      result += (instruction.hasBarrier ? 1 : 0) + instruction.numStages - 1;
  return result;
}

std::vector<std::string> Program::implementations() const {
  std::vector<std::string> result;
  for (const auto& kernel : m_impl->kernels)
    result.push_back(kernel ? kernel->implementation() : "");
  return result;
}

namespace {

StepInput& inputNamed(std::vector<StepInput>& inputs, std::string_view name) {
  for (StepInput& input : inputs)
    if (input.name == name) return input;
  throw Error(ErrorCode::InvalidArgument, std::string(name),
              "the program has no input with this name, or is not bound yet.");
}

}  // namespace

std::byte* Program::inputAddress(std::string_view name) {
  return inputNamed(m_impl->inputs, name).own;
}

void Program::rebindInput(std::string_view name, const std::byte* address) {
  StepInput& input = inputNamed(m_impl->inputs, name);
  input.bound = address ? address : input.own;
  for (const Patch& patch : input.patches)
    m_impl->instructions[static_cast<size_t>(patch.instruction)]
        .arguments.inputs[static_cast<size_t>(patch.operand)] = input.bound;
}

void Program::writeInput(std::string_view name, const Tensor& value) {
  const StepInput& input = inputNamed(m_impl->inputs, name);
  const TensorType& type = m_impl->graph.type(input.value);
  if (type != value.type())
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the input has the wrong type (expected " + type.toString() + ", got " +
                    value.type().toString() + "). Use data that matches the network's input.");
  if (input.bound != input.own) rebindInput(name, nullptr);
  if (input.own && value.bytes() > 0) std::memcpy(input.own, value.data(), value.bytes());
}

const std::byte* Program::outputAddress(std::string_view name) const {
  const ValueId value = findOutput(m_impl->graph, name);
  if (!value.isValid())
    throw Error(ErrorCode::InvalidArgument, std::string(name),
                "the program has no output with this name.");
  require(m_impl->isBound, "a program is bound before its outputs are read");
  return m_impl->addressOf(value);
}

Tensor Program::readOutput(std::string_view name) const {
  const std::byte* address = outputAddress(name);
  Tensor result(m_impl->graph.type(findOutput(m_impl->graph, name)));
  if (result.bytes() > 0) std::memcpy(result.data(), address, result.bytes());
  return result;
}

void Program::setProfiling(bool on) { m_impl->isProfiling = on; }

void Program::resetProfile() {
  std::fill(m_impl->nodeTimes.begin(), m_impl->nodeTimes.end(), std::chrono::nanoseconds(0));
  m_impl->profiledSteps = 0;
}

std::vector<ProfileRow> Program::profile() const {
  std::vector<ProfileRow> rows;
  for (size_t i = 0; i < m_impl->instructions.size(); ++i) {
    const Instruction& instruction = m_impl->instructions[i];
    ProfileRow row;
    row.node = m_impl->graph.order()[static_cast<size_t>(instruction.position)];
    const Node& node = m_impl->graph.node(row.node);
    row.op = node.op->name;
    row.layer = node.layer;
    row.implementation = instruction.kernel->implementation();
    row.phase = node.phase;
    row.calls = m_impl->profiledSteps;
    row.total = m_impl->nodeTimes[i];
    for (const ValueId value : node.outputs)
      row.bytesOut += m_impl->graph.type(value).bytes();
    rows.push_back(std::move(row));
  }
  return rows;
}

std::array<std::chrono::nanoseconds, 3> Program::lastPhases() const { return m_impl->phases; }
int Program::phaseReadings() const { return m_impl->phaseReadings; }

void Program::setCanaries(bool on) {
  m_impl->hasCanaries = on;
  if (on && m_impl->isBound) m_impl->makeCanaries();
}

Program::Outcome Program::run(const std::stop_token& stop) {
  require(m_impl->isBound && m_impl->state->transientBytes() >= m_impl->plan.transientBytes &&
              m_impl->arena == m_impl->state->transient(m_impl->plan.transientBytes),
          "a program is bound after larger programs that share its state");
  return m_impl->runStep(stop);
}

}  // namespace strata
