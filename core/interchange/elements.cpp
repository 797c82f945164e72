// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/elements.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>

namespace strata {

namespace {

struct ElementKind {
  size_t bytes;
  DType dtype;
};
// The order matches FileElement.
constexpr std::array<ElementKind, 13> kElementKinds{{{2, DType::F32},
                                                     {2, DType::F32},
                                                     {4, DType::F32},
                                                     {8, DType::F64},
                                                     {1, DType::U8},
                                                     {1, DType::I32},
                                                     {1, DType::U8},
                                                     {2, DType::I32},
                                                     {2, DType::I32},
                                                     {4, DType::I32},
                                                     {4, DType::I64},
                                                     {8, DType::I64},
                                                     {8, DType::I64}}};

float floatOfHalf(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const float sign = (bits & 0x8000) != 0 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction == 0 ? sign * INFINITY : NAN;
  if (exponent == 0) return sign * std::ldexp(static_cast<float>(fraction), -24);
  return sign * std::ldexp(static_cast<float>(fraction + 1024), exponent - 25);
}

float floatOfBrain(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

/// Converts target.size() elements. `bytes` may have any alignment.
template <class From, class To, class Convert>
void convertElements(const std::byte* bytes, bool isSwapped, std::span<To> target,
                     Convert&& convert) {
  for (To& value : target) {
    std::array<std::byte, sizeof(From)> raw;
    std::memcpy(raw.data(), bytes, sizeof(From));
    if (isSwapped) std::reverse(raw.begin(), raw.end());
    value = static_cast<To>(convert(std::bit_cast<From>(raw)));
    bytes += sizeof(From);
  }
}

}  // namespace

size_t elementBytes(FileElement element) {
  return kElementKinds[static_cast<size_t>(element)].bytes;
}
DType dtypeOfElement(FileElement element) {
  return kElementKinds[static_cast<size_t>(element)].dtype;
}

Tensor tensorOfElements(FileElement element, const Shape& shape, const std::byte* bytes,
                        bool isSwapped) {
  Tensor result(dtypeOfElement(element), shape);
  if (result.numElements() == 0) return result;
  const auto same = [](auto value) {
    return value;
  };
  switch (element) {
    case FileElement::F16:
      convertElements<uint16_t>(bytes, isSwapped, result.as<float>(), floatOfHalf);
      return result;
    case FileElement::BF16:
      convertElements<uint16_t>(bytes, isSwapped, result.as<float>(), floatOfBrain);
      return result;
    case FileElement::I8:
      convertElements<int8_t>(bytes, isSwapped, result.as<int32_t>(), same);
      return result;
    case FileElement::I16:
      convertElements<int16_t>(bytes, isSwapped, result.as<int32_t>(), same);
      return result;
    case FileElement::U16:
      convertElements<uint16_t>(bytes, isSwapped, result.as<int32_t>(), same);
      return result;
    case FileElement::U32:
      convertElements<uint32_t>(bytes, isSwapped, result.as<int64_t>(), same);
      return result;
    case FileElement::Bool:
      convertElements<uint8_t>(bytes, isSwapped, result.as<uint8_t>(),
                               [](uint8_t value) { return value != 0 ? 1 : 0; });
      return result;
    case FileElement::F32:
    case FileElement::F64:
    case FileElement::U8:
    case FileElement::I32:
    case FileElement::I64:
    case FileElement::U64: break;
  }
  std::memcpy(result.data(), bytes, result.bytes());
  if (const size_t width = elementBytes(element); isSwapped && width > 1)
    for (std::byte* p = result.data(); p != result.data() + result.bytes(); p += width)
      std::reverse(p, p + width);
  return result;
}

void ElementStream::give(std::span<const std::byte> whole) {
  if (whole.empty()) return;
  m_take(tensorOfElements(m_element,
                          Shape{static_cast<int64_t>(whole.size() / elementBytes(m_element))},
                          whole.data(), m_isSwapped));
}

void ElementStream::add(std::span<const std::byte> bytes) {
  const size_t width = elementBytes(m_element);
  if (!m_begun.empty()) {
    const size_t missing = std::min(width - m_begun.size(), bytes.size());
    m_begun.insert(m_begun.end(), bytes.begin(),
                   bytes.begin() + static_cast<std::ptrdiff_t>(missing));
    bytes = bytes.subspan(missing);
    if (m_begun.size() < width) return;
    give(m_begun);
    m_begun.clear();
  }
  const size_t rest = bytes.size() % width;
  give(bytes.first(bytes.size() - rest));
  m_begun.assign(bytes.end() - static_cast<std::ptrdiff_t>(rest), bytes.end());
}

}  // namespace strata
