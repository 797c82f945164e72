// SPDX-License-Identifier: Apache-2.0
// The libraries of a simulated card. Calls are computed on the host (host_calls.h), but
// convolutions and attention have the engines and workspaces that cuDNN gives for the card, where
// cuDNN is installed and knows the card. Other workspaces are estimates (estimateWorkspace()).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "gpu/cuda/algorithm_data.h"
#include "gpu/cuda/call_copies.h"
#include "gpu/cuda/generate/text_hash.h"
#include "gpu/cuda/plugin/cudnn.h"
#include "gpu/cuda/plugin/driver_shim.h"
#include "gpu/cuda/plugin/plan.h"
#include "gpu/simulated/driver.h"
#include "gpu/simulated/host_calls.h"
#include "gpu/simulated/host_compiler.h"
#include "gpu/simulated/last_error.h"
#include "gpu/simulated/launches.h"
#include "gpu/tensor/dtype.h"

namespace strata::simulated {

namespace {

// The algorithm of calls whose workspace is an estimate
constexpr const char* kHostAlgorithm = "host";

struct SimulatedPlan final : StrataPlan {
  std::shared_ptr<const HostCall> call;
  const char* name = nullptr;
  int32_t kind = 0;
  CallSpeed speed;
};

/// Returns the name of a call in records. It is never freed, because records may outlive the plan.
const char* recordName(const StrataLibraryCall& call, const StrataAlgorithm& algorithm) {
  static std::mutex mutex;
  static auto& names = *new std::set<std::string>;
  static constexpr const char* kKinds[] = {"matmul", "convolution", "attention"};
  const std::lock_guard lock(mutex);
  return names.insert(std::string(kKinds[call.kind - 1]) + " " + algorithm.name).first->c_str();
}

size_t elementsOf(const int64_t (&dims)[4]) {
  return static_cast<size_t>(dims[0] * dims[1] * dims[2] * dims[3]);
}

/// Returns whether the memory order of a tensor is NCHW, or else NHWC. Axes of size 1 have any
/// place.
bool isInOrder(const int64_t (&dims)[4], const int64_t (&strides)[4], bool isChannelsFirst) {
  const int64_t c = dims[1], h = dims[2], w = dims[3], first[4] = {c * h * w, h * w, w, 1},
                last[4] = {c * h * w, 1, w * c, c};
  for (int i = 0; i < 4; ++i)
    if (dims[i] > 1 && strides[i] != (isChannelsFirst ? first : last)[i]) return false;
  return true;
}

void orderChannelsLast(const int64_t (&dims)[4], int64_t (&strides)[4]) {
  const int64_t last[4] = {dims[1] * dims[2] * dims[3], 1, dims[3] * dims[1], dims[1]};
  std::copy_n(last, 4, strides);
}

/// Returns the bytes of the operands that kernels of cuDNN 9.19 copy, because they need another
/// order of the axes. Kernels that use tensor cores, and those for gradients of weights, need NHWC;
/// others need NCHW.
size_t copiedOperandBytes(const StrataConvolution& call, bool usesTensorCores) {
  const bool isChannelsFirst =
      !usesTensorCores && call.direction != STRATA_CONVOLUTION_BACKWARD_WEIGHTS;
  size_t elements = 0;
  if (!isInOrder(call.xDims, call.xStrides, isChannelsFirst)) elements += elementsOf(call.xDims);
  if (!isInOrder(call.wDims, call.wStrides, isChannelsFirst)) elements += elementsOf(call.wDims);
  if (!isInOrder(call.yDims, call.yStrides, isChannelsFirst)) elements += elementsOf(call.yDims);
  return elements * dtypeBytes(static_cast<DType>(call.type));
}

/// Returns the workspace of a call that no library was asked about. No library answers for a
/// product without a GPU: small ones need none, for others cuBLASLt adds up parts of the sums in up
/// to 4 MiB. Convolutions that use tensor cores need little besides copies of operands. The
/// gradient of attention without sums of dq keeps a 16-bit number for each query and key.
size_t estimateWorkspace(const StrataLibraryCall& call) {
  constexpr size_t kMebibyte = size_t{1} << 20;
  switch (call.kind) {
    case STRATA_CALL_MATMUL: {
      const StrataMatmul& matmul = call.of.matmul;
      const double products = static_cast<double>(matmul.m) * static_cast<double>(matmul.n) *
                              static_cast<double>(matmul.k) * static_cast<double>(matmul.batches);
      if (products < 0x1p24) return 0;
      const auto elements = static_cast<size_t>(matmul.m * matmul.n * matmul.batches);
      return std::min(4 * kMebibyte, elements * 4 * sizeof(float));
    }
    case STRATA_CALL_CONVOLUTION: {
      const StrataConvolution& convolution = call.of.convolution;
      const bool usesTensorCores =
          static_cast<DType>(convolution.type) != DType::F32 || call.compute == STRATA_COMPUTE_TF32;
      return copiedOperandBytes(convolution, usesTensorCores) + (usesTensorCores ? kMebibyte : 0);
    }
    default: {
      const StrataAttention& attention = call.of.attention;
      const auto rows = static_cast<size_t>(attention.batch * attention.heads * attention.queries);
      if (!attention.isBackward) return 0;
      const size_t rowBytes =
          sizeof(float) + (attention.hasQuerySums ? 0 : 2 * static_cast<size_t>(attention.keys));
      return rows * rowBytes;
    }
  }
}

/// Returns whether the engine computes a call in another way if cuDNN does not support it:
/// attention by own kernels; gradients of weights in another type, unequal paddings, biases and
/// activations by kernels around the call.
bool hasOtherWay(const StrataLibraryCall& call) {
  if (call.kind != STRATA_CALL_CONVOLUTION) return call.kind == STRATA_CALL_ATTENTION;
  const StrataConvolution& convolution = call.of.convolution;
  return convolution.weightGradientType != convolution.type || convolution.hasBias ||
         convolution.activation != STRATA_ACTIVATION_NONE ||
         !std::equal(convolution.paddingBefore, convolution.paddingBefore + 2,
                     convolution.paddingAfter);
}

/// Returns the predicted time of an algorithm relative to the peak rates of the card, from 1 to 2.
/// Only a real card knows which algorithm is fast, so the numbers are made up; they are the same in
/// each run. They do not depend on the memory order of images, because the clock counts the copies
/// that an order needs (copiedBytesOf()).
double relativeTimeOf(StrataLibraryCall call, const char* algorithm) {
  if (std::strcmp(algorithm, kHostAlgorithm) == 0) return 1;
  if (call.kind == STRATA_CALL_CONVOLUTION) {
    StrataConvolution& convolution = call.of.convolution;
    orderChannelsLast(convolution.xDims, convolution.xStrides);
    orderChannelsLast(convolution.wDims, convolution.wStrides);
    orderChannelsLast(convolution.yDims, convolution.yStrides);
  }
  std::string text(reinterpret_cast<const char*>(&call), sizeof call);
  text += algorithm;
  const double excess = static_cast<double>((cuda::hashBytes(text) >> 32) % 1024) / 1024;
  // The clock of a node adds the excess of each call
  const int parts = call.kind == STRATA_CALL_ATTENTION ? call.of.attention.numParts : 1;
  return 1 + excess / std::max(1, parts);
}

/// A made-up algorithm for matrix products. As with cuBLASLt, the name does not tell all settings:
/// algorithms with the same name may take different times.
struct ProductAlgorithm {
  const char* name;
  uint32_t hidden;
  double relativeTime;
};
// What the version of a real cuBLASLt is for
constexpr uint64_t kProductVersion = 1;
// The first one of a name is what the name alone means
constexpr ProductAlgorithm kProducts[] = {
    {"alg1{t2}", 0, 1.25}, {"alg1{t2}", 7, 1.5}, {"alg2", 0, 1.75}};

std::string dataOf(const ProductAlgorithm& algorithm) {
  return cuda::printAlgorithmData(kProductVersion, &algorithm.hidden, sizeof algorithm.hidden);
}

/// Returns the algorithm with this text (gpu/exec/variant_text.h), or null. Data of another version
/// are ignored.
const ProductAlgorithm* productNamed(std::string_view text) {
  const size_t mark = std::min(text.find('#'), text.size());
  const std::string_view name = text.substr(0, mark),
                         data = mark < text.size() ? text.substr(mark + 1) : std::string_view();
  uint32_t hidden = 0;
  const bool isRead = cuda::readAlgorithmData(data, kProductVersion, &hidden, sizeof hidden);
  const ProductAlgorithm* result = nullptr;
  for (const ProductAlgorithm& each : kProducts)
    if (name == each.name && (!result || (isRead && each.hidden == hidden))) result = &each;
  return result;
}

/// Returns what an algorithm for products says about a call. All need the same workspace.
StrataAlgorithm describeProduct(const StrataLibraryCall& call, const ProductAlgorithm& algorithm) {
  StrataAlgorithm result{};
  std::snprintf(result.name, sizeof result.name, "%s", algorithm.name);
  std::snprintf(result.data, sizeof result.data, "%s", dataOf(algorithm).c_str());
  result.workspaceBytes = estimateWorkspace(call);
  result.relativeTime = algorithm.relativeTime;
  return result;
}

StrataAlgorithm hostAlgorithm(const StrataLibraryCall& call) {
  StrataAlgorithm result{};
  std::snprintf(result.name, sizeof result.name, "%s", kHostAlgorithm);
  result.workspaceBytes = estimateWorkspace(call);
  return result;
}

/// What the libraries say about calls on one kind of card. It is kept until the program ends, as
/// handles of libraries are.
class SimulatedLibraries {
 public:
  SimulatedLibraries(std::string properties, bool compiles, int refusedProducts)
      : m_properties(std::move(properties)),
        m_compiles(compiles),
        m_refusedProducts(refusedProducts) {}

