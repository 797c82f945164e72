/* SPDX-License-Identifier: Apache-2.0
 * The C interface of the plug-in for NVIDIA GPUs, libstrata_cuda.so. The plug-in holds what needs
 * the CUDA Toolkit: the compiled kernels, the calls of cuDNN, cuBLASLt, NVRTC, CUPTI and NVML, and
 * the simulated cards. The engine holds the rest, and works without the plug-in.
 * Every function returns a status, 0 for success: the driver's result for functions of the driver,
 * and a value of the enum below for others. lastError() then has a text.
 * Thread: any thread may call functions of the plug-in. Functions of a card need its context on the
 * calling thread. */
#pragma once

#include "gpu/cuda/driver_types.h"
#include "gpu/cuda/library_calls.h"

/* Changes with every change of this header */
enum { STRATA_CUDA_INTERFACE = 10 };
#define STRATA_CUDA_ENTRY "strataCudaPlugin"

enum {
  STRATA_STATUS_MISSING_LIBRARY = 10001,
  STRATA_STATUS_UNSUPPORTED = 10002,
  STRATA_STATUS_LIBRARY_FAILED = 10003,
  STRATA_STATUS_INVALID_CALL = 10004,
  STRATA_STATUS_WORKSPACE_LIMIT = 10005
};

/* A call with a chosen algorithm, ready to run */
typedef struct StrataPlan StrataPlan;

enum { STRATA_MAX_ALGORITHM_BYTES = 64 };

typedef struct StrataAlgorithm {
  /* A name that plan() accepts, such as "eng5{k2=3}" */
  char name[120];
  /* The settings that the name lacks, as text (algorithm_data.h); "" if it has all */
  char data[32 + 2 * STRATA_MAX_ALGORITHM_BYTES];
  size_t workspaceBytes;
  int32_t usesTensorCores;
  /* On a simulated card: the predicted time relative to its peak rates. 0 on others. plan() alone
   * sets it. */
  double relativeTime;
} StrataAlgorithm;

/* The libraries of one card */
typedef struct StrataLibraries {
  void* self;
  /* Lists the algorithms for a call, best guess first. `count` is the size of the array, and
   * becomes the number of algorithms in it. */
  int (*algorithms)(void* self, const StrataLibraryCall* call, StrataAlgorithm* list,
                    size_t* count);
  /* Creates a plan with the named algorithm; null or "" takes the first one whose workspace is
   * within the limit. If only the limit prevents a plan, returns STRATA_STATUS_WORKSPACE_LIMIT, and
   * `chosen` has the smallest workspace. The name may be followed by "#" and data. Data that are
   * damaged, or from another version of the library, are ignored: `chosen` then has other data. */
  int (*plan)(void* self, const StrataLibraryCall* call, const char* algorithm,
              size_t workspaceLimit, StrataPlan** plan, StrataAlgorithm* chosen);
  /* Adds the call to the stream. Addresses are in the order of the struct of the call. */
  int (*run)(void* self, StrataPlan* plan, CUstream stream, const CUdeviceptr* addresses,
             size_t numAddresses, CUdeviceptr workspace);
  void (*destroyPlan)(void* self, StrataPlan* plan);
  /* Returns the compiler of compile() with its version, options and target, such as "NVRTC 13.0
   * --fmad=true sm_90", or null if there is none. Images of one compiler can be kept and loaded
   * later. */
  const char* (*compiler)(void* self);
  /* Compiles CUDA C++ that defines the kernel `name` with the parameters kGeneratedParameters
   * (generate/pointwise_text.h). The caller frees the image, which moduleLoadData() takes. */
  int (*compile)(void* self, const char* text, const char* name, void** image, size_t* bytes);
  void (*freeImage)(void* self, void* image);
  const char* (*lastError)(void* self);
} StrataLibraries;

/* Bytes of a card's memory that the next work of a stream accesses */
typedef struct StrataRange {
  CUdeviceptr begin;
  size_t bytes;
  int32_t isWritten;
} StrataRange;

/* What the next launches and library calls of a stream are for */
typedef struct StrataWork {
  const char* op;
  const char* layer;
  const StrataRange* ranges;
  size_t numRanges;
  double flops, bytes;
  /* Whether `flops` are those of products, which tensor cores compute */
  int32_t isProduct;
  /* Index in CatalogueDevice::flopsPerSecond: float32, tf32, bfloat16, float16 */
  int32_t precision;
  /* Number of the instruction in its step, from 1; 0 for other work */
  int32_t number;
  /* Of an instruction of a step: a float that is 0 where the step must change nothing, and whether
   * the step may still be stopped before this work. Simulated cards alone read them. */
  CUdeviceptr running;
  int32_t isStoppable;
} StrataWork;

