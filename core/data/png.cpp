// SPDX-License-Identifier: Apache-2.0
// Reads PNG images: values of 8 bits with libpng's simplified interface, and values of 16 bits with
// its row interface, because the simplified one converts them to linear light. libpng skips damaged
// chunks other than pixels with a warning, although they may contain colors and transparency.
// Therefore all CRCs are checked here first. Other warnings of libpng, such as one about a known
// wrong color profile, do not affect pixels.
#include <png.h>
#include <zlib.h>

#include <algorithm>
#include <bit>
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <limits>
#include <memory>
#include <vector>

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

/// Reads the pixels of a PNG of 16 bits as they are stored, as RGBA. Errors of libpng use longjmp,
/// so no object with a destructor may be created between setjmp and the calls of libpng.
class DeepPng {
 public:
  DeepPng(std::string_view bytes, const std::string& path) : m_path(path), m_rest(bytes) {
    m_png = png_create_read_struct(PNG_LIBPNG_VER_STRING, this, leave, ignore);
    if (m_png) m_info = png_create_info_struct(m_png);
    if (!m_info) throw Error(ErrorCode::OutOfMemory, path, "needs more memory than there is.");
    guard([&] {
      png_set_read_fn(m_png, this, readBytes);
      png_read_info(m_png, m_info);
      m_storedRowBytes = png_get_rowbytes(m_png, m_info);
      m_hasAlpha = (png_get_color_type(m_png, m_info) & PNG_COLOR_MASK_ALPHA) != 0 ||
                   png_get_valid(m_png, m_info, PNG_INFO_tRNS) != 0;
      png_set_tRNS_to_alpha(m_png);
      png_set_gray_to_rgb(m_png);
      if (!m_hasAlpha) png_set_add_alpha(m_png, kOpaque, PNG_FILLER_AFTER);
      if (std::endian::native == std::endian::little) png_set_swap(m_png);
      png_set_interlace_handling(m_png);
      png_read_update_info(m_png, m_info);
    });
    if (uint64_t{png_get_image_width(m_png, m_info)} * png_get_image_height(m_png, m_info) >
        kMaxPixels)
      fail("more than 67 million pixels");
    // Deflate shrinks data to a 1032nd at most, so a small file cannot make this allocate much.
    constexpr uint64_t kMaxShrink = 1032;
    if (m_storedRowBytes * static_cast<uint64_t>(height()) / kMaxShrink > bytes.size())
      fail("the file is truncated");
    if (png_get_rowbytes(m_png, m_info) != static_cast<size_t>(width()) * kPixelBytes)
      fail("its pixels do not have 16 bits");
  }
  ~DeepPng() { close(); }
  DeepPng(const DeepPng&) = delete;
  DeepPng& operator=(const DeepPng&) = delete;

  int64_t height() const { return png_get_image_height(m_png, m_info); }
  int64_t width() const { return png_get_image_width(m_png, m_info); }
  bool hasAlpha() const { return m_hasAlpha; }

  std::vector<uint16_t> read() {
    std::vector<uint16_t> pixels(static_cast<size_t>(height() * width() * 4));
    std::vector<png_bytep> rows;
    for (int64_t y = 0; y < height(); ++y)
      rows.push_back(reinterpret_cast<png_bytep>(pixels.data() + y * width() * 4));
    guard([&] { png_read_image(m_png, rows.data()); });
    return pixels;
  }

 private:
  static constexpr uint32_t kOpaque = 65535;
  static constexpr size_t kPixelBytes = 8;

  static void leave(png_structp png, png_const_charp message) {
    auto* const self = static_cast<DeepPng*>(png_get_error_ptr(png));
    std::snprintf(self->m_message, sizeof self->m_message, "%s", message);
    longjmp(self->m_leave, 1);
  }
  static void ignore(png_structp, png_const_charp) {}
  static void readBytes(png_structp png, png_bytep to, size_t count) {
    auto* const self = static_cast<DeepPng*>(png_get_io_ptr(png));
    if (count > self->m_rest.size()) png_error(png, "the file is truncated");
    std::memcpy(to, self->m_rest.data(), count);
    self->m_rest.remove_prefix(count);
  }

