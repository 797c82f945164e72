// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <set>

#include "gpu/cuda/lasting_errors.h"
#include "gpu/cuda/plugin/image_usage.h"
#include "gpu/simulated/card.h"
#include "gpu/simulated/device_attributes.h"
#include "gpu/simulated/host_compiler.h"

namespace strata::simulated {
namespace {

// Ordinals of simulated cards, so that they never equal those of real ones
constexpr int kFirstOrdinal = 1000;
// 13.0, as cuDriverGetVersion() reports it
constexpr int kDriverVersion = 13000;
constexpr unsigned kMaxGridX = 0x7fffffff, kMaxGridYz = 65535, kMaxBlock = 1024, kMaxBlockZ = 64;
constexpr size_t kMaxSharedBytes = 48 * 1024;

struct World {
  std::recursive_mutex mutex;
  // Cards live until the program ends, as real ones
  std::vector<std::unique_ptr<Card>> cards;
  std::map<uint64_t, size_t> pinned;
  std::map<CUevent, std::unique_ptr<CUevent_st>> events;
};

World& world() {
  static World* const result = new World;
  return *result;
}

thread_local Card* currentCard = nullptr;
/// The text of the last error on this thread. It is never destroyed, because cards are closed when
/// the program ends, after the other objects of the thread are gone.
std::string& lastErrorOfThread() {
  thread_local std::string* const text = new std::string;
  return *text;
}

Card* cardOf(int ordinal) {
  const int index = ordinal - kFirstOrdinal;
  const auto& cards = world().cards;
  return index >= 0 && static_cast<size_t>(index) < cards.size()
             ? cards[static_cast<size_t>(index)].get()
             : nullptr;
}

uint64_t bitsOf(const void* pointer) {
  return static_cast<uint64_t>(reinterpret_cast<uintptr_t>(pointer));
}

bool isPinned(const void* memory, size_t bytes) {
  const auto& pinned = world().pinned;
  auto found = pinned.upper_bound(bitsOf(memory));
  if (found == pinned.begin()) return false;
  --found;
  return bitsOf(memory) + bytes <= found->first + found->second;
}

/// Returns the error for a function that is illegal while a stream captures.
int illegalInCapture() {
  if (!currentCard->isCapturing()) return 0;
  currentCard->invalidateCaptures();
  setLastError("a function that waits or allocates was called while a stream captures");
  return STRATA_CUDA_CAPTURE_UNSUPPORTED;
}

/// Returns the host address of these bytes of a card, or null.
std::byte* hostRange(CUdeviceptr address, size_t bytes) {
  if (!currentCard->memory().contains(address, bytes)) return nullptr;
  return hostByte(address);
}

int invalidAddress(const char* what) {
  return currentCard->failForever(STRATA_CUDA_ILLEGAL_ADDRESS,
                                  std::string(what) + " is outside the memory of the card");
}

// PCIe 4.0 x16
constexpr double kHostBytesPerSecond = 25e9;

// --- devices

int fake_init(unsigned) { return 0; }
int fake_driverGetVersion(int* version) {
  *version = kDriverVersion;
  return 0;
}
int fake_deviceGetCount(int* count) {
  *count = static_cast<int>(world().cards.size());
  return 0;
}
int fake_deviceGet(CUdevice* device, int ordinal) {
  if (!cardOf(ordinal)) return STRATA_CUDA_INVALID_DEVICE;
  *device = ordinal;
  return 0;
}
int fake_deviceGetName(char* name, int length, CUdevice device) {
  const Card* card = cardOf(device);
  if (!card) return STRATA_CUDA_INVALID_DEVICE;
  std::snprintf(name, static_cast<size_t>(length), "%s", card->name().c_str());
  return 0;
}
int fake_deviceTotalMem(size_t* bytes, CUdevice device) {
  Card* card = cardOf(device);
  if (!card) return STRATA_CUDA_INVALID_DEVICE;
  *bytes = card->description().memoryBytes;
  return 0;
}
int fake_deviceGetAttribute(int* value, int attribute, CUdevice device) {
  const Card* card = cardOf(device);
  return card ? deviceAttribute(card->description(), attribute, *value)
              : STRATA_CUDA_INVALID_DEVICE;
}
int fake_deviceGetPCIBusId(char* id, int length, CUdevice device) {
  if (!cardOf(device)) return STRATA_CUDA_INVALID_DEVICE;
  std::snprintf(id, static_cast<size_t>(length), "simulated:%d", device);
  return 0;
}
int fake_primaryCtxRetain(CUcontext* context, CUdevice device) {
  Card* card = cardOf(device);
  if (!card) return STRATA_CUDA_INVALID_DEVICE;
  card->retain();
  *context = card->context();
  return 0;
}
int fake_primaryCtxRelease(CUdevice device) {
  Card* card = cardOf(device);
  if (!card) return STRATA_CUDA_INVALID_DEVICE;
  card->release();
  return 0;
}
int fake_ctxSetCurrent(CUcontext context) {
  currentCard = context ? context->card : nullptr;
  return 0;
}
int fake_ctxSynchronize() {
  if (const int error = illegalInCapture()) return error;
  return currentCard->finishAll();
}

// --- memory

int fake_memGetInfo(size_t* freeBytes, size_t* totalBytes) {
  *totalBytes = currentCard->description().memoryBytes;
  *freeBytes = currentCard->freeBytes();
  return 0;
}
int fake_memAlloc(CUdeviceptr* address, size_t bytes) {
  if (const int error = illegalInCapture()) return error;
  if (bytes == 0) return STRATA_CUDA_INVALID_VALUE;
  const auto allocated = currentCard->memory().allocate(bytes);
  if (!allocated) return STRATA_CUDA_OUT_OF_MEMORY;
  *address = *allocated;
  return 0;
}
int fake_memFree(CUdeviceptr address) {
  if (const int error = illegalInCapture()) return error;
  // As the driver, waits for everything
  if (const int error = currentCard->finishAll()) return error;
  const auto allocation = currentCard->memory().allocationOf(address);
  if (!allocation || !currentCard->memory().release(address)) return STRATA_CUDA_INVALID_VALUE;
  currentCard->forget(allocation->first, allocation->second);
  return 0;
}
int fake_memHostAlloc(void** memory, size_t bytes, unsigned) {
  if (const int error = illegalInCapture()) return error;
  void* allocated = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!allocated) return STRATA_CUDA_OUT_OF_MEMORY;
  std::memset(allocated, 0xFF, bytes);
  world().pinned.emplace(bitsOf(allocated), bytes);
  *memory = allocated;
  return 0;
}
int fake_memFreeHost(void* memory) {
  const auto found = world().pinned.find(bitsOf(memory));
  if (found == world().pinned.end()) return STRATA_CUDA_INVALID_VALUE;
  if (const int error = currentCard->finishAll()) return error;
  currentCard->forget(found->first, found->second);
  world().pinned.erase(found);
  std::free(memory);
  return 0;
}
int fake_memcpyHtoDAsync(CUdeviceptr to, const void* from, size_t bytes, CUstream stream) {
  Command command;
  command.kind = Command::Kind::CopyIn;
  command.to = hostRange(to, bytes);
  if (!command.to) return invalidAddress("the target of a copy");
  command.from = static_cast<const std::byte*>(from);
  command.bytes = bytes;
  command.seconds = copySeconds(bytes, kHostBytesPerSecond);
  command.ranges = {{to, bytes, true}};
  if (isPinned(from, bytes)) {
    command.ranges.push_back({bitsOf(from), bytes, false});
  }
  else {
    // Memory that is not pinned is copied before the function returns
    if (stream->capture) {
      currentCard->invalidateCaptures();
      return STRATA_CUDA_CAPTURE_UNSUPPORTED;
    }
    command.staged.assign(command.from, command.from + bytes);
  }
  return currentCard->add(stream, std::move(command));
}
int fake_memcpyDtoHAsync(void* to, CUdeviceptr from, size_t bytes, CUstream stream) {
  Command command;
  command.kind = Command::Kind::CopyOut;
  command.to = static_cast<std::byte*>(to);
  command.from = hostRange(from, bytes);
  if (!command.from) return invalidAddress("the source of a copy");
  command.bytes = bytes;
  command.seconds = copySeconds(bytes, kHostBytesPerSecond);
  command.ranges = {{from, bytes, false}};
  if (isPinned(to, bytes)) {
    command.ranges.push_back({bitsOf(to), bytes, true});
  }
  else if (stream->capture) {
    currentCard->invalidateCaptures();
    return STRATA_CUDA_CAPTURE_UNSUPPORTED;
  }
  else {
    // Real drivers return after this copy, but need not. Until somebody waits, the bytes are others
    // each time.
    std::memset(to, currentCard->nextGarbage(), bytes);
  }
  return currentCard->add(stream, std::move(command));
}
int fake_memcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
  Command command;
  command.kind = Command::Kind::CopyWithin;
  command.to = hostRange(to, bytes);
  command.from = hostRange(from, bytes);
  if (!command.to || !command.from) return invalidAddress("an operand of a copy");
  command.bytes = bytes;
  command.seconds = copySeconds(2 * bytes, currentCard->description().bytesPerSecond);
  command.ranges = {{from, bytes, false}, {to, bytes, true}};
  return currentCard->add(stream, std::move(command));
}
/// Fills memory with a value of `valueBytes` bytes, 1 or 4.
int addFill(CUdeviceptr address, unsigned value, int valueBytes, size_t bytes, CUstream stream) {
  Command command;
  command.kind = Command::Kind::Fill;
  command.to = hostRange(address, bytes);
  if (!command.to) return invalidAddress("the target of a fill");
  command.value = value;
  command.valueBytes = valueBytes;
  command.bytes = bytes;
  command.seconds = copySeconds(bytes, currentCard->description().bytesPerSecond);
  command.ranges = {{address, bytes, true}};
  return currentCard->add(stream, std::move(command));
}
int fake_memsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream) {
  return addFill(address, value, 1, bytes, stream);
}
int fake_memsetD32Async(CUdeviceptr address, unsigned value, size_t count, CUstream stream) {
  return addFill(address, value, 4, count * 4, stream);
}

