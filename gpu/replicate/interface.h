/* SPDX-License-Identifier: Apache-2.0
 * The C interface of the plug-in for several processes, libstrata_mpi.so. The plug-in holds what
 * needs the library MPI, so that programs start without it.
 * Every function returns a status, 0 for success. lastError() then has a text.
 * Thread: one thread at a time. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Changes with every change of this header */
enum { STRATA_MPI_INTERFACE = 2 };
#define STRATA_MPI_ENTRY "strataMpiPlugin"

/* Bytes that go to another process, or come from it */
typedef struct StrataMpiPart {
  int32_t peer;
  int32_t isSent;
  void* bytes;
  size_t count;
} StrataMpiPart;

typedef struct StrataMpiTransfer StrataMpiTransfer;

typedef struct StrataMpiPlugin {
  int32_t interfaceVersion;
  /* The name and version of the library */
  const char* (*version)(void);
  /* Joins the processes that mpirun or srun started. A process can do this once. */
  int (*start)(int32_t* rank, int32_t* size, int32_t* rankOnMachine, int32_t* sizeOnMachine);
  /* Begins to send and receive. The bytes must stay until test() says that all is done. */
  int (*begin)(const StrataMpiPart* parts, size_t count, StrataMpiTransfer** transfer);
  /* Says whether all is done. The transfer then exists no more. */
  int (*test)(StrataMpiTransfer* transfer, int32_t* isDone);
  /* Waits until all processes have called it. The library cannot be used afterwards. */
  int (*finish)(void);
  const char* (*lastError)(void);
} StrataMpiPlugin;

typedef const StrataMpiPlugin* (*StrataMpiEntry)(void);
