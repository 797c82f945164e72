// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/cupti.h"

#include <cupti.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <iterator>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include "gpu/cuda/plugin/find_library.h"

namespace strata::plugin {
namespace {

constexpr size_t kBufferBytes = size_t{1} << 20;
constexpr size_t kBufferAlignment = 8;
constexpr CUpti_ActivityKind kKinds[] = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL,
                                         CUPTI_ACTIVITY_KIND_MEMCPY, CUPTI_ACTIVITY_KIND_MEMSET};

// X(function)
#define STRATA_CUPTI_FUNCTIONS(X)      \
  X(cuptiSubscribe)                    \
  X(cuptiEnableCallback)               \
  X(cuptiActivityRegisterCallbacks)    \
  X(cuptiActivityEnable)               \
  X(cuptiActivityDisable)              \
  X(cuptiActivityFlushAll)             \
  X(cuptiActivityGetNextRecord)        \
  X(cuptiActivityGetNumDroppedRecords) \
  X(cuptiGetGraphNodeId)               \
  X(cuptiGetStreamId)                  \
  X(cuptiGetResultString)

struct Functions {
#define STRATA_CUPTI_MEMBER(name) decltype(&::name) name = nullptr;
  STRATA_CUPTI_FUNCTIONS(STRATA_CUPTI_MEMBER)
#undef STRATA_CUPTI_MEMBER
};

/// The instruction whose work this thread adds to a stream
thread_local int32_t currentNumber = 0;
thread_local std::string& lastErrorText = *new std::string;

/// What CUPTI reported. Never destroyed, because CUPTI may call back until the program ends.
struct Session {
  Functions call;
  std::mutex mutex;
  bool isOpened = false;
  // Why CUPTI cannot be used; empty if it can
  std::string problem;
  std::atomic<bool> isOn{false};
  // The instruction of each node of captured graphs, and of their executable copies
  std::unordered_map<uint64_t, int32_t> numberOfNode;
  std::vector<StrataRecord> records;
  // Those of the recording that ended last. CUPTI may bring others later.
  std::vector<StrataRecord> finished;
  // CUPTI's names live only as long as its buffers
  std::deque<std::string> names;
};

Session& session() {
  static auto* const result = new Session;
  return *result;
}

// --- callbacks -----------------------------------------------------------------------------------

void CUPTIAPI giveBuffer(uint8_t** buffer, size_t* bytes, size_t* maxRecords) {
  *buffer = static_cast<uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *bytes = *buffer ? kBufferBytes : 0;
  *maxRecords = 0;
}

StrataRecord recordOf(Session& own, const CUpti_ActivityKernel10& from) {
  StrataRecord record{};
  own.names.emplace_back(from.name ? from.name : "");
  record.name = own.names.back().c_str();
  record.kind = STRATA_RECORD_KERNEL;
  record.stream = static_cast<int32_t>(from.streamId);
  record.registers = from.registersPerThread;
  record.grid[0] = from.gridX;
  record.grid[1] = from.gridY;
  record.grid[2] = from.gridZ;
  record.block[0] = from.blockX;
  record.block[1] = from.blockY;
  record.block[2] = from.blockZ;
  record.sharedBytes = static_cast<uint64_t>(from.staticSharedMemory) +
                       static_cast<uint64_t>(from.dynamicSharedMemory);
  record.beginNanoseconds = from.start;
  record.endNanoseconds = from.end;
  return record;
}

int32_t kindOf(uint8_t copyKind) {
  switch (copyKind) {
    case CUPTI_ACTIVITY_MEMCPY_KIND_HTOD: return STRATA_RECORD_COPY_IN;
    case CUPTI_ACTIVITY_MEMCPY_KIND_DTOH: return STRATA_RECORD_COPY_OUT;
    default: return STRATA_RECORD_COPY_WITHIN;
  }
}

template <class A>
StrataRecord recordOfCopy(const A& from, int32_t kind) {
  StrataRecord record{};
  record.kind = kind;
  record.stream = static_cast<int32_t>(from.streamId);
  record.bytes = from.bytes;
  record.beginNanoseconds = from.start;
  record.endNanoseconds = from.end;
  return record;
}

void addRecord(Session& own, const CUpti_Activity* activity) {
  StrataRecord record{};
  uint64_t node = 0;
  switch (activity->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& kernel = *reinterpret_cast<const CUpti_ActivityKernel10*>(activity);
      record = recordOf(own, kernel);
      node = kernel.graphNodeId;
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY: {
      const auto& copy = *reinterpret_cast<const CUpti_ActivityMemcpy6*>(activity);
      record = recordOfCopy(copy, kindOf(copy.copyKind));
      node = copy.graphNodeId;
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& fill = *reinterpret_cast<const CUpti_ActivityMemset4*>(activity);
      record = recordOfCopy(fill, STRATA_RECORD_FILL);
      node = fill.graphNodeId;
      break;
    }
    default: return;
  }
  if (const auto found = own.numberOfNode.find(node); node != 0 && found != own.numberOfNode.end())
    record.number = found->second;
  // CUPTI may not have the times, and a forced flush also gives unfinished records
  if (record.beginNanoseconds > 0 && record.endNanoseconds >= record.beginNanoseconds)
    own.records.push_back(record);
}

void CUPTIAPI takeBuffer(CUcontext, uint32_t, uint8_t* buffer, size_t, size_t validBytes) {
  Session& own = session();
  {
    const std::lock_guard lock(own.mutex);
    CUpti_Activity* activity = nullptr;
    while (own.call.cuptiActivityGetNextRecord(buffer, validBytes, &activity) == CUPTI_SUCCESS)
      addRecord(own, activity);
  }
  std::free(buffer);
}

/// Notes which instruction captured a node. Instantiating a graph clones its nodes.
void CUPTIAPI noteNode(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain != CUPTI_CB_DOMAIN_RESOURCE) return;
  Session& own = session();
  const auto& graph = *static_cast<const CUpti_GraphData*>(
      static_cast<const CUpti_ResourceData*>(data)->resourceDescriptor);
  uint64_t node = 0, original = 0;
  if (own.call.cuptiGetGraphNodeId(graph.node, &node) != CUPTI_SUCCESS) return;
  const std::lock_guard lock(own.mutex);
  if (id == CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED && currentNumber != 0)
    own.numberOfNode[node] = currentNumber;
  if (id != CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED ||
      own.call.cuptiGetGraphNodeId(graph.originalNode, &original) != CUPTI_SUCCESS)
    return;
  if (const auto found = own.numberOfNode.find(original); found != own.numberOfNode.end())
    own.numberOfNode[node] = found->second;
}

