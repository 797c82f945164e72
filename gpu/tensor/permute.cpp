// SPDX-License-Identifier: Apache-2.0
#include "gpu/tensor/permute.h"

#include <array>
#include <cstring>

namespace strata {

Shape permutedShape(const Shape& shape, std::span<const int64_t> axes) {
  std::vector<int64_t> dims;
  for (const int64_t axis : axes)
    dims.push_back(shape[static_cast<int>(axis)]);
  return Shape{std::span<const int64_t>(dims)};
}

std::vector<int64_t> inverseAxes(std::span<const int64_t> axes) {
  std::vector<int64_t> result(axes.size());
  for (size_t i = 0; i < axes.size(); ++i)
    result[static_cast<size_t>(axes[i])] = static_cast<int64_t>(i);
  return result;
}

void permuteElements(const std::byte* from, const Shape& shape, std::span<const int64_t> axes,
                     size_t elementBytes, std::byte* to) {
  const Shape result = permutedShape(shape, axes);
  const int64_t count = result.numElements();
  if (count == 0) return;
  const auto strides = shape.strides();
  std::array<int64_t, kMaxRank> step{}, index{};
  for (int axis = 0; axis < result.rank(); ++axis)
    step[static_cast<size_t>(axis)] = strides[static_cast<size_t>(axes[static_cast<size_t>(axis)])];
  int64_t at = 0;
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(to + static_cast<size_t>(i) * elementBytes,
                from + static_cast<size_t>(at) * elementBytes, elementBytes);
    for (int axis = result.rank() - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      at += step[a];
      if (++index[a] < result[axis]) break;
      at -= index[a] * step[a];
      index[a] = 0;
    }
  }
}

}  // namespace strata
