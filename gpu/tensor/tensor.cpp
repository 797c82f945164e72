// SPDX-License-Identifier: Apache-2.0
#include "gpu/tensor/tensor.h"

#include <sys/mman.h>

#include <cstdlib>
#include <cstring>
#include <type_traits>

#include "gpu/base/error.h"
#include "gpu/base/round_up.h"

namespace strata {

size_t dtypeBytes(DType dtype) {
  switch (dtype) {
    case DType::F32:
    case DType::I32: return 4;
    case DType::F64:
    case DType::I64: return 8;
    case DType::U8: return 1;
    case DType::BF16:
    case DType::F16: return 2;
  }
  return 0;
}

std::string_view dtypeName(DType dtype) {
  switch (dtype) {
    case DType::F32: return "f32";
    case DType::F64: return "f64";
    case DType::I32: return "i32";
    case DType::I64: return "i64";
    case DType::U8: return "u8";
    case DType::BF16: return "bf16";
    case DType::F16: return "f16";
  }
  return "unknown";
}

std::optional<DType> dtypeFromName(std::string_view name) {
  for (DType dtype :
       {DType::F32, DType::F64, DType::I32, DType::I64, DType::U8, DType::BF16, DType::F16})
    if (dtypeName(dtype) == name) return dtype;
  return std::nullopt;
}

Shape::Shape(std::span<const int64_t> dims) {
  for (int64_t dim : dims)
    append(dim);
}

int Shape::normalizeAxis(int axis) const {
  const int result = axis < 0 ? axis + m_rank : axis;
  if (result < 0 || result >= m_rank)
    throw Error(ErrorCode::InvalidArgument, "axis",
                "axis " + std::to_string(axis) + " is outside a tensor of rank " +
                    std::to_string(m_rank) + " (expected " + std::to_string(-m_rank) + " to " +
                    std::to_string(m_rank - 1) + ").");
  return result;
}

void Shape::append(int64_t value) {
  if (value < 0)
    throw Error(ErrorCode::InvalidArgument, "shape",
                "a dimension is negative (" + std::to_string(value) + ").");
  if (m_rank == kMaxRank)
    throw Error(ErrorCode::InvalidArgument, "shape",
                "more than " + std::to_string(kMaxRank) + " dimensions.");
  m_dims[static_cast<size_t>(m_rank++)] = value;
}

int64_t Shape::numElements() const {
  // With this limit, the number of bytes fits in 64 bits for every element type
  constexpr int64_t kMax = int64_t{1} << 59;
  int64_t count = 1;
  for (int64_t dim : dims())
    if (__builtin_mul_overflow(count, dim, &count) || count > kMax)
      throw Error(ErrorCode::OutOfMemory, "shape",
                  toString() + " has too many elements to fit in memory. Make it smaller.");
  return count;
}

Shape Shape::without(int axis) const {
  Shape result;
  const int skipped = normalizeAxis(axis);
  for (int i = 0; i < m_rank; ++i)
    if (i != skipped) result.append((*this)[i]);
  return result;
}

std::array<int64_t, kMaxRank> Shape::strides() const {
  std::array<int64_t, kMaxRank> result{};
  // Unsigned, because the product may overflow if another dimension is 0, and signed overflow would
  // be undefined behavior
  uint64_t stride = 1;
  for (int i = m_rank - 1; i >= 0; --i) {
    result[static_cast<size_t>(i)] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>((*this)[i]);
  }
  return result;
}

bool Shape::operator==(const Shape& other) const {
  return m_rank == other.m_rank &&
         std::equal(m_dims.begin(), m_dims.begin() + m_rank, other.m_dims.begin());
}

std::string Shape::toString() const {
  std::string text = "[";
  for (int i = 0; i < m_rank; ++i)
    text += (i ? "," : "") + std::to_string((*this)[i]);
  return text + "]";
}

std::optional<Shape> broadcastShapes(const Shape& a, const Shape& b) {
  const int rank = std::max(a.rank(), b.rank());
  std::array<int64_t, kMaxRank> dims{};
  for (int i = 0; i < rank; ++i) {
    const int ia = a.rank() - rank + i, ib = b.rank() - rank + i;
    const int64_t da = ia < 0 ? 1 : a[ia], db = ib < 0 ? 1 : b[ib];
    if (da != db && da != 1 && db != 1) return std::nullopt;
    dims[static_cast<size_t>(i)] = da == 1 ? db : da;
  }
  return Shape(std::span<const int64_t>(dims.data(), static_cast<size_t>(rank)));
}

std::string TensorType::toString() const {
  return std::string(dtypeName(dtype)) + shape.toString();
}

// Large blocks use huge pages if the system supports them, because TLB misses are expensive,
// especially in virtual machines. tests/bench/README.md has measurements under gpu/tensor.
AlignedBytes::AlignedBytes(size_t bytes) : m_size(bytes) {
  if (bytes == 0) return;
  constexpr size_t kHugePage = size_t{2} << 20, kVector = 64;
  const bool isLarge = bytes >= kHugePage / 2;
  const size_t unit = isLarge ? kHugePage : kVector;
  if (bytes <= SIZE_MAX - unit)
    m_data.reset(static_cast<std::byte*>(std::aligned_alloc(unit, roundUp(bytes, unit))));
  if (!m_data)
    throw Error(
        ErrorCode::OutOfMemory, "memory",
        "cannot allocate " + std::to_string(bytes) + " bytes. Use a smaller batch or network.");
  // This is only a hint, so a failure does not matter
  if (isLarge) madvise(m_data.get(), roundUp(bytes, unit), MADV_HUGEPAGE);
}

void AlignedBytes::Free::operator()(std::byte* p) const { std::free(p); }

Tensor::Tensor(TensorType type) : m_type(type), m_bytes(type.bytes()) {
  if (m_bytes.size() > 0) std::memset(m_bytes.data(), 0, m_bytes.size());
}

Tensor::Tensor(const Tensor& other) : m_type(other.m_type), m_bytes(other.m_bytes.size()) {
  if (m_bytes.size() > 0) std::memcpy(m_bytes.data(), other.m_bytes.data(), m_bytes.size());
}

Tensor& Tensor::operator=(const Tensor& other) {
  if (this != &other) *this = Tensor(other);
  return *this;
}

namespace {

template <class F>
void visit(DType dtype, F&& f) {
  switch (dtype) {
    case DType::F32: f(float{}); break;
    case DType::F64: f(double{}); break;
    case DType::I32: f(int32_t{}); break;
    case DType::I64: f(int64_t{}); break;
    case DType::U8: f(uint8_t{}); break;
    case DType::BF16: f(BFloat16{}); break;
    case DType::F16: f(Float16{}); break;
  }
}

template <class T>
constexpr bool kIsLow = std::is_same_v<T, BFloat16> || std::is_same_v<T, Float16>;

template <class To, class From>
To convertedElement(From value) {
  if constexpr (std::is_same_v<To, From>)
    return value;
  else if constexpr (kIsLow<From>)
    return convertedElement<To>(toFloat(value));
  else if constexpr (std::is_same_v<To, BFloat16>)
    return toBFloat16(toOddFloat(static_cast<double>(value)));
  else if constexpr (std::is_same_v<To, Float16>)
    return toFloat16(toOddFloat(static_cast<double>(value)));
  else
    return static_cast<To>(value);
}

}  // namespace

Tensor Tensor::converted(DType wanted) const {
  Tensor result(wanted, shape());
  visit(dtype(), [&](auto from) {
    visit(wanted, [&](auto to) {
      const auto source = as<decltype(from)>();
      auto target = result.as<decltype(to)>();
      for (size_t i = 0; i < source.size(); ++i)
        target[i] = convertedElement<decltype(to)>(source[i]);
    });
  });
  return result;
}

Tensor Tensor::reshaped(Shape wanted) const {
  Tensor result = *this;
  result.m_type.shape = wanted;
  result.checkCount(static_cast<size_t>(numElements()));
  return result;
}

bool Tensor::isBitEqual(const Tensor& other) const {
  return m_type == other.m_type &&
         (bytes() == 0 || std::memcmp(data(), other.data(), bytes()) == 0);
}

void Tensor::checkType(DType wanted) const {
  if (wanted != dtype())
    throw Error(ErrorCode::Internal, "tensor",
                "cannot be read as " + std::string(dtypeName(wanted)) + ", because it holds " +
                    m_type.toString() + ".");
}

void Tensor::checkCount(size_t count) const {
  if (static_cast<int64_t>(count) != numElements())
    throw Error(
        ErrorCode::ShapeMismatch, "tensor",
        "shape " + shape().toString() + " does not hold " + std::to_string(count) + " elements.");
}

}  // namespace strata
