// SPDX-License-Identifier: Apache-2.0
// Whether the addresses of a library call are aligned as its descriptors promise. Libraries compute
// wrong results or fail later if they are not.
// Thread: pure functions.
#pragma once

#include <cstddef>
#include <string>

#include "gpu/cuda/driver_types.h"
#include "gpu/cuda/library_calls.h"

namespace strata::cuda {

/// Returns what is wrong with the addresses of a call, or "".
inline std::string alignmentProblem(const CUdeviceptr* addresses, size_t numAddresses,
                                    CUdeviceptr workspace) {
  for (size_t i = 0; i < numAddresses; ++i)
    if (addresses[i] % STRATA_CALL_ALIGNMENT != 0)
      return "the address " + std::to_string(i + 1) +
             " of a library call is not a multiple of 16 bytes";
  if (workspace % STRATA_WORKSPACE_ALIGNMENT != 0)
    return "the workspace of a library call is not at a multiple of 256 bytes";
  return {};
}
static_assert(STRATA_CALL_ALIGNMENT == 16 && STRATA_WORKSPACE_ALIGNMENT == 256);

}  // namespace strata::cuda
