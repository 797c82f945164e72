// SPDX-License-Identifier: Apache-2.0
// Helpers of the reference kernels: setup, registration and dispatch over element types.
// Not here: the kernels (gpu/reference/kernels, one file per op) and the semantics of ops
// (gpu/ops).
// Thread: value types and pure functions.
#pragma once

#include <array>
#include <concepts>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "gpu/base/error.h"
#include "gpu/base/thread_pool.h"
#include "gpu/graph/graph.h"
#include "gpu/host/host_device.h"

namespace strata::reference {

/// Everything that a kernel depends on. It describes a node without its graph, so that an op can
/// also be evaluated alone.
struct KernelSetup {
  std::string op, layer;
  std::vector<TensorType> inputs, outputs;
  Attributes attributes;
  int numWorkers = 1;

  DType inputType(size_t i = 0) const { return inputs[i].dtype; }
  const Shape& inputShape(size_t i = 0) const { return inputs[i].shape; }
  DType outputType(size_t i = 0) const { return outputs[i].dtype; }
  const Shape& outputShape(size_t i = 0) const { return outputs[i].shape; }
  int64_t integer(std::string_view name) const { return attributes.get<int64_t>(name); }
  double real(std::string_view name) const { return attributes.get<double>(name); }
  bool flag(std::string_view name) const { return attributes.get<bool>(name); }
  const std::string& text(std::string_view name) const { return attributes.get<std::string>(name); }
  const std::vector<int64_t>& list(std::string_view name) const {
    return attributes.get<std::vector<int64_t>>(name);
  }
  /// Throws UnsupportedOp, which names op, element type and layer.
  [[noreturn]] void refuse(DType dtype) const;
};

using KernelMaker = std::unique_ptr<HostKernel> (*)(const KernelSetup&);

/// Returns the maker for an op, or null if the op has no reference kernel.
KernelMaker findKernelMaker(std::string_view op);

/// A kernel whose run() calls `body(arguments, stage, worker)`.
template <class Body>
class BodyKernel final : public HostKernel {
 public:
  BodyKernel(Body body, int stages, size_t workspaceBytes)
      : m_body(std::move(body)), m_stages(stages), m_workspaceBytes(workspaceBytes) {}
  size_t workspaceBytes() const override { return m_workspaceBytes; }
  int numStages() const override { return m_stages; }
  void run(const KernelArguments& arguments, int stage, int worker) const override {
    m_body(arguments, stage, worker);
  }
  std::string implementation() const override { return "reference"; }

