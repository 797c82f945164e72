// SPDX-License-Identifier: Apache-2.0
// Checks what several replicas need: enough samples in each batch, a loss whose mean does not
// depend on the share, and layers without state from batch to batch.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include "core/check/joint_checks.h"

namespace strata {

/// Reports what the devices of the project cannot train side by side. `countedBy` is
/// StepGraph::countedBy.
void checkReplicas(const ProjectParts& parts, const ExecutionOptions& execution,
                   const std::string& countedBy, Diagnostics& diagnostics);

}  // namespace strata
