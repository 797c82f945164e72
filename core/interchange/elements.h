// SPDX-License-Identifier: Apache-2.0
// The number types of array files, and their conversion to the types of this program. F16 and BF16
// become f32, and 8- and 16-bit integers except U8 become i32. Not here: the formats
// (safetensors.h, npy.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata {

enum class FileElement : uint8_t {
  F16,
  BF16,
  F32,
  F64,
  Bool,
  I8,
  U8,
  I16,
  U16,
  I32,
  U32,
  I64,
  U64
};

size_t elementBytes(FileElement element);
/// Returns the type of this program to which `element` is converted. It represents all values
/// exactly, except that u64 becomes i64.
DType dtypeOfElement(FileElement element);
/// Converts elements in row-major order. `isSwapped` means that the byte order of `bytes` differs
/// from that of this machine.
/// Requires: `bytes` points to shape.numElements() elements.
Tensor tensorOfElements(FileElement element, const Shape& shape, const std::byte* bytes,
                        bool isSwapped = false);

/// Converts elements that arrive in pieces of any number of bytes. Passes the converted elements to
/// `take` in tensors with one dimension.
class ElementStream {
 public:
  using Take = std::function<void(const Tensor&)>;
  ElementStream(FileElement element, bool isSwapped, Take take)
      : m_element(element), m_isSwapped(isSwapped), m_take(std::move(take)) {}
  void add(std::span<const std::byte> bytes);

 private:
  void give(std::span<const std::byte> whole);
  const FileElement m_element;
  const bool m_isSwapped;
  const Take m_take;
  // The first bytes of an element that continues in the next piece
  std::vector<std::byte> m_begun;
};

}  // namespace strata
