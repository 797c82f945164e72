// SPDX-License-Identifier: Apache-2.0
// In which order problems are told, and where in the document each is. Thread: a pure function.
#pragma once

#include "core/project/diagnostic.h"
#include "core/project/project.h"

namespace strata {

/// In the order of the network, errors of a layer together; the rest after them. Sets the pointers
/// that are not set.
void orderByLayers(const Project& project, Diagnostics& diagnostics);

}  // namespace strata
