// SPDX-License-Identifier: Apache-2.0
#include "tests/support/image_files.h"

#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <vector>

#include <jpeglib.h>
#include <png.h>
#include <zlib.h>

namespace strata {

void writePngFile(const std::string& path, const Tensor& image) {
  png_image png;
  std::memset(&png, 0, sizeof png);
  png.version = PNG_IMAGE_VERSION;
  png.height = static_cast<uint32_t>(image.shape()[0]);
  png.width = static_cast<uint32_t>(image.shape()[1]);
  png.format = image.shape()[2] == 1   ? PNG_FORMAT_GRAY
               : image.shape()[2] == 3 ? PNG_FORMAT_RGB
                                       : PNG_FORMAT_RGBA;
  if (!png_image_write_to_file(&png, path.c_str(), 0, image.data(), 0, nullptr))
    throw std::runtime_error(png.message);
}

void writeGreyPngOf16Bits(const std::string& path, uint32_t side, uint16_t value) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) throw std::runtime_error(path);
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
  png_infop info = png_create_info_struct(png);
  png_init_io(png, file);
  png_set_IHDR(png, info, side, side, 16, PNG_COLOR_TYPE_GRAY, PNG_INTERLACE_NONE,
               PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_write_info(png, info);
  std::vector<uint8_t> row;
  for (uint32_t i = 0; i < side; ++i)
    row.insert(row.end(), {static_cast<uint8_t>(value >> 8), static_cast<uint8_t>(value & 255)});
  for (uint32_t i = 0; i < side; ++i)
    png_write_row(png, row.data());
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  std::fclose(file);
}

void writeJpegFile(const std::string& path, const Tensor& image, bool isProgressive) {
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) throw std::runtime_error(path);
  jpeg_compress_struct info;
  jpeg_error_mgr errors;
  info.err = jpeg_std_error(&errors);
  jpeg_create_compress(&info);
  jpeg_stdio_dest(&info, file);
  info.image_height = static_cast<JDIMENSION>(image.shape()[0]);
  info.image_width = static_cast<JDIMENSION>(image.shape()[1]);
  info.input_components = static_cast<int>(image.shape()[2]);
  info.in_color_space = image.shape()[2] == 1   ? JCS_GRAYSCALE
                        : image.shape()[2] == 3 ? JCS_RGB
                                                : JCS_CMYK;
  jpeg_set_defaults(&info);
  jpeg_set_quality(&info, 95, TRUE);
  if (isProgressive) jpeg_simple_progression(&info);
  jpeg_start_compress(&info, TRUE);
  const size_t row = static_cast<size_t>(image.shape()[1] * image.shape()[2]);
  while (info.next_scanline < info.image_height) {
    auto* line = const_cast<unsigned char*>(reinterpret_cast<const unsigned char*>(image.data()) +
                                            info.next_scanline * row);
    jpeg_write_scanlines(&info, &line, 1);
  }
  jpeg_finish_compress(&info);
  jpeg_destroy_compress(&info);
  std::fclose(file);
}

static std::string bigEndian(uint32_t value, int bytes) {
  std::string result;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8)
    result += static_cast<char>(value >> shift);
  return result;
}

std::string pngChunk(const std::string& type, const std::string& data) {
  const std::string checked = type + data;
  const auto crc = static_cast<uint32_t>(::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                                                 static_cast<uInt>(checked.size())));
  return bigEndian(static_cast<uint32_t>(data.size()), 4) + checked + bigEndian(crc, 4);
}

std::string pngOf(uint32_t height, uint32_t width, int bits, int colorType,
                  std::span<const uint16_t> values, const std::string& chunks) {
  std::string rows;
  for (uint32_t y = 0; y < height; ++y) {
    // The filter of the row
    rows += '\0';
    const size_t perRow = values.size() / height;
    for (const uint16_t value : values.subspan(y * perRow, perRow))
      rows += bigEndian(value, bits / 8);
  }
  uLongf size = ::compressBound(static_cast<uLong>(rows.size()));
  std::string packed(size, '\0');
  ::compress(reinterpret_cast<Bytef*>(packed.data()), &size,
             reinterpret_cast<const Bytef*>(rows.data()), static_cast<uLong>(rows.size()));
  packed.resize(size);
  const std::string head = bigEndian(width, 4) + bigEndian(height, 4) + static_cast<char>(bits) +
                           static_cast<char>(colorType) + std::string(3, '\0');
  return "\x89PNG\r\n\x1A\n" + pngChunk("IHDR", head) + chunks + pngChunk("IDAT", packed) +
         pngChunk("IEND", "");
}

std::string exifOf(int orientation, bool isLittleEndian) {
  const auto number = [&](uint32_t value, int bytes) {
    const std::string result = bigEndian(value, bytes);
    return isLittleEndian ? std::string(result.rbegin(), result.rend()) : result;
  };
  // The header, the number of entries, a width, the orientation, and no further directory
  return std::string(isLittleEndian ? "II" : "MM") + number(42, 2) + number(8, 4) + number(2, 2) +
         number(0x0100, 2) + number(4, 2) + number(1, 4) + number(640, 4) + number(0x0112, 2) +
         number(3, 2) + number(1, 4) + number(static_cast<uint32_t>(orientation), 2) +
         number(0, 2) + number(0, 4);
}

std::string withExif(std::string jpeg, const std::string& exif) {
  const std::string data = std::string("Exif\0\0", 6) + exif;
  return jpeg.insert(2, "\xFF\xE1" + bigEndian(static_cast<uint32_t>(data.size()) + 2, 2) + data);
}

Tensor plainImage(int64_t height, int64_t width, std::initializer_list<uint8_t> colour) {
  Tensor image(DType::U8, {height, width, static_cast<int64_t>(colour.size())});
  auto* to = image.as<uint8_t>().data();
  for (int64_t i = 0; i < height * width; ++i)
    for (const uint8_t value : colour)
      *to++ = value;
  return image;
}

}  // namespace strata
