/* SPDX-License-Identifier: Apache-2.0
 * The part of the CUDA driver that Strata calls: its handles, and a table of its functions. The
 * handles are declared as in cuda.h, so that the engine needs no CUDA header. A real driver and a
 * simulated card (gpu/simulated) both fill the table.
 * Source of the functions: CUDA Driver API, version 13.
 * Thread: as the driver. Functions with a context need ctxSetCurrent() on the calling thread. */
#pragma once

#include <stddef.h>
#include <stdint.h>

typedef unsigned long long CUdeviceptr;
typedef int CUdevice;
typedef struct CUctx_st* CUcontext;
typedef struct CUmod_st* CUmodule;
typedef struct CUfunc_st* CUfunction;
typedef struct CUstream_st* CUstream;
typedef struct CUevent_st* CUevent;
typedef struct CUgraph_st* CUgraph;
typedef struct CUgraphExec_st* CUgraphExec;

/* Results of driver functions (CUresult) */
enum {
  STRATA_CUDA_SUCCESS = 0,
  STRATA_CUDA_INVALID_VALUE = 1,
  STRATA_CUDA_OUT_OF_MEMORY = 2,
  STRATA_CUDA_NO_DEVICE = 100,
  STRATA_CUDA_INVALID_DEVICE = 101,
  STRATA_CUDA_INVALID_IMAGE = 200,
  STRATA_CUDA_INVALID_CONTEXT = 201,
  STRATA_CUDA_INVALID_HANDLE = 400,
  STRATA_CUDA_NOT_FOUND = 500,
  STRATA_CUDA_NOT_READY = 600,
  STRATA_CUDA_ILLEGAL_ADDRESS = 700,
  STRATA_CUDA_PEER_ACCESS_ALREADY_ENABLED = 704,
  STRATA_CUDA_LAUNCH_FAILED = 719,
  STRATA_CUDA_CAPTURE_UNSUPPORTED = 900,
  STRATA_CUDA_CAPTURE_INVALIDATED = 901,
  STRATA_CUDA_CAPTURE_UNJOINED = 904,
  STRATA_CUDA_UNKNOWN = 999
};

/* Device attributes (CUdevice_attribute) */
enum {
  STRATA_CUDA_CLOCK_KILOHERTZ = 13,
  STRATA_CUDA_MULTIPROCESSORS = 16,
  STRATA_CUDA_INTEGRATED = 18,
  STRATA_CUDA_COMPUTE_MODE = 20,
  STRATA_CUDA_MEMORY_CLOCK_KILOHERTZ = 36,
  STRATA_CUDA_BUS_WIDTH_BITS = 37,
  STRATA_CUDA_L2_BYTES = 38,
  STRATA_CUDA_MAJOR = 75,
  STRATA_CUDA_MINOR = 76,
  STRATA_CUDA_MAX_SHARED_BYTES_OPTIN = 97,
  STRATA_CUDA_THREADS_PER_MULTIPROCESSOR = 39,
  STRATA_CUDA_SHARED_BYTES_PER_MULTIPROCESSOR = 81,
  STRATA_CUDA_REGISTERS_PER_MULTIPROCESSOR = 82,
  STRATA_CUDA_BLOCKS_PER_MULTIPROCESSOR = 106,
  STRATA_CUDA_RESERVED_SHARED_BYTES = 111
};

/* Function attributes (CUfunction_attribute) */
enum {
  STRATA_CUDA_FUNCTION_MAX_THREADS = 0,
  STRATA_CUDA_FUNCTION_SHARED_BYTES = 1,
  STRATA_CUDA_FUNCTION_REGISTERS = 4,
  STRATA_CUDA_FUNCTION_MAX_DYNAMIC_SHARED_BYTES = 8
};

/* Flags */
enum {
  STRATA_CUDA_STREAM_NON_BLOCKING = 1,
  STRATA_CUDA_HOST_PORTABLE = 1,
  STRATA_CUDA_EVENT_NO_TIMING = 2,
  STRATA_CUDA_EVENT_RECORD_EXTERNAL = 1,
  STRATA_CUDA_CAPTURE_THREAD_LOCAL = 1
};

