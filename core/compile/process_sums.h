// SPDX-License-Identifier: Apache-2.0
// Sums gradients over several processes or cards, in buckets that each begin as soon as they are
// there.
// Thread: edits only the given graph.
#pragma once

#include <vector>

#include "gpu/graph/graph.h"

namespace strata {

/// Replaces gradients, in the order of the variables, and other values by their sums over all
/// replicas of `processes` processes, or cards if `isPacked` is set.
void sumOverProcesses(Graph& graph, std::vector<ValueId*> gradients, std::vector<ValueId*> others,
                      int processes, bool isPacked);

}  // namespace strata
