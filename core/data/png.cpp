// SPDX-License-Identifier: Apache-2.0
// Reads PNG images with libpng's simplified interface. libpng skips damaged chunks other than
// pixels with a warning, although they may contain colors and transparency. Therefore all CRCs are
// checked here first. Other warnings of libpng, such as one about a known wrong color profile, do
// not affect pixels.
#include <png.h>
#include <zlib.h>

#include <cstring>
#include <memory>

#include "core/data/image.h"
#include "gpu/base/error.h"

namespace strata::image_parts {

namespace {

[[noreturn]] void failPng(const std::string& path, const std::string& reason) {
  throw Error(ErrorCode::InvalidFile, path,
              "is not a readable PNG image (" + reason + "). Use a PNG file with 8 or 16 bits.");
}

/// An open image. The destructor releases its memory. The constructor fails with InvalidFile if
/// libpng cannot read the header or if the image is too large.
class PngImage {
 public:
  PngImage(std::string_view bytes, const std::string& path) : m_path(path) {
    std::memset(&image, 0, sizeof image);
    image.version = PNG_IMAGE_VERSION;
    if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) fail(image.message);
    // 16-bit images without gamma are treated like 8-bit images, and not as linear light.
    image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
    if (uint64_t{image.width} * image.height > kMaxPixels) fail("more than 67 million pixels");
  }
  ~PngImage() { png_image_free(&image); }
  PngImage(const PngImage&) = delete;
  PngImage& operator=(const PngImage&) = delete;
  [[noreturn]] void fail(const std::string& reason) {
    png_image_free(&image);
    failPng(m_path, reason);
  }
  png_image image;

 private:
  const std::string& m_path;
};

}  // namespace

static uint32_t bigEndianAt(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Returns the problem of the first chunk with a wrong CRC, or "" if all CRCs are correct. Does not
/// report a file that ends within a chunk, because libpng reports its missing pixels.
static std::string damagedChunk(std::string_view bytes) {
  // Length and type precede the data, and the CRC follows it.
  constexpr size_t kSignature = 8, kAround = 12;
  for (size_t at = kSignature; bytes.size() >= at + kAround;) {
    const size_t length = bigEndianAt(bytes, at);
    if (length > bytes.size() - at - kAround) break;
    const std::string_view checked = bytes.substr(at + 4, 4 + length);
    if (::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                static_cast<uInt>(checked.size())) != bigEndianAt(bytes, at + 8 + length)) {
      std::string name(checked.substr(0, 4));
      for (char& c : name)
        if ((c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) c = '?';
      return "its chunk " + name + " at byte " + std::to_string(at) +
             " is damaged (its CRC does not match)";
    }
    at += kAround + length;
    // Data after this chunk does not belong to the image.
    if (checked.starts_with("IEND")) break;
  }
  return {};
}

/// Computes the luma of ITU-R BT.601, as in gray JPEG images. libpng computes gray in linear light,
/// which is much brighter.
static Tensor grayOf(const Tensor& rgb) {
  Tensor grey(DType::U8, {rgb.shape()[0], rgb.shape()[1], 1});
  const uint8_t* from = rgb.as<uint8_t>().data();
  for (uint8_t& to : grey.as<uint8_t>()) {
    to = static_cast<uint8_t>((19595u * from[0] + 38470u * from[1] + 7471u * from[2] + 32768u) >>
                              16);
    from += 3;
  }
  return grey;
}

Tensor decodePng(std::string_view bytes, const std::string& path, int channels) {
  if (const std::string damage = damagedChunk(bytes); !damage.empty()) failPng(path, damage);
  PngImage png(bytes, path);
  const bool makesGray = channels == 1 && (png.image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  if (makesGray) channels = 3;
  png.image.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  if (channels == 1) png.image.format = PNG_FORMAT_GRAY;
  Tensor result(DType::U8, {png.image.height, png.image.width, channels});
  const png_color black{0, 0, 0};
  if (!png_image_finish_read(&png.image, &black, result.data(), 0, nullptr))
    png.fail(png.image.message);
  if ((png.image.warning_or_error & PNG_IMAGE_ERROR) != 0) png.fail(png.image.message);
  return makesGray ? grayOf(result) : result;
}

Shape pngSize(std::string_view bytes, const std::string& path) {
  const PngImage png(bytes, path);
  return {png.image.height, png.image.width};
}

}  // namespace strata::image_parts