  template <class Work>
  void guard(Work work) {
    if (setjmp(m_leave) != 0) fail(m_message);
    work();
  }
  void close() { png_destroy_read_struct(&m_png, &m_info, nullptr); }
  [[noreturn]] void fail(const std::string& reason) {
    close();
    failPng(m_path, reason);
  }

  const std::string& m_path;
  std::string_view m_rest;
  png_structp m_png = nullptr;
  png_infop m_info = nullptr;
  // Bytes of a row before conversion
  size_t m_storedRowBytes = 0;
  bool m_hasAlpha = false;
  jmp_buf m_leave;
  char m_message[128] = "";
};

/// Returns (v * a + b * (m - a)) / m, rounded to the nearest integer, where m is the largest value
/// of T.
template <class T>
uint64_t blendedValue(uint64_t value, uint64_t alpha, uint64_t background) {
  constexpr uint64_t kLargest = std::numeric_limits<T>::max();
  return (value * alpha + background * (kLargest - alpha) + kLargest / 2) / kLargest;
}

/// Computes the luma of ITU-R BT.601, as in gray JPEG images. libpng computes gray in linear light,
/// which is much brighter.
uint64_t lumaOf(uint64_t red, uint64_t green, uint64_t blue) {
  return (19595 * red + 38470 * green + 7471 * blue + 32768) >> 16;
}

/// Whether all pixels of `channels` values are equal.
template <class T>
bool isPlain(const T* values, size_t count, size_t channels) {
  for (size_t i = channels; i < count; ++i)
    if (values[i] != values[i - channels]) return false;
  return true;
}

/// Converts RGBA pixels to the channels of `reading`. `To` is the type of the result: uint8_t for
/// pixels of 8 bits, and float for 16.
template <class To, class From>
Tensor convertedPixels(const From* pixels, int64_t height, int64_t width,
                       const ImageReading& reading, BlendedImage* blended) {
  const int channels = reading.channels;
  constexpr uint64_t kOfByte = std::numeric_limits<From>::max() / 255;
  Tensor image(dtypeOf<To>(), {height, width, channels});
  To* to = image.as<To>().data();
  const From* from = pixels;
  for (int64_t i = 0; i < height * width; ++i, from += 4, to += channels) {
    if (channels == 4) {
      std::copy_n(from, 4, to);
      continue;
    }
    uint64_t rgb[3];
    for (size_t k = 0; k < 3; ++k)
      rgb[k] = blendedValue<From>(from[k], from[3], reading.background.rgb[k] * kOfByte);
    if (channels == 1) {
      to[0] = static_cast<To>(lumaOf(rgb[0], rgb[1], rgb[2]));
      continue;
    }
    for (size_t k = 0; k < 3; ++k)
      to[k] = static_cast<To>(rgb[k]);
  }
  const auto count = static_cast<size_t>(image.numElements());
  if (blended && channels != 4)
    blended->isPlain = isPlain(image.as<To>().data(), count, static_cast<size_t>(channels)) &&
                       !isPlain(pixels, static_cast<size_t>(height * width) * 4, 4);
  return image;
}

/// Converts the blended RGB pixels of an image to gray.
Tensor grayOf(const Tensor& rgb) {
  Tensor gray(DType::U8, {rgb.shape()[0], rgb.shape()[1], 1});
  const uint8_t* from = rgb.as<uint8_t>().data();
  for (uint8_t& to : gray.as<uint8_t>()) {
    to = static_cast<uint8_t>(lumaOf(from[0], from[1], from[2]));
    from += 3;
  }
  return gray;
}

}  // namespace

static uint32_t bigEndianAt(std::string_view bytes, size_t at) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i)
    value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
  return value;
}

