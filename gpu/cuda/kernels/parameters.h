// SPDX-License-Identifier: Apache-2.0
// Structs that the engine passes to kernels by value. C++17, because nvcc compiles it too.
// Thread: plain values.
#pragma once

#include <cstdint>

#if defined(__CUDACC__)
#define STRATA_DEVICE __host__ __device__
#else
#define STRATA_DEVICE
#endif

namespace strata::cuda {

/// The same as kMaxRank of gpu/tensor/shape.h.
constexpr int kMaxAxes = 8;
constexpr int kMaxWalkOperands = 3;

/// How to find the elements of up to three operands that are read in the order of a shape.
struct Walk {
  int32_t rank = 0;
  // Whether the walk has fewer than 2^31 elements, so that divisions need 32 bits
  int32_t isSmall = 0;
  int64_t dims[kMaxAxes] = {};
  // Elements from one index of an axis to the next; 0 repeats the operand
  int64_t strides[kMaxWalkOperands][kMaxAxes] = {};
  int64_t base[kMaxWalkOperands] = {};

  /// Returns the offset of element `i` (row-major in `dims`) in operand `n`.
  STRATA_DEVICE int64_t offset(int64_t i, int n) const {
    int64_t result = base[n];
    if (isSmall) {
      auto rest = static_cast<uint32_t>(i);
      for (int axis = rank - 1; axis > 0; --axis) {
        const auto size = static_cast<uint32_t>(dims[axis]);
        const uint32_t next = rest / size;
        result += (rest - next * size) * strides[n][axis];
        rest = next;
      }
      i = rest;
    }
    else {
      for (int axis = rank - 1; axis > 0; --axis) {
        const int64_t next = i / dims[axis];
        result += (i - next * dims[axis]) * strides[n][axis];
        i = next;
      }
    }
    if (rank > 0) result += i * strides[n][0];
    return result;
  }
};

/// An address in a struct. Kernels turn it into a pointer by pointerOf() (device.cuh).
struct AddressBits {
  uint64_t bits = 0;
};

/// Results of a step that a kernel gathers.
constexpr int kMaxResults = 16;
struct ResultList {
  int32_t count = 0;
  AddressBits from[kMaxResults] = {};
  // In words of 4 bytes: the size of each result, and its place in the record
  int32_t words[kMaxResults] = {};
  int32_t at[kMaxResults] = {};
};

}  // namespace strata::cuda
