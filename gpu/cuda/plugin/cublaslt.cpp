// SPDX-License-Identifier: Apache-2.0
// Source of attributes and their types: NVIDIA cuBLAS documentation, 13, "Using the cuBLASLt API".
#include "gpu/cuda/plugin/cublaslt.h"

#include <cublasLt.h>

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <mutex>
#include <stdexcept>

#include "gpu/cuda/algorithm_data.h"
#include "gpu/cuda/call_alignment.h"
#include "gpu/cuda/plugin/find_library.h"
#include "gpu/tensor/dtype.h"

namespace strata::plugin {
namespace {

constexpr uint32_t kAlignment = STRATA_CALL_ALIGNMENT;
constexpr uint64_t kMaxWorkspace = uint64_t{256} << 20;
constexpr int kMaxHeuristics = 64;

#define STRATA_CUBLASLT_FUNCTIONS(X)                     \
  X(create, cublasLtCreate)                              \
  X(version, cublasLtGetVersion)                         \
  X(destroy, cublasLtDestroy)                            \
  X(statusString, cublasLtGetStatusString)               \
  X(matmul, cublasLtMatmul)                              \
  X(descCreate, cublasLtMatmulDescCreate)                \
  X(descDestroy, cublasLtMatmulDescDestroy)              \
  X(descSet, cublasLtMatmulDescSetAttribute)             \
  X(descGet, cublasLtMatmulDescGetAttribute)             \
  X(layoutCreate, cublasLtMatrixLayoutCreate)            \
  X(layoutDestroy, cublasLtMatrixLayoutDestroy)          \
  X(layoutSet, cublasLtMatrixLayoutSetAttribute)         \
  X(layoutGet, cublasLtMatrixLayoutGetAttribute)         \
  X(preferenceCreate, cublasLtMatmulPreferenceCreate)    \
  X(preferenceDestroy, cublasLtMatmulPreferenceDestroy)  \
  X(preferenceSet, cublasLtMatmulPreferenceSetAttribute) \
  X(heuristic, cublasLtMatmulAlgoGetHeuristic)           \
  X(algorithmInit, cublasLtMatmulAlgoInit)               \
  X(algorithmCheck, cublasLtMatmulAlgoCheck)             \
  X(configSet, cublasLtMatmulAlgoConfigSetAttribute)     \
  X(configGet, cublasLtMatmulAlgoConfigGetAttribute)     \
  X(capabilityGet, cublasLtMatmulAlgoCapGetAttribute)

struct Api {
#define STRATA_CUBLASLT_ENTRY(name, symbol) decltype(&::symbol) name;
  STRATA_CUBLASLT_FUNCTIONS(STRATA_CUBLASLT_ENTRY)
#undef STRATA_CUBLASLT_ENTRY
};

struct Opened {
  Api api{};
  std::string problem;
};

Opened open() {
  Opened result;
  const FoundLibrary& library = findLibrary(Library::CublasLt);
  result.problem = library.problem;
  if (!library.handle) return result;
#define STRATA_CUBLASLT_ENTRY(name, symbolName)                                               \
  result.api.name = reinterpret_cast<decltype(result.api.name)>(library.symbol(#symbolName)); \
  if (!result.api.name) result.problem = library.path + " has no function " #symbolName;
  STRATA_CUBLASLT_FUNCTIONS(STRATA_CUBLASLT_ENTRY)
#undef STRATA_CUBLASLT_ENTRY
  return result;
}

const Api* api(std::string& problem) {
  static const Opened kOpened = open();
  problem = kOpened.problem;
  return problem.empty() ? &kOpened.api : nullptr;
}

class Failure : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

void check(const Api& api, cublasStatus_t status, const char* what) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw Failure(std::string(what) + " failed: " + api.statusString(status));
}

cudaDataType typeOf(StrataType type) {
  switch (static_cast<DType>(type)) {
    case DType::F32: return CUDA_R_32F;
    case DType::BF16: return CUDA_R_16BF;
    case DType::F16: return CUDA_R_16F;
    default: throw Failure("cuBLASLt: the type of an operand is not supported");
  }
}

cublasLtEpilogue_t epilogueOf(const StrataMatmul& call) {
  if (call.sumsA) return CUBLASLT_EPILOGUE_BGRADA;
  switch (call.activation) {
    case STRATA_ACTIVATION_NONE:
      return call.hasBias ? CUBLASLT_EPILOGUE_BIAS : CUBLASLT_EPILOGUE_DEFAULT;
    case STRATA_ACTIVATION_RELU:
      return call.hasBias ? CUBLASLT_EPILOGUE_RELU_BIAS : CUBLASLT_EPILOGUE_RELU;
    case STRATA_ACTIVATION_GELU_TANH:
      return call.hasBias ? CUBLASLT_EPILOGUE_GELU_BIAS : CUBLASLT_EPILOGUE_GELU;
    default: throw Failure("cuBLASLt: the activation is not supported");
  }
}

/// The descriptors of a product.
class Product {
 public:
  Product(const Api& functions, const StrataLibraryCall& call);
  ~Product();
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  std::string text() const;

  const Api& api;
  StrataMatmul call;
  bool isDeterministic;
  cublasComputeType_t compute;
  cudaDataType operandType, resultType;
  cublasLtMatmulDesc_t desc = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;

 private:
  template <class T>
  void set(cublasLtMatmulDescAttributes_t name, T value) {
    check(api, api.descSet(desc, name, &value, sizeof value), "cublasLtMatmulDescSetAttribute");
  }
  cublasLtMatrixLayout_t layout(cudaDataType type, int64_t rows, int64_t columns, int64_t leading,
                                int64_t stride) const;
  void release();
};

Product::Product(const Api& functions, const StrataLibraryCall& source)
    : api(functions),
      call(source.of.matmul),
      isDeterministic(source.isDeterministic != 0),
      compute(source.compute == STRATA_COMPUTE_TF32 ? CUBLAS_COMPUTE_32F_FAST_TF32
                                                    : CUBLAS_COMPUTE_32F),
      operandType(typeOf(call.operandType)),
      resultType(typeOf(call.resultType)) {
  if (operandType != CUDA_R_32F) compute = CUBLAS_COMPUTE_32F;
  try {
    check(api, api.descCreate(&desc, compute, CUDA_R_32F), "cublasLtMatmulDescCreate");
    const auto operation = [](int32_t isTransposed) {
      return static_cast<int32_t>(isTransposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    };
    set(CUBLASLT_MATMUL_DESC_TRANSA, operation(call.transposeA));
    set(CUBLASLT_MATMUL_DESC_TRANSB, operation(call.transposeB));
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, static_cast<uint32_t>(epilogueOf(call)));
    if (call.hasBias || call.sumsA) {
      set(CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE,
          static_cast<int32_t>(call.sumsA ? CUDA_R_32F : resultType));
      // Heuristics take the alignment of the address into account
      set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, reinterpret_cast<const void*>(uintptr_t{kAlignment}));
    }
    a = call.transposeA ? layout(operandType, call.k, call.m, call.lda, call.strideA)
                        : layout(operandType, call.m, call.k, call.lda, call.strideA);
    b = call.transposeB ? layout(operandType, call.n, call.k, call.ldb, call.strideB)
                        : layout(operandType, call.k, call.n, call.ldb, call.strideB);
    d = layout(resultType, call.m, call.n, call.ldd, call.strideD);
  }
  catch (...) {
    release();
    throw;
  }
}

Product::~Product() { release(); }

void Product::release() {
  for (const cublasLtMatrixLayout_t each : {a, b, d})
    if (each) api.layoutDestroy(each);
  if (desc) api.descDestroy(desc);
}

cublasLtMatrixLayout_t Product::layout(cudaDataType type, int64_t rows, int64_t columns,
                                       int64_t leading, int64_t stride) const {
  cublasLtMatrixLayout_t result = nullptr;
  check(api,
        api.layoutCreate(&result, type, static_cast<uint64_t>(rows), static_cast<uint64_t>(columns),
                         leading),
        "cublasLtMatrixLayoutCreate");
  const auto count = static_cast<int32_t>(call.batches);
  const bool isSet =
      call.batches == 1 || (api.layoutSet(result, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count,
                                          sizeof count) == CUBLAS_STATUS_SUCCESS &&
                            api.layoutSet(result, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET,
                                          &stride, sizeof stride) == CUBLAS_STATUS_SUCCESS);
  if (isSet) return result;
  api.layoutDestroy(result);
  throw Failure("cublasLtMatrixLayoutSetAttribute failed");
}

std::string Product::text() const {
  std::string result;
  const auto add = [&](const char* name, int64_t value) {
    result += (result.empty() ? "" : " ") + std::string(name) + "=" + std::to_string(value);
  };
  const auto ofDesc = [&](cublasLtMatmulDescAttributes_t attribute) {
    int32_t value = 0;
    size_t written = 0;
    check(api, api.descGet(desc, attribute, &value, sizeof value, &written),
          "cublasLtMatmulDescGetAttribute");
    return value;
  };
  add("compute", ofDesc(CUBLASLT_MATMUL_DESC_COMPUTE_TYPE));
  add("scale", ofDesc(CUBLASLT_MATMUL_DESC_SCALE_TYPE));
  add("transa", ofDesc(CUBLASLT_MATMUL_DESC_TRANSA));
  add("transb", ofDesc(CUBLASLT_MATMUL_DESC_TRANSB));
  add("epilogue", ofDesc(CUBLASLT_MATMUL_DESC_EPILOGUE));
  const std::pair<const char*, cublasLtMatrixLayout_t> layouts[] = {{"a", a}, {"b", b}, {"d", d}};
  for (const auto& [name, each] : layouts) {
    const cublasLtMatrixLayout_t of = each;
    const auto value = [&](cublasLtMatrixLayoutAttribute_t attribute, size_t bytes) {
      int64_t read = 0;
      size_t written = 0;
      check(api, api.layoutGet(of, attribute, &read, bytes, &written),
            "cublasLtMatrixLayoutGetAttribute");
      return read;
    };
    const std::string prefix = name;
    add((prefix + ".type").c_str(), value(CUBLASLT_MATRIX_LAYOUT_TYPE, 4));
    add((prefix + ".rows").c_str(), value(CUBLASLT_MATRIX_LAYOUT_ROWS, 8));
    add((prefix + ".cols").c_str(), value(CUBLASLT_MATRIX_LAYOUT_COLS, 8));
    add((prefix + ".ld").c_str(), value(CUBLASLT_MATRIX_LAYOUT_LD, 8));
    add((prefix + ".batches").c_str(), value(CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, 4));
    add((prefix + ".stride").c_str(), value(CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, 8));
  }
  return result;
}

// --- names of algorithms -------------------------------------------------------------------------

struct Setting {
  char letter;
  cublasLtMatmulAlgoConfigAttributes_t attribute;
  size_t bytes;
};
constexpr Setting kSettings[] = {
    {'t', CUBLASLT_ALGO_CONFIG_TILE_ID, 4},        {'s', CUBLASLT_ALGO_CONFIG_STAGES_ID, 4},
    {'k', CUBLASLT_ALGO_CONFIG_SPLITK_NUM, 4},     {'r', CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, 4},
    {'z', CUBLASLT_ALGO_CONFIG_CTA_SWIZZLING, 4},  {'c', CUBLASLT_ALGO_CONFIG_CUSTOM_OPTION, 4},
    {'i', CUBLASLT_ALGO_CONFIG_INNER_SHAPE_ID, 2}, {'u', CUBLASLT_ALGO_CONFIG_CLUSTER_SHAPE_ID, 2},
};

/// Returns a name such as "alg21{t20,s15,k2,r2}". Settings that are 0 are left out.
std::string nameOf(const Api& api, const cublasLtMatmulAlgo_t& algorithm) {
  const auto read = [&](cublasLtMatmulAlgoConfigAttributes_t attribute, size_t bytes) {
    uint32_t value = 0;
    size_t written = 0;
    const bool isRead =
        api.configGet(&algorithm, attribute, &value, bytes, &written) == CUBLAS_STATUS_SUCCESS;
    return isRead ? value : 0;
  };
  std::string settings;
  for (const Setting& setting : kSettings)
    if (const uint32_t value = read(setting.attribute, setting.bytes))
      settings +=
          (settings.empty() ? "" : ",") + std::string(1, setting.letter) + std::to_string(value);
  const std::string result = "alg" + std::to_string(read(CUBLASLT_ALGO_CONFIG_ID, 4));
  return settings.empty() ? result : result + "{" + settings + "}";
}

/// Returns the algorithm with this name. Fails: Failure.
cublasLtMatmulAlgo_t named(const Product& product, cublasLtHandle_t handle,
                           const std::string& name) {
  const auto refuse = [&] {
    throw Failure("cuBLASLt: \"" + name +
                  "\" is not the name of an algorithm, such as "
                  "alg21{t20,s15}");
  };
  const char *at = name.data(), *end = at + name.size();
  const auto number = [&] {
    uint32_t value = 0;
    const auto [next, error] = std::from_chars(at, end, value);
    if (error != std::errc()) refuse();
    at = next;
    return value;
  };
  if (!name.starts_with("alg")) refuse();
  at += 3;
  const Api& api = product.api;
  cublasLtMatmulAlgo_t result{};
  check(api,
        api.algorithmInit(handle, product.compute, CUDA_R_32F, product.operandType,
                          product.operandType, product.resultType, product.resultType,
                          static_cast<int>(number()), &result),
        "cublasLtMatmulAlgoInit");
  while (at != end && (*at == '{' || *at == ',')) {
    const char letter = *++at;
    const auto found = std::find_if(std::begin(kSettings), std::end(kSettings),
                                    [&](const Setting& each) { return each.letter == letter; });
    if (found == std::end(kSettings)) refuse();
    ++at;
    const uint32_t value = number();
    check(api, api.configSet(&result, found->attribute, &value, found->bytes),
          "cublasLtMatmulAlgoConfigSetAttribute");
  }
  if (at != end && std::string(at, end) != "}") refuse();
  return result;
}

}  // namespace

struct CublasLtPlan::State {
  std::unique_ptr<Product> product;
  cublasLtMatmulAlgo_t algorithm{};
  size_t workspaceBytes = 0;
};

struct CublasLt::State {
  const Api& api;
  cublasLtHandle_t handle = nullptr;
  std::mutex mutex;

