// SPDX-License-Identifier: Apache-2.0
#include "core/data/array_files.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/data/float_loss.h"
#include "core/interchange/file_bytes.h"
#include "core/interchange/npz.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/machine.h"

namespace strata {

static constexpr std::string_view kNpySuffixOfMember = ".npy";

static void requireRoomFor(uint64_t bytes, const std::string& path) {
  if (bytes > availableMemoryBytes() / 3)
    throw Error(ErrorCode::OutOfMemory, path,
                "does not fit into memory (it has " + std::to_string(bytes) +
                    " bytes, available: " + std::to_string(availableMemoryBytes()) +
                    "). Save a part of it, or use a smaller number type.");
}

std::vector<std::string> ArrayArchive::names() const {
  std::vector<std::string> result;
  for (const ZipMember& member : m_zip.members())
    if (member.name.ends_with(kNpySuffixOfMember))
      result.push_back(member.name.substr(0, member.name.size() - kNpySuffixOfMember.size()));
  return result;
}

bool ArrayArchive::has(const std::string& name) const {
  const auto all = names();
  return std::find(all.begin(), all.end(), name) != all.end();
}

/// Converts a piece of an array. `at` is the index of its first element, for messages.
static Tensor usedAs(const Tensor& piece, ArrayUse use, int64_t at, const std::string& file,
                     const std::string& what) {
  if (use == ArrayUse::AsStored) return piece;
  if (use == ArrayUse::Values)
    return usedAs(piece, ArrayUse::Inputs, at, file, what).converted(DType::F32);
  if (piece.dtype() == DType::F64)
    return use == ArrayUse::ExactInputs ? piece : piece.converted(DType::F32);
  if (piece.dtype() != DType::I64) return piece;
  const auto values = piece.as<int64_t>();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < std::numeric_limits<int32_t>::min() ||
        values[i] > std::numeric_limits<int32_t>::max())
      throw Error(ErrorCode::InvalidFile, file,
                  what + "holds " + std::to_string(values[i]) + " at position " +
                      std::to_string(at + static_cast<int64_t>(i)) +
                      " (expected 32-bit integers). Save it as float64, or with smaller numbers.");
  return piece.converted(DType::I32);
}

/// Converts consecutive pieces of an array, and collects them in one tensor.
class ArrayPieces {
 public:
  ArrayPieces(const NpyHead& head, ArrayUse use, const std::string& file, const std::string& what)
      : m_use(use), m_file(file), m_what(what) {
    const TensorType type = head.type();
    const DType dtype = usedAs(Tensor(type.dtype, Shape{0}), use, 0, file, what).dtype();
    requireRoomFor(TensorType{dtype, type.shape}.bytes(), file);
    m_tensor = Tensor(dtype, type.shape);
    m_places.emplace(head, m_tensor);
  }
  void add(const Tensor& piece) {
    const Tensor used = usedAs(piece, m_use, m_at, m_file, m_what);
    m_places->add(used);
    m_at += used.numElements();
  }
  Tensor take() { return std::move(m_tensor); }

 private:
  const ArrayUse m_use;
  const std::string &m_file, &m_what;
  Tensor m_tensor;
  std::optional<NpyPlaces> m_places;
  int64_t m_at = 0;
};

FoundArray ArrayArchive::read(const std::string& name, ArrayUse use, const JudgeArray& judge) {
  const std::string what = "array \"" + excerpt(name, 100) + "\" ";
  for (const ZipMember& member : m_zip.members()) {
    if (member.name != name + std::string(kNpySuffixOfMember)) continue;
    const NpyHead head = headOfMember(m_zip, member, m_path, what);
    if (judge) judge(head.type(), m_path, what);
    ArrayPieces pieces(head, use, m_path, what);
    eachOfMember(m_zip, member, head, [&](const Tensor& piece) { pieces.add(piece); });
    return {pieces.take(), m_path, what};
  }
  throw Error(ErrorCode::InvalidFile, m_path,
              "has no array \"" + excerpt(name, 60) + "\" (expected one of: " +
                  excerpt(joinedNames(names()), 200) + "). Correct the name in the source.");
}

FoundArray readNpyArray(const std::string& path, ArrayUse use, bool takesPart,
                        const JudgeArray& judge) {
  FileBytes file(path);
  std::vector<std::byte> bytes(std::min<uint64_t>(file.size(), kMaxNpyHeadBytes));
  file.read(bytes.data(), bytes.size(), 0);
  const NpyHead head = readNpyHead(bytes, path);
  const std::string what;
  if (judge) judge(head.type(), path, what);
  FoundArray result{{}, path, what};
  uint64_t there = file.size() - head.dataAt;
  if (there != head.dataBytes) {
    const uint64_t each = head.shape.rank() > 0 && head.shape[0] > 0
                              ? head.dataBytes / static_cast<uint64_t>(head.shape[0])
                              : 0;
    // Missing samples take memory, because they become zeros. The header of a small damaged file
    // may declare any amount of data, so the size of the missing part is limited.
    const bool isMostlyThere =
        there < head.dataBytes &&
        head.dataBytes - there <= std::max<uint64_t>(there, uint64_t{64} << 20);
    const bool isPart =
        takesPart && !head.isColumnMajor && isMostlyThere && each > 0 && there >= each;
    if (!isPart) requireNpyBytes(head, there, path);
    result.whole = static_cast<int64_t>(there / each);
    result.lost = "is cut short (expected " + std::to_string(head.dataAt + head.dataBytes) +
                  " bytes, got " + std::to_string(file.size()) + ")";
    there = static_cast<uint64_t>(result.whole) * each;
  }
  ArrayPieces pieces(head, use, path, what);
  ElementStream elements(head.element, head.isSwapped,
                         [&](const Tensor& piece) { pieces.add(piece); });
  bytes.resize(std::min<uint64_t>(there, uint64_t{1} << 20));
  for (uint64_t at = 0; at < there; at += bytes.size()) {
    bytes.resize(std::min<uint64_t>(bytes.size(), there - at));
    file.read(bytes.data(), bytes.size(), head.dataAt + at);
    elements.add(bytes);
  }
  result.tensor = pieces.take();
  return result;
}

namespace {

template <class T>
bool losesDigits(const Tensor& inputs) {
  const auto values = inputs.as<T>();
  const int rank = inputs.shape().rank();
  const auto columns =
      static_cast<size_t>(rank > 1 ? std::max<int64_t>(1, inputs.shape().dim(-1)) : 1);
  std::vector<FloatLoss> losses(columns);
  for (size_t i = 0; i < values.size(); ++i)
    if (const auto value = static_cast<double>(values[i]); std::isfinite(static_cast<float>(value)))
      losses[i % columns].add(value);
  return std::any_of(losses.begin(), losses.end(),
                     [](const FloatLoss& each) { return each.losesDigits(); });
}

}  // namespace

Tensor withNeededDigits(Tensor inputs, std::optional<DType> trained) {
  if (trained == DType::F64) return inputs.converted(DType::F64);
  if (inputs.dtype() == DType::F64)
    return losesDigits<double>(inputs) ? std::move(inputs) : inputs.converted(DType::F32);
  if (inputs.dtype() == DType::I32 && losesDigits<int32_t>(inputs))
    return inputs.converted(DType::F64);
  return inputs;
}

Tensor asInputs(FoundArray array) {
  const DType dtype = array.tensor.dtype();
  if (dtype != DType::F64 && dtype != DType::I64) return std::move(array.tensor);
  return usedAs(array.tensor, ArrayUse::Inputs, 0, array.file, array.what);
}

}  // namespace strata
