// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/plugin/nccl.h"

#include <chrono>
#include <cstring>
#include <string>
#include <thread>

#include "gpu/cuda/plugin/find_library.h"

#if __has_include(<nccl.h>)
#include <nccl.h>
#define STRATA_HAS_NCCL_HEADER
#endif

namespace strata::plugin {
namespace {

// Never destroyed, because communicators end when the program does
thread_local std::string& lastErrorText = *new std::string;

int fail(int status, const std::string& text) {
  lastErrorText = text;
  return status;
}

const char* lastError() { return lastErrorText.c_str(); }

#ifdef STRATA_HAS_NCCL_HEADER

#define STRATA_NCCL_FUNCTIONS(X)       \
  X(errorString, ncclGetErrorString)   \
  X(lastText, ncclGetLastError)        \
  X(uniqueId, ncclGetUniqueId)         \
  X(init, ncclCommInitRankConfig)      \
  X(asyncError, ncclCommGetAsyncError) \
  X(abort, ncclCommAbort)              \
  X(finalize, ncclCommFinalize)        \
  X(destroy, ncclCommDestroy)          \
  X(groupStart, ncclGroupStart)        \
  X(groupEnd, ncclGroupEnd)            \
  X(send, ncclSend)                    \
  X(receive, ncclRecv)                 \
  X(allGather, ncclAllGather)          \
  X(allReduce, ncclAllReduce)

struct Api {
#define STRATA_NCCL_ENTRY(name, symbol) decltype(&::symbol) name;
  STRATA_NCCL_FUNCTIONS(STRATA_NCCL_ENTRY)
#undef STRATA_NCCL_ENTRY
};

struct Opened {
  Api api{};
  std::string problem;
};

Opened open() {
  Opened result;
  const FoundLibrary& library = findLibrary(Library::Nccl);
  result.problem = library.problem;
  if (!library.handle) return result;
#define STRATA_NCCL_ENTRY(name, symbolName)                                                   \
  result.api.name = reinterpret_cast<decltype(result.api.name)>(library.symbol(#symbolName)); \
  if (!result.api.name) result.problem = library.path + " has no function " #symbolName;
  STRATA_NCCL_FUNCTIONS(STRATA_NCCL_ENTRY)
#undef STRATA_NCCL_ENTRY
  return result;
}

const Opened& opened() {
  static const Opened result = open();
  return result;
}

ncclComm_t of(StrataCommunicator* communicator) {
  return reinterpret_cast<ncclComm_t>(communicator);
}

cudaStream_t of(CUstream stream) { return reinterpret_cast<cudaStream_t>(stream); }

template <class T>
T* pointer(CUdeviceptr address) {
  return reinterpret_cast<T*>(static_cast<uintptr_t>(address));
}

/// Returns a status. A function that goes on in the background has not failed (state()).
int statusOf(ncclResult_t result, const char* function, ncclComm_t communicator = nullptr) {
  if (result == ncclSuccess || result == ncclInProgress) return 0;
  std::string text = std::string(function) + " failed: " + opened().api.errorString(result);
  if (const char* const more = opened().api.lastText(communicator); more && *more)
    text += std::string(" (") + more + ")";
  return fail(STRATA_STATUS_LIBRARY_FAILED, text);
}

int identify(char* id) {
  if (!opened().problem.empty()) return fail(STRATA_STATUS_MISSING_LIBRARY, opened().problem);
  static_assert(sizeof(ncclUniqueId) == STRATA_COMMUNICATOR_ID_BYTES);
  ncclUniqueId made;
  const int status = statusOf(opened().api.uniqueId(&made), "ncclGetUniqueId");
  if (status == 0) std::memcpy(id, &made, sizeof made);
  return status;
}

int join(const char* id, int32_t ranks, int32_t rank, StrataCommunicator** made) {
  if (!opened().problem.empty()) return fail(STRATA_STATUS_MISSING_LIBRARY, opened().problem);
  ncclUniqueId unique;
  std::memcpy(&unique, id, sizeof unique);
  ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
  // A process that is gone must not keep others waiting in a function
  config.blocking = 0;
  ncclComm_t communicator = nullptr;
  const int status = statusOf(opened().api.init(&communicator, ranks, unique, rank, &config),
                              "ncclCommInitRankConfig");
  *made = reinterpret_cast<StrataCommunicator*>(communicator);
  return status;
}

int state(StrataCommunicator* communicator, int32_t* isDone) {
  ncclResult_t result = ncclSuccess;
  const ncclResult_t asked = opened().api.asyncError(of(communicator), &result);
  *isDone = result == ncclInProgress ? 0 : 1;
  if (asked != ncclSuccess) return statusOf(asked, "ncclCommGetAsyncError", of(communicator));
  return statusOf(result, "NCCL", of(communicator));
}

/// Waits until a communicator has sent everything. Returns false after a failure, or some seconds.
bool finalize(ncclComm_t communicator) {
  constexpr std::chrono::seconds kLongest{5};
  ncclResult_t result = opened().api.finalize(communicator);
  const auto end = std::chrono::steady_clock::now() + kLongest;
  while (result == ncclInProgress && std::chrono::steady_clock::now() < end) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    if (opened().api.asyncError(communicator, &result) != ncclSuccess) return false;
  }
  return result == ncclSuccess;
}

void leave(StrataCommunicator* communicator, int32_t aborts) {
  if (aborts == 0 && finalize(of(communicator)))
    opened().api.destroy(of(communicator));
  else
    opened().api.abort(of(communicator));
}

int exchange(StrataCommunicator* communicator, const StrataCardPart* parts, size_t count,
             CUstream stream) {
  const Api& api = opened().api;
  const ncclComm_t own = of(communicator);
  if (const int status = statusOf(api.groupStart(), "ncclGroupStart", own)) return status;
  int failed = 0;
  for (size_t i = 0; i < count && failed == 0; ++i) {
    const StrataCardPart& part = parts[i];
    failed = part.isSent ? statusOf(api.send(pointer<const void>(part.address), part.count,
                                             ncclFloat, part.peer, own, of(stream)),
                                    "ncclSend", own)
                         : statusOf(api.receive(pointer<void>(part.address), part.count, ncclFloat,
                                                part.peer, own, of(stream)),
                                    "ncclRecv", own);
  }
  const int ended = statusOf(api.groupEnd(), "ncclGroupEnd", own);
  return failed ? failed : ended;
}

int gather(StrataCommunicator* communicator, CUdeviceptr from, CUdeviceptr to, size_t count,
           CUstream stream) {
  return statusOf(opened().api.allGather(pointer<const void>(from), pointer<void>(to), count,
                                         ncclFloat, of(communicator), of(stream)),
                  "ncclAllGather", of(communicator));
}

int sum(StrataCommunicator* communicator, CUdeviceptr values, size_t count, CUstream stream) {
  return statusOf(opened().api.allReduce(pointer<const void>(values), pointer<void>(values), count,
                                         ncclFloat, ncclSum, of(communicator), of(stream)),
                  "ncclAllReduce", of(communicator));
}

#else

constexpr const char* kNoHeader =
    "this build has no NCCL, because nccl.h was not found. Install NCCL and build Strata again";

int identify(char*) { return fail(STRATA_STATUS_MISSING_LIBRARY, kNoHeader); }
int join(const char*, int32_t, int32_t, StrataCommunicator**) {
  return fail(STRATA_STATUS_MISSING_LIBRARY, kNoHeader);
}
int state(StrataCommunicator*, int32_t*) { return STRATA_STATUS_INVALID_CALL; }
void leave(StrataCommunicator*, int32_t) {}
int exchange(StrataCommunicator*, const StrataCardPart*, size_t, CUstream) {
  return STRATA_STATUS_INVALID_CALL;
}
int gather(StrataCommunicator*, CUdeviceptr, CUdeviceptr, size_t, CUstream) {
  return STRATA_STATUS_INVALID_CALL;
}
int sum(StrataCommunicator*, CUdeviceptr, size_t, CUstream) { return STRATA_STATUS_INVALID_CALL; }

#endif

void interrupt(StrataCommunicator*) {}

}  // namespace

StrataCollectives ncclCollectives() {
  return {identify, join, state, leave, interrupt, exchange, gather, sum, lastError};
}

}  // namespace strata::plugin