  explicit State(const Api& functions) : api(functions) {}
  ~State() {
    if (handle) api.destroy(handle);
  }
  std::vector<cublasLtMatmulHeuristicResult_t> heuristics(const Product& product,
                                                          size_t workspaceLimit, int max) const;
  StrataAlgorithm describe(const cublasLtMatmulAlgo_t& algorithm, size_t workspaceBytes) const;
  void accept(const Product& product, const cublasLtMatmulAlgo_t& algorithm,
              cublasLtMatmulHeuristicResult_t& found) const;
  cublasLtMatmulHeuristicResult_t find(const Product& product, const std::string& text) const;
};

std::vector<cublasLtMatmulHeuristicResult_t> CublasLt::State::heuristics(const Product& product,
                                                                         size_t workspaceLimit,
                                                                         int max) const {
  cublasLtMatmulPreference_t preference = nullptr;
  check(api, api.preferenceCreate(&preference), "cublasLtMatmulPreferenceCreate");
  const std::unique_ptr<std::remove_pointer_t<cublasLtMatmulPreference_t>,
                        decltype(api.preferenceDestroy)>
      owner(preference, api.preferenceDestroy);
  const auto set = [&](cublasLtMatmulPreferenceAttributes_t name, auto value) {
    check(api, api.preferenceSet(preference, name, &value, sizeof value),
          "cublasLtMatmulPreferenceSetAttribute");
  };
  set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, static_cast<uint64_t>(workspaceLimit));
  // Other schemes add partial sums in the type of the result, in an order that may change
  if (product.isDeterministic)
    set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK,
        static_cast<uint32_t>(CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE));
  for (const auto name :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES})
    set(name, kAlignment);
  std::vector<cublasLtMatmulHeuristicResult_t> result(static_cast<size_t>(max));
  int count = 0;
  check(api,
        api.heuristic(handle, product.desc, product.a, product.b, product.d, product.d, preference,
                      max, result.data(), &count),
        "cublasLtMatmulAlgoGetHeuristic");
  result.resize(static_cast<size_t>(count));
  std::erase_if(result, [](const auto& each) { return each.state != CUBLAS_STATUS_SUCCESS; });
  return result;
}

