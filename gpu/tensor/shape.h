// SPDX-License-Identifier: Apache-2.0
// A shape: up to 8 dimensions, row-major, each >= 0; a scalar has none. Thread: values.
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
  /// Fails: InvalidArgument for more than kMaxRank dimensions or a negative one.
  explicit Shape(std::span<const int64_t> dims);

  int rank() const { return m_rank; }
  int64_t operator[](int axis) const { return m_dims[static_cast<size_t>(axis)]; }
  /// Negative axes count from the end. Fails: InvalidArgument out of range.
  int64_t dim(int axis) const { return m_dims[static_cast<size_t>(normalizeAxis(axis))]; }
  int normalizeAxis(int axis) const;
  void set(int axis, int64_t value) { m_dims[static_cast<size_t>(axis)] = value; }
  void append(int64_t value);
  std::span<const int64_t> dims() const& { return {m_dims.data(), static_cast<size_t>(m_rank)}; }
  // The span would outlive the shape
  std::span<const int64_t> dims() const&& = delete;
  int64_t numElements() const;
  /// This shape without dimension `axis`.
  Shape without(int axis) const;
  /// Element strides of a dense row-major tensor of this shape.
  std::array<int64_t, kMaxRank> strides() const;
  bool operator==(const Shape& other) const;
  // "[3,4]", "[]" for a scalar
  std::string toString() const;

 private:
  std::array<int64_t, kMaxRank> m_dims{};
  int m_rank = 0;
};

/// The result of NumPy broadcasting; nullopt if the shapes are incompatible.
std::optional<Shape> broadcastShapes(const Shape& a, const Shape& b);

}  // namespace strata
