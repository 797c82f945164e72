// SPDX-License-Identifier: Apache-2.0
// What a library copies during a call, for predictions of its time.
// Thread: pure functions.
#pragma once

#include "gpu/cuda/library_calls.h"

namespace strata::cuda {

/// Returns the bytes that a call with this workspace writes to it and reads again. Convolutions of
/// cuDNN fill their workspace: with operands in the order of axes that their kernels need, or with
/// partial sums. The workspace of other calls is an estimate on simulated cards, and counts as
/// unused.
inline size_t copiedBytesOf(const StrataLibraryCall& call, size_t workspaceBytes) {
  return call.kind == STRATA_CALL_CONVOLUTION ? workspaceBytes : 0;
}

}  // namespace strata::cuda