/* X(name in the table, symbol of the library, parameters, arguments) */
#define STRATA_DRIVER_FUNCTIONS(X)                                                                \
  X(init, cuInit, (unsigned flags), (flags))                                                      \
  X(driverGetVersion, cuDriverGetVersion, (int* version), (version))                              \
  X(deviceGetCount, cuDeviceGetCount, (int* count), (count))                                      \
  X(deviceGet, cuDeviceGet, (CUdevice * device, int ordinal), (device, ordinal))                  \
  X(deviceGetName, cuDeviceGetName, (char* name, int length, CUdevice device),                    \
    (name, length, device))                                                                       \
  X(deviceTotalMem, cuDeviceTotalMem_v2, (size_t * bytes, CUdevice device), (bytes, device))      \
  X(deviceGetAttribute, cuDeviceGetAttribute, (int* value, int attribute, CUdevice device),       \
    (value, attribute, device))                                                                   \
  X(deviceGetPCIBusId, cuDeviceGetPCIBusId, (char* id, int length, CUdevice device),              \
    (id, length, device))                                                                         \
  X(primaryCtxRetain, cuDevicePrimaryCtxRetain, (CUcontext * context, CUdevice device),           \
    (context, device))                                                                            \
  X(primaryCtxRelease, cuDevicePrimaryCtxRelease_v2, (CUdevice device), (device))                 \
  X(ctxSetCurrent, cuCtxSetCurrent, (CUcontext context), (context))                               \
  X(deviceCanAccessPeer, cuDeviceCanAccessPeer, (int* canAccess, CUdevice device, CUdevice peer), \
    (canAccess, device, peer))                                                                    \
  X(ctxEnablePeerAccess, cuCtxEnablePeerAccess, (CUcontext peer, unsigned flags), (peer, flags))  \
  X(ctxSynchronize, cuCtxSynchronize, (void), ())                                                 \
  X(memGetInfo, cuMemGetInfo_v2, (size_t * freeBytes, size_t * totalBytes),                       \
    (freeBytes, totalBytes))                                                                      \
  X(memAlloc, cuMemAlloc_v2, (CUdeviceptr * address, size_t bytes), (address, bytes))             \
  X(memFree, cuMemFree_v2, (CUdeviceptr address), (address))                                      \
  X(memHostAlloc, cuMemHostAlloc, (void** memory, size_t bytes, unsigned flags),                  \
    (memory, bytes, flags))                                                                       \
  X(memFreeHost, cuMemFreeHost, (void* memory), (memory))                                         \
  X(memcpyHtoDAsync, cuMemcpyHtoDAsync_v2,                                                        \
    (CUdeviceptr to, const void* from, size_t bytes, CUstream stream), (to, from, bytes, stream)) \
  X(memcpyDtoHAsync, cuMemcpyDtoHAsync_v2,                                                        \
    (void* to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream))       \
  X(memcpyDtoDAsync, cuMemcpyDtoDAsync_v2,                                                        \
    (CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream), (to, from, bytes, stream)) \
  X(memcpyPeerAsync, cuMemcpyPeerAsync,                                                           \
    (CUdeviceptr to, CUcontext toContext, CUdeviceptr from, CUcontext fromContext, size_t bytes,  \
     CUstream stream),                                                                            \
    (to, toContext, from, fromContext, bytes, stream))                                            \
  X(memsetD8Async, cuMemsetD8Async,                                                               \
    (CUdeviceptr address, unsigned char value, size_t bytes, CUstream stream),                    \
    (address, value, bytes, stream))                                                              \
  X(memsetD32Async, cuMemsetD32Async,                                                             \
    (CUdeviceptr address, unsigned value, size_t count, CUstream stream),                         \
    (address, value, count, stream))                                                              \
  X(streamCreate, cuStreamCreate, (CUstream * stream, unsigned flags), (stream, flags))           \
  X(streamDestroy, cuStreamDestroy_v2, (CUstream stream), (stream))                               \
  X(streamSynchronize, cuStreamSynchronize, (CUstream stream), (stream))                          \
  X(streamWaitEvent, cuStreamWaitEvent, (CUstream stream, CUevent event, unsigned flags),         \
    (stream, event, flags))                                                                       \
  X(streamBeginCapture, cuStreamBeginCapture_v2, (CUstream stream, int mode), (stream, mode))     \
  X(streamEndCapture, cuStreamEndCapture, (CUstream stream, CUgraph * graph), (stream, graph))    \
  X(eventCreate, cuEventCreate, (CUevent * event, unsigned flags), (event, flags))                \
  X(eventDestroy, cuEventDestroy_v2, (CUevent event), (event))                                    \
  X(eventRecord, cuEventRecordWithFlags, (CUevent event, CUstream stream, unsigned flags),        \
    (event, stream, flags))                                                                       \
  X(eventQuery, cuEventQuery, (CUevent event), (event))                                           \
  X(eventSynchronize, cuEventSynchronize, (CUevent event), (event))                               \
  X(eventElapsedTime, cuEventElapsedTime_v2, (float* milliseconds, CUevent begin, CUevent end),   \
    (milliseconds, begin, end))                                                                   \
  X(moduleLoadData, cuModuleLoadData, (CUmodule * module, const void* image), (module, image))    \
  X(moduleUnload, cuModuleUnload, (CUmodule module), (module))                                    \
  X(moduleGetFunction, cuModuleGetFunction,                                                       \
    (CUfunction * function, CUmodule module, const char* name), (function, module, name))         \
  X(funcGetAttribute, cuFuncGetAttribute, (int* value, int attribute, CUfunction function),       \
    (value, attribute, function))                                                                 \
  X(funcSetAttribute, cuFuncSetAttribute, (CUfunction function, int attribute, int value),        \
    (function, attribute, value))                                                                 \
  X(launchKernel, cuLaunchKernel,                                                                 \
    (CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ, unsigned blockX,        \
     unsigned blockY, unsigned blockZ, unsigned sharedBytes, CUstream stream, void** arguments,   \
     void** extra),                                                                               \
    (function, gridX, gridY, gridZ, blockX, blockY, blockZ, sharedBytes, stream, arguments,       \
     extra))                                                                                      \
  X(graphInstantiate, cuGraphInstantiateWithFlags,                                                \
    (CUgraphExec * executable, CUgraph graph, unsigned long long flags),                          \
    (executable, graph, flags))                                                                   \
  X(graphLaunch, cuGraphLaunch, (CUgraphExec executable, CUstream stream), (executable, stream))  \
  X(graphDestroy, cuGraphDestroy, (CUgraph graph), (graph))                                       \
  X(graphExecDestroy, cuGraphExecDestroy, (CUgraphExec executable), (executable))                 \
  X(getErrorName, cuGetErrorName, (int error, const char** text), (error, text))                  \
  X(getErrorString, cuGetErrorString, (int error, const char** text), (error, text))

typedef struct StrataDriverTable {
#define STRATA_DRIVER_FUNCTION(name, symbol, parameters, arguments) int(*name) parameters;
  STRATA_DRIVER_FUNCTIONS(STRATA_DRIVER_FUNCTION)
#undef STRATA_DRIVER_FUNCTION
} StrataDriverTable;
