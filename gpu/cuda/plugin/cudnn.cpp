// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/cudnn.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <set>

#include "gpu/cuda/call_alignment.h"
#include "gpu/cuda/plugin/cudnn_graph.h"
#include "gpu/cuda/plugin/driver_table.h"
#include "gpu/tensor/dtype.h"

namespace strata::plugin {
namespace {

// Heuristics list at most this many engine configurations
constexpr int64_t kMaxConfigs = 64;
// Since 9.11 cuDNN makes plans for a card that is described by text
constexpr size_t kMinDescribed = 91100;

struct Knob {
  cudnnBackendKnobType_t type;
  int64_t value;
};

/// An engine with the values of its knobs.
struct Config {
  // Kept for descriptors that refer to them
  std::vector<Descriptor> parts;
  Descriptor descriptor;
  std::string name;
  bool usesTensorCores = false;
  // Whether cuDNN compiles the engine when it plans it
  bool isCompiled = false;
};

template <class T>
bool contains(const std::vector<T>& list, T value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

/// What a call does not allow.
struct Limits {
  bool isDeterministic = false;
  // Tensor cores round operands of f32 to tf32
  bool excludesTensorCores = false;

  explicit Limits(const StrataLibraryCall& call) : isDeterministic(call.isDeterministic != 0) {
    const StrataType type =
        call.kind == STRATA_CALL_CONVOLUTION ? call.of.convolution.type : call.of.attention.type;
    excludesTensorCores =
        static_cast<DType>(type) == DType::F32 && call.compute != STRATA_COMPUTE_TF32;
  }
  bool allow(const std::vector<cudnnBackendNumericalNote_t>& notes) const {
    const auto has = [&](cudnnBackendNumericalNote_t note) {
      return contains(notes, note);
    };
    // Products of 16-bit types sum in f32
    if (has(CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION)) return false;
    if (isDeterministic && has(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC)) return false;
    return !excludesTensorCores || (!has(CUDNN_NUMERICAL_NOTE_TENSOR_CORE) &&
                                    !has(CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS));
  }
};

std::string nameOf(int64_t engine, const std::vector<Knob>& knobs) {
  std::string result = "eng" + std::to_string(engine);
  for (const Knob& knob : knobs)
    result += (&knob == knobs.data() ? "{k" : ",k") + std::to_string(static_cast<int>(knob.type)) +
              "=" + std::to_string(knob.value);
  return knobs.empty() ? result : result + "}";
}

/// Reads a name such as "eng5{k2=3,k13=1}". Returns false if it is not one.
bool parseName(const std::string& name, int64_t& engine, std::vector<Knob>& knobs) {
  const char *at = name.data(), *end = at + name.size();
  const auto skip = [&](char c) {
    return at != end && *at == c && ++at;
  };
  const auto number = [&](int64_t& value) {
    const auto [next, error] = std::from_chars(at, end, value);
    at = next;
    return error == std::errc();
  };
  if (!skip('e') || !skip('n') || !skip('g') || !number(engine)) return false;
  if (at == end) return true;
  if (!skip('{')) return false;
  do {
    int64_t type = 0, value = 0;
    if (!skip('k') || !number(type) || !skip('=') || !number(value)) return false;
    knobs.push_back({static_cast<cudnnBackendKnobType_t>(type), value});
  } while (skip(','));
  return skip('}') && at == end;
}

}  // namespace

struct CudnnPlan::State {
  CudnnGraph graph;
  Config config;
  Descriptor plan;
  size_t workspaceBytes = 0;
};

struct Cudnn::State {
  const CudnnApi& api;
  // One of the two
  cudnnHandle_t handle = nullptr;
  Descriptor properties;
  // Whether plans contain engines that cuDNN compiles
  bool compiles = true;
  std::mutex mutex;

  explicit State(const CudnnApi& functions) : api(functions) {}
  ~State() {
    if (handle) api.destroy(handle);
  }