/// Returns the problem of the first chunk with a wrong CRC, or that is longer than the file,
/// because libpng would allocate its length. Returns "" without one. Does not report a file
/// that ends within pixels, because libpng reports missing pixels.
static std::string damagedChunk(std::string_view bytes) {
  // Length and type precede the data, and the CRC follows it.
  constexpr size_t kSignature = 8, kAround = 12;
  for (size_t at = kSignature; bytes.size() >= at + kAround;) {
    const size_t length = bigEndianAt(bytes, at);
    const auto problem = [&](const char* what) {
      std::string name(bytes.substr(at + 4, 4));
      for (char& c : name)
        if ((c < 'A' || c > 'Z') && (c < 'a' || c > 'z')) c = '?';
      return "its chunk " + name + " at byte " + std::to_string(at) + " is damaged (" + what + ")";
    };
    if (length > bytes.size() - at - kAround) {
      if (bytes.substr(at + 4, 4) == "IDAT") break;
      return problem("it is longer than the file");
    }
    const std::string_view checked = bytes.substr(at + 4, 4 + length);
    if (::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                static_cast<uInt>(checked.size())) != bigEndianAt(bytes, at + 8 + length))
      return problem("its CRC does not match");
    at += kAround + length;
    // Data after this chunk does not belong to the image.
    if (checked.starts_with("IEND")) break;
  }
  return {};
}

bool isDeepPng(std::string_view beginning) {
  constexpr std::string_view kStart("\x89PNG\r\n\x1A\n\0\0\0\x0DIHDR", 16);
  constexpr size_t kDepth = 24, kCrc = 29, kHead = 33;
  if (beginning.size() < kHead || !beginning.starts_with(kStart) || beginning[kDepth] != 16)
    return false;
  const std::string_view checked = beginning.substr(12, kCrc - 12);
  return ::crc32(0, reinterpret_cast<const Bytef*>(checked.data()),
                 static_cast<uInt>(checked.size())) == bigEndianAt(beginning, kCrc);
}

/// Reads pixels of 8 bits. Those of 16 bits are rounded.
static Tensor decodeBytes(std::string_view bytes, const std::string& path,
                          const ImageReading& reading, BlendedImage* blended) {
  PngImage png(bytes, path);
  const bool blends = (png.image.format & PNG_FORMAT_FLAG_ALPHA) != 0 && reading.channels != 4 &&
                      !reading.background.isLinearBlack;
  const bool makesGray =
      !blends && reading.channels == 1 && (png.image.format & PNG_FORMAT_FLAG_COLOR) != 0;
  int channels = blends ? 4 : reading.channels;
  if (makesGray) channels = 3;
  png.image.format = channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  if (channels == 1) png.image.format = PNG_FORMAT_GRAY;
  Tensor result(DType::U8, {png.image.height, png.image.width, channels});
  // libpng blends with this color if the result has no alpha.
  const png_color black{0, 0, 0};
  if (!png_image_finish_read(&png.image, &black, result.data(), 0, nullptr))
    png.fail(png.image.message);
  if ((png.image.warning_or_error & PNG_IMAGE_ERROR) != 0) png.fail(png.image.message);
  if (blends)
    return convertedPixels<uint8_t>(result.as<uint8_t>().data(), result.shape()[0],
                                    result.shape()[1], reading, blended);
  return makesGray ? grayOf(result) : result;
}

Tensor decodePng(std::string_view bytes, const std::string& path, const ImageReading& reading,
                 BlendedImage* blended) {
  if (const std::string damage = damagedChunk(bytes); !damage.empty()) failPng(path, damage);
  if (reading.bits != 16 || !isDeepPng(bytes)) return decodeBytes(bytes, path, reading, blended);
  DeepPng png(bytes, path);
  const std::vector<uint16_t> pixels = png.read();
  return convertedPixels<float>(pixels.data(), png.height(), png.width(), reading,
                                png.hasAlpha() ? blended : nullptr);
}

Shape pngSize(std::string_view bytes, const std::string& path) {
  const PngImage png(bytes, path);
  return {png.image.height, png.image.width};
}

}  // namespace strata::image_parts
