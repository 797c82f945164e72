// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/safetensors.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/interchange/elements.h"
#include "core/interchange/file_bytes.h"
#include "core/project/json.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

static_assert(std::endian::native == std::endian::little, "safetensors files are little-endian");

namespace {

constexpr std::array<std::pair<const char*, FileElement>, 13> kElements{
    {{"F32", FileElement::F32},
     {"F64", FileElement::F64},
     {"F16", FileElement::F16},
     {"BF16", FileElement::BF16},
     {"I32", FileElement::I32},
     {"I64", FileElement::I64},
     {"U8", FileElement::U8},
     {"BOOL", FileElement::Bool},
     {"I8", FileElement::I8},
     {"I16", FileElement::I16},
     {"U16", FileElement::U16},
     {"U32", FileElement::U32},
     {"U64", FileElement::U64}}};

const char* safetensorsName(DType dtype) {
  switch (dtype) {
    case DType::F32: return "F32";
    case DType::F64: return "F64";
    case DType::I32: return "I32";
    case DType::I64: return "I64";
    case DType::U8: return "U8";
    case DType::BF16: return "BF16";
    case DType::F16: return "F16";
  }
  return "F32";
}

struct Entry {
  std::string name;
  FileElement element = FileElement::F32;
  Shape shape;
  uint64_t begin = 0, end = 0;
};

/// Returns an unsigned integer from the header. The error message for another value names the
/// tensor.
uint64_t unsignedOf(const FileBytes& reader, const std::string& name, const char* field,
                    const Json& value) {
  if (!value.is_number_unsigned())
    reader.fail(
        "tensor " + name + ": " + field +
        " must contain integers of at least 0 (header). The file is damaged; export it again.");
  return value.get<uint64_t>();
}

Entry parseEntry(const FileBytes& reader, const std::string& name, const Json& json,
                 uint64_t dataBytes) {
  const auto bad = [&](const std::string& what) {
    reader.fail("tensor " + name + ": " + what);
  };
  if (!json.is_object())
    bad("its header entry must be an object. The file is damaged; export it again.");
  const auto dtype = json.find("dtype"), shape = json.find("shape"),
             offsets = json.find("data_offsets");
  if (dtype == json.end() || !dtype->is_string() || shape == json.end() || !shape->is_array() ||
      offsets == json.end() || !offsets->is_array() || offsets->size() != 2)
    bad("its header entry needs dtype, shape and two data_offsets. The file is damaged; export it "
        "again.");
  Entry entry;
  entry.name = name;
  const std::string dtypeText = dtype->get<std::string>();
  bool isKnown = false;
  for (const auto& [known, value] : kElements)
    if (dtypeText == known) {
      entry.element = value;
      isKnown = true;
    }
  if (!isKnown)
    bad("unknown dtype (expected F32, F64, F16, BF16, or integers, got " + excerpt(dtypeText, 40) +
        "). Export it in float32.");
  if (shape->size() > static_cast<size_t>(kMaxRank))
    bad("too many dimensions (expected at most " + std::to_string(kMaxRank) + ", got " +
        std::to_string(shape->size()) + "). Strata does not write such files.");
  uint64_t bytes = elementBytes(entry.element);
  for (const Json& dim : *shape) {
    const uint64_t size = unsignedOf(reader, name, "shape", dim);
    if (size > uint64_t{1} << 48 || __builtin_mul_overflow(bytes, size, &bytes))
      bad("its shape is larger than any memory. The file is damaged; export it again.");
    entry.shape.append(static_cast<int64_t>(size));
  }
  entry.begin = unsignedOf(reader, name, "data_offsets", (*offsets)[0]);
  entry.end = unsignedOf(reader, name, "data_offsets", (*offsets)[1]);
  if (entry.begin > entry.end || entry.end > dataBytes)
    bad("its data lies outside the file (expected within bytes 0 to " + std::to_string(dataBytes) +
        " of the data, got " + std::to_string(entry.begin) + " to " + std::to_string(entry.end) +
        "). The file is cut short or damaged; export it again.");
  if (entry.end - entry.begin != bytes)
    bad("its data does not fit its shape (expected " +
        counted(static_cast<int64_t>(bytes), "byte") + " for " + dtypeText + " " +
        entry.shape.toString() + ", got " + std::to_string(entry.end - entry.begin) +
        "). The file is damaged; export it again.");
  return entry;
}

struct Head {
  // Tensors in the order of their data in the file
  std::vector<Entry> entries;
  std::map<std::string, std::string> metadata;
  uint64_t dataAt = 0;
};

Head readHead(FileBytes& reader, const std::string& path) {
  if (reader.size() < 10)
    reader.fail("too short for a safetensors file (expected at least 10 bytes, got " +
                std::to_string(reader.size()) + "). The file is cut short; export it again.");
  uint64_t headerBytes = 0;
  reader.read(&headerBytes, 8, 0);
  const uint64_t most = std::min(reader.size() - 8, kMaxSafetensorsHeaderBytes);
  if (headerBytes < 2 || headerBytes > most)
    reader.fail("the header's length at byte 0 is wrong (expected 2 to " + std::to_string(most) +
                " bytes, got " + std::to_string(headerBytes) +
                "). The file is cut short or not a safetensors file; export it again.");
  std::string headerText(headerBytes, ' ');
  reader.read(headerText.data(), headerBytes, 8);
  if (headerText[0] != '{')
    reader.fail("the header at byte 8 is not JSON (expected '{'). It is not a safetensors file.");
  Json header;
  try {
    header = parseJson(headerText, path);
  }
  catch (const Error& error) {
    reader.fail(std::string("header: ") + error.what());
  }
  if (!header.is_object())
    reader.fail("the header at byte 8 must be a JSON object. It is not a safetensors file.");

  const uint64_t dataBytes = reader.size() - 8 - headerBytes;
  Head result;
  result.dataAt = 8 + headerBytes;
  std::vector<Entry>& entries = result.entries;
  for (const auto& [name, json] : header.items()) {
    if (name == "__metadata__") {
      if (!json.is_object())
        reader.fail(
            "__metadata__ must be an object of strings. The file is damaged; export it again.");
      for (const auto& [key, value] : json.items()) {
        if (!value.is_string())
          reader.fail("__metadata__/" + key +
                      " must be a string. The file is damaged; export it again.");
        result.metadata[key] = value.get<std::string>();
      }
    }
    else {
      entries.push_back(parseEntry(reader, name, json, dataBytes));
    }
  }
  // The tensors must fill the data section without gaps or overlaps. A gap could hide other data.
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  uint64_t position = 0;
  for (const Entry& entry : entries) {
    if (entry.begin != position)
      reader.fail("tensor " + entry.name + ": its data " +
                  (entry.begin < position ? "overlaps another's" : "leaves a gap") +
                  " (expected to start at byte " + std::to_string(position) + " of the data, got " +
                  std::to_string(entry.begin) + "). The file is damaged; export it again.");
    position = entry.end;
  }
  if (position != dataBytes)
    reader.fail("has bytes that belong to no tensor (expected " +
                std::to_string(8 + headerBytes + position) + " bytes, got " +
                std::to_string(reader.size()) + "). The file is damaged; export it again.");
  return result;
}

class SafetensorsReader : public TensorReader {
 public:
  explicit SafetensorsReader(const std::string& path) : m_file(path) {
    Head head = readHead(m_file, path);
    m_metadata = std::move(head.metadata);
    m_dataAt = head.dataAt;
    for (Entry& entry : head.entries) {
      m_types.emplace(entry.name, TensorType{dtypeOfElement(entry.element), entry.shape});
      std::string name = entry.name;
      m_entries.emplace(std::move(name), std::move(entry));
    }
  }

