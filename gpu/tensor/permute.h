// SPDX-License-Identifier: Apache-2.0
// Copies tensors with their axes in another order.
// Thread: the functions only read and write the given memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/tensor/shape.h"

namespace strata {

/// Returns the shape whose axis i is axis axes[i] of `shape`.
Shape permutedShape(const Shape& shape, std::span<const int64_t> axes);
/// Returns the order that undoes `axes`.
std::vector<int64_t> inverseAxes(std::span<const int64_t> axes);
/// Copies elements of `elementBytes` bytes, so that axis i of `to` is axis axes[i] of `from`, which
/// has the shape `shape`.
void permuteElements(const std::byte* from, const Shape& shape, std::span<const int64_t> axes,
                     size_t elementBytes, std::byte* to);

}  // namespace strata