 private:
  Body m_body;
  int m_stages;
  size_t m_workspaceBytes;
};

template <class Body>
std::unique_ptr<HostKernel> makeKernel(Body body, int stages = 1, size_t workspaceBytes = 0) {
  return std::make_unique<BodyKernel<Body>>(std::move(body), stages, workspaceBytes);
}

template <class T>
const T* inputOf(const KernelArguments& arguments, size_t i) {
  return reinterpret_cast<const T*>(arguments.inputs[i]);
}
template <class T>
T* outputOf(const KernelArguments& arguments, size_t i = 0) {
  return reinterpret_cast<T*>(arguments.outputs[i]);
}

/// Calls make(T{}) for the floating type `dtype`. Fails: UnsupportedOp.
template <class Make>
std::unique_ptr<HostKernel> forFloating(const KernelSetup& setup, DType dtype, Make&& make) {
  switch (dtype) {
    case DType::F32: return make(float{});
    case DType::F64: return make(double{});
    default: setup.refuse(dtype);
  }
}

/// Calls make(T{}) for any element type except bf16 and f16, which makeWidened() handles.
template <class Make>
std::unique_ptr<HostKernel> forAny(DType dtype, Make&& make) {
  switch (dtype) {
    case DType::F32: return make(float{});
    case DType::F64: return make(double{});
    case DType::I32: return make(int32_t{});
    case DType::I64: return make(int64_t{});
    default: break;
  }
  return make(uint8_t{});
}

/// Calls make(T{}) with an unsigned integer of the element's size, for ops that only move bytes.
template <class Make>
std::unique_ptr<HostKernel> forSize(DType dtype, Make&& make) {
  switch (dtypeBytes(dtype)) {
    case 1: return make(uint8_t{});
    case 2: return make(uint16_t{});
    case 4: return make(uint32_t{});
    default: return make(uint64_t{});
  }
}

/// Calls make(T{}) for the integer types that an index may have. Fails: UnsupportedOp.
template <class Make>
std::unique_ptr<HostKernel> forIndex(const KernelSetup& setup, DType dtype, Make&& make) {
  switch (dtype) {
    case DType::I32: return make(int32_t{});
    case DType::I64: return make(int64_t{});
    case DType::U8: return make(uint8_t{});
    default: setup.refuse(dtype);
  }
}

/// Returns a scalar operand of any element type as a double.
inline double readScalar(const std::byte* address, DType dtype) {
  switch (dtype) {
    case DType::F32: return *reinterpret_cast<const float*>(address);
    case DType::F64: return *reinterpret_cast<const double*>(address);
    case DType::I32: return *reinterpret_cast<const int32_t*>(address);
    case DType::I64: return static_cast<double>(*reinterpret_cast<const int64_t*>(address));
    case DType::BF16:
      return static_cast<double>(toFloat(*reinterpret_cast<const BFloat16*>(address)));
    case DType::F16:
      return static_cast<double>(toFloat(*reinterpret_cast<const Float16*>(address)));
    case DType::U8: break;
  }
  return *reinterpret_cast<const uint8_t*>(address);
}
inline int64_t readInteger(const std::byte* address, DType dtype) {
  return dtype == DType::I64 ? *reinterpret_cast<const int64_t*>(address)
                             : static_cast<int64_t>(readScalar(address, dtype));
}

/// Iterates over the elements of shape `dims` in row-major order, and computes the offset of each
/// element in N operands.
template <size_t N>
struct StridedWalk {
  using Strides = std::array<int64_t, kMaxRank>;
  Shape dims;
  std::array<Strides, N> strides{};
  std::array<int64_t, N> base{};

  /// Calls f(i, offsets) for i in [begin, end).
  template <class F>
  void run(int64_t begin, int64_t end, F&& f) const {
    if (begin >= end) return;
    std::array<int64_t, kMaxRank> index{};
    std::array<int64_t, N> offset = base;
    int64_t rest = begin;
    for (int axis = dims.rank() - 1; axis >= 0; --axis) {
      const auto a = static_cast<size_t>(axis);
      index[a] = rest % dims[axis];
      rest /= dims[axis];
      for (size_t n = 0; n < N; ++n)
        offset[n] += index[a] * strides[n][a];
    }
    for (int64_t i = begin; i < end; ++i) {
      f(i, offset);
      for (int axis = dims.rank() - 1; axis >= 0; --axis) {
        const auto a = static_cast<size_t>(axis);
        for (size_t n = 0; n < N; ++n)
          offset[n] += strides[n][a];
        if (++index[a] < dims[axis]) break;
        for (size_t n = 0; n < N; ++n)
          offset[n] -= index[a] * strides[n][a];
        index[a] = 0;
      }
    }
  }
};

/// Returns the strides for reading `operand` broadcast to the shape `out`. They are 0 along
/// repeated axes.
inline std::array<int64_t, kMaxRank> broadcastStrides(const Shape& operand, const Shape& out) {
  std::array<int64_t, kMaxRank> result{};
  const auto own = operand.strides();
  const int shift = out.rank() - operand.rank();
  for (int axis = 0; axis < operand.rank(); ++axis)
    result[static_cast<size_t>(axis) + static_cast<size_t>(shift)] =
        operand[axis] == 1 ? 0 : own[static_cast<size_t>(axis)];
  return result;
}

}  // namespace strata::reference