StrataAlgorithm CublasLt::State::describe(const cublasLtMatmulAlgo_t& algorithm,
                                          size_t workspaceBytes) const {
  StrataAlgorithm result{};
  std::snprintf(result.name, sizeof result.name, "%s", nameOf(api, algorithm).c_str());
  // The name has only the settings that people can interpret
  const std::string data =
      cuda::printAlgorithmData(api.version(), algorithm.data, sizeof algorithm.data);
  static_assert(sizeof algorithm.data <= STRATA_MAX_ALGORITHM_BYTES);
  std::snprintf(result.data, sizeof result.data, "%s", data.c_str());
  result.workspaceBytes = workspaceBytes;
  uint64_t flags = 0;
  size_t written = 0;
  if (api.capabilityGet(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags, sizeof flags,
                        &written) == CUBLAS_STATUS_SUCCESS)
    result.usesTensorCores = (flags & CUBLASLT_NUMERICAL_IMPL_FLAGS_TENSOR_OP_MASK) != 0 ? 1 : 0;
  return result;
}

/// Fails: Failure if the algorithm cannot compute the product.
void CublasLt::State::accept(const Product& product, const cublasLtMatmulAlgo_t& algorithm,
                             cublasLtMatmulHeuristicResult_t& found) const {
  check(api,
        api.algorithmCheck(handle, product.desc, product.a, product.b, product.d, product.d,
                           &algorithm, &found),
        "cublasLtMatmulAlgoCheck");
  found.algo = algorithm;
}