/* Says whether the step with this work was asked to stop; both null if nobody asks */
typedef struct StrataStop {
  int32_t (*isRequested)(const void* step);
  const void* step;
} StrataStop;

enum {
  STRATA_RECORD_KERNEL = 0,
  STRATA_RECORD_COPY_IN = 1,
  STRATA_RECORD_COPY_OUT = 2,
  STRATA_RECORD_COPY_WITHIN = 3,
  STRATA_RECORD_FILL = 4,
  STRATA_RECORD_COPY_PEER = 5
};

/* One execution of a kernel or a copy */
typedef struct StrataRecord {
  /* Name of a kernel; null for the others */
  const char* name;
  /* StrataWork::number of the work that captured it, or 0 */
  int32_t number;
  int32_t kind;
  int32_t stream;
  int32_t registers;
  int32_t grid[3], block[3];
  uint64_t sharedBytes;
  /* Of a copy or fill */
  uint64_t bytes;
  /* Clock of the card */
  uint64_t beginNanoseconds, endNanoseconds;
} StrataRecord;

/* Records what a card does. One recording at a time. */
typedef struct StrataRecorder {
  void* self;
  /* Begins to record. Graphs that are captured from now on have records with numbers. Fails if the
   * card cannot be watched, for example because another profiler does so. */
  int (*begin)(void* self);
  /* Ends recording. All recorded work must be done. Records are valid until the next begin(). */
  int (*end)(void* self, const StrataRecord** records, size_t* count);
  /* Returns the number of a stream in records, or -1. */
  int32_t (*streamNumber)(void* self, CUstream stream);
  const char* (*lastError)(void* self);
} StrataRecorder;

enum { STRATA_COMMUNICATOR_ID_BYTES = 128 };

/* A card's place among those of other processes */
typedef struct StrataCommunicator StrataCommunicator;

/* Elements of type float that go to another process, or come from it */
typedef struct StrataCardPart {
  int32_t peer;
  int32_t isSent;
  CUdeviceptr address;
  size_t count;
} StrataCardPart;

/* What cards of several processes do together (NCCL). Work is added to a stream, also to one that
 * captures, and runs when all processes have added it. All processes add the same in one order. */
typedef struct StrataCollectives {
  /* Writes what names a new communicator, STRATA_COMMUNICATOR_ID_BYTES bytes. The process with rank
   * 0 calls it, and passes the bytes to all others. */
  int (*identify)(char* id);
  /* Begins to join the communicator with the card whose context is current. */
  int (*join)(const char* id, int32_t ranks, int32_t rank, StrataCommunicator** made);
  /* Says whether the last function is done. Fails if the library has noticed that another process
   * has failed; within a machine, it may not. */
  int (*state)(StrataCommunicator* communicator, int32_t* isDone);
  /* Ends the communicator, and work that waits for other processes if `aborts` is not 0. */
  void (*leave)(StrataCommunicator* communicator, int32_t aborts);
  /* Ends work of a simulated card that waits for other processes. Elements that are missing become
   * 0, and state() fails from then on. Any thread may call it. Does nothing for real cards. */
  void (*interrupt)(StrataCommunicator* communicator);
  /* Sends and receives. */
  int (*exchange)(StrataCommunicator* communicator, const StrataCardPart* parts, size_t count,
                  CUstream stream);
  /* Copies `count` elements of each process to all, by rank. `from` may be the place of the own
   * ones. */
  int (*gather)(StrataCommunicator* communicator, CUdeviceptr from, CUdeviceptr to, size_t count,
                CUstream stream);
  /* Replaces elements by their sums over all processes, in an order that the library chooses. */
  int (*sum)(StrataCommunicator* communicator, CUdeviceptr values, size_t count, CUstream stream);
  const char* (*lastError)(void);
} StrataCollectives;

/* A card that the engine may use */
typedef struct StrataCardTables {
  StrataDriverTable driver;
  StrataLibraries libraries;
  /* Describes the work that is added to a stream until the next call; null if nobody wants it */
  void (*annotate)(CUstream stream, const StrataWork* work);
  /* Says who is asked whether the steps that are added to the stream from now on must stop; null if
   * the card cannot stop within a step */
  void (*setStop)(CUstream stream, StrataStop stop);
  StrataRecorder recorder;
  StrataCollectives collectives;
  /* The ordinal of the card, for driver.deviceGet() */
  int32_t ordinal;
} StrataCardTables;

