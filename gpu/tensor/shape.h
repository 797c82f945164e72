// SPDX-License-Identifier: Apache-2.0
// The shape of a tensor: up to 8 dimensions, row-major, each 0 or more. A scalar has no dimensions.
// Thread: any.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>

namespace strata {

constexpr int kMaxRank = 8;

class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<int64_t> dims)
      : Shape(std::span<const int64_t>(dims.begin(), dims.size())) {}
  /// Creates a shape with these dimensions. Fails: InvalidArgument if there are more than kMaxRank
  /// dimensions or if one is negative.
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return m_rank; }
  int64_t operator[](int axis) const { return m_dims[static_cast<size_t>(axis)]; }
  /// Returns the size of a dimension. A negative axis counts from the end.
  /// Fails: InvalidArgument if the axis is out of range.
  int64_t dim(int axis) const { return m_dims[static_cast<size_t>(normalizeAxis(axis))]; }
  /// Returns the axis counted from the start. A negative axis counts from the end.
  /// Fails: InvalidArgument if the axis is out of range.
  int normalizeAxis(int axis) const;
  void set(int axis, int64_t value) { m_dims[static_cast<size_t>(axis)] = value; }
  void append(int64_t value);
  std::span<const int64_t> dims() const& { return {m_dims.data(), static_cast<size_t>(m_rank)}; }
  // Deleted, because the span would outlive the temporary shape
  std::span<const int64_t> dims() const&& = delete;
  /// Returns the number of elements. Fails: OutOfMemory if there are more than 2^59 of them.
  int64_t numElements() const;
  /// Returns this shape without dimension `axis`.
  Shape without(int axis) const;
  /// Returns the strides, in elements, of a dense row-major tensor of this shape.
  std::array<int64_t, kMaxRank> strides() const;
  bool operator==(const Shape& other) const;
  /// Returns the dimensions as text: "[3,4]", or "[]" for a scalar.
  std::string toString() const;

 private:
  std::array<int64_t, kMaxRank> m_dims{};
  int m_rank = 0;
};

/// Broadcasts two shapes by NumPy's rules. Returns nullopt if they are incompatible.
std::optional<Shape> broadcastShapes(const Shape& a, const Shape& b);

}  // namespace strata
