// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/npy.h"

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <vector>

#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr size_t kMaxNpyBytes = size_t{1} << 40;

/// Parses the dictionary of a header, which may contain strings, True, False and tuples of
/// integers. Everything else is an error.
class NpyDictionary {
 public:
  NpyDictionary(std::string_view text, const std::string& file, const std::string& what)
      : m_text(text), m_file(file), m_what(what) {}

  void readInto(std::string& descr, std::optional<bool>& isColumnMajor,
                std::optional<std::vector<uint64_t>>& shape) {
    expect('{');
    while (!skipTo('}')) {
      const std::string key = text();
      expect(':');
      if (key == "descr") {
        skipSpace();
        if (at() == '[')
          fail(
              "holds records of several kinds (expected one kind of number, such as '<f4'). Save "
              "plain arrays");
        descr = text();
      }
      else if (key == "fortran_order") {
        isColumnMajor = boolean();
      }
      else if (key == "shape") {
        shape = tuple();
      }
      else {
        fail("has an unknown key " + excerpt(key, 40) +
             " in its header (expected descr, fortran_order and shape). Save it with NumPy again");
      }
      if (!skipTo(',') && at() != '}') expect(',');
    }
  }

  [[noreturn]] void fail(const std::string& message) const {
    throw Error(ErrorCode::InvalidFile, m_file, m_what + message + ".");
  }

 private:
  char at() const { return m_position < m_text.size() ? m_text[m_position] : '\0'; }
  void skipSpace() {
    while (at() == ' ' || at() == '\n' || at() == '\t')
      ++m_position;
  }
  bool skipTo(char c) {
    skipSpace();
    if (at() != c) return false;
    ++m_position;
    return true;
  }
  void expect(char c) {
    if (!skipTo(c))
      fail("has an unreadable header (expected '" + std::string(1, c) + "' at character " +
           std::to_string(m_position) + "). Save it with NumPy again");
  }
  std::string text() {
    skipSpace();
    const char quote = at();
    if (quote != '\'' && quote != '"') expect('\'');
    const size_t end = m_text.find(quote, ++m_position);
    if (end == std::string_view::npos)
      fail("has a header that is cut short. Save it with NumPy again");
    std::string result(m_text.substr(m_position, end - m_position));
    m_position = end + 1;
    return result;
  }
  bool boolean() {
    skipSpace();
    for (const auto& [word, value] :
         {std::pair<std::string_view, bool>{"True", true}, {"False", false}})
      if (m_text.substr(m_position).starts_with(word)) {
        m_position += word.size();
        return value;
      }
    fail(
        "has a wrong fortran_order in its header (expected True or False). Save it with NumPy "
        "again");
  }
  std::vector<uint64_t> tuple() {
    std::vector<uint64_t> result;
    expect('(');
    while (!skipTo(')')) {
      uint64_t size = 0;
      const auto [end, error] =
          std::from_chars(m_text.data() + m_position, m_text.data() + m_text.size(), size);
      if (error != std::errc())
        fail(
            "has a wrong shape in its header (expected integers of at least 0). Save it with NumPy "
            "again");
      m_position = static_cast<size_t>(end - m_text.data());
      // Python 2 wrote long integers with an L.
      if (at() == 'L') ++m_position;
      result.push_back(size);
      if (!skipTo(',') && at() != ')') expect(')');
    }
    return result;
  }

  const std::string_view m_text;
  const std::string& m_file;
  const std::string& m_what;
  size_t m_position = 0;
};

std::optional<FileElement> elementOf(std::string_view kind) {
  struct Named {
    std::string_view name;
    FileElement element;
  };
  // NumPy has no bfloat16. It saves the bfloat16 arrays of TensorFlow and JAX as elements of two
  // raw bytes.
  static constexpr Named kNames[] = {
      {"f2", FileElement::F16},  {"f4", FileElement::F32}, {"f8", FileElement::F64},
      {"b1", FileElement::Bool}, {"i1", FileElement::I8},  {"i2", FileElement::I16},
      {"i4", FileElement::I32},  {"i8", FileElement::I64}, {"u1", FileElement::U8},
      {"u2", FileElement::U16},  {"u4", FileElement::U32}, {"u8", FileElement::U64},
      {"V2", FileElement::BF16}};
  for (const Named& named : kNames)
    if (named.name == kind) return named.element;
  return std::nullopt;
}

}  // namespace