// --- streams, events, graphs

int fake_streamCreate(CUstream* stream, unsigned) {
  *stream = currentCard->makeStream();
  return 0;
}
int fake_streamDestroy(CUstream stream) {
  const int result = stream->card->finish(stream);
  stream->card->destroy(stream);
  return result;
}
int fake_streamSynchronize(CUstream stream) {
  if (const int error = illegalInCapture()) return error;
  return stream->card->finish(stream);
}
int fake_streamWaitEvent(CUstream stream, CUevent event, unsigned) {
  return stream->card->wait(stream, event);
}
int fake_streamBeginCapture(CUstream stream, int) { return stream->card->beginCapture(stream); }
int fake_streamEndCapture(CUstream stream, CUgraph* graph) {
  return stream->card->endCapture(stream, graph);
}
int fake_eventCreate(CUevent* event, unsigned flags) {
  auto made = std::make_unique<CUevent_st>();
  made->card = currentCard;
  made->hasTiming = (flags & STRATA_CUDA_EVENT_NO_TIMING) == 0;
  *event = made.get();
  world().events.emplace(made.get(), std::move(made));
  return 0;
}
int fake_eventDestroy(CUevent event) {
  // Waits for it may still be queued
  if (event->card) event->card->finishAll();
  return world().events.erase(event) == 1 ? 0 : STRATA_CUDA_INVALID_VALUE;
}
int fake_eventRecord(CUevent event, CUstream stream, unsigned flags) {
  return stream->card->record(event, stream, (flags & STRATA_CUDA_EVENT_RECORD_EXTERNAL) != 0);
}
int fake_eventQuery(CUevent event) {
  if (const int error = event->card->progress()) return error;
  return event->reached >= event->recorded ? 0 : STRATA_CUDA_NOT_READY;
}
int fake_eventSynchronize(CUevent event) {
  if (const int error = illegalInCapture()) return error;
  return event->card->finish(event);
}
int fake_eventElapsedTime(float* milliseconds, CUevent begin, CUevent end) {
  if (!begin->hasTiming || !end->hasTiming || begin->recorded == 0 || end->recorded == 0)
    return STRATA_CUDA_INVALID_VALUE;
  if (begin->reached < begin->recorded || end->reached < end->recorded)
    return STRATA_CUDA_NOT_READY;
  *milliseconds = static_cast<float>((end->seconds - begin->seconds) * 1e3);
  return 0;
}
int fake_graphInstantiate(CUgraphExec* executable, CUgraph graph, unsigned long long) {
  return currentCard->instantiate(graph, executable);
}
int fake_graphLaunch(CUgraphExec executable, CUstream stream) {
  Command command;
  command.kind = Command::Kind::Graph;
  command.graph = executable;
  command.ranges = executable->ranges;
  command.ranges.insert(command.ranges.end(), stream->ranges.begin(), stream->ranges.end());
  command.seconds = executable->seconds;
  return stream->card->add(stream, std::move(command));
}
int fake_graphDestroy(CUgraph graph) {
  delete graph;
  return 0;
}
int fake_graphExecDestroy(CUgraphExec executable) {
  currentCard->finishAll();
  delete executable;
  return 0;
}

