// SPDX-License-Identifier: Apache-2.0
// Sorts problems for display, and finds their places in the document.
// Thread: a pure function, which any thread may call.
#pragma once

#include "core/project/diagnostic.h"
#include "core/project/project.h"

namespace strata {

/// Sorts problems by layer in the order of the network, followed by all other problems. Also sets
/// the JSON pointers of problems that have none.
void orderByLayers(const Project& project, Diagnostics& diagnostics);

}  // namespace strata
