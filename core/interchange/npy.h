// SPDX-License-Identifier: Apache-2.0
// NumPy array files (.npy, versions 1 to 3): a header in the form of a Python dictionary, followed
// by the elements. Objects, strings and records are refused, and no code is executed. The format is
// described at https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html. Not here:
// archives of arrays (npz.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/interchange/elements.h"

namespace strata {

struct NpyHead {
  FileElement element = FileElement::F32;
  // Whether the byte order of the file differs from that of this machine
  bool isSwapped = false;
  // Whether the array is in Fortran order
  bool isColumnMajor = false;
  Shape shape;
  // Position of the first element in the file, in bytes
  size_t dataAt = 0;
  // Size of all elements in bytes
  uint64_t dataBytes = 0;
  TensorType type() const { return {dtypeOfElement(element), shape}; }
};

/// Maximum size of a header.
constexpr size_t kMaxNpyHeadBytes = size_t{64} << 10;

/// Parses the header of a file. `bytes` are the first kMaxNpyHeadBytes of the file, or the whole
/// file if it is shorter. Each error message begins with `what` ("" or `array "conv1/kernel": `).
/// Fails: InvalidFile naming `file` and the problem (wrong format, objects, too many dimensions,
/// larger than any memory).
NpyHead readNpyHead(std::span<const std::byte> bytes, const std::string& file,
                    const std::string& what = {});
/// Checks that `there`, the number of bytes after the header, is the number that the shape needs.
/// Fails: InvalidFile.
void requireNpyBytes(const NpyHead& head, uint64_t there, const std::string& file,
                     const std::string& what = {});
/// Copies elements from the order of a file to row-major order.
class NpyPlaces {
 public:
  /// Requires: `target` has the shape in the header. It may have any type.
  NpyPlaces(const NpyHead& head, Tensor& target);
  /// Copies the next elements, which must have the type of `target`. Requires: `target` has room
  /// for them.
  void add(const Tensor& piece);

 private:
  Tensor& m_target;
  const bool m_isTransposed;
  // Only used for column-major arrays
  std::vector<int64_t> m_index, m_strides;
  int64_t m_at = 0;
};

/// Returns the header for a tensor (version 1, row-major). Its length is a multiple of 64.
std::string npyHead(const TensorType& type);

}  // namespace strata