// --- kernels

int fake_moduleLoadData(CUmodule* module, const void* image) {
  auto made = std::make_unique<CUmod_st>();
  made->card = currentCard;
  if (isHostImage(image)) {
    std::string problem;
    made->compiled = loadHostImage(image, problem);
    if (!made->compiled) {
      setLastError(problem);
      return STRATA_CUDA_INVALID_IMAGE;
    }
  }
  *module = made.release();
  return 0;
}
int fake_moduleUnload(CUmodule module) {
  module->card->finishAll();
  delete module;
  return 0;
}
int fake_moduleGetFunction(CUfunction* function, CUmodule module, const char* name) {
  const emulated::Kernel* kernel = module->compiled ? module->compiled : emulated::findKernel(name);
  if (!kernel || std::strcmp(kernel->name, name) != 0) return STRATA_CUDA_NOT_FOUND;
  auto& found = module->functions[name];
  if (!found) {
    found = std::make_unique<CUfunc_st>();
    found->kernel = kernel;
  }
  *function = found.get();
  return 0;
}
int fake_funcGetAttribute(int* value, int attribute, CUfunction function) {
  const StrataSimulatedCard& card = currentCard->description();
  const plugin::KernelUsage usage =
      plugin::usageOf(function->kernel->name, 10 * card.major + card.minor);
  switch (attribute) {
    case STRATA_CUDA_FUNCTION_MAX_THREADS: *value = static_cast<int>(kMaxBlock); return 0;
    case STRATA_CUDA_FUNCTION_REGISTERS: *value = usage.registers; return 0;
    case STRATA_CUDA_FUNCTION_SHARED_BYTES: *value = static_cast<int>(usage.sharedBytes); return 0;
    default: return STRATA_CUDA_INVALID_VALUE;
  }
}
int fake_funcSetAttribute(CUfunction, int, int) { return 0; }

