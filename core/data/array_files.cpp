// SPDX-License-Identifier: Apache-2.0
#include "core/data/array_files.h"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include "core/interchange/file_bytes.h"
#include "core/interchange/npy.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/exec/device.h"

namespace strata {

static constexpr std::string_view kNpySuffixOfMember = ".npy";

static void requireRoomFor(uint64_t bytes, const std::string& path) {
  if (bytes > availableMemoryBytes() / 3)
    throw Error(ErrorCode::OutOfMemory, path,
                "does not fit into memory (it has " + std::to_string(bytes) + " bytes, free are " + std::to_string(availableMemoryBytes()) +
                    "). Save a part of it, or smaller numbers.");
}

std::vector<std::string> ArrayArchive::names() const {
  std::vector<std::string> result;
  for (const ZipMember& member : m_zip.members())
    if (member.name.ends_with(kNpySuffixOfMember)) result.push_back(member.name.substr(0, member.name.size() - kNpySuffixOfMember.size()));
  return result;
}

bool ArrayArchive::has(const std::string& name) const {
  const auto all = names();
  return std::find(all.begin(), all.end(), name) != all.end();
}

FoundArray ArrayArchive::read(const std::string& name) {
  const std::string what = "array \"" + excerpt(name, 100) + "\" ";
  for (const ZipMember& member : m_zip.members()) {
    if (member.name != name + std::string(kNpySuffixOfMember)) continue;
    const std::vector<std::byte> bytes = m_zip.read(member);
    return {parseNpy(bytes, m_path, what), m_path, what};
  }
  throw Error(ErrorCode::InvalidFile, m_path,
              "has no array \"" + excerpt(name, 60) + "\" (expected one of: " + excerpt(joinedNames(names()), 200) +
                  "). Correct the name in the source.");
}

/// The array of a file that holds at least one sample, and not all.
static std::optional<FoundArray> cutArray(const std::string& path, uint64_t bytes) {
  FileBytes file(path);
  std::vector<std::byte> beginning(std::min<uint64_t>(bytes, kMaxNpyHeadBytes));
  file.read(beginning.data(), beginning.size(), 0);
  const NpyHead head = readNpyHead(beginning, path);
  const uint64_t there = bytes - head.dataAt;
  if (head.isColumnMajor || head.shape.rank() < 1 || head.shape[0] < 1 || there >= head.dataBytes) return std::nullopt;
  const uint64_t each = head.dataBytes / static_cast<uint64_t>(head.shape[0]);
  if (there < each) return std::nullopt;
  requireRoomFor(head.dataBytes, path);
  std::vector<std::byte> data(head.dataBytes);
  file.read(data.data(), there, head.dataAt);
  return FoundArray{
      npyTensor(head, data), path, "", static_cast<int64_t>(there / each),
      "is cut short (expected " + std::to_string(head.dataAt + head.dataBytes) + " bytes, got " + std::to_string(bytes) + ")"};
}

FoundArray readNpyArray(const std::string& path, bool takesPart) {
  std::error_code error;
  const auto bytes = std::filesystem::file_size(path, error);
  if (!error) requireRoomFor(bytes, path);
  if (takesPart && !error)
    if (auto cut = cutArray(path, bytes)) return std::move(*cut);
  return {readNpy(path), path, ""};
}

Tensor asInputs(FoundArray array) {
  Tensor& tensor = array.tensor;
  switch (tensor.dtype()) {
    case DType::U8:
    case DType::I32:
    case DType::F32: return std::move(tensor);
    case DType::F64: return tensor.converted(DType::F32);
    case DType::I64: break;
  }
  const auto values = tensor.as<int64_t>();
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i] < std::numeric_limits<int32_t>::min() || values[i] > std::numeric_limits<int32_t>::max())
      throw Error(ErrorCode::InvalidFile, array.file,
                  array.what + "holds " + std::to_string(values[i]) + " at place " + std::to_string(i) +
                      " (expected whole numbers of 32 bits). Save it as float32, or with smaller numbers.");
  return tensor.converted(DType::I32);
}

}  // namespace strata
