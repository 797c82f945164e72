// SPDX-License-Identifier: Apache-2.0
// The bytes of the arena that no value occupies during each instruction. Runners with canaries fill
// them, and check that instructions do not write them (Program::setCanaries()).
// Thread: pure functions.
#pragma once

#include <cstddef>
#include <vector>

#include "gpu/exec/step_layout.h"

namespace strata {

/// A half-open range of bytes in the arena.
struct ByteRange {
  size_t begin = 0, end = 0;
};

struct DeadBytes {
  // For each instruction of the layout
  std::vector<std::vector<ByteRange>> during, after;
};

/// Bytes with this value form a NaN in every floating-point type.
constexpr int kCanary = 0xFF;

DeadBytes deadBytesOf(const StepLayout& layout);
/// Throws if a dead byte of `arena` during the instruction is not kCanary.
/// Fails: Internal with the layer as subject.
void checkCanaries(const StepLayout& layout, const DeadBytes& dead, size_t instruction,
                   const std::byte* arena);

}  // namespace strata