/// Returns the algorithm with this name, or with this name and data. Data of another version, or
/// that do not fit the name or the product, are ignored: describe() then gives others.
/// Fails: Failure.
cublasLtMatmulHeuristicResult_t CublasLt::State::find(const Product& product,
                                                      const std::string& text) const {
  const size_t mark = std::min(text.find('#'), text.size());
  const std::string name = text.substr(0, mark);
  cublasLtMatmulHeuristicResult_t found{};
  cublasLtMatmulAlgo_t algorithm{};
  if (mark < text.size() &&
      cuda::readAlgorithmData(std::string_view(text).substr(mark + 1), api.version(),
                              algorithm.data, sizeof algorithm.data) &&
      nameOf(api, algorithm) == name) {
    try {
      accept(product, algorithm, found);
      return found;
    }
    catch (const Failure&) {
      // The name decides
    }
  }
  accept(product, named(product, handle, name), found);
  return found;
}

CublasLt::CublasLt(std::unique_ptr<State> state) : m_state(std::move(state)) {}
CublasLt::~CublasLt() = default;
CublasLtPlan::CublasLtPlan(std::unique_ptr<State> state) : m_state(std::move(state)) {}
CublasLtPlan::~CublasLtPlan() = default;

std::unique_ptr<CublasLt> CublasLt::forContext(std::string& problem) {
  const Api* functions = api(problem);
  if (!functions) return nullptr;
  auto state = std::make_unique<State>(*functions);
  if (const cublasStatus_t status = functions->create(&state->handle)) {
    state->handle = nullptr;
    problem = std::string("cublasLtCreate failed: ") + functions->statusString(status);
    return nullptr;
  }
  return std::unique_ptr<CublasLt>(new CublasLt(std::move(state)));
}

