// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/npz.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr std::string_view kNpySuffix = ".npy";
constexpr uint64_t kMaxTransposedBytes = uint64_t{1} << 30;

/// Returns the name that numpy.load uses for a member, or "" if the member is not an array.
std::string arrayName(const ZipMember& member) {
  if (!member.name.ends_with(kNpySuffix)) return {};
  return member.name.substr(0, member.name.size() - kNpySuffix.size());
}

std::string shownArray(const std::string& name) { return "array \"" + excerpt(name, 100) + "\" "; }

std::map<std::string, std::string> metadataOf(const std::string& comment, const std::string& path) {
  std::map<std::string, std::string> result;
  if (!comment.starts_with('{')) return result;
  try {
    const Json json = parseJson(comment, path);
    for (const auto& [key, value] : json.items())
      if (value.is_string()) result[key] = value.get<std::string>();
  }
  catch (const Error&) {
    // A comment that is not JSON is from another program, so it contains no metadata.
    result.clear();
  }
  return result;
}

class NpzReader : public TensorReader {
 public:
  explicit NpzReader(const std::string& path) : m_path(path), m_zip(path) {
    m_metadata = metadataOf(m_zip.comment(), path);
    for (const ZipMember& member : m_zip.members()) {
      const std::string name = arrayName(member);
      if (name.empty()) continue;
      if (!isUtf8(name))
        throw Error(ErrorCode::InvalidFile, path,
                    shownArray(name) + "has a name that is not UTF-8. Save it under another name.");
      NpyHead head = headOfMember(m_zip, member, path, shownArray(name));
      m_types.emplace(name, head.type());
      m_arrays.emplace(name, std::pair(&member, std::move(head)));
    }
  }

  Tensor read(const std::string& name) override {
    const auto& [member, head] = m_arrays.at(name);
    Tensor result(head.type());
    NpyPlaces places(head, result);
    eachOfMember(m_zip, *member, head, [&](const Tensor& piece) { places.add(piece); });
    return result;
  }

  void eachPiece(const std::string& name, const TakePiece& take) override {
    const auto& [member, head] = m_arrays.at(name);
    if (!head.isColumnMajor || head.shape.rank() < 2) {
      eachOfMember(m_zip, *member, head, [&](const Tensor& piece) {
        take({piece.data(), piece.bytes()});
      });
      return;
    }
    if (head.type().bytes() > kMaxTransposedBytes)
      throw Error(ErrorCode::InvalidFile, m_path,
                  shownArray(name) +
                      "is in column-major order and too large to be converted (expected at most " +
                      std::to_string(kMaxTransposedBytes) + " bytes, got " +
                      std::to_string(head.type().bytes()) +
                      "). Save it after numpy.ascontiguousarray.");
    const Tensor whole = read(name);
    take({whole.data(), whole.bytes()});
  }

 private:
  const std::string m_path;
  ZipReader m_zip;
  std::map<std::string, std::pair<const ZipMember*, NpyHead>> m_arrays;
};

}  // namespace

NpyHead headOfMember(ZipReader& zip, const ZipMember& member, const std::string& path,
                     const std::string& what) {
  const NpyHead head = readNpyHead(zip.beginning(member, kMaxNpyHeadBytes), path, what);
  if (member.bytes < head.dataAt || member.bytes - head.dataAt != head.dataBytes)
    throw Error(ErrorCode::InvalidFile, path,
                what + "does not match its header (expected " +
                    std::to_string(head.dataAt + head.dataBytes) + " bytes for " +
                    head.shape.toString() + ", got " + std::to_string(member.bytes) +
                    "). The file is damaged; save it again.");
  return head;
}

void eachOfMember(ZipReader& zip, const ZipMember& member, const NpyHead& head,
                  const ElementStream::Take& take) {
  ElementStream elements(head.element, head.isSwapped, take);
  size_t toSkip = head.dataAt;
  zip.eachPiece(member, [&](std::span<const std::byte> piece) {
    const size_t skipped = std::min(toSkip, piece.size());
    toSkip -= skipped;
    elements.add(piece.subspan(skipped));
  });
}

std::unique_ptr<TensorReader> openNpz(const std::string& path) {
  return std::make_unique<NpzReader>(path);
}

TensorFile readNpz(const std::string& path) { return readAll(*openNpz(path)); }

void writeNpz(const std::string& path, TensorReader& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable) {
  ZipWriter writer(path);
  for (const auto& [name, type] : tensors.types())
    writer.add(
        name + std::string(kNpySuffix), npyHead(type), type.bytes(),
        [&, &array = name](const ZipReader::TakePiece& take) { tensors.eachPiece(array, take); });
  std::string comment;
  if (!metadata.empty()) {
    Json texts = Json::object();
    for (const auto& [key, value] : metadata)
      texts[key] = value;
    comment = texts.dump();
  }
  writer.finish(comment.size() <= 65535 ? comment : std::string(), isDurable);
}

void writeNpz(const std::string& path, const TensorViews& tensors,
              const std::map<std::string, std::string>& metadata, bool isDurable) {
  TensorsInMemory reader(tensors);
  writeNpz(path, reader, metadata, isDurable);
}

}  // namespace strata