NpyHead readNpyHead(std::span<const std::byte> bytes, const std::string& file,
                    const std::string& what) {
  const auto fail = [&](const std::string& message) {
    throw Error(ErrorCode::InvalidFile, file, what + message);
  };
  const auto byteAt = [&](size_t i) {
    return static_cast<uint8_t>(bytes[i]);
  };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), "\x93NUMPY", 6) != 0)
    fail("is not a NumPy array (expected \\x93NUMPY at byte 0" +
         std::string(bytes.size() < 10
                         ? ", got " + counted(static_cast<int64_t>(bytes.size()), "byte")
                         : "") +
         "). Save it with numpy.save or numpy.savez.");
  const int version = byteAt(6);
  if (version < 1 || version > 3)
    fail("has an unknown version (expected 1 to 3, got " + std::to_string(version) +
         "). Save it with a supported NumPy version.");
  const size_t lengthBytes = version == 1 ? 2 : 4, textAt = 8 + lengthBytes;
  if (bytes.size() < textAt) fail("ends inside its header. The file is cut short; save it again.");
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= static_cast<size_t>(byteAt(8 + i)) << (8 * i);
  if (length > kMaxNpyHeadBytes - textAt || textAt + length > bytes.size())
    fail("has a wrong header length (expected at most " +
         std::to_string(std::min(bytes.size(), kMaxNpyHeadBytes) - textAt) + " bytes, got " +
         std::to_string(length) + "). The file is cut short or damaged; save it again.");
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()) + textAt, length);

  std::string descr;
  std::optional<bool> isColumnMajor;
  std::optional<std::vector<uint64_t>> shape;
  NpyDictionary(text, file, what).readInto(descr, isColumnMajor, shape);
  if (descr.empty() || !isColumnMajor || !shape)
    fail(
        "has an incomplete header (expected descr, fortran_order and shape). The file is damaged; "
        "save it again.");

  NpyHead head;
  const char order = descr[0];
  const bool hasOrder = order == '<' || order == '>' || order == '|' || order == '=';
  const auto element = elementOf(std::string_view(descr).substr(hasOrder ? 1 : 0));
  if (!element)
    fail("holds " +
         std::string(descr.find('O') != std::string::npos ? "objects" : "values of another kind") +
         " (expected numbers of one kind: f2, f4, f8, b1, i1 to i8 or u1 to u8, got " +
         excerpt(descr, 40) + "). Save it as float32.");
  head.element = *element;
  head.isSwapped = order == '>';
  head.isColumnMajor = *isColumnMajor;
  if (shape->size() > static_cast<size_t>(kMaxRank))
    fail("has too many dimensions (expected at most " + std::to_string(kMaxRank) + ", got " +
         std::to_string(shape->size()) + "). Reshape it before saving.");
  head.dataBytes = elementBytes(*element);
  for (const uint64_t size : *shape) {
    if (size > uint64_t{1} << 48 || __builtin_mul_overflow(head.dataBytes, size, &head.dataBytes) ||
        head.dataBytes > kMaxNpyBytes)
      fail("has a shape larger than any memory. The file is damaged; save it again.");
    head.shape.append(static_cast<int64_t>(size));
  }
  head.dataAt = textAt + length;
  return head;
}

void requireNpyBytes(const NpyHead& head, uint64_t there, const std::string& file,
                     const std::string& what) {
  if (there == head.dataBytes) return;
  throw Error(ErrorCode::InvalidFile, file,
              what + "its numbers do not fit its shape (expected " +
                  std::to_string(head.dataBytes) + " bytes for " + head.shape.toString() +
                  ", got " + std::to_string(there) +
                  "). The file is cut short or damaged; save it again.");
}

NpyPlaces::NpyPlaces(const NpyHead& head, Tensor& target)
    : m_target(target), m_isTransposed(head.isColumnMajor && head.shape.rank() > 1) {
  if (!m_isTransposed) return;
  const auto strides = head.shape.strides();
  m_strides.assign(strides.begin(), strides.begin() + head.shape.rank());
  m_index.assign(m_strides.size(), 0);
}

void NpyPlaces::add(const Tensor& piece) {
  const size_t width = dtypeBytes(piece.dtype());
  if (!m_isTransposed) {
    std::memcpy(m_target.data() + static_cast<size_t>(m_at) * width, piece.data(), piece.bytes());
    m_at += piece.numElements();
    return;
  }
  for (const std::byte* from = piece.data(); from != piece.data() + piece.bytes(); from += width) {
    std::memcpy(m_target.data() + static_cast<size_t>(m_at) * width, from, width);
    // The first index varies fastest in column-major order.
    for (size_t axis = 0; axis < m_index.size(); ++axis) {
      m_at += m_strides[axis];
      if (++m_index[axis] < m_target.shape()[static_cast<int>(axis)]) break;
      m_at -= m_strides[axis] * m_index[axis];
      m_index[axis] = 0;
    }
  }
}

std::string npyHead(const TensorType& type) {
  std::string descr;
  switch (type.dtype) {
    case DType::F32: descr = "<f4"; break;
    case DType::F64: descr = "<f8"; break;
    case DType::I32: descr = "<i4"; break;
    case DType::I64: descr = "<i8"; break;
    case DType::U8: descr = "|u1"; break;
    case DType::F16: descr = "<f2"; break;
    // NumPy has no bf16, so the file contains the bits
    case DType::BF16: descr = "<u2"; break;
  }
  std::string text = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (";
  for (int i = 0; i < type.shape.rank(); ++i)
    text += (i > 0 ? ", " : "") + std::to_string(type.shape[i]);
  // Python writes a tuple with one element as "(3,)".
  if (type.shape.rank() == 1) text += ',';
  text += "), }";
  text.resize((10 + text.size() + 1 + 63) / 64 * 64 - 10 - 1, ' ');
  text += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(text.size() & 255);
  head += static_cast<char>(text.size() >> 8);
  return head + text;
}

}  // namespace strata
