// SPDX-License-Identifier: Apache-2.0
// Arrays as NumPy keeps them (.npy, versions 1 to 3;
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html): a head in the form of a
// Python dictionary, then the numbers. Objects, texts and records are refused: no code is ever run.
// Not here: archives of them (npz.h). Thread: pure functions.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "core/interchange/elements.h"

namespace strata {

struct NpyHead {
  FileElement element = FileElement::F32;
  // Of the other byte order
  bool isSwapped = false;
  // Fortran order
  bool isColumnMajor = false;
  Shape shape;
  // Byte at which the numbers begin
  size_t dataAt = 0;
  // That they take
  uint64_t dataBytes = 0;
  TensorType type() const { return {dtypeOfElement(element), shape}; }
};

/// Most bytes of a file's beginning that its head takes.
constexpr size_t kMaxNpyHeadBytes = size_t{64} << 10;

/// `bytes`: the file's beginning, at least kMaxNpyHeadBytes of it or all. `what` ("" or `array
/// "conv1/kernel": `) begins each message.
/// Fails: InvalidFile naming `file` and what is wrong (not the format, objects, too many
/// dimensions, larger than any memory).
NpyHead readNpyHead(std::span<const std::byte> bytes, const std::string& file,
                    const std::string& what = {});
/// Are so many bytes there behind the head as its shape takes? Fails: InvalidFile.
void requireNpyBytes(const NpyHead& head, uint64_t there, const std::string& file,
                     const std::string& what = {});
/// Numbers as they follow one another in a file, put where row-major order has them.
class NpyPlaces {
 public:
  /// target: of the head's shape, of any type.
  NpyPlaces(const NpyHead& head, Tensor& target);
  /// The next elements, of the target's type. Requires: no more than there are.
  void add(const Tensor& piece);

 private:
  Tensor& m_target;
  const bool m_isTurned;
  // Of column-major ones
  std::vector<int64_t> m_index, m_strides;
  int64_t m_at = 0;
};

/// Head of a tensor as this program writes it (version 1, row-major), its length a multiple of 64.
std::string npyHead(const TensorType& type);

}  // namespace strata
