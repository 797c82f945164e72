// SPDX-License-Identifier: Apache-2.0
// The link of processes that mpirun or srun started, through the plug-in libstrata_mpi.so.
// Thread: as ProcessLink; the other functions from any thread.
#pragma once

#include <memory>
#include <string>

#include "gpu/exec/process_link.h"

namespace strata {

/// Joins the processes of the run. A process can do this once.
/// Fails: UnsupportedOp if the plug-in or MPI is missing; DeviceFailure if the library fails.
std::unique_ptr<ProcessLink> joinProcesses();
/// Leaves them, so that mpirun knows that this process has ended well. Waits until all processes
/// call it.
void leaveProcesses();

/// The plug-in on this machine.
struct MpiPluginState {
  // Why it cannot be used; empty if it can
  std::string problem;
  // Such as "Open MPI v4.1.4"
  std::string version;
  std::string path;
};
const MpiPluginState& mpiPluginState();

}  // namespace strata