  /// Returns whether the card has no algorithm for a product.
  bool refuses(const StrataLibraryCall& call) const {
    if (call.kind != STRATA_CALL_MATMUL) return false;
    return m_refusedProducts == STRATA_REFUSED_ALL ||
           (m_refusedProducts == STRATA_REFUSED_WITH_BIAS && call.of.matmul.hasBias);
  }

  std::vector<StrataAlgorithm> algorithms(const StrataLibraryCall& call, size_t max) {
    const std::lock_guard lock(m_mutex);
    std::vector<StrataAlgorithm> result;
    std::string problem;
    plugin::Cudnn* cudnn = cudnnFor(call);
    if (!cudnn || !cudnn->algorithms(call, max, result, problem)) result = {hostAlgorithm(call)};
    if (call.kind == STRATA_CALL_MATMUL)
      for (const ProductAlgorithm& each : kProducts)
        result.push_back(describeProduct(call, each));
    // plan() alone sets it
    for (StrataAlgorithm& each : result)
      each.relativeTime = 0;
    return result;
  }
  /// Returns the chosen algorithm. Returns a status other than 0 and a problem if cuDNN has none
  /// with this name, or the limit prevents it (StrataLibraries::plan).
  int choose(const StrataLibraryCall& call, const std::string& text, size_t workspaceLimit,
             StrataAlgorithm& chosen, std::string& problem) {
    const std::lock_guard lock(m_mutex);
    const std::string name = text.substr(0, text.find('#'));
    if (call.kind == STRATA_CALL_MATMUL && !name.empty() && name != kHostAlgorithm) {
      const ProductAlgorithm* product = productNamed(text);
      problem = "the simulated cuBLASLt has no algorithm \"" + name + "\"";
      if (!product) return STRATA_STATUS_UNSUPPORTED;
      chosen = describeProduct(call, *product);
      chosen.workspaceBytes = std::min(chosen.workspaceBytes, workspaceLimit);
      return 0;
    }
    plugin::Cudnn* cudnn = name == kHostAlgorithm ? nullptr : cudnnFor(call);
    if (!cudnn) {
      chosen = hostAlgorithm(call);
      if (call.kind == STRATA_CALL_ATTENTION && chosen.workspaceBytes > workspaceLimit) {
        problem = "the workspace exceeds the limit";
        return STRATA_STATUS_WORKSPACE_LIMIT;
      }
      chosen.workspaceBytes = std::min(chosen.workspaceBytes, workspaceLimit);
      return 0;
    }
    std::string key(reinterpret_cast<const char*>(&call), sizeof call);
    key += name + " " + std::to_string(workspaceLimit);
    auto known = m_chosen.find(key);
    if (known == m_chosen.end()) {
      Answer answer;
      answer.status = ask(*cudnn, call, name, workspaceLimit, answer);
      known = m_chosen.emplace(std::move(key), std::move(answer)).first;
    }
    chosen = known->second.chosen;
    problem = known->second.problem;
    return known->second.status;
  }

