// SPDX-License-Identifier: Apache-2.0
// Reads JPEG images with libjpeg. Errors of libjpeg use longjmp, so no object with a destructor may
// be created between setjmp and the calls of libjpeg.
#include <csetjmp>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <vector>

#include <jpeglib.h>

#include "core/data/image.h"
#include "gpu/base/error.h"

namespace strata::image_parts {

namespace {

// Each scan of a progressive file processes all pixels, so the number of scans is limited.
constexpr int kMaxScans = 200;

struct JpegErrors {
  jpeg_error_mgr manager;
  jmp_buf leave;
  char message[JMSG_LENGTH_MAX];
};

void leaveJpeg(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  (*info->err->format_message)(info, errors->message);
  longjmp(errors->leave, 1);
}

/// Treats a warning of libjpeg as an error, because libjpeg would continue with gray pixels.
void warnOfJpeg(j_common_ptr info, int level) {
  if (level < 0) leaveJpeg(info);
}

void limitScans(j_common_ptr info) {
  auto* const errors = reinterpret_cast<JpegErrors*>(info->err);
  if (info->is_decompressor == FALSE ||
      reinterpret_cast<j_decompress_ptr>(info)->input_scan_number <= kMaxScans)
    return;
  std::snprintf(errors->message, sizeof errors->message, "more than %d scans", kMaxScans);
  longjmp(errors->leave, 1);
}

class JpegImage {
 public:
  JpegImage(std::string_view bytes, const std::string& path) : m_path(path) {
    m_info.err = jpeg_std_error(&m_errors.manager);
    m_errors.manager.error_exit = leaveJpeg;
    m_errors.manager.emit_message = warnOfJpeg;
    m_progress.progress_monitor = limitScans;
    guard([&] {
      jpeg_create_decompress(&m_info);
      m_info.progress = &m_progress;
      m_info.mem->max_memory_to_use = long{1} << 30;
      jpeg_mem_src(&m_info, reinterpret_cast<const unsigned char*>(bytes.data()),
                   static_cast<unsigned long>(bytes.size()));
      jpeg_read_header(&m_info, TRUE);
    });
    if (uint64_t{m_info.image_width} * m_info.image_height > kMaxPixels) {
      // If a constructor fails, the destructor does not run.
      jpeg_destroy_decompress(&m_info);
      fail("more than 67 million pixels");
    }
  }
  ~JpegImage() { jpeg_destroy_decompress(&m_info); }
  JpegImage(const JpegImage&) = delete;
  JpegImage& operator=(const JpegImage&) = delete;

  int64_t height() const { return m_info.image_height; }
  int64_t width() const { return m_info.image_width; }

  Tensor read(int channels) {
    const bool isInk = m_info.jpeg_color_space == JCS_CMYK || m_info.jpeg_color_space == JCS_YCCK;
    Tensor result(DType::U8, {height(), width(), channels});
    std::vector<unsigned char> row(static_cast<size_t>(width()) * 4);
    auto* const pixels = reinterpret_cast<unsigned char*>(result.data());
    const bool isAsIs = !isInk && (channels == 1 || channels == 3);
    guard([&] {
      m_info.out_color_space = channels == 1 ? JCS_GRAYSCALE : JCS_RGB;
      if (isInk) m_info.out_color_space = JCS_CMYK;
      // This method gives the same result on every machine, unlike the floating-point method.
      m_info.dct_method = JDCT_ISLOW;
      jpeg_start_decompress(&m_info);
      while (m_info.output_scanline < m_info.output_height) {
        unsigned char* const to = pixels + static_cast<size_t>(m_info.output_scanline) *
                                               m_info.output_width * static_cast<size_t>(channels);
        unsigned char* rows[1] = {isAsIs ? to : row.data()};
        jpeg_read_scanlines(&m_info, rows, 1);
        if (!isAsIs) convertRow(row.data(), to, channels, isInk);
      }
      jpeg_finish_decompress(&m_info);
    });
    return result;
  }

 private:
  template <class Work>
  void guard(Work work) {
    if (setjmp(m_errors.leave) != 0) {
      jpeg_destroy_decompress(&m_info);
      fail(m_errors.message);
    }
    work();
  }

  void convertRow(const unsigned char* from, unsigned char* to, int channels, bool isInk) const {
    // Adobe stores inverted ink, so larger values are lighter.
    const auto whole = [&](unsigned a, unsigned b) {
      return isInk ? a * b / 255u : a;
    };
    for (unsigned x = 0; x < m_info.output_width; ++x, to += channels, from += isInk ? 4 : 3) {
      const unsigned black = isInk ? from[3] : 255, red = whole(from[0], black),
                     green = whole(from[1], black), blue = whole(from[2], black);
      if (channels == 1) {
        to[0] = static_cast<unsigned char>((299 * red + 587 * green + 114 * blue) / 1000);
        continue;
      }
      to[0] = static_cast<unsigned char>(red);
      to[1] = static_cast<unsigned char>(green);
      to[2] = static_cast<unsigned char>(blue);
      if (channels == 4) to[3] = 255;
    }
  }

  [[noreturn]] void fail(const std::string& reason) const {
    throw Error(ErrorCode::InvalidFile, m_path,
                "is not a readable JPEG image (" + reason + "). Save it again, or leave it out.");
  }

  const std::string& m_path;
  jpeg_decompress_struct m_info{};
  jpeg_progress_mgr m_progress{};
  JpegErrors m_errors{};
};

}  // namespace

Tensor decodeJpeg(std::string_view bytes, const std::string& path, int channels) {
  return JpegImage(bytes, path).read(channels);
}

Shape jpegSize(std::string_view bytes, const std::string& path) {
  const JpegImage image(bytes, path);
  return {image.height(), image.width()};
}

}  // namespace strata::image_parts
