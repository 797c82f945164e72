// SPDX-License-Identifier: Apache-2.0
// Fills the inputs of a step: copies what came from the host, and gathers and scales samples that
// the card keeps. The numbers have the bits of the host's loops (core/data/batches.cpp), which
// round each operation.
#include "gpu/cuda/kernels/inputs.h"

#include "gpu/cuda/kernels/numbers.cuh"

namespace strata::cuda {

struct alignas(kCopyBytes) CopiedBytes {
  uint64_t low, high;
};

/// Loads up to kPerThread values, a block apart, before it stores the first one.
template <class Load, class Store>
__device__ void forPiece(int64_t first, int64_t count, Load load, Store store) {
  decltype(load(int64_t{0})) values[kPerThread];
#pragma unroll
  for (int e = 0; e < kPerThread; ++e)
    if (first + e * blockDim.x < count) values[e] = load(first + e * blockDim.x);
#pragma unroll
  for (int e = 0; e < kPerThread; ++e)
    if (first + e * blockDim.x < count) store(first + e * blockDim.x, values[e]);
}

__device__ inline void copyPiece(const InputPiece& piece, int64_t first) {
  const int64_t vectors = piece.count / kCopyBytes, copied = vectors * kCopyBytes;
  const auto* from = pointerOf<const CopiedBytes>(piece.from);
  auto* to = pointerOf<CopiedBytes>(piece.to);
  forPiece(
      first, vectors, [=](int64_t i) { return from[i]; },
      [=](int64_t i, CopiedBytes value) { to[i] = value; });
  if (first < piece.count - copied)
    pointerOf<uint8_t>(piece.to)[copied + first] =
        pointerOf<const uint8_t>(piece.from)[copied + first];
}

template <class From, class To>
__device__ void gatherPiece(const InputPiece& piece, const int32_t* STRATA_RESTRICT indices,
                            int64_t first) {
  const From* const rows = pointerOf<const From>(piece.from);
  const float* const shiftAndScale = pointerOf<const float>(piece.shiftAndScale);
  To* const y = pointerOf<To>(piece.to);
  const int64_t columns = piece.columns, targetColumns = piece.targetColumns;
  const float scale = piece.scale, offset = piece.offset;
  forPiece(
      first, piece.count,
      [=](int64_t i) -> To {
        const int64_t row = quotient(i, targetColumns), column = i - row * targetColumns;
        if (column >= columns) return To(0);
        const From value = rows[static_cast<int64_t>(indices[row]) * columns + column];
        if constexpr (std::is_same_v<To, float>) {
          const float x = __fadd_rn(__fmul_rn(static_cast<float>(value), scale), offset);
          if (!shiftAndScale) return x;
          return __fmul_rn(x - shiftAndScale[column], shiftAndScale[columns + column]);
        }
        else {
          return static_cast<To>(value);
        }
      },
      [=](int64_t i, To value) { y[i] = value; });
}

}  // namespace strata::cuda

STRATA_GLOBAL place_inputs(strata::cuda::InputList list) {
  using namespace strata::cuda;
  const auto block = static_cast<int32_t>(blockIdx.x);
  int32_t number = 0;
  while (number + 1 < list.count && list.pieces[number + 1].firstBlock <= block)
    ++number;
  const InputPiece piece = list.pieces[number];
  const int64_t first =
      static_cast<int64_t>(block - piece.firstBlock) * kPerThread * blockDim.x + threadIdx.x;
  const auto* indices = pointerOf<const int32_t>(list.indices);
  switch (piece.kind) {
    case kGatheredU8ToF32: gatherPiece<uint8_t, float>(piece, indices, first); break;
    case kGatheredI32ToF32: gatherPiece<int32_t, float>(piece, indices, first); break;
    case kGatheredF32ToF32: gatherPiece<float, float>(piece, indices, first); break;
    case kGatheredU8ToI32: gatherPiece<uint8_t, int32_t>(piece, indices, first); break;
    case kGatheredI32ToI32: gatherPiece<int32_t, int32_t>(piece, indices, first); break;
    default: copyPiece(piece, first);
  }
}
STRATA_KERNEL(place_inputs)