 private:
  /// What cuDNN says about a call.
  struct Answer {
    int status = 0;
    StrataAlgorithm chosen{};
    std::string problem;
  };
  static int ask(plugin::Cudnn& cudnn, const StrataLibraryCall& call, const std::string& name,
                 size_t workspaceLimit, Answer& answer) {
    if (cudnn.plan(call, name.c_str(), workspaceLimit, answer.chosen, answer.problem)) return 0;
    if (!name.empty() || hasOtherWay(call))
      return answer.chosen.workspaceBytes > 0 ? STRATA_STATUS_WORKSPACE_LIMIT
                                              : STRATA_STATUS_UNSUPPORTED;
    // The card may lack what the call needs; the host computes it nevertheless
    answer.chosen = hostAlgorithm(call);
    answer.chosen.workspaceBytes = std::min(answer.chosen.workspaceBytes, workspaceLimit);
    return 0;
  }
  /// Returns cuDNN, or null if it is not asked about the call. The first convolution opens it.
  plugin::Cudnn* cudnnFor(const StrataLibraryCall& call) {
    if (m_properties.empty() || call.kind == STRATA_CALL_MATMUL) return nullptr;
    std::string problem;
    if (!m_isOpened) {
      // Without a driver that answers, cuDNN lists no engines that it compiles, as for attention
      const bool hasDriver = plugin::openDriverShim();
      m_cudnn = plugin::Cudnn::forDescription(m_properties, m_compiles && hasDriver, problem);
    }
    m_isOpened = true;
    return m_cudnn.get();
  }