  Tensor read(const std::string& name) override {
    Tensor result(m_types.at(name));
    std::byte* to = result.data();
    eachPiece(name, [&](std::span<const std::byte> piece) {
      std::memcpy(to, piece.data(), piece.size());
      to += piece.size();
    });
    return result;
  }

  void eachPiece(const std::string& name, const TakePiece& take) override {
    const Entry& entry = m_entries.at(name);
    const bool isAsHere =
        elementBytes(entry.element) == dtypeBytes(dtypeOfElement(entry.element)) &&
        entry.element != FileElement::Bool;
    ElementStream elements(entry.element, false, [&](const Tensor& piece) {
      take({piece.data(), piece.bytes()});
    });
    std::vector<std::byte> bytes(std::min<uint64_t>(entry.end - entry.begin, uint64_t{1} << 20));
    for (uint64_t at = entry.begin; at < entry.end; at += bytes.size()) {
      bytes.resize(std::min<uint64_t>(bytes.size(), entry.end - at));
      m_file.read(bytes.data(), bytes.size(), m_dataAt + at);
      if (isAsHere)
        take(bytes);
      else
        elements.add(bytes);
    }
  }

 private:
  FileBytes m_file;
  std::map<std::string, Entry> m_entries;
  uint64_t m_dataAt = 0;
};

}  // namespace

std::unique_ptr<TensorReader> openSafetensors(const std::string& path) {
  return std::make_unique<SafetensorsReader>(path);
}

TensorFile readSafetensors(const std::string& path) { return readAll(*openSafetensors(path)); }

void writeSafetensors(const std::string& path, const TensorFile& file, bool isDurable) {
  writeSafetensors(path, viewsOf(file.tensors), file.metadata, isDurable);
}

void writeSafetensors(const std::string& path, const TensorViews& tensors,
                      const std::map<std::string, std::string>& metadata, bool isDurable,
                      Links links) {
  TensorsInMemory reader(tensors);
  writeSafetensors(path, reader, metadata, isDurable, links);
}

void writeSafetensors(const std::string& path, TensorReader& tensors,
                      const std::map<std::string, std::string>& metadata, bool isDurable,
                      Links links) {
  // The header is built as text, because adding a member to a Json object takes time proportional
  // to the size of the object.
  std::string text = "{";
  const auto add = [&](const std::string& name, const Json& value) {
    text += (text.size() > 1 ? "," : "") + Json(name).dump() + ":" + value.dump();
  };
  if (!metadata.empty()) {
    Json texts = Json::object();
    for (const auto& [key, value] : metadata)
      texts[key] = value;
    add("__metadata__", texts);
  }
  uint64_t offset = 0;
  for (const auto& [name, type] : tensors.types()) {
    Json entry = Json::object();
    entry["dtype"] = safetensorsName(type.dtype);
    entry["shape"] = std::vector<int64_t>(type.shape.dims().begin(), type.shape.dims().end());
    entry["data_offsets"] = {offset, offset + type.bytes()};
    add(name, entry);
    offset += type.bytes();
  }
  text += "}";
  // The padding aligns the data to 8 bytes, for programs that map the file into memory.
  text.resize((text.size() + 7) / 8 * 8, ' ');
  const uint64_t headerBytes = text.size();
  AtomicFile out(path, links);
  out.write(std::as_bytes(std::span(&headerBytes, 1)));
  out.write(text);
  for (const auto& [name, type] : tensors.types())
    tensors.eachPiece(name, [&](std::span<const std::byte> piece) { out.write(piece); });
  out.commit(isDurable);
}

}  // namespace strata
