// SPDX-License-Identifier: Apache-2.0
// NumPy array files (.npy, versions 1 to 3;
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a header in the form of
// a Python dictionary, then the numbers. Objects, strings and records are refused; no code is ever
// executed. Not here: archives of them (npz.h).
// Thread: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/interchange/elements.h"

namespace strata {

struct NpyHead {
  FileElement element = FileElement::F32;
  // The file has the other byte order
  bool isSwapped = false;
  // Fortran order
  bool isColumnMajor = false;
  Shape shape;
  // Position of the numbers, in bytes
  size_t dataAt = 0;
  // Bytes of the numbers
  uint64_t dataBytes = 0;
  TensorType type() const { return {dtypeOfElement(element), shape}; }
};

/// Maximum size of a header.
constexpr size_t kMaxNpyHeadBytes = size_t{64} << 10;

/// `bytes`: the first kMaxNpyHeadBytes of the file, or all of it. Each message begins with `what`
/// ("" or `array "conv1/kernel": `). Fails: InvalidFile naming `file` and what is wrong (not the
/// format, objects, too many dimensions, larger than any memory).
NpyHead readNpyHead(std::span<const std::byte> bytes, const std::string& file,
                    const std::string& what = {});
/// Requires as many bytes after the header as its shape needs. Fails: InvalidFile.
void requireNpyBytes(const NpyHead& head, uint64_t there, const std::string& file,
                     const std::string& what = {});
/// Copies numbers from the order of a file to row-major order.
class NpyPlaces {
 public:
  /// target: a tensor with the shape of the header, of any type.
  NpyPlaces(const NpyHead& head, Tensor& target);
  /// Adds the next elements, which have the type of the target. Requires: no more than the shape
  /// has.
  void add(const Tensor& piece);

 private:
  Tensor& m_target;
  const bool m_isTransposed;
  // For column-major arrays
  std::vector<int64_t> m_index, m_strides;
  int64_t m_at = 0;
};

/// The header for a tensor (version 1, row-major); its length is a multiple of 64.
std::string npyHead(const TensorType& type);

}  // namespace strata