bool CublasLt::algorithms(const StrataLibraryCall& call, size_t max,
                          std::vector<StrataAlgorithm>& list, std::string& problem) {
  const std::lock_guard lock(m_state->mutex);
  try {
    const Product product(m_state->api, call);
    const int count = static_cast<int>(std::min<size_t>(max, kMaxHeuristics));
    for (const auto& each : m_state->heuristics(product, kMaxWorkspace, std::max(1, count)))
      if (list.size() < max) list.push_back(m_state->describe(each.algo, each.workspaceSize));
  }
  catch (const Failure& failure) {
    problem = failure.what();
    return false;
  }
  if (!list.empty()) return true;
  problem = "cuBLASLt has no algorithm for this product";
  return false;
}

std::unique_ptr<CublasLtPlan> CublasLt::plan(const StrataLibraryCall& call, const char* name,
                                             size_t workspaceLimit, StrataAlgorithm& chosen,
                                             std::string& problem) {
  const std::lock_guard lock(m_state->mutex);
  try {
    auto made = std::make_unique<CublasLtPlan::State>();
    made->product = std::make_unique<Product>(m_state->api, call);
    const Product& product = *made->product;
    cublasLtMatmulHeuristicResult_t found{};
    if (name && *name) {
      found = m_state->find(product, name);
      if (found.workspaceSize > workspaceLimit)
        throw Failure("cuBLASLt: the algorithm " + std::string(name) +
                      " needs more workspace than allowed");
    }
    else {
      const auto list = m_state->heuristics(product, workspaceLimit, 1);
      if (list.empty()) throw Failure("cuBLASLt has no algorithm for this product");
      found = list[0];
    }
    made->algorithm = found.algo;
    made->workspaceBytes = found.workspaceSize;
    chosen = m_state->describe(made->algorithm, made->workspaceBytes);
    return std::make_unique<CublasLtPlan>(std::move(made));
  }
  catch (const Failure& failure) {
    problem = failure.what();
    return nullptr;
  }
}

