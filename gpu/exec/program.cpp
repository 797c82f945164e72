// SPDX-License-Identifier: Apache-2.0
#include "gpu/exec/program.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "gpu/base/error.h"
#include "gpu/graph/op.h"

namespace strata {

struct Program::Impl {
  struct StepInput {
    std::string name;
    ValueId value;
    // Index in MemoryPlan::storages, or -1 if the plan has no storage for the input
    int storage = -1;
    size_t bytes = 0;
    bool isScalar = false;
    // The program's memory for this input
    DeviceAddress own;
    // Memory of the caller that the step reads instead; null if there is none
    const std::byte* fed = nullptr;
    // Rows that the step gathers instead; null if there are none
    const KeptRows* kept = nullptr;
    const int32_t* indices = nullptr;
  };

  StepLayout layout;
  Device* device = nullptr;
  State* state = nullptr;
  std::vector<StepInput> inputs;
  // The memory of the inputs. bind() allocates it, unless the program uses the inputs of
  // `inputOwner`.
  DeviceMemory inputMemory;
  Program* inputOwner = nullptr;
  // The memory of the constants, if the device cannot read host memory
  DeviceMemory constants;
  // The scalars of the next step, as they lie in the memory of the inputs
  std::vector<std::byte> scalars;
  DeviceAddress scalarsBegin;
  std::vector<std::string> resultNames;
  std::string guardName;
  StepAddresses addresses;
  DeviceAddress arena;
  int64_t boundMoves = 0;
  bool isBound = false, isProfiling = false, hasCanaries = false;
  StepPhases lastPhases{};
  std::vector<std::unique_ptr<SubmittedStep>> steps;
  std::vector<SubmittedStep*> freeSteps;
  // The last member, so that it is destroyed before the steps that it may still run
  std::unique_ptr<Runner> runner;

