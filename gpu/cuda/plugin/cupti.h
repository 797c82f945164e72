// SPDX-License-Identifier: Apache-2.0
// Records what GPUs do, through CUPTI's activity records. A record of a graph has the id of its
// node, which says which instruction captured it. CUPTI may refuse, for example because another
// profiler runs or the driver forbids it; that is reported, and nothing else fails.
// Thread: any; one recording at a time in the process.
#pragma once

#include "gpu/cuda/interface.h"

namespace strata::plugin {

/// See StrataCardTables::recorder.
StrataRecorder cuptiRecorder();
/// See StrataCardTables::annotate. Does nothing unless a recording runs.
void annotateForCupti(CUstream stream, const StrataWork* work);

}  // namespace strata::plugin
