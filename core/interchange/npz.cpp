// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/npz.h"

#include <nlohmann/json.hpp>

#include "core/interchange/npy.h"
#include "core/interchange/zip.h"
#include "core/project/json.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr std::string_view kNpySuffix = ".npy";

/// What numpy.load calls a member; "" for one that holds no array.
std::string arrayName(const ZipMember& member) {
  if (!member.name.ends_with(kNpySuffix)) return {};
  return member.name.substr(0, member.name.size() - kNpySuffix.size());
}

std::string shownArray(const std::string& name) { return "array \"" + excerpt(name, 100) + "\" "; }

NpyHead headOf(ZipReader& reader, const ZipMember& member, const std::string& path) {
  const std::string what = shownArray(arrayName(member));
  const NpyHead head = readNpyHead(reader.beginning(member, kMaxNpyHeadBytes), path, what);
  if (member.bytes < head.dataAt || member.bytes - head.dataAt != head.dataBytes)
    throw Error(ErrorCode::InvalidFile, path,
                what + "does not hold what its head says (expected " + std::to_string(head.dataAt + head.dataBytes) + " bytes for " +
                    head.shape.toString() + ", got " + std::to_string(member.bytes) + "). The file is damaged; save it again.");
  return head;
}

std::map<std::string, std::string> metadataOf(const std::string& comment, const std::string& path) {
  std::map<std::string, std::string> result;
  if (!comment.starts_with('{')) return result;
  try {
    const Json json = parseJson(comment, path);
    for (const auto& [key, value] : json.items())
      if (value.is_string()) result[key] = value.get<std::string>();
  } catch (const Error&) { result.clear(); }  // a comment of someone else's
  return result;
}

}  // namespace

TensorFile readNpz(const std::string& path) {
  ZipReader reader(path);
  TensorFile result;
  result.metadata = metadataOf(reader.comment(), path);
  for (const ZipMember& member : reader.members()) {
    const std::string name = arrayName(member);
    if (name.empty()) continue;
    const NpyHead head = headOf(reader, member, path);
    const std::vector<std::byte> bytes = reader.read(member);
    result.tensors.emplace(name, npyTensor(head, std::span(bytes).subspan(head.dataAt)));
  }
  return result;
}

void checkNpz(const std::string& path) {
  ZipReader reader(path);
  for (const ZipMember& member : reader.members())
    if (!arrayName(member).empty()) headOf(reader, member, path);
}

void writeNpz(const std::string& path, const TensorViews& tensors, const std::map<std::string, std::string>& metadata, bool isDurable) {
  ZipWriter writer(path);
  for (const auto& [name, tensor] : tensors)
    writer.add(name + std::string(kNpySuffix), npyHead(tensor.type), {tensor.data, tensor.bytes()});
  std::string comment;
  if (!metadata.empty()) {
    Json texts = Json::object();
    for (const auto& [key, value] : metadata) texts[key] = value;
    comment = texts.dump();
  }
  writer.finish(comment.size() <= 65535 ? comment : std::string(), isDurable);
}

}  // namespace strata