  const std::string m_properties;
  const bool m_compiles;
  const int m_refusedProducts;
  std::mutex m_mutex;
  bool m_isOpened = false;
  std::unique_ptr<plugin::Cudnn> m_cudnn;
  std::map<std::string, Answer> m_chosen;
};

SimulatedLibraries& of(void* self) { return *static_cast<SimulatedLibraries*>(self); }

int refuse() {
  setLastError("cuBLASLt has no algorithm for this product");
  return STRATA_STATUS_UNSUPPORTED;
}

int algorithms(void* self, const StrataLibraryCall* call, StrataAlgorithm* list, size_t* count) {
  if (of(self).refuses(*call)) return refuse();
  std::string problem;
  if (!makeHostCall(*call, problem)) {
    setLastError(problem);
    return STRATA_STATUS_INVALID_CALL;
  }
  const std::vector<StrataAlgorithm> found = of(self).algorithms(*call, *count);
  *count = std::min(*count, found.size());
  std::copy_n(found.begin(), *count, list);
  return 0;
}

int plan(void* self, const StrataLibraryCall* call, const char* algorithm, size_t workspaceLimit,
         StrataPlan** made, StrataAlgorithm* chosen) {
  if (of(self).refuses(*call)) return refuse();
  std::string problem;
  auto result = std::make_unique<SimulatedPlan>();
  result->call = makeHostCall(*call, problem);
  if (!result->call) {
    setLastError(problem);
    return STRATA_STATUS_INVALID_CALL;
  }
  if (const int status =
          of(self).choose(*call, algorithm ? algorithm : "", workspaceLimit, *chosen, problem)) {
    setLastError(problem);
    return status;
  }
  result->name = recordName(*call, *chosen);
  result->kind = call->kind;
  if (chosen->relativeTime == 0) chosen->relativeTime = relativeTimeOf(*call, chosen->name);
  result->speed = {chosen->relativeTime, cuda::copiedBytesOf(*call, chosen->workspaceBytes)};
  *made = result.release();
  return 0;
}

int run(void*, StrataPlan* made, CUstream stream, const CUdeviceptr* addresses, size_t numAddresses,
        CUdeviceptr workspace) {
  const auto& plan = *static_cast<SimulatedPlan*>(made);
  return addCall(stream, plan.call, plan.kind, plan.speed, addresses, numAddresses, workspace,
                 plan.name);
}

void destroyPlan(void*, StrataPlan* made) { delete made; }

const char* compiler(void*) { return hostCompiler().empty() ? nullptr : hostCompiler().c_str(); }

int compile(void*, const char* text, const char* name, void** image, size_t* bytes) {
  std::string problem;
  const std::vector<char> compiled = compileOnHost(text, name, problem);
  if (!compiled.empty()) *image = std::malloc(compiled.size());
  if (compiled.empty() || !*image) {
    setLastError(problem);
    return STRATA_STATUS_LIBRARY_FAILED;
  }
  std::memcpy(*image, compiled.data(), compiled.size());
  *bytes = compiled.size();
  return 0;
}

void freeImage(void*, void* image) { std::free(image); }

const char* lastErrorOf(void*) { return lastError(); }

}  // namespace

void fillLibraries(const StrataSimulatedCard& card, StrataLibraries& libraries) {
  static std::mutex mutex;
  static auto& all = *new std::map<std::string, std::unique_ptr<SimulatedLibraries>>;
  const std::lock_guard lock(mutex);
  const std::string properties = card.cudnnProperties ? card.cudnnProperties : "";
  const bool compiles = card.compilesEngines != 0;
  auto& own =
      all[properties + (compiles ? " compiled " : " ") + std::to_string(card.refusedProducts)];
  if (!own) own = std::make_unique<SimulatedLibraries>(properties, compiles, card.refusedProducts);
  libraries = {own.get(), algorithms, plan,      run,        destroyPlan,
               compiler,  compile,    freeImage, lastErrorOf};
}

}  // namespace strata::simulated