bool CublasLt::run(const CublasLtPlan& plan, CUstream stream, const CUdeviceptr* addresses,
                   size_t numAddresses, CUdeviceptr workspace, std::string& problem) {
  const CublasLtPlan::State& made = plan.state();
  const Product& product = *made.product;
  const StrataMatmul& call = product.call;
  const size_t biasAt = 3, addendAt = biasAt + (call.hasBias ? 1u : 0u);
  const size_t expected = addendAt + (call.hasAddend ? 1u : 0u) + (call.sumsA ? 1u : 0u);
  if (numAddresses != expected) {
    problem = "cuBLASLt: the product got " + std::to_string(numAddresses) + " addresses";
    return false;
  }
  problem = cuda::alignmentProblem(addresses, numAddresses, workspace);
  if (!problem.empty()) {
    problem = "cuBLASLt: " + problem;
    return false;
  }
  const auto pointer = [](CUdeviceptr address) {
    return reinterpret_cast<void*>(static_cast<uintptr_t>(address));
  };
  // The descriptor keeps the address of the bias until the call
  const std::lock_guard lock(m_state->mutex);
  const Api& functions = m_state->api;
  try {
    if (call.hasBias || call.sumsA) {
      const void* bias = pointer(addresses[call.hasBias ? biasAt : expected - 1]);
      check(functions,
            functions.descSet(product.desc, CUBLASLT_MATMUL_DESC_BIAS_POINTER, &bias, sizeof bias),
            "cublasLtMatmulDescSetAttribute");
    }
    void* result = pointer(addresses[2]);
    const void* addend = call.hasAddend ? pointer(addresses[addendAt]) : result;
    check(
        functions,
        functions.matmul(m_state->handle, product.desc, &product.call.alpha, pointer(addresses[0]),
                         product.a, pointer(addresses[1]), product.b, &product.call.beta, addend,
                         product.d, result, product.d, &made.algorithm, pointer(workspace),
                         made.workspaceBytes, reinterpret_cast<cudaStream_t>(stream)),
        "cublasLtMatmul");
  }
  catch (const Failure& failure) {
    problem = failure.what();
    return false;
  }
  return true;
}

std::string describeMatmul(const StrataLibraryCall& call, std::string& problem) {
  const Api* functions = api(problem);
  if (!functions) return {};
  try {
    return Product(*functions, call).text();
  }
  catch (const Failure& failure) {
    problem = failure.what();
    return {};
  }
}

}  // namespace strata::plugin
