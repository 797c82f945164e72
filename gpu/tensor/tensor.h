// SPDX-License-Identifier: Apache-2.0
// A tensor in host memory: dense, row-major and aligned to 64 bytes. It owns its data, and copying
// it copies the data. Thread: several threads may read a tensor at once; a writer needs exclusive
// access.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "gpu/tensor/dtype.h"
#include "gpu/tensor/shape.h"

namespace strata {

/// The element type and shape of a tensor or of a value in a graph.
struct TensorType {
  DType dtype = DType::F32;
  Shape shape;
  bool operator==(const TensorType&) const = default;
  size_t bytes() const { return static_cast<size_t>(shape.numElements()) * dtypeBytes(dtype); }
  /// Returns the type as text, such as "f32[3,4]".
  std::string toString() const;
};

/// A read-only view of tensor data. The caller keeps `data` alive while the view is used.
struct TensorView {
  TensorType type;
  const std::byte* data = nullptr;
  size_t bytes() const { return type.bytes(); }
};

/// Owns uninitialized memory that is aligned to at least 64 bytes. If there is not enough memory,
/// the constructor fails with OutOfMemory.
class AlignedBytes {
 public:
  AlignedBytes() = default;
  explicit AlignedBytes(size_t bytes);
  std::byte* data() { return m_data.get(); }
  const std::byte* data() const { return m_data.get(); }
  size_t size() const { return m_size; }
  /// release() gives up the memory, and adopt() takes over memory that release() returned.
  std::byte* release() { return m_data.release(); }
  static AlignedBytes adopt(std::byte* data, size_t bytes) {
    AlignedBytes result;
    result.m_data.reset(data);
    result.m_size = bytes;
    return result;
  }

 private:
  struct Free {
    void operator()(std::byte* p) const;
  };
  std::unique_ptr<std::byte, Free> m_data;
  size_t m_size = 0;
};

class Tensor {
 public:
  Tensor() = default;
  /// Creates a tensor of zeros.
  explicit Tensor(TensorType type);
  Tensor(DType dtype, Shape shape) : Tensor(TensorType{dtype, shape}) {}
  template <class T>
  static Tensor from(Shape shape, std::span<const T> values) {
    Tensor result(dtypeOf<T>(), shape);
    result.checkCount(values.size());
    std::copy(values.begin(), values.end(), result.as<T>().begin());
    return result;
  }
  template <class T>
  static Tensor scalar(T value) {
    return from<T>({}, std::span<const T>(&value, 1));
  }
  Tensor(const Tensor& other);
  Tensor& operator=(const Tensor& other);
  Tensor(Tensor&&) noexcept = default;
  Tensor& operator=(Tensor&&) noexcept = default;

  const TensorType& type() const { return m_type; }
  const Shape& shape() const { return m_type.shape; }
  DType dtype() const { return m_type.dtype; }
  size_t bytes() const { return m_type.bytes(); }
  int64_t numElements() const { return m_type.shape.numElements(); }
  std::byte* data() { return m_bytes.data(); }
  const std::byte* data() const { return m_bytes.data(); }
  /// Returns the elements. Fails: Internal if T is not the element type of the tensor.
  template <class T>
  std::span<T> as() {
    checkType(dtypeOf<T>());
    return {reinterpret_cast<T*>(data()), static_cast<size_t>(numElements())};
  }
  template <class T>
  std::span<const T> as() const {
    checkType(dtypeOf<T>());
    return {reinterpret_cast<const T*>(data()), static_cast<size_t>(numElements())};
  }
  Tensor converted(DType dtype) const;
  Tensor reshaped(Shape shape) const;
  /// Returns whether the types and all bytes are equal. NaNs with the same bits are equal.
  bool isBitEqual(const Tensor& other) const;

 private:
  void checkType(DType wanted) const;
  void checkCount(size_t count) const;
  TensorType m_type{DType::F32, Shape{0}};
  AlignedBytes m_bytes;
};

}  // namespace strata