  const Graph& graph() const { return layout.graph; }
  const MemoryPlan& plan() const { return layout.plan; }
  StepInput& input(std::string_view name);
  void placeInputs();
  void placeConstants();
  void placeStorages();
  void placeResults();
  void addStep();
  void makeRoom(SubmittedStep& step) const;
  SubmittedStep& takeStep();
};

Program::Program() : m_impl(std::make_unique<Impl>()) {}
Program::~Program() = default;

std::unique_ptr<Program> Program::build(Graph graph, Device& device, State& state, bool inPlace,
                                        const std::function<void(MemoryPlan&)>& alterPlan) {
  std::unique_ptr<Program> program(new Program);
  Impl& impl = *program->m_impl;
  impl.layout = layOutStep(std::move(graph), device, inPlace, alterPlan);
  impl.device = &device;
  impl.state = &state;
  return program;
}

/// Scalars lie at the beginning of the input memory, so that one copy brings all of them.
void Program::Impl::placeInputs() {
  if (!inputOwner && inputMemory.bytes() != plan().inputBytes) {
    inputMemory = DeviceMemory(*device, plan().inputBytes);
    state->stream().clear(inputMemory.address(), plan().inputBytes);
  }
  inputs.clear();
  size_t scalarEnd = 0;
  for (const NamedValue& named : graph().inputs()) {
    StepInput input;
    input.name = named.name;
    input.value = named.value;
    input.bytes = graph().type(named.value).bytes();
    input.storage = plan().storageOf[static_cast<size_t>(named.value.index)];
    if (input.storage >= 0) {
      const Storage& storage = plan().storages[static_cast<size_t>(input.storage)];
      input.own = inputOwner ? inputOwner->m_impl->input(named.name).own
                             : inputMemory.address() + storage.offset;
      input.isScalar = graph().type(named.value).shape.rank() == 0;
      if (input.isScalar) scalarEnd = std::max(scalarEnd, storage.offset + input.bytes);
    }
    inputs.push_back(std::move(input));
  }
  scalarsBegin = inputOwner ? inputOwner->m_impl->scalarsBegin : inputMemory.address();
  scalars.assign(inputOwner ? inputOwner->m_impl->scalars.size() : scalarEnd, std::byte{0});
}

void Program::Impl::placeConstants() {
  size_t bytes = 0;
  for (const NodeId id : graph().order())
    if (const auto& payload = graph().node(id).payload)
      bytes += alignedBytes(payload->bytes(), plan().alignment);
  if (constants.bytes() == bytes) return;
  constants = DeviceMemory(*device, bytes);
}

void Program::Impl::placeStorages() {
  const bool readsHost = device->readsHostMemory();
  const size_t alignment = plan().alignment;
  if (!readsHost) placeConstants();
  size_t constantsEnd = 0;
  const auto addressOf = [&](const Storage& storage) -> DeviceAddress {
    if (storage.lane == Storage::Lane::Transient) return arena + storage.offset;
    if (storage.lane == Storage::Lane::Input) return {};
    const Node& source = graph().node(graph().value(storage.values.front()).producer);
    if (source.payload) {
      if (readsHost) return device->addressOfHost(source.payload->data());
      const DeviceAddress address = constants.address() + constantsEnd;
      state->stream().upload(address, source.payload->data(), source.payload->bytes());
      constantsEnd += alignedBytes(source.payload->bytes(), alignment);
      return address;
    }
    if (source.op->role == OpRole::Variable)
      return state->address(source.attributes.get<std::string>("name"));
    throw Error(ErrorCode::Internal, source.layer,
                "a persistent value is neither a variable nor a constant.");
  };
  addresses.storages.clear();
  for (const Storage& storage : plan().storages)
    addresses.storages.push_back(addressOf(storage));
  for (const Impl::StepInput& input : inputs)
    if (input.storage >= 0) addresses.storages[static_cast<size_t>(input.storage)] = input.own;
  addresses.arena = arena;
}

void Program::Impl::placeResults() {
  addresses.results.clear();
  addresses.guard = -1;
  size_t end = 0;
  for (const std::string& name : resultNames) {
    const ValueId value = findOutput(graph(), name);
    if (!value.isValid() || graph().type(value).dtype != DType::F32)
      throw Error(ErrorCode::InvalidArgument, name,
                  "the program has no f32 output with this name.");
    if (name == guardName) {
      require(graph().type(value).shape.rank() == 0, "the guard is a scalar");
      addresses.guard = static_cast<int>(addresses.results.size());
    }
    const size_t bytes = graph().type(value).bytes();
    addresses.results.push_back({plan().storageOf[static_cast<size_t>(value.index)], end, bytes});
    end += bytes;
  }
  require(guardName.empty() || addresses.guard >= 0, "the guard is one of the results");
}

void Program::bind() {
  Impl& impl = *m_impl;
  impl.runner.reset();
  impl.state->ensureVariables(impl.graph());
  impl.boundMoves = impl.state->moves();
  impl.arena = impl.state->transient(impl.plan().transientBytes);
  impl.placeInputs();
  impl.placeStorages();
  impl.placeResults();
  impl.runner = impl.state->stream().makeRunner(impl.layout, impl.addresses);
  if (impl.steps.empty()) impl.addStep();
  for (const auto& step : impl.steps)
    impl.makeRoom(*step);
  if (impl.hasCanaries) impl.runner->setCanaries(true);
  // The stop token only applies to compiling
  impl.layout.graph.setStop({});
  impl.isBound = true;
}

Program::Impl::StepInput& Program::Impl::input(std::string_view name) {
  for (StepInput& input : inputs)
    if (input.name == name) return input;
  throw Error(ErrorCode::InvalidArgument, std::string(name),
              "the program has no input with this name, or is not bound yet.");
}

void Program::shareInputs(Program& other) {
  m_impl->inputOwner = &other;
  m_impl->inputMemory = {};
}

void Program::setResults(std::vector<std::string> outputs) {
  m_impl->resultNames = std::move(outputs);
}
void Program::setGuard(std::string_view output) { m_impl->guardName = output; }

const Graph& Program::graph() const { return m_impl->layout.graph; }
const MemoryPlan& Program::memory() const { return m_impl->layout.plan; }
int Program::numInstructions() const {
  return static_cast<int>(m_impl->layout.instructions.size());
}

size_t Program::ownBytes() const {
  size_t result = m_impl->inputOwner ? 0 : m_impl->layout.plan.inputBytes;
  for (const NodeId id : m_impl->layout.graph.order())
    if (const Node& node = m_impl->layout.graph.node(id); node.payload)
      result += alignedBytes(node.payload->bytes(), m_impl->layout.plan.alignment);
  return result;
}

std::vector<std::string> Program::implementations() const {
  std::vector<std::string> result;
  result.resize(graph().order().size());
  for (const LaidInstruction& instruction : m_impl->layout.instructions)
    result[static_cast<size_t>(instruction.position)] = instruction.kernel->implementation();
  return result;
}

bool Program::isDeterministic() const {
  return std::ranges::all_of(m_impl->layout.instructions, [](const LaidInstruction& each) {
    return each.kernel->path().isDeterministic;
  });
}

std::byte* Program::hostInput(std::string_view name) {
  const Impl::StepInput& input = m_impl->input(name);
  return input.own.isNull() ? nullptr : m_impl->device->hostMemory(input.own);
}

void Program::feed(std::string_view name, const std::byte* address) {
  if (!findInput(graph(), name).isValid()) return;
  Impl::StepInput& input = m_impl->input(name);
  input.fed = address;
  input.kept = nullptr;
  if (input.storage >= 0 && m_impl->device->readsHostMemory())
    m_impl->runner->bindInput(input.storage, address);
}

void Program::gather(std::string_view name, const KeptRows& rows, const int32_t* indices) {
  Impl::StepInput& input = m_impl->input(name);
  input.fed = nullptr;
  input.kept = &rows;
  input.indices = indices;
}

void Program::setScalar(std::string_view name, const void* value, size_t bytes) {
  for (const Impl::StepInput& input : m_impl->inputs)
    if (input.name == name && input.isScalar && !input.own.isNull()) {
      require(bytes == input.bytes, "the value has the size of the input");
      std::memcpy(m_impl->scalars.data() + (input.own - m_impl->scalarsBegin), value, bytes);
    }
}

void Program::writeInput(std::string_view name, const Tensor& value) {
  const Impl::StepInput& input = m_impl->input(name);
  const TensorType& type = m_impl->layout.graph.type(input.value);
  if (type != value.type())
    throw Error(ErrorCode::ShapeMismatch, std::string(name),
                "the input has the wrong type (expected " + type.toString() + ", got " +
                    value.type().toString() + "). Use data that matches the network's input.");
  if (input.isScalar) return setScalar(name, value.data(), value.bytes());
  if (input.fed || input.kept) feed(name, nullptr);
  if (!input.own.isNull() && value.bytes() > 0)
    m_impl->state->stream().upload(input.own, value.data(), value.bytes());
}

Tensor Program::readOutput(std::string_view name) const {
  const Graph& graph = m_impl->layout.graph;
  const ValueId value = findOutput(graph, name);
  if (!value.isValid())
    throw Error(ErrorCode::InvalidArgument, std::string(name),
                "the program has no output with this name.");
  require(m_impl->isBound, "a program is bound before its outputs are read");
  const int storage = m_impl->layout.plan.storageOf[static_cast<size_t>(value.index)];
  require(storage >= 0, "the value exists in the program");
  Tensor result(graph.type(value));
  if (result.bytes() == 0) return result;
  for (const Impl::StepInput& input : m_impl->inputs)
    if (input.storage == storage && input.fed) {
      std::memcpy(result.data(), input.fed, result.bytes());
      return result;
    }
  m_impl->state->stream().download(
      result.data(), m_impl->addresses.storages[static_cast<size_t>(storage)], result.bytes());
  return result;
}

int Program::numBarriers() const { return m_impl->runner->numBarriers(); }
void Program::setProfiling(bool on) { m_impl->isProfiling = on; }
void Program::resetProfile() { m_impl->runner->resetProfile(); }

std::vector<ProfileRow> Program::profile() const {
  const std::vector<std::chrono::nanoseconds> times = m_impl->runner->instructionTimes();
  std::vector<ProfileRow> rows;
  for (size_t i = 0; i < times.size(); ++i) {
    const LaidInstruction& instruction = m_impl->layout.instructions[i];
    ProfileRow row;
    row.node = graph().order()[static_cast<size_t>(instruction.position)];
    const Node& node = graph().node(row.node);
    row.op = node.op->name;
    row.layer = node.layer;
    row.implementation = instruction.kernel->implementation();
    row.phase = node.phase;
    row.calls = m_impl->runner->profiledSteps();
    row.total = times[i];
    for (const ValueId value : node.outputs)
      row.bytesOut += graph().type(value).bytes();
    rows.push_back(std::move(row));
  }
  return rows;
}

StepRecords Program::lastRecords() const {
  StepRecords result = m_impl->runner->lastRecords();
  const std::vector<LaidInstruction>& instructions = m_impl->layout.instructions;
  // The time of each instruction in all of its records
  std::vector<std::chrono::nanoseconds> times(instructions.size());
  for (const KernelRecord& record : result.records)
    if (record.instruction >= 0) times[static_cast<size_t>(record.instruction)] += record.duration;
  for (KernelRecord& record : result.records) {
    if (record.instruction < 0) continue;
    const auto index = static_cast<size_t>(record.instruction);
    const LaidInstruction& instruction = instructions[index];
    const Node& node = graph().node(graph().order()[static_cast<size_t>(instruction.position)]);
    record.op = node.op->name;
    record.layer = node.layer;
    record.phase = node.phase;
    if (times[index].count() == 0) continue;
    const Cost cost = costOf(graph(), node);
    const double share =
        static_cast<double>(record.duration.count()) / static_cast<double>(times[index].count());
    record.flops = cost.flops * share;
    record.bytes = cost.bytes * share;
  }
  return result;
}

std::vector<int> Program::positions() const {
  std::vector<int> result;
  for (const LaidInstruction& instruction : m_impl->layout.instructions)
    result.push_back(instruction.position);
  return result;
}

StepPhases Program::lastPhases() const { return m_impl->lastPhases; }
int Program::phaseReadings() const { return m_impl->runner->phaseReadings(); }

void Program::setCanaries(bool on) {
  m_impl->hasCanaries = on;
  if (m_impl->runner) m_impl->runner->setCanaries(on);
}

void Program::Impl::addStep() {
  freeSteps.reserve(steps.size() + 1);
  steps.push_back(std::make_unique<SubmittedStep>());
  freeSteps.push_back(steps.back().get());
}

/// Allocates the memory that a step needs, so that submitting it allocates none.
void Program::Impl::makeRoom(SubmittedStep& step) const {
  step.scalars.resize(scalars.size());
  step.copies.reserve(device->readsHostMemory() ? 0 : inputs.size());
  step.gathers.reserve(device->keepsRows() ? inputs.size() : 0);
  step.results.resize(addresses.results.empty()
                          ? 0
                          : addresses.results.back().offset + addresses.results.back().bytes);
}

SubmittedStep& Program::Impl::takeStep() {
  if (freeSteps.empty()) {
    addStep();
    makeRoom(*steps.back());
  }
  SubmittedStep& step = *freeSteps.back();
  freeSteps.pop_back();
  return step;
}

Ticket Program::submit(const std::stop_token& stop) {
  Impl& impl = *m_impl;
  require(impl.isBound && impl.boundMoves == impl.state->moves() &&
              impl.state->transientBytes() >= impl.layout.plan.transientBytes &&
              impl.arena == impl.state->transient(impl.layout.plan.transientBytes),
          "a program is bound after larger programs that share its state");
  SubmittedStep& step = impl.takeStep();
  step.isDone = false;
  step.failure = nullptr;
  step.stop = stop;
  step.isProfiled = impl.isProfiling;
  std::ranges::copy(impl.scalars, step.scalars.begin());
  step.scalarsTo = impl.scalarsBegin;
  step.copies.clear();
  step.gathers.clear();
  if (!impl.device->readsHostMemory())
    for (const Impl::StepInput& input : impl.inputs) {
      if (input.storage < 0) continue;
      if (input.fed) step.copies.push_back({input.own, input.fed, input.bytes});
      if (!input.kept) continue;
      const TensorType& type = impl.graph().type(input.value);
      const int64_t rows = type.shape[0];
      step.gathers.push_back({input.own, type.dtype, rows,
                              rows > 0 ? type.shape.numElements() / rows : 0, input.kept,
                              input.indices});
    }
  Ticket ticket(*this, step);
  impl.runner->submit(step);
  return ticket;
}

Program::Outcome Program::run(const std::stop_token& stop) {
  Ticket ticket = submit(stop);
  return ticket.wait();
}

Ticket& Ticket::operator=(Ticket&& other) noexcept {
  if (this == &other) return *this;
  release();
  m_program = std::exchange(other.m_program, nullptr);
  m_step = std::exchange(other.m_step, nullptr);
  return *this;
}

void Ticket::release() {
  if (!m_program) return;
  try {
    wait();
  }
  catch (...) {
    // The step failed, and nobody wanted to know
  }
  m_program->m_impl->freeSteps.push_back(m_step);
  m_program = nullptr;
  m_step = nullptr;
}

StepOutcome Ticket::wait() {
  if (!m_step) return StepOutcome::Stopped;
  m_program->m_impl->runner->wait(*m_step);
  m_program->m_impl->lastPhases = m_step->phases;
  return m_step->outcome;
}

std::span<const float> Ticket::result(std::string_view name) const {
  const Program::Impl& impl = *m_program->m_impl;
  for (size_t i = 0; i < impl.resultNames.size(); ++i)
    if (impl.resultNames[i] == name) {
      const StepResult& at = impl.addresses.results[i];
      return {reinterpret_cast<const float*>(m_step->results.data() + at.offset),
              at.bytes / sizeof(float)};
    }
  throw Error(ErrorCode::InvalidArgument, std::string(name),
              "a step has no result with this name.");
}

}  // namespace strata
