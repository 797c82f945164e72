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

#include "gpu/cuda/plugin/image_usage.h"
#include "gpu/simulated/card.h"
#include "gpu/simulated/collectives.h"
#include "gpu/simulated/device_attributes.h"
#include "gpu/simulated/host_compiler.h"
#include "gpu/simulated/last_error.h"
#include "gpu/simulated/launches.h"
#include "gpu/simulated/result_texts.h"

namespace strata::simulated {
namespace {

// Ordinals of simulated cards, so that they never equal those of real ones
constexpr int kFirstOrdinal = 1000;
// 13.0, as cuDriverGetVersion() reports it
constexpr int kDriverVersion = 13000;

struct World {
  std::recursive_mutex mutex;
  std::map<uint64_t, size_t> pinned;
  std::map<CUevent, std::unique_ptr<CUevent_st>> events;
  std::map<CUmodule, std::unique_ptr<CUmod_st>> modules;
  // The handles, and addresses of memory, that were created and not destroyed
  std::set<uint64_t> handles;
};

World& world() {
  static World* const result = new World;
  return *result;
}

thread_local Card* currentCard = nullptr;

Card* cardOf(int ordinal) {
  const int index = ordinal - kFirstOrdinal;
  const auto& cards = allCards().cards;
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

uint64_t bitsOf(CUdeviceptr address) { return address; }

template <class T>
void noteCreated(T handle) {
  world().handles.insert(bitsOf(handle));
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

// --- devices

int fake_init(unsigned) { return 0; }
int fake_driverGetVersion(int* version) {
  *version = kDriverVersion;
  return 0;
}
int fake_deviceGetCount(int* count) {
  *count = static_cast<int>(allCards().cards.size());
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
int fake_deviceCanAccessPeer(int* canAccess, CUdevice device, CUdevice peer) {
  const Card *const card = cardOf(device), *const other = cardOf(peer);
  if (!card || !other) return STRATA_CUDA_INVALID_DEVICE;
  *canAccess = card != other && card->description().peerFault != STRATA_PEER_REFUSED ? 1 : 0;
  return 0;
}
int fake_ctxEnablePeerAccess(CUcontext peer, unsigned) {
  return currentCard->enablePeer(*peer->card) ? 0 : STRATA_CUDA_PEER_ACCESS_ALREADY_ENABLED;
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
  noteCreated(*address);
  return 0;
}
int fake_memFree(CUdeviceptr address) {
  if (const int error = illegalInCapture()) return error;
  // As the driver, waits for everything
  if (const int error = currentCard->finishAll()) return error;
  const auto allocation = currentCard->memory().allocationOf(address);
  if (!allocation || !currentCard->memory().release(address)) return STRATA_CUDA_INVALID_VALUE;
  return currentCard->forget(allocation->first, allocation->second);
}
int fake_memHostAlloc(void** memory, size_t bytes, unsigned) {
  if (const int error = illegalInCapture()) return error;
  void* allocated = std::aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
  if (!allocated) return STRATA_CUDA_OUT_OF_MEMORY;
  std::memset(allocated, 0xFF, bytes);
  world().pinned.emplace(bitsOf(allocated), bytes);
  *memory = allocated;
  noteCreated(*memory);
  return 0;
}
int fake_memFreeHost(void* memory) {
  const auto found = world().pinned.find(bitsOf(memory));
  if (found == world().pinned.end()) return STRATA_CUDA_INVALID_VALUE;
  if (const int error = currentCard->finishAll()) return error;
  if (const int error = currentCard->forget(found->first, found->second)) return error;
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
int fake_memcpyPeerAsync(CUdeviceptr to, CUcontext toContext, CUdeviceptr from,
                         CUcontext fromContext, size_t bytes, CUstream stream) {
  if (!toContext->card->memory().contains(to, bytes) ||
      !fromContext->card->memory().contains(from, bytes))
    return invalidAddress("an operand of a copy between cards");
  // Strata copies through the host itself where cards cannot access each other
  if (toContext != fromContext && !currentCard->canAccess(*fromContext->card)) {
    setLastError("a copy from a card whose memory this card cannot access");
    return STRATA_CUDA_INVALID_CONTEXT;
  }
  Command command;
  command.kind = Command::Kind::CopyPeer;
  command.to = hostByte(to);
  command.from = hostByte(from);
  // What is copied by a pair of cards that is broken
  if (stream->card->description().peerFault == STRATA_PEER_WRONG) command.from = command.to;
  command.bytes = bytes;
  command.seconds = copySeconds(bytes, kPeerBytesPerSecond);
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
  noteCreated(*stream);
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
  const int result = stream->card->endCapture(stream, graph);
  if (result == 0) noteCreated(*graph);
  return result;
}
int fake_eventCreate(CUevent* event, unsigned flags) {
  auto made = std::make_unique<CUevent_st>();
  made->card = currentCard;
  made->hasTiming = (flags & STRATA_CUDA_EVENT_NO_TIMING) == 0;
  *event = made.get();
  noteCreated(*event);
  world().events.emplace(made.get(), std::move(made));
  return 0;
}
int fake_eventDestroy(CUevent event) {
  // Waits for it may still be queued, also on other cards
  for (const auto& card : allCards().cards)
    if (!card->isLost()) card->finishAll();
  world().events.erase(event);
  return 0;
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
  const int result = currentCard->instantiate(graph, executable);
  if (result == 0) noteCreated(*executable);
  return result;
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
  *module = made.get();
  noteCreated(*module);
  world().modules.emplace(*module, std::move(made));
  return 0;
}
int fake_moduleUnload(CUmodule module) {
  module->card->finishAll();
  world().modules.erase(module);
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
    case STRATA_CUDA_FUNCTION_MAX_THREADS: *value = kMaxThreads; return 0;
    case STRATA_CUDA_FUNCTION_REGISTERS: *value = usage.registers; return 0;
    case STRATA_CUDA_FUNCTION_SHARED_BYTES: *value = static_cast<int>(usage.sharedBytes); return 0;
    default: return STRATA_CUDA_INVALID_VALUE;
  }
}
int fake_funcSetAttribute(CUfunction, int, int) { return 0; }

int fake_launchKernel(CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
                      unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
                      CUstream stream, void** arguments, void** extra) {
  if (!extra)
    return addLaunch(stream, *function->kernel, {gridX, gridY, gridZ}, {blockX, blockY, blockZ},
                     sharedBytes, arguments);
  setLastError("extra arguments of kernels are not supported");
  return STRATA_CUDA_INVALID_VALUE;
}

int fake_getErrorName(int error, const char** text) {
  *text = resultName(error);
  return 0;
}
int fake_getErrorString(int error, const char** text) {
  *text = resultText(error);
  // What the simulated card knows more than a real one
  if (currentCard && error != 0 && !currentCard->failureText().empty())
    *text = currentCard->failureText().c_str();
  else if (error != 0 && *lastError())
    *text = lastError();
  return 0;
}

constexpr bool isErrorText(std::string_view name) { return name.starts_with("getError"); }
constexpr bool needsContext(std::string_view name) {
  return name != "init" && name != "driverGetVersion" && !name.starts_with("device") &&
         !name.starts_with("primaryCtx") && name != "ctxSetCurrent" && !isErrorText(name);
}

constexpr bool destroysHandle(std::string_view name) {
  return name.ends_with("Destroy") || name == "moduleUnload" || name.starts_with("memFree");
}

/// Destroys a handle once. If the call must fail, the handle is gone nevertheless: a real driver
/// reports the error of earlier work.
template <class Function, class Handle>
int destroyOnce(Function function, Handle handle) {
  auto& handles = world().handles;
  const auto bits = bitsOf(handle);
  if (!handles.contains(bits)) {
    currentCard->noteInvalidHandle();
    setLastError("a handle was destroyed that does not exist");
    return STRATA_CUDA_INVALID_HANDLE;
  }
  const int failed = currentCard->beginCall();
  const int result = currentCard->isLost() ? failed : function(handle);
  // Before the end of a capture, nothing has happened
  if (result != STRATA_CUDA_CAPTURE_UNSUPPORTED) handles.erase(bits);
  return failed ? failed : result;
}

/// Returns a function that calls destroyOnce() if it gets one argument.
template <class Function>
auto destroyerOf(Function function) {
  return [function](auto... arguments) -> int {
    if constexpr (sizeof...(arguments) == 1) return destroyOnce(function, arguments...);
    return STRATA_CUDA_INVALID_VALUE;
  };
}

/// Locks the driver, counts the call, and fails if it must.
#define STRATA_SIMULATED_FUNCTION(name, symbol, parameters, arguments)                \
  int simulated_##name parameters {                                                   \
    const std::lock_guard lock(world().mutex);                                        \
    if constexpr (!isErrorText(#name)) setLastError({});                              \
    if constexpr (needsContext(#name)) {                                              \
      if (!currentCard) return STRATA_CUDA_INVALID_CONTEXT;                           \
      if constexpr (destroysHandle(#name)) return destroyerOf(fake_##name) arguments; \
      if (const int failed = currentCard->beginCall()) return failed;                 \
    }                                                                                 \
    return fake_##name arguments;                                                     \
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

int openSimulated(const StrataSimulatedCard* description, StrataCardTables* tables) {
  const std::lock_guard lock(world().mutex);
  auto& cards = allCards().cards;
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
  tables->collectives = simulatedCollectives();
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
  state->invalidHandles = card->invalidHandles();
  return 0;
}

}  // namespace strata::simulated
