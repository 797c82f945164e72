// SPDX-License-Identifier: Apache-2.0
// Finds and opens the plug-in for NVIDIA GPUs. Not here: its functions (interface.h).
// Thread: any; the plug-in is opened once and stays open.
#pragma once

#include <string>

#include "gpu/cuda/interface.h"

namespace strata::cuda {

/// Returns the plug-in, or null if there is none.
const StrataCudaPlugin* plugin();
/// Returns why plugin() returns null, as a sentence that says what to do; empty if it does not.
const std::string& pluginProblem();

}  // namespace strata::cuda