  /// Notes what cuDNN says about the engine of a configuration. Returns the numerical notes.
  std::vector<cudnnBackendNumericalNote_t> describe(const Descriptor& engine,
                                                    Config& config) const {
    const auto notes = engine.list<cudnnBackendNumericalNote_t>(CUDNN_ATTR_ENGINE_NUMERICAL_NOTE,
                                                                CUDNN_TYPE_NUMERICAL_NOTE,
                                                                CUDNN_NUMERICAL_NOTE_TYPE_COUNT);
    config.usesTensorCores = contains(notes, CUDNN_NUMERICAL_NOTE_TENSOR_CORE);
    config.isCompiled = contains(engine.list<cudnnBackendBehaviorNote_t>(
                                     CUDNN_ATTR_ENGINE_BEHAVIOR_NOTE, CUDNN_TYPE_BEHAVIOR_NOTE,
                                     CUDNN_BEHAVIOR_NOTE_TYPE_COUNT),
                                 CUDNN_BEHAVIOR_NOTE_RUNTIME_COMPILATION);
    return notes;
  }
  std::vector<Config> heuristics(const CudnnGraph& graph, cudnnBackendHeurMode_t mode,
                                 const Limits& limits) const;
  Config named(const CudnnGraph& graph, const std::string& name) const;
  /// Returns the workspace of a configuration without compiling its engine.
  static size_t statedBytes(const CudnnPlan::State& made) {
    return made.graph.scratchBytes +
           static_cast<size_t>(made.config.descriptor.integer(CUDNN_ATTR_ENGINECFG_WORKSPACE_SIZE));
  }
  bool makePlan(CudnnPlan::State& made) const;
};

/// Returns the configurations that a heuristic of cuDNN proposes, without those that are not
/// allowed. A heuristic that does not support the graph proposes none.
std::vector<Config> Cudnn::State::heuristics(const CudnnGraph& graph, cudnnBackendHeurMode_t mode,
                                             const Limits& limits) const {
  Descriptor heuristic(api, CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR);
  heuristic.setDescriptor(CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, graph.graph.get());
  heuristic.set(CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, &mode);
  if (properties.get()) heuristic.setDescriptor(CUDNN_ATTR_ENGINEHEUR_DEVICEPROP, properties.get());
  std::vector<Config> result;
  if (heuristic.tryFinalize() != CUDNN_STATUS_SUCCESS) return result;
  for (Descriptor& descriptor : heuristic.descriptors(
           CUDNN_ATTR_ENGINEHEUR_RESULTS, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR, kMaxConfigs)) {
    Config config;
    std::vector<Descriptor> engines =
        descriptor.descriptors(CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_BACKEND_ENGINE_DESCRIPTOR, 1);
    if (engines.empty()) continue;
    if (!limits.allow(describe(engines[0], config))) continue;
    std::vector<Knob> knobs;
    for (const Descriptor& choice :
         descriptor.descriptors(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES,
                                CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR, CUDNN_KNOB_TYPE_COUNTS)) {
      const auto types = choice.list<cudnnBackendKnobType_t>(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE,
                                                             CUDNN_TYPE_KNOB_TYPE, 1);
      if (!types.empty())
        knobs.push_back({types[0], choice.integer(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE)});
    }
    config.name = nameOf(engines[0].integer(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), knobs);
    config.descriptor = std::move(descriptor);
    result.push_back(std::move(config));
  }
  return result;
}

/// Returns the configuration with this name. Fails: CudnnFailure.
Config Cudnn::State::named(const CudnnGraph& graph, const std::string& name) const {
  int64_t index = 0;
  std::vector<Knob> knobs;
  if (!parseName(name, index, knobs))
    throw CudnnFailure("cuDNN: \"" + name + "\" is not the name of an engine, such as eng5{k2=3}");
  Config config;
  config.name = name;
  Descriptor engine(api, CUDNN_BACKEND_ENGINE_DESCRIPTOR);
  engine.setDescriptor(CUDNN_ATTR_ENGINE_OPERATION_GRAPH, graph.graph.get());
  engine.setInteger(CUDNN_ATTR_ENGINE_GLOBAL_INDEX, index);
  if (properties.get()) engine.setDescriptor(CUDNN_ATTR_ENGINE_DEVICEPROP, properties.get());
  engine.finalize("an engine of cuDNN");
  describe(engine, config);
  std::vector<cudnnBackendDescriptor_t> choices;
  for (const Knob& knob : knobs) {
    Descriptor choice(api, CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR);
    choice.set(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, &knob.type);
    choice.setInteger(CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, knob.value);
    choice.finalize("a knob of cuDNN");
    choices.push_back(choice.get());
    config.parts.push_back(std::move(choice));
  }
  config.descriptor = Descriptor(api, CUDNN_BACKEND_ENGINECFG_DESCRIPTOR);
  config.descriptor.setDescriptor(CUDNN_ATTR_ENGINECFG_ENGINE, engine.get());
  if (!choices.empty())
    config.descriptor.set(CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR,
                          static_cast<int64_t>(choices.size()), choices.data());
  config.descriptor.finalize("an engine configuration of cuDNN");
  config.parts.push_back(std::move(engine));
  return config;
}

/// Makes the plan of a graph and a configuration. Returns false if cuDNN cannot.
bool Cudnn::State::makePlan(CudnnPlan::State& made) const {
  if (made.config.isCompiled && !compiles) {
    made.workspaceBytes = statedBytes(made);
    return true;
  }
  made.plan = Descriptor(api, CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR);
  made.plan.setDescriptor(CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, made.config.descriptor.get());
  if (handle) {
    cudnnHandle_t value = handle;
    made.plan.set(CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, &value);
  }
  else {
    made.plan.setDescriptor(CUDNN_ATTR_EXECUTION_PLAN_DEVICEPROP, properties.get());
  }
  if (made.plan.tryFinalize() != CUDNN_STATUS_SUCCESS) return false;
  made.workspaceBytes =
      made.graph.scratchBytes +
      static_cast<size_t>(made.plan.integer(CUDNN_ATTR_EXECUTION_PLAN_WORKSPACE_SIZE));
  return true;
}

namespace {

StrataAlgorithm describe(const CudnnPlan::State& plan) {
  StrataAlgorithm result{};
  std::snprintf(result.name, sizeof result.name, "%s", plan.config.name.c_str());
  result.workspaceBytes = plan.workspaceBytes;
  result.usesTensorCores = plan.config.usesTensorCores ? 1 : 0;
  return result;
}

}  // namespace

Cudnn::Cudnn(std::unique_ptr<State> state) : m_state(std::move(state)) {}
Cudnn::~Cudnn() = default;
CudnnPlan::CudnnPlan(std::unique_ptr<State> state) : m_state(std::move(state)) {}
CudnnPlan::~CudnnPlan() = default;

std::unique_ptr<Cudnn> Cudnn::forContext(std::string& problem) {
  const CudnnApi* api = cudnnApi(problem);
  if (!api) return nullptr;
  auto state = std::make_unique<State>(*api);
  try {
    checkCudnn(*api, api->create(&state->handle), "cudnnCreate");
  }
  catch (const CudnnFailure& failure) {
    state->handle = nullptr;
    problem = failure.what();
    return nullptr;
  }
  return std::unique_ptr<Cudnn>(new Cudnn(std::move(state)));
}

std::unique_ptr<Cudnn> Cudnn::forDescription(const std::string& properties, bool compiles,
                                             std::string& problem) {
  const CudnnApi* api = cudnnApi(problem);
  if (!api) return nullptr;
  if (api->getVersion() < kMinDescribed) {
    problem = "plans for simulated cards need cuDNN 9.11 or later";
    return nullptr;
  }
  auto state = std::make_unique<State>(*api);
  state->compiles = compiles;
  try {
    state->properties = Descriptor(*api, CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR);
    state->properties.set(CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR,
                          static_cast<int64_t>(properties.size()), properties.data());
    state->properties.finalize("the description of a card for cuDNN");
  }
  catch (const CudnnFailure& failure) {
    problem = failure.what();
    return nullptr;
  }
  return std::unique_ptr<Cudnn>(new Cudnn(std::move(state)));
}

bool Cudnn::algorithms(const StrataLibraryCall& call, size_t max,
                       std::vector<StrataAlgorithm>& list, std::string& problem) {
  const std::lock_guard lock(m_state->mutex);
  try {
    CudnnPlan::State made;
    made.graph = makeCudnnGraph(m_state->api, m_state->handle, call);
    std::set<std::string> names;
    for (const cudnnBackendHeurMode_t mode :
         {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_B, CUDNN_HEUR_MODE_FALLBACK})
      for (Config& config : m_state->heuristics(made.graph, mode, Limits(call))) {
        if (list.size() >= max) return true;
        made.config = std::move(config);
        if (!names.insert(made.config.name).second || !m_state->makePlan(made)) continue;
        list.push_back(describe(made));
      }
  }
  catch (const CudnnFailure& failure) {
    problem = failure.what();
    return false;
  }
  if (!list.empty()) return true;
  problem = "cuDNN has no engine for this call";
  return false;
}

std::unique_ptr<CudnnPlan> Cudnn::plan(const StrataLibraryCall& call, const char* name,
                                       size_t workspaceLimit, StrataAlgorithm& chosen,
                                       std::string& problem) {
  const std::lock_guard lock(m_state->mutex);
  chosen = {};
  try {
    auto made = std::make_unique<CudnnPlan::State>();
    made->graph = makeCudnnGraph(m_state->api, m_state->handle, call);
    const auto exceeds = [&](size_t bytes) {
      if (bytes <= workspaceLimit) return false;
      if (chosen.workspaceBytes == 0 || bytes < chosen.workspaceBytes)
        chosen.workspaceBytes = bytes;
      return true;
    };
    const auto accept = [&](Config config) {
      made->config = std::move(config);
      // Compiling takes long
      if (made->config.isCompiled && exceeds(m_state->statedBytes(*made))) return false;
      if (!m_state->makePlan(*made) || exceeds(made->workspaceBytes)) return false;
      chosen = describe(*made);
      return true;
    };
    if (name && *name) {
      if (accept(m_state->named(made->graph, name)))
        return std::make_unique<CudnnPlan>(std::move(made));
      problem = "cuDNN: the engine " + std::string(name) +
                " cannot compute this call within the workspace limit";
      return nullptr;
    }
    for (const cudnnBackendHeurMode_t mode :
         {CUDNN_HEUR_MODE_A, CUDNN_HEUR_MODE_FALLBACK, CUDNN_HEUR_MODE_B})
      for (Config& config : m_state->heuristics(made->graph, mode, Limits(call)))
        if (accept(std::move(config))) return std::make_unique<CudnnPlan>(std::move(made));
    problem = "cuDNN has no engine for this call within " + std::to_string(workspaceLimit >> 20) +
              " MiB of workspace";
  }
  catch (const CudnnFailure& failure) {
    chosen = {};
    problem = failure.what();
  }
  return nullptr;
}

bool Cudnn::run(const CudnnPlan& plan, CUstream stream, const CUdeviceptr* addresses,
                size_t numAddresses, CUdeviceptr workspace, std::string& problem) {
  const CudnnPlan::State& made = plan.state();
  if (numAddresses != made.graph.operands.size()) {
    problem = "cuDNN: the call needs " + std::to_string(made.graph.operands.size()) +
              " addresses, got " + std::to_string(numAddresses);
    return false;
  }
  problem = cuda::alignmentProblem(addresses, numAddresses, workspace);
  if (!problem.empty()) {
    problem = "cuDNN: " + problem;
    return false;
  }
  const auto pointer = [](CUdeviceptr address) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  };
  std::vector<int64_t> uids = made.graph.operands;
  std::vector<void*> pointers;
  for (size_t i = 0; i < numAddresses; ++i)
    pointers.push_back(pointer(addresses[i]));
  for (const CudnnGraph::Scratch& scratch : made.graph.scratch) {
    uids.push_back(scratch.uid);
    pointers.push_back(pointer(workspace + scratch.offset));
    if (scratch.count == 0) continue;
    const StrataDriverTable* driver = driverTable(problem);
    if (!driver) return false;
    if (driver->memsetD32Async(workspace + scratch.offset, static_cast<unsigned>(scratch.value),
                               scratch.count, stream) != 0) {
      problem = "cuDNN: the lengths of a padding mask cannot be set";
      return false;
    }
  }
  // cuDNN reads these numbers before it returns
  std::vector<float> values;
  for (const CudnnGraph::Scalar& scalar : made.graph.scalars)
    values.push_back(scalar.value);
  for (size_t i = 0; i < values.size(); ++i) {
    uids.push_back(made.graph.scalars[i].uid);
    pointers.push_back(&values[i]);
  }
  void* own = pointer(workspace + made.graph.scratchBytes);
  const std::lock_guard lock(m_state->mutex);
  const CudnnApi& api = m_state->api;
  try {
    Descriptor pack(api, CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR);
    const auto count = static_cast<int64_t>(uids.size());
    pack.set(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, count, uids.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, count, pointers.data());
    pack.set(CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, &own);
    pack.finalize("the addresses of a cuDNN call");
    checkCudnn(api, api.setStream(m_state->handle, reinterpret_cast<cudaStream_t>(stream)),
               "cudnnSetStream");
    checkCudnn(api, api.execute(m_state->handle, made.plan.get(), pack.get()),
               "cudnnBackendExecute");
  }
  catch (const CudnnFailure& failure) {
    problem = failure.what();
    return false;
  }
  return true;
}

}  // namespace strata::plugin
