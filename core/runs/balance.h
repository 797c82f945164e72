// SPDX-License-Identifier: Apache-2.0
// Says what several devices of a run do unequally: one is slower, has more memory, or waits long.
// Not here: the figures (replica_figures.h).
// Thread: the function is pure.
#pragma once

#include <vector>

#include "core/project/diagnostic.h"
#include "core/runs/replica_figures.h"

namespace strata {

/// A sentence for each thing that is out of balance; nothing if all is well or there is one device.
std::vector<Phrase> imbalances(const ReplicaReport& report);

}  // namespace strata
