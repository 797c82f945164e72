// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/card.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/cuda/cuda_stream.h"
#include "gpu/cuda/generate/kernel_cache.h"
#include "gpu/cuda/lasting_errors.h"
#include "gpu/cuda/plugin.h"
#include "gpu/exec/variant_text.h"
#include "gpu/tensor/dtype.h"

namespace strata::cuda {
namespace {

// Image of the kernels that a simulated card takes; it finds kernels by name
constexpr char kHostImage[] = "host";

/// The open cards by name.
struct OpenCards {
  std::mutex mutex;
  std::map<std::string, std::weak_ptr<Card>> cards;
};
OpenCards& openCards() {
  static OpenCards result;
  return result;
}

/// The cards that have failed, with the reasons.
struct LostCards {
  std::mutex mutex;
  std::map<std::string, std::string> reasons;
};
LostCards& lostCards() {
  static LostCards result;
  return result;
}

// No GPU that the kernels are compiled for computes at a slower clock
constexpr int kMinMegahertz = 500;
// CUDA_ERROR_DEVICE_UNAVAILABLE
constexpr int kDeviceUnavailable = 46;
/// Says what an error that lasts means, as a sentence; "" if the driver's text is enough.
std::string meaningOf(int result) {
  switch (result) {
    case STRATA_CUDA_UNKNOWN:
      return " The GPU no longer answers. If nvidia-smi does not list it, restart the computer.";
    case kEccUncorrectable:
      return " The GPU's memory has an error that it cannot correct. Reset the GPU, or replace it.";
    case kNvlinkUncorrectable:
    case kContained:
      return " The hardware of the GPU or of its links reported an error. Reset the GPU if the "
             "error comes again.";
    case kLaunchTimeout: return " A kernel ran too long for a GPU that also drives a display.";
    default: return {};
  }
}

/// Throws if the card has failed before.
void requireAlive(const std::string& name) {
  if (const std::string reason = failureOfCard(name); !reason.empty())
    throw Error(ErrorCode::DeviceFailure, name,
                "the card is not usable since an error: " + reason +
                    ". Start Strata again, or use another device, such as --device cpu.");
}

}  // namespace

std::string failureOfCard(const std::string& name) {
  LostCards& lost = lostCards();
  const std::lock_guard lock(lost.mutex);
  const auto at = lost.reasons.find(name);
  return at == lost.reasons.end() ? std::string() : at->second;
}

void Driver::fail(int result, const char* function) const {
  const char *name = nullptr, *text = nullptr;
  if (m_table.getErrorName(result, &name) != 0 || !name) name = "unknown result";
  if (m_table.getErrorString(result, &text) != 0 || !text) text = "unknown error";
  const std::string what = std::string(function) + " failed: " + text + " (" + name + ")";
  if (result == STRATA_CUDA_OUT_OF_MEMORY)
    throw Error(ErrorCode::OutOfMemory, m_card,
                what + ". Use a smaller batch or network, or close other programs.");
  if (result == kDeviceUnavailable)
    throw Error(ErrorCode::DeviceFailure, m_card,
                what +
                    ". Another program may use the GPU exclusively. Wait for it, or use another "
                    "device, such as --device cpu.");
  if (!isLasting(result))
    throw Error(ErrorCode::DeviceFailure, m_card,
                what + ". Try again, or use another device, such as --device cpu.");
  {
    LostCards& lost = lostCards();
    const std::lock_guard lock(lost.mutex);
    lost.reasons.emplace(m_card, what);
  }
  throw Error(ErrorCode::DeviceFailure, m_card,
              what + "." + meaningOf(result) +
                  " The card is not usable until Strata is started again. Until then, use another "
                  "device, such as --device cpu.");
}

/// Says once that the data of a stored algorithm are of no use.
static void warnOfOtherAlgorithm(const std::string& card, const std::string& algorithm) {
  static std::mutex mutex;
  static std::set<std::string> told;
  const std::lock_guard lock(mutex);
  if (!told.insert(card + algorithm).second) return;
  logLine(LogLevel::Warning,
          card + ": the stored settings of the algorithm " + std::string(variantName(algorithm)) +
              " are damaged, or from another version of its library. The algorithm that this "
              "version has under the name is used.");
}

LibraryPlan::~LibraryPlan() { m_card->libraries().destroyPlan(m_card->libraries().self, m_plan); }

std::shared_ptr<Card> Card::openSimulated(const std::string& name, const CardData& data,
                                          int threads, int number) {
  const StrataCudaPlugin* found = plugin();
  if (!found) throw Error(ErrorCode::UnsupportedOp, name, pluginProblem());
  OpenCards& open = openCards();
  const std::lock_guard lock(open.mutex);
  const std::string key =
      name + " with " + std::to_string(threads) + " threads, number " + std::to_string(number);
  if (std::shared_ptr<Card> card = open.cards[key].lock()) {
    requireAlive(name);
    return card;
  }
  {
    // A new simulated card has no errors
    LostCards& lost = lostCards();
    const std::lock_guard lostLock(lost.mutex);
    lost.reasons.erase(name);
  }
  StrataSimulatedCard description{};
  description.name = data.name.c_str();
  description.major = data.major;
  description.minor = data.minor;
  description.multiprocessors = data.multiprocessors();
  description.clockKilohertz = data.megahertz * 1000;
  description.memoryBytes = data.memoryBytes;
  description.bytesPerSecond = data.bytesPerSecond;
  for (size_t i = 0; i < data.flopsPerSecond.size(); ++i)
    description.flopsPerSecond[i] = data.flopsPerSecond[i];
  description.cudnnProperties =
      data.cudnnProperties.empty() ? nullptr : data.cudnnProperties.c_str();
  if (const auto refused = environmentVariable("STRATA_SIMULATED_REFUSAL"))
    description.refusedProducts = std::atoi(refused->c_str());
  if (const auto fault = environmentVariable("STRATA_SIMULATED_PEER"))
    description.peerFault = std::atoi(fault->c_str());
  description.threads = threads;
  // Any order that CUDA allows, but the same one in every run
  description.order = 1;
  description.failingCall = debugSettings().failingCall;
  description.failure = debugSettings().failure;
  StrataCardTables tables{};
  if (const int result = found->openSimulated(&description, &tables))
    throw Error(
        result == STRATA_CUDA_OUT_OF_MEMORY ? ErrorCode::OutOfMemory : ErrorCode::DeviceFailure,
        name, std::string(found->lastError()) + ". Use a card with less memory.");
  std::shared_ptr<Card> card(new Card(name, data, tables, true, 0));
  open.cards[key] = card;
  return card;
}

CardData dataOfCard(const Driver& driver, int ordinal) {
  CardData data;
  CUdevice device = 0;
  driver.deviceGet(&device, ordinal);
  std::array<char, 256> name{};
  driver.deviceGetName(name.data(), static_cast<int>(name.size()) - 1, device);
  data.name = name.data();
  const auto attribute = [&](int number) {
    int value = 0;
    driver.deviceGetAttribute(&value, number, device);
    return value;
  };
  data.major = attribute(STRATA_CUDA_MAJOR);
  data.minor = attribute(STRATA_CUDA_MINOR);
  const int coresOfEach = 10 * data.major + data.minor <= 80 ? 64 : 128;
  data.cores = coresOfEach * attribute(STRATA_CUDA_MULTIPROCESSORS);
  data.megahertz = attribute(STRATA_CUDA_CLOCK_KILOHERTZ) / 1000;
  driver.deviceTotalMem(&data.memoryBytes, device);
  // Two transfers per clock
  data.bytesPerSecond = 2e3 * attribute(STRATA_CUDA_MEMORY_CLOCK_KILOHERTZ) *
                        attribute(STRATA_CUDA_BUS_WIDTH_BITS) / 8;
  // Drivers of parts of a GPU may not report its clocks
  const double flops = 2e6 * data.cores * std::max(data.megahertz, kMinMegahertz);
  const double ampere = data.major >= 8 ? flops : 0;
  data.flopsPerSecond = {flops, ampere, ampere, flops};
  return data;
}

std::shared_ptr<Card> Card::openReal(const std::string& name, int ordinal, size_t takenBytes) {
  const StrataCudaPlugin* found = plugin();
  if (!found) throw Error(ErrorCode::UnsupportedOp, name, pluginProblem());
  OpenCards& open = openCards();
  const std::lock_guard lock(open.mutex);
  // Libraries keep handles of the context that has failed, so it is not opened again
  requireAlive(name);
  if (std::shared_ptr<Card> card = open.cards[name].lock()) return card;
  StrataCardTables tables{};
  if (found->openCard(ordinal, &tables) != 0)
    throw Error(ErrorCode::UnsupportedOp, name,
                std::string(found->lastError()) + ". `strata devices` lists the GPUs.");
  std::shared_ptr<Card> card(
      new Card(name, dataOfCard(Driver(tables.driver, name), ordinal), tables, false, takenBytes));
  open.cards[name] = card;
  return card;
}

Card::Card(std::string name, CardData data, const StrataCardTables& tables, bool isSimulated,
           size_t takenBytes)
    : m_name(std::move(name)),
      m_data(std::move(data)),
      m_tables(tables),
      m_isSimulated(isSimulated),
      m_driver(tables.driver, m_name) {
  m_driver.init(0);
  m_driver.deviceGet(&m_device, tables.ordinal);
  // The primary context is the one that cuDNN and cuBLASLt use
  m_driver.primaryCtxRetain(&m_context, m_device);
  try {
    use();
    loadModules();
    m_limits = MultiprocessorLimits::of(m_driver.table(), m_device);
    openLibraries();
    const DeviceMemoryUse use = memoryUse();
    const size_t usedBytes = use.totalBytes - use.freeBytes;
    // The figure for a whole GPU says nothing about a part of it
    m_otherBytes = takenBytes <= usedBytes ? takenBytes : 0;
    m_contextBytes = usedBytes - m_otherBytes;
  }
  catch (...) {
    unloadModules();
    m_driver.table().primaryCtxRelease(m_device);
    throw;
  }
}

Card::~Card() {
  m_driver.table().ctxSetCurrent(m_context);
  unloadModules();
  m_driver.table().primaryCtxRelease(m_device);
}

void Card::unloadModules() {
  for (const CUmodule module : std::exchange(m_modules, {}))
    m_driver.table().moduleUnload(module);
}

void Card::loadModules() {
  const StrataCudaPlugin& found = *plugin();
  // A simulated card has kernels for the host, whatever the image
  if (found.numImages == 0) {
    CUmodule module = nullptr;
    m_driver.moduleLoadData(&module, kHostImage);
    m_modules.push_back(module);
  }
  for (size_t i = 0; i < found.numImages; ++i) {
    CUmodule module = nullptr;
    m_driver.moduleLoadData(&module, found.images[i]);
    m_modules.push_back(module);
  }
}

/// Lets each library compute once, because it takes memory for its handle and its kernels then. The
/// memory counts as that of the context. A library that is missing is reported when a call needs
/// it.
void Card::openLibraries() {
  StrataLibraryCall product{}, convolution{};
  product.kind = STRATA_CALL_MATMUL;
  StrataMatmul& matmul = product.of.matmul;
  matmul.m = matmul.n = matmul.k = matmul.lda = matmul.ldb = matmul.ldd = 16;
  matmul.batches = 1;
  matmul.alpha = 1;
  matmul.operandType = matmul.resultType = static_cast<StrataType>(DType::F32);
  convolution.kind = STRATA_CALL_CONVOLUTION;
  StrataConvolution& images = convolution.of.convolution;
  for (int i = 0; i < 4; ++i)
    images.xDims[i] = images.yDims[i] = images.wDims[i] = i < 2 ? 16 : 1;
  for (auto* strides : {&images.xStrides, &images.yStrides, &images.wStrides}) {
    (*strides)[0] = (*strides)[2] = (*strides)[3] = 16;
    (*strides)[1] = 1;
  }
  images.stride[0] = images.stride[1] = images.dilation[0] = images.dilation[1] = 1;
  images.groups = 1;
  images.type = images.weightGradientType = static_cast<StrataType>(DType::F32);
  runOnce(product);
  runOnce(convolution);
}

/// Runs a call whose operands have at most kOperandBytes, with any values. Does nothing if the
/// library is missing or refuses it.
void Card::runOnce(const StrataLibraryCall& call) {
  constexpr size_t kOperandBytes = 4096, kMaxWorkspace = size_t{1} << 20;
  const StrataLibraries& libraries = m_tables.libraries;
  StrataPlan* plan = nullptr;
  StrataAlgorithm chosen{};
  // cuDNN is opened on a simulated card when a network needs it
  if (libraries.plan(libraries.self, &call, m_isSimulated ? "host" : "", kMaxWorkspace, &plan,
                     &chosen) != 0)
    return;
  const auto destroy = [&](StrataPlan* each) {
    libraries.destroyPlan(libraries.self, each);
  };
  const std::unique_ptr<StrataPlan, decltype(destroy)> owner(plan, destroy);
  CUstream created = nullptr;
  m_driver.streamCreate(&created, STRATA_CUDA_STREAM_NON_BLOCKING);
  const StreamHandle stream(*this, created);
  const size_t bytes = 3 * kOperandBytes + chosen.workspaceBytes;
  const MemoryHandle memory = allocateMemory(*this, bytes);
  const StrataRange range{memory.get(), bytes, 1};
  StrataWork work{};
  work.op = work.layer = "";
  work.ranges = &range;
  work.numRanges = 1;
  annotate(created, &work);
  const CUdeviceptr addresses[] = {memory.get(), memory.get() + kOperandBytes,
                                   memory.get() + 2 * kOperandBytes};
  const CUdeviceptr workspace = chosen.workspaceBytes > 0 ? addresses[2] + kOperandBytes : 0;
  const int result = libraries.run(libraries.self, plan, created, addresses, 3, workspace);
  // Simulated cards answer with the driver's status
  if (result < STRATA_STATUS_MISSING_LIBRARY) m_driver.check(result, "cuLaunchKernel");
  m_driver.streamSynchronize(created);
}

void Card::measureContext() {
  constexpr size_t kMinGrowth = size_t{8} << 20;
  size_t freeBytes = 0, totalBytes = 0;
  m_driver.memGetInfo(&freeBytes, &totalBytes);
  const size_t used = totalBytes - freeBytes,
               own =
                   m_otherBytes + static_cast<size_t>(m_transferBytes.load() + m_blockBytes.load()),
               known = own + m_contextBytes;
  if (used > known + kMinGrowth) m_contextBytes = used - own;
}

DeviceMemoryUse Card::memoryUse() const {
  use();
  DeviceMemoryUse result;
  m_driver.memGetInfo(&result.freeBytes, &result.totalBytes);
  result.contextBytes = m_contextBytes;
  result.otherBytes = m_otherBytes;
  result.transferBytes = static_cast<size_t>(m_transferBytes.load());
  return result;
}

const Function& Card::function(const std::string& name) {
  const std::lock_guard lock(m_mutex);
  if (const auto at = m_functions.find(name); at != m_functions.end()) return at->second;
  use();
  const char* parameters = plugin()->kernelParameters(name.c_str());
  if (!parameters)
    throw Error(ErrorCode::Internal, m_name, "the plug-in has no kernel \"" + name + "\".");
  Function function{nullptr, name, parameters};
  int result = STRATA_CUDA_NOT_FOUND;
  for (const CUmodule module : m_modules) {
    result = m_driver.table().moduleGetFunction(&function.handle, module, name.c_str());
    if (result != STRATA_CUDA_NOT_FOUND) break;
  }
  m_driver.check(result, ("cuModuleGetFunction of " + name).c_str());
  // Drivers load a function when it is first used, which must not happen while a stream captures
  int registers = 0;
  m_driver.funcGetAttribute(&registers, STRATA_CUDA_FUNCTION_REGISTERS, function.handle);
  return m_functions.emplace(name, std::move(function)).first->second;
}

std::vector<char> Card::compile(const GeneratedKernel& kernel) {
  const StrataLibraries& found = libraries();
  void* image = nullptr;
  size_t bytes = 0;
  if (found.compile(found.self, kernel.text.c_str(), kernel.name.c_str(), &image, &bytes) != 0) {
    logLine(LogLevel::Warning, m_name + ": cannot compile a fused kernel, and uses a slower one: " +
                                   found.lastError(found.self));
    return {};
  }
  std::vector<char> result(static_cast<const char*>(image),
                           static_cast<const char*>(image) + bytes);
  found.freeImage(found.self, image);
  return result;
}

/// Returns null if there is no compiler, or it refuses the text.
CUmodule Card::loadGenerated(const GeneratedKernel& kernel) {
  const char* compiler = libraries().compiler(libraries().self);
  if (!compiler) return nullptr;
  const KernelCache cache;
  CUmodule module = nullptr;
  if (const auto image = cache.find(kernel.text, compiler)) {
    // A driver may refuse an image that another one took
    const bool isTaken =
        m_driver.table().moduleLoadData(&module, image->data()) == STRATA_CUDA_SUCCESS;
    CUfunction entry = nullptr;
    if (isTaken && m_driver.table().moduleGetFunction(&entry, module, kernel.name.c_str()) ==
                       STRATA_CUDA_SUCCESS)
      return module;
    if (isTaken) {
      // An image without the kernel is not what was stored here
      m_driver.table().moduleUnload(module);
      cache.drop(kernel.text, compiler);
    }
  }
  const std::vector<char> image = compile(kernel);
  if (image.empty()) return nullptr;
  m_driver.moduleLoadData(&module, image.data());
  cache.store(kernel.text, compiler, image);
  return module;
}

const Function* Card::generated(const GeneratedKernel& kernel) {
  const auto usable = [](const Function& function) {
    return function.handle ? &function : nullptr;
  };
  {
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_generated.find(kernel.name); known != m_generated.end())
      return usable(known->second);
  }
  use();
  Function function{nullptr, kernel.name, kGeneratedParameters};
  // Without the lock, so that threads compile different kernels at the same time. If two of them
  // compile the same one, the first one is used.
  const CUmodule module = loadGenerated(kernel);
  const std::lock_guard lock(m_mutex);
  if (module) {
    m_modules.push_back(module);
    m_driver.moduleGetFunction(&function.handle, module, kernel.name.c_str());
  }
  return usable(m_generated.emplace(kernel.name, std::move(function)).first->second);
}

