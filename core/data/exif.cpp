// SPDX-License-Identifier: Apache-2.0
#include "core/data/exif.h"

#include <cstdint>
#include <cstring>
#include <optional>

namespace strata {

namespace {

constexpr int kUpright = 1;

/// Reads unsigned numbers of a file. A number beyond its end has no value.
struct Numbers {
  std::string_view bytes;
  bool isLittleEndian = false;

  std::optional<uint32_t> at(size_t place, size_t length) const {
    if (place > bytes.size() || bytes.size() - place < length) return std::nullopt;
    uint32_t value = 0;
    for (size_t i = 0; i < length; ++i)
      value = value << 8 |
              static_cast<unsigned char>(bytes[place + (isLittleEndian ? length - 1 - i : i)]);
    return value;
  }
};

/// Returns the EXIF data of a JPEG file, or "". The data is in a segment before the first scan.
std::string_view exifOfJpeg(std::string_view bytes) {
  constexpr std::string_view kName("Exif\0\0", 6);
  constexpr uint32_t kStartOfScan = 0xDA, kEnd = 0xD9, kApplication1 = 0xE1;
  const Numbers numbers{bytes};
  for (size_t at = 2;;) {
    const auto marker = numbers.at(at, 2);
    if (!marker || *marker >> 8 != 0xFF) return {};
    const uint32_t kind = *marker & 0xFF;
    if (kind == kStartOfScan || kind == kEnd) return {};
    // A byte 0xFF before a marker is padding. The markers 0x01 and 0xD0 to 0xD7 have no length.
    if (kind == 0xFF) {
      ++at;
      continue;
    }
    if (kind == 0x01 || (kind >= 0xD0 && kind <= 0xD7)) {
      at += 2;
      continue;
    }
    const auto length = numbers.at(at + 2, 2);
    if (!length || *length < 2 || bytes.size() - at - 2 < *length) return {};
    const std::string_view data = bytes.substr(at + 4, *length - 2);
    if (kind == kApplication1 && data.starts_with(kName)) return data.substr(kName.size());
    at += 2 + *length;
  }
}

/// Returns the EXIF data of a PNG file, or "".
std::string_view exifOfPng(std::string_view bytes) {
  // Length and type precede the data of a chunk, and its CRC follows.
  constexpr size_t kSignature = 8, kAround = 12;
  const Numbers numbers{bytes};
  for (size_t at = kSignature; bytes.size() >= at + kAround;) {
    const size_t length = *numbers.at(at, 4);
    if (length > bytes.size() - at - kAround) return {};
    const std::string_view type = bytes.substr(at + 4, 4);
    if (type == "eXIf") return bytes.substr(at + 8, length);
    if (type == "IEND") return {};
    at += kAround + length;
  }
  return {};
}

/// Copies the pixels of `from` to their upright places.
void turn(const Tensor& from, Tensor& to, int orientation) {
  const int64_t height = from.shape()[0], width = from.shape()[1];
  const size_t pixel = static_cast<size_t>(from.shape()[2]) * dtypeBytes(from.dtype());
  const bool isExchanged = exchangesSides(orientation);
  // Whether the rows or the columns of the file run in the opposite direction
  const bool isRowReversed =
                 orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7,
             isColumnReversed =
                 orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
  std::byte* target = to.data();
  for (int64_t y = 0; y < to.shape()[0]; ++y)
    for (int64_t x = 0; x < to.shape()[1]; ++x) {
      int64_t row = isExchanged ? x : y, column = isExchanged ? y : x;
      if (isRowReversed) row = height - 1 - row;
      if (isColumnReversed) column = width - 1 - column;
      std::memcpy(target, from.data() + static_cast<size_t>(row * width + column) * pixel, pixel);
      target += pixel;
    }
}

}  // namespace

int image_parts::orientationInTiff(std::string_view tiff) {
  constexpr uint32_t kMagic = 42, kOrientation = 0x0112, kShort = 3;
  constexpr size_t kEntry = 12;
  if (!tiff.starts_with("II") && !tiff.starts_with("MM")) return kUpright;
  const Numbers numbers{tiff, tiff.starts_with("II")};
  const auto magic = numbers.at(2, 2), directory = numbers.at(4, 4);
  if (magic != kMagic || !directory) return kUpright;
  const auto count = numbers.at(*directory, 2);
  if (!count) return kUpright;
  for (size_t i = 0; i < *count; ++i) {
    const size_t entry = size_t{*directory} + 2 + i * kEntry;
    const auto tag = numbers.at(entry, 2), type = numbers.at(entry + 2, 2),
               number = numbers.at(entry + 4, 4), value = numbers.at(entry + 8, 2);
    if (!value) return kUpright;
    if (tag != kOrientation) continue;
    return type == kShort && number == 1u && *value >= 1 && *value <= 8 ? static_cast<int>(*value)
                                                                        : kUpright;
  }
  return kUpright;
}

int imageOrientation(std::string_view bytes) {
  if (bytes.starts_with("\xFF\xD8")) return image_parts::orientationInTiff(exifOfJpeg(bytes));
  if (bytes.starts_with("\x89PNG")) return image_parts::orientationInTiff(exifOfPng(bytes));
  return kUpright;
}

bool exchangesSides(int orientation) { return orientation >= 5; }

Tensor uprightImage(Tensor image, int orientation) {
  if (orientation <= kUpright) return image;
  Shape shape = image.shape();
  if (exchangesSides(orientation)) {
    shape.set(0, image.shape()[1]);
    shape.set(1, image.shape()[0]);
  }
  Tensor result(image.dtype(), shape);
  turn(image, result, orientation);
  return result;
}

}  // namespace strata