int fake_launchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      CUstream stream, void** arguments, void** extra) {
  const auto invalid = [&](const char* what) {
    setLastError(std::string("kernel ") + function->kernel->name + ": " + what);
    return STRATA_CUDA_INVALID_VALUE;
  };
  if (extra) return invalid("extra arguments are not supported");
  if (gridX == 0 || gridY == 0 || gridZ == 0) return invalid("the grid is empty");
  if (gridX > kMaxGridX || gridY > kMaxGridYz || gridZ > kMaxGridYz)
    return invalid("the grid is too large");
  if (blockX == 0 || blockY == 0 || blockZ == 0 || blockX > kMaxBlock || blockY > kMaxBlock ||
      blockZ > kMaxBlockZ || static_cast<size_t>(blockX) * blockY * blockZ > kMaxBlock)
    return invalid("the block has an invalid size");
  if (sharedBytes > kMaxSharedBytes) return invalid("it uses too much shared memory");
  const emulated::Kernel& kernel = *function->kernel;
  for (size_t i = 0; i < kernel.numParameters; ++i) {
    if (kernel.parameters[i] != 'p') continue;
    uint64_t address = 0;
    std::memcpy(&address, arguments[i], sizeof address);
    // An empty operand may lie right after an allocation
    if (address != 0 && !stream->card->memory().contains(address, 1) &&
        !stream->card->memory().contains(address - 1, 1))
      return stream->card->failForever(STRATA_CUDA_ILLEGAL_ADDRESS,
                                       std::string("kernel ") + kernel.name + ": argument " +
                                           std::to_string(i) + " is no address of this card");
  }
  Command command;
  command.kind = Command::Kind::Launch;
  command.kernel = &kernel;
  command.bound.resize(kernel.boundBytes);
  kernel.bind(arguments, command.bound.data());
  command.grid = {gridX, gridY, gridZ};
  command.block = {blockX, blockY, blockZ};
  return stream->card->add(stream, std::move(command));
}

