// SPDX-License-Identifier: Apache-2.0
// Compiles the loops of loops.h for AVX-512. Standard headers are included before the target is
// set, so that their inline functions are not compiled for it.
#if defined(__x86_64__)
#include <immintrin.h>
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

#include "gpu/cpu/kernels/loops.h"

#pragma GCC target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma")
// g++ 12 wrongly reports uninitialized values in its own AVX-512 header (GCC bug 105593).
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#define STRATA_LANES_AVX512 1
namespace strata::isa_avx512 {
constexpr const char* kName = "avx512";
constexpr int W = 16;
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
}  // namespace strata::isa_avx512
#endif