std::shared_ptr<const LibraryPlan> Card::tryPlan(const StrataLibraryCall& call,
                                                 const std::string& algorithm,
                                                 size_t workspaceLimit, PlanFailure* failure) {
  use();
  StrataPlan* made = nullptr;
  StrataAlgorithm chosen{};
  const StrataLibraries& libraries = m_tables.libraries;
  const int status =
      libraries.plan(libraries.self, &call, algorithm.c_str(), workspaceLimit, &made, &chosen);
  if (failure)
    *failure = {status, status == STRATA_STATUS_WORKSPACE_LIMIT ? chosen.workspaceBytes : 0};
  if (status != 0) return nullptr;
  if (const std::string_view data = variantData(algorithm); !data.empty() && data != chosen.data)
    warnOfOtherAlgorithm(m_name, algorithm);
  return std::make_shared<LibraryPlan>(shared_from_this(), call, made, chosen);
}

const std::vector<StrataAlgorithm>& Card::algorithms(const StrataLibraryCall& call) {
  const std::string key(reinterpret_cast<const char*>(&call), sizeof call);
  {
    const std::lock_guard lock(m_mutex);
    if (const auto known = m_algorithms.find(key); known != m_algorithms.end())
      return known->second;
  }
  use();
  std::vector<StrataAlgorithm> found(kMaxAlgorithms);
  size_t count = found.size();
  const StrataLibraries& libraries = m_tables.libraries;
  if (libraries.algorithms(libraries.self, &call, found.data(), &count) != 0) count = 0;
  found.resize(count);
  std::erase_if(found,
                [](const StrataAlgorithm& each) { return each.workspaceBytes > kWorkspaceLimit; });
  const std::lock_guard lock(m_mutex);
  return m_algorithms.emplace(key, std::move(found)).first->second;
}

std::shared_ptr<const LibraryPlan> Card::plan(const StrataLibraryCall& call,
                                              const std::string& layer,
                                              const std::string& algorithm, size_t workspaceLimit) {
  std::shared_ptr<const LibraryPlan> result = tryPlan(call, algorithm, workspaceLimit);
  if (!result) failPlan(layer);
  return result;
}

void Card::failPlan(const std::string& layer) const {
  throw Error(ErrorCode::UnsupportedOp, layer.empty() ? m_name : layer,
              std::string(libraries().lastError(libraries().self)) + " on " + m_name +
                  ". Use another layer, precision or device.");
}

}  // namespace strata::cuda