/* Real libraries have no algorithm for some products */
enum { STRATA_REFUSED_NONE = 0, STRATA_REFUSED_WITH_BIAS = 1, STRATA_REFUSED_ALL = 2 };

/* How copies between cards fail: cards cannot access each other, or the copy writes nothing
 * although they seem to. Some consumer cards and virtual machines do so. */
enum { STRATA_PEER_WORKS = 0, STRATA_PEER_REFUSED = 1, STRATA_PEER_WRONG = 2 };

typedef struct StrataSimulatedCard {
  const char* name;
  int32_t major, minor;
  int32_t multiprocessors, clockKilohertz;
  size_t memoryBytes;
  double bytesPerSecond;
  /* float32, tf32, bfloat16, float16; 0 if the card does not support it */
  double flopsPerSecond[4];
  /* JSON for CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, or null */
  const char* cudnnProperties;
  /* Whether plans compile the engines that cuDNN compiles at run time, about a second each, as a
   * real card does. Otherwise plans have cuDNN's figures for these engines. */
  int32_t compilesEngines;
  /* Which matrix products the card refuses, although the host could compute them: a value of
   * STRATA_REFUSED_... */
  int32_t refusedProducts;
  /* How copies from other cards fail: a value of STRATA_PEER_... */
  int32_t peerFault;
  /* Host threads that compute */
  int32_t threads;
  /* Seed of the order in which streams and blocks run; 0: always oldest first */
  uint64_t order;
  /* If not 0, the call with this number fails with `failure` */
  int64_t failingCall;
  int32_t failure;
} StrataSimulatedCard;

/* The state of a simulated card now */
typedef struct StrataSimulatedState {
  size_t totalBytes, usedBytes;
  /* The part of the virtual time in which kernels ran, since the call before or for at least a
   * millisecond; negative before any time has passed. */
  double utilization;
  /* The clock of the data sheet */
  int32_t megahertz;
  /* How often a handle or memory was destroyed that did not exist, or no longer */
  int64_t invalidHandles;
} StrataSimulatedState;

/* What the plug-in found of one library */
typedef struct StrataLibraryState {
  const char* name;
  /* Empty if it was not found */
  const char* path;
  const char* version;
  /* Empty, or what is wrong, such as "libcudnn.so.9 was not found" */
  const char* failure;
  /* The same with what the library is for, and how to get it, without a full stop at the end */
  const char* problem;
} StrataLibraryState;

typedef struct StrataCudaPlugin {
  uint32_t interfaceVersion;
  /* The architectures of the kernels, such as "75 80 90" */
  const char* architectures;
  /* Returns the parameters of a kernel, one letter each: p pointer, i int32_t, l int64_t, u
   * uint64_t, f float, s any struct; null if there is no kernel with this name. */
  const char* (*kernelParameters)(const char* name);
  /* The compiled kernels: images for moduleLoadData() */
  const void* const* images;
  size_t numImages;
  /* Opens the driver and the libraries for the card with this ordinal */
  int (*openCard)(int32_t ordinal, StrataCardTables* tables);
  int (*openSimulated)(const StrataSimulatedCard* card, StrataCardTables* tables);
  /* Returns the number of driver calls of a simulated card so far */
  int64_t (*simulatedCalls)(int32_t ordinal);
  /* Sets failingCall, counted from now, and failure of a simulated card */
  void (*setSimulatedFault)(int32_t ordinal, int64_t failingCall, int32_t failure);
  /* Tells the state of a simulated card. Waits for a call of the driver that is running. */
  int (*simulatedState)(int32_t ordinal, StrataSimulatedState* state);
  /* Opens the libraries, and lists what was found */
  size_t (*libraries)(StrataLibraryState* list, size_t size);
  /* Opens only the driver. Returns null and a reason if there is none. */
  const StrataDriverTable* (*driver)(const char** reason);
  /* Compiles CUDA C++ for an architecture, such as 90, without a card. freeImage() frees the
   * image. */
  int (*compileFor)(int32_t architecture, const char* text, const char* name, void** image,
                    size_t* bytes);
  void (*freeImage)(void* image);
  /* Creates the descriptors of a matrix product without a card, and writes what they contain
   * according to the library: "a.rows=4 ..." */
  int (*describeCall)(const StrataLibraryCall* call, char* text, size_t size);
  /* Returns the recorder of real cards, which refuses where there is none */
  StrataRecorder (*cardRecorder)(void);
  const char* (*lastError)(void);
} StrataCudaPlugin;

typedef const StrataCudaPlugin* (*StrataCudaEntry)(void);
