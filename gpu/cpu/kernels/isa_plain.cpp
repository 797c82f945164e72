// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of loops.h for any processor.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpu/cpu/kernels/loops.h"

namespace strata::isa_plain {
constexpr const char* kName = "plain";
constexpr int W = 4;
// The order matters, because each file uses the ones before it.
// clang-format off
#include "gpu/cpu/kernels/lanes.inc"
#include "gpu/cpu/kernels/products.inc"
#include "gpu/cpu/kernels/windows.inc"
#include "gpu/cpu/kernels/convolution.inc"
#include "gpu/cpu/kernels/few_channels.inc"
#include "gpu/cpu/kernels/winograd.inc"
#include "gpu/cpu/kernels/formulas.inc"
#include "gpu/cpu/kernels/elementwise.inc"
#include "gpu/cpu/kernels/reductions.inc"
#include "gpu/cpu/kernels/statistics.inc"
#include "gpu/cpu/kernels/layer_norm.inc"
#include "gpu/cpu/kernels/pools.inc"
#include "gpu/cpu/kernels/updates.inc"
#include "gpu/cpu/kernels/depthwise.inc"
#include "gpu/cpu/kernels/dropout.inc"
#include "gpu/cpu/kernels/attention.inc"
#include "gpu/cpu/kernels/recurrent.inc"
#include "gpu/cpu/kernels/recurrent_backward.inc"
#include "gpu/cpu/kernels/table.inc"
// clang-format on
}  // namespace strata::isa_plain
