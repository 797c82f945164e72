// SPDX-License-Identifier: Apache-2.0
// What a step puts into its inputs: bytes from the host, and rows that the card keeps. C++17.
// Thread: plain values.
#pragma once

#include "gpu/cuda/kernels/parameters.h"

namespace strata::cuda {

constexpr int kMaxInputPieces = 16;
/// Bytes that a thread copies at once. Copied pieces begin at multiples of it.
constexpr int64_t kCopyBytes = 16;

/// What happens to a piece. The names of gathers have the types of rows and input.
enum PieceKind : int32_t {
  kCopied,
  kGatheredU8ToF32,
  kGatheredI32ToF32,
  kGatheredF32ToF32,
  kGatheredU8ToI32,
  kGatheredI32ToI32
};

/// Bytes that are copied to an input, or an input whose rows are gathered.
struct InputPiece {
  AddressBits from, to;
  // Of a gather: f32[2, columns], or null
  AddressBits shiftAndScale;
  // Bytes of a copy, or elements of the input
  int64_t count = 0;
  // Elements of a kept row, and of a row of the input
  int64_t columns = 0, targetColumns = 0;
  float scale = 1, offset = 0;
  int32_t kind = kCopied;
  // The first block that works on this piece
  int32_t firstBlock = 0;
};

struct InputList {
  // Of all gathers
  AddressBits indices;
  int32_t count = 0;
  InputPiece pieces[kMaxInputPieces] = {};
};

}  // namespace strata::cuda