// --- the recorder --------------------------------------------------------------------------------

std::string textOf(const Session& own, CUptiResult result) {
  const char* text = nullptr;
  if (own.call.cuptiGetResultString(result, &text) != CUPTI_SUCCESS || !text)
    text = "unknown error";
  std::string why = text;
  if (result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES)
    why += ". The driver lets only administrators profile: see NVIDIA's page ERR_NVGPUCTRPERM";
  if (result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED)
    why += ". Another profiler, such as nsys, watches this program";
  return why;
}

/// Opens CUPTI once. The first call may take seconds.
void openOnce(Session& own) {
  if (own.isOpened) return;
  own.isOpened = true;
  const FoundLibrary& library = findLibrary(Library::Cupti);
  own.problem = library.problem;
  if (!library.handle) return;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(library.symbol(name));
    if (!function && own.problem.empty()) own.problem = library.path + " has no function " + name;
  };
#define STRATA_FIND_CUPTI(name) find(own.call.name, #name);
  STRATA_CUPTI_FUNCTIONS(STRATA_FIND_CUPTI)
#undef STRATA_FIND_CUPTI
  if (!own.problem.empty()) return;
  const auto check = [&](CUptiResult result) {
    if (result != CUPTI_SUCCESS && own.problem.empty())
      own.problem = "CUPTI cannot record kernels: " + textOf(own, result);
    return result == CUPTI_SUCCESS;
  };
  CUpti_SubscriberHandle subscriber{};
  if (!check(own.call.cuptiSubscribe(&subscriber, noteNode, nullptr))) return;
  for (const uint32_t id :
       {CUPTI_CBID_RESOURCE_GRAPHNODE_CREATED, CUPTI_CBID_RESOURCE_GRAPHNODE_CLONED})
    if (!check(own.call.cuptiEnableCallback(1, subscriber, CUPTI_CB_DOMAIN_RESOURCE, id))) return;
  check(own.call.cuptiActivityRegisterCallbacks(giveBuffer, takeBuffer));
}

/// Fails with a text.
int fail(const std::string& text) {
  lastErrorText = text;
  return STRATA_STATUS_UNSUPPORTED;
}

int begin(void*) {
  Session& own = session();
  {
    const std::lock_guard lock(own.mutex);
    if (own.isOn) return fail("another device of this program is recorded");
    openOnce(own);
    if (!own.problem.empty()) return fail(own.problem);
    own.isOn = true;
  }
  // Without the lock, because CUPTI may call back. Records of the recording before may be late.
  own.call.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  {
    const std::lock_guard lock(own.mutex);
    own.records.clear();
    own.names.clear();
  }
  for (size_t i = 0; i < std::size(kKinds); ++i) {
    const CUptiResult result = own.call.cuptiActivityEnable(kKinds[i]);
    if (result == CUPTI_SUCCESS) continue;
    for (size_t before = 0; before < i; ++before)
      own.call.cuptiActivityDisable(kKinds[before]);
    own.isOn = false;
    return fail("CUPTI cannot record kernels: " + textOf(own, result));
  }
  return 0;
}

int end(void*, const StrataRecord** records, size_t* count) {
  Session& own = session();
  if (!own.isOn) return fail("the card is not recorded");
  // Forced: otherwise CUPTI keeps a buffer that one unfinished record is in. The work is done, but
  // CUPTI may not know it yet.
  const CUptiResult result = own.call.cuptiActivityFlushAll(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  for (const CUpti_ActivityKind kind : kKinds)
    own.call.cuptiActivityDisable(kind);
  own.isOn = false;
  currentNumber = 0;
  if (result != CUPTI_SUCCESS) return fail("CUPTI lost its records: " + textOf(own, result));
  size_t dropped = 0;
  own.call.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
  if (dropped > 0) return fail("CUPTI dropped " + std::to_string(dropped) + " records");
  const std::lock_guard lock(own.mutex);
  own.finished = std::move(own.records);
  own.records.clear();
  *records = own.finished.data();
  *count = own.finished.size();
  return 0;
}

int32_t streamNumber(void*, CUstream stream) {
  uint32_t number = 0;
  const Session& own = session();
  return own.call.cuptiGetStreamId(nullptr, stream, &number) == CUPTI_SUCCESS
             ? static_cast<int32_t>(number)
             : -1;
}

const char* lastErrorOf(void*) { return lastErrorText.c_str(); }

}  // namespace

StrataRecorder cuptiRecorder() { return {nullptr, begin, end, streamNumber, lastErrorOf}; }

void annotateForCupti(CUstream, const StrataWork* work) {
  if (session().isOn.load(std::memory_order_relaxed)) currentNumber = work ? work->number : 0;
}

}  // namespace strata::plugin
