// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/program.h"

#include <algorithm>
#include <cstring>

#include "gpu/base/error.h"
#include "gpu/exec/program_impl.h"
#include "gpu/graph/op.h"

namespace strata {

Program::Program() : m_impl(std::make_unique<Impl>()) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::build(Graph graph, Backend& backend, State& state, bool inPlace,
                                        const std::function<void(MemoryPlan&)>& alterPlan) {
  std::unique_ptr<Program> program(new Program);
  Impl& impl = *program->m_impl;
  impl.layout = layOutStep(std::move(graph), backend, inPlace, alterPlan);
  impl.backend = &backend;
  impl.state = &state;
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
  impl.state->ensureVariables(impl.layout.graph);
  impl.arena = impl.state->transient(impl.layout.plan.transientBytes);
  if (!impl.inputOwner && impl.inputBytes.size() != impl.layout.plan.inputBytes) {
    impl.inputBytes = AlignedBytes(impl.layout.plan.inputBytes);
    std::memset(impl.inputBytes.data(), 0, impl.layout.plan.inputBytes);
  }
  impl.inputs.clear();
  for (const NamedValue& named : impl.layout.graph.inputs()) {
    StepInput input;
    input.name = named.name;
    input.value = named.value;
    input.storage = impl.layout.plan.storageOf[static_cast<size_t>(named.value.index)];
    // An input without a storage is never read, so it needs no memory
    if (input.storage >= 0)
      input.own = impl.inputOwner ? impl.inputOwner->inputAddress(named.name)
                                  : impl.storageAddress(input.storage);
    input.bound = input.own;
    impl.inputs.push_back(std::move(input));
  }
  impl.makeInstructions();
  impl.placeBarriers();
  impl.findGuard();
  impl.phaseReadings = 2;
  for (size_t i = 1; i < impl.instructions.size(); ++i)
    impl.phaseReadings += impl.instructions[i].phase != impl.instructions[i - 1].phase;
  impl.nodeTimes.assign(impl.instructions.size(), std::chrono::nanoseconds(0));
  impl.profiledSteps = 0;
  if (impl.hasCanaries) impl.makeCanaries();
  // The stop token only applies to compiling
  impl.layout.graph.setStop({});
  impl.isBound = true;
}

void Program::Impl::makeInstructions() {
  instructions.clear();
  std::vector<std::byte*> addresses(plan.storages.size());
  for (size_t i = 0; i < addresses.size(); ++i)
    if (plan.storages[i].lane != Storage::Lane::Input)
      addresses[i] = storageAddress(static_cast<int>(i));
  std::vector<StepInput*> inputOf(plan.storages.size());
  for (StepInput& input : inputs)
    if (input.storage >= 0) {
      addresses[static_cast<size_t>(input.storage)] = input.own;
      inputOf[static_cast<size_t>(input.storage)] = &input;
    }
  const auto addressOf = [&](int storage) {
    return storage < 0 ? nullptr : addresses[static_cast<size_t>(storage)];
  };
  for (const LaidInstruction& laid : layout.instructions) {
    Instruction instruction;
    instruction.kernel = laid.kernel.get();
    instruction.numStages = laid.kernel->numStages();
    instruction.position = laid.position;
    instruction.phase = laid.phase;
    instruction.isSolo = laid.kernel->isSolo();
    instruction.apply = reinterpret_cast<const float*>(addressOf(laid.apply));
    instruction.arguments.workspace = addressOf(laid.workspace);
    for (const int storage : laid.inputs) {
      if (StepInput* input = inputOf[static_cast<size_t>(storage)])
        input->patches.push_back({static_cast<int>(instructions.size()),
                                  static_cast<int>(instruction.arguments.inputs.size())});
      instruction.arguments.inputs.push_back(addressOf(storage));
    }
    for (const int storage : laid.outputs)
      instruction.arguments.outputs.push_back(addressOf(storage));
    instructions.push_back(std::move(instruction));
  }
  areAllSolo = std::ranges::all_of(instructions, &Instruction::isSolo);
}

/// Places a barrier before an instruction that must wait for one since the last barrier. Two solo
/// instructions need no barrier between them, because worker 0 runs both. All workers read `apply`,
/// even if the kernel is solo.
void Program::Impl::placeBarriers() {
  int sinceBarrier = 0;
  for (size_t i = 0; i < instructions.size(); ++i) {
    Instruction& instruction = instructions[i];
    const bool isSolo = instruction.isSolo && !instruction.apply;
    // A single worker has a barrier before each instruction: it costs nothing, and stop requests
    // are checked there
    instruction.hasBarrier =
        backend->numWorkers() == 1 ||
        std::ranges::any_of(layout.instructions[i].waitsFor, [&](int earlier) {
          const Instruction& other = instructions[static_cast<size_t>(earlier)];
          return earlier >= sinceBarrier && !(isSolo && other.isSolo && !other.apply);
        });
    if (instruction.hasBarrier) sinceBarrier = static_cast<int>(i);
  }
}

void Program::Impl::findGuard() {
  guard = nullptr;
  if (guardName.empty()) return;
  const ValueId value = findOutput(graph, guardName);
  if (!value.isValid() || graph.type(value) != TensorType{DType::F32, {}})
    throw Error(ErrorCode::InvalidArgument, guardName,
                "the program has no scalar f32 output with this name.");
  guard = reinterpret_cast<const float*>(addressOf(value));
}

void Program::shareInputs(Program& other) {
  m_impl->inputOwner = &other;
  m_impl->inputBytes = {};
}

void Program::setGuard(std::string_view output) { m_impl->guardName = output; }

const Graph& Program::graph() const { return m_impl->layout.graph; }
const MemoryPlan& Program::memory() const { return m_impl->layout.plan; }
int Program::numInstructions() const { return static_cast<int>(m_impl->instructions.size()); }

size_t Program::ownBytes() const {
  size_t result = m_impl->inputOwner ? 0 : m_impl->layout.plan.inputBytes;
  for (const NodeId id : m_impl->layout.graph.order())
    if (const Node& node = m_impl->layout.graph.node(id); node.payload)
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
  result.resize(graph().order().size());
  for (const LaidInstruction& instruction : m_impl->layout.instructions)
    result[static_cast<size_t>(instruction.position)] = instruction.kernel->implementation();
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
  const TensorType& type = m_impl->layout.graph.type(input.value);
  if (type != value.type())
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the input has the wrong type (expected " + type.toString() + ", got " +
                    value.type().toString() + "). Use data that matches the network's input.");
  if (input.bound != input.own) rebindInput(name, nullptr);
  if (input.own && value.bytes() > 0) std::memcpy(input.own, value.data(), value.bytes());
}

const std::byte* Program::outputAddress(std::string_view name) const {
  const ValueId value = findOutput(m_impl->layout.graph, name);
  if (!value.isValid())
    throw Error(ErrorCode::InvalidArgument, std::string(name),
                "the program has no output with this name.");
  require(m_impl->isBound, "a program is bound before its outputs are read");
  return m_impl->addressOf(value);
}

Tensor Program::readOutput(std::string_view name) const {
  const std::byte* address = outputAddress(name);
  Tensor result(m_impl->layout.graph.type(findOutput(m_impl->layout.graph, name)));
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
    row.node = m_impl->layout.graph.order()[static_cast<size_t>(instruction.position)];
    const Node& node = m_impl->layout.graph.node(row.node);
    row.op = node.op->name;
    row.layer = node.layer;
    row.implementation = instruction.kernel->implementation();
    row.phase = node.phase;
    row.calls = m_impl->profiledSteps;
    row.total = m_impl->nodeTimes[i];
    for (const ValueId value : node.outputs)
      row.bytesOut += m_impl->layout.graph.type(value).bytes();
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
  require(m_impl->isBound &&
              m_impl->state->transientBytes() >= m_impl->layout.plan.transientBytes &&
              m_impl->arena == m_impl->state->transient(m_impl->layout.plan.transientBytes),
          "a program is bound after larger programs that share its state");
  return m_impl->runStep(stop);
}

}  // namespace strata