struct NamedResult {
  int result;
  const char* name;
  const char* text;
};
constexpr NamedResult kResults[] = {
    {STRATA_CUDA_SUCCESS, "CUDA_SUCCESS", "no error"},
    {STRATA_CUDA_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE", "invalid argument"},
    {STRATA_CUDA_OUT_OF_MEMORY, "CUDA_ERROR_OUT_OF_MEMORY", "out of memory"},
    {STRATA_CUDA_NO_DEVICE, "CUDA_ERROR_NO_DEVICE", "no CUDA-capable device is detected"},
    {STRATA_CUDA_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE", "invalid device ordinal"},
    {STRATA_CUDA_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE", "device kernel image is invalid"},
    {STRATA_CUDA_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT", "invalid device context"},
    {STRATA_CUDA_NOT_FOUND, "CUDA_ERROR_NOT_FOUND", "named symbol not found"},
    {STRATA_CUDA_NOT_READY, "CUDA_ERROR_NOT_READY", "device not ready"},
    {STRATA_CUDA_ILLEGAL_ADDRESS, "CUDA_ERROR_ILLEGAL_ADDRESS",
     "an illegal memory access was encountered"},
    {STRATA_CUDA_LAUNCH_FAILED, "CUDA_ERROR_LAUNCH_FAILED", "unspecified launch failure"},
    {cuda::kNvlinkUncorrectable, "CUDA_ERROR_NVLINK_UNCORRECTABLE",
     "uncorrectable NVLink error detected during the execution"},
    {cuda::kContained, "CUDA_ERROR_CONTAINED", "invalid access of peer GPU memory over nvlink"},
    {cuda::kTensorMemoryLeak, "CUDA_ERROR_TENSOR_MEMORY_LEAK",
     "tensor memory was not completely deallocated"},
    {cuda::kExternalDevice, "CUDA_ERROR_EXTERNAL_DEVICE",
     "an async error has occurred in external entity outside of CUDA"},
    {STRATA_CUDA_CAPTURE_UNSUPPORTED, "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED",
     "operation not permitted when stream is capturing"},
    {STRATA_CUDA_CAPTURE_INVALIDATED, "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED",
     "operation failed due to a previous error during capture"},
    {STRATA_CUDA_CAPTURE_UNJOINED, "CUDA_ERROR_STREAM_CAPTURE_UNJOINED",
     "capturing stream has unjoined work"},
};

int fake_getErrorName(int error, const char** text) {
  *text = "CUDA_ERROR_UNKNOWN";
  for (const NamedResult& result : kResults)
    if (result.result == error) *text = result.name;
  return 0;
}
int fake_getErrorString(int error, const char** text) {
  *text = "unknown error";
  for (const NamedResult& result : kResults)
    if (result.result == error) *text = result.text;
  // What the simulated card knows more than a real one
  if (currentCard && error != 0 && !currentCard->failureText().empty())
    *text = currentCard->failureText().c_str();
  else if (error != 0 && !lastErrorOfThread().empty())
    *text = lastErrorOfThread().c_str();
  return 0;
}

constexpr bool isErrorText(std::string_view name) { return name.starts_with("getError"); }
constexpr bool needsContext(std::string_view name) {
  return name != "init" && name != "driverGetVersion" && !name.starts_with("device") &&
         !name.starts_with("primaryCtx") && name != "ctxSetCurrent" && !isErrorText(name);
}

/// Locks the driver, counts the call, and fails if it must.
#define STRATA_SIMULATED_FUNCTION(name, symbol, parameters, arguments) \
  int simulated_##name parameters {                                    \
    const std::lock_guard lock(world().mutex);                         \
    if constexpr (!isErrorText(#name)) lastErrorOfThread().clear();    \
    if constexpr (needsContext(#name)) {                               \
      if (!currentCard) return STRATA_CUDA_INVALID_CONTEXT;            \
      if (const int failed = currentCard->beginCall()) return failed;  \
    }                                                                  \
    return fake_##name arguments;                                      \
  }
STRATA_DRIVER_FUNCTIONS(STRATA_SIMULATED_FUNCTION)
#undef STRATA_SIMULATED_FUNCTION

void annotate(CUstream stream, const StrataWork* work) {
  const std::lock_guard lock(world().mutex);
  stream->isAnnotated = work != nullptr;
  stream->ranges.clear();
  if (!work) return;
  for (size_t i = 0; i < work->numRanges; ++i)
    stream->ranges.push_back(
        {work->ranges[i].begin, work->ranges[i].bytes, work->ranges[i].isWritten != 0});
  stream->op = work->op ? work->op : "";
  stream->layer = work->layer ? work->layer : "";
  stream->workNumber = work->number;
  stream->running = work->running;
  stream->isStoppable = work->isStoppable != 0;
  const StrataSimulatedCard& card = stream->card->description();
  stream->nodeClock = NodeClock(work->flops, work->bytes, work->isProduct != 0, work->precision,
                                card.flopsPerSecond, card.bytesPerSecond);
}

void setStop(CUstream stream, StrataStop stop) {
  const std::lock_guard lock(world().mutex);
  stream->stop = {stop, stream->stop.step + 1};
}

}  // namespace

std::unique_lock<std::recursive_mutex> lockCards() { return std::unique_lock(world().mutex); }

void setLastError(const std::string& text) { lastErrorOfThread() = text; }
const char* lastError() { return lastErrorOfThread().c_str(); }

int openSimulated(const StrataSimulatedCard* description, StrataCardTables* tables) {
  const std::lock_guard lock(world().mutex);
  auto& cards = world().cards;
  auto own =
      std::ranges::find_if(cards, [&](const auto& card) { return card->canReopen(*description); });
  try {
    if (own == cards.end()) {
      const int ordinal = kFirstOrdinal + static_cast<int>(cards.size());
      cards.push_back(std::make_unique<Card>(*description, ordinal));
      own = cards.end() - 1;
    }
    else {
      (*own)->reopen(*description);
    }
    tables->ordinal = (*own)->ordinal();
  }
  catch (const std::exception& error) {
    setLastError(std::string("cannot reserve the memory of the card: ") + error.what());
    return STRATA_CUDA_OUT_OF_MEMORY;
  }
#define STRATA_SIMULATED_ENTRY(name, symbol, parameters, arguments) \
  tables->driver.name = simulated_##name;
  STRATA_DRIVER_FUNCTIONS(STRATA_SIMULATED_ENTRY)
#undef STRATA_SIMULATED_ENTRY
  tables->annotate = annotate;
  tables->setStop = setStop;
  fillRecorder(**own, tables->recorder);
  fillLibraries((*own)->description(), tables->libraries);
  return 0;
}

int64_t simulatedCalls(int32_t ordinal) {
  const std::lock_guard lock(world().mutex);
  const Card* card = cardOf(ordinal);
  return card ? card->calls() : 0;
}

void setSimulatedFault(int32_t ordinal, int64_t failingCall, int32_t failure) {
  const std::lock_guard lock(world().mutex);
  if (Card* card = cardOf(ordinal)) card->setFault(failingCall, failure);
}

int simulatedState(int32_t ordinal, StrataSimulatedState* state) {
  const std::lock_guard lock(world().mutex);
  Card* card = cardOf(ordinal);
  if (!card) return STRATA_CUDA_INVALID_DEVICE;
  state->totalBytes = card->description().memoryBytes;
  state->usedBytes = state->totalBytes - card->freeBytes();
  state->utilization = card->takeUtilization();
  state->megahertz = card->description().clockKilohertz / 1000;
  return 0;
}

/// Called by the interpreter of library calls (libraries.cpp).
int addCall(CUstream stream, std::shared_ptr<const HostCall> call, double relativeTime,
            const CUdeviceptr* addresses, size_t numAddresses, CUdeviceptr workspace,
            const char* name) {
  const std::lock_guard lock(world().mutex);
  if (!currentCard) return STRATA_CUDA_INVALID_CONTEXT;
  if (const int error = currentCard->beginCall()) return error;
  Command command;
  command.kind = Command::Kind::Call;
  command.call = std::move(call);
  command.callName = name;
  command.relativeTime = relativeTime;
  for (size_t i = 0; i <= numAddresses; ++i) {
    const CUdeviceptr address = i < numAddresses ? addresses[i] : workspace;
    // An empty operand or workspace may lie right after an allocation
    if (address != 0 && !stream->card->memory().contains(address, 1) &&
        !stream->card->memory().contains(address - 1, 1))
      return invalidAddress("an operand of a library call");
    // The alignment that descriptors of cuDNN and cuBLASLt promise
    if (address % STRATA_CALL_ALIGNMENT != 0) {
      setLastError("an address of a library call is not a multiple of 16 bytes");
      return STRATA_CUDA_INVALID_VALUE;
    }
    command.addresses.push_back(address == 0 ? nullptr : hostByte(address));
  }
  return stream->card->add(stream, std::move(command));
}

}  // namespace strata::simulated
