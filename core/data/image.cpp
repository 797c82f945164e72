// SPDX-License-Identifier: Apache-2.0
#include "core/data/image.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstring>
#include <deque>
#include <span>
#include <vector>

#include "core/data/exif.h"
#include "core/interchange/file_bytes.h"
#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr size_t kMaxImageBytes = size_t{256} << 20;

bool isPngBytes(std::string_view bytes) { return bytes.starts_with("\x89PNG"); }
bool isJpegBytes(std::string_view bytes) { return bytes.starts_with("\xFF\xD8"); }

[[noreturn]] void failUnknownImage(std::string_view bytes, const std::string& path) {
  throw Error(ErrorCode::InvalidFile, path,
              bytes.empty() ? "is not a readable image (it is empty). Use a PNG or JPEG file."
                            : "is not a readable image (expected PNG or JPEG at byte 0). Convert "
                              "it, or leave it out.");
}

bool hasSuffixOf(std::string_view path, std::initializer_list<std::string_view> suffixes) {
  const size_t dot = path.rfind('.');
  if (dot == std::string_view::npos) return false;
  std::string suffix(path.substr(dot + 1));
  std::transform(suffix.begin(), suffix.end(), suffix.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return std::find(suffixes.begin(), suffixes.end(), suffix) != suffixes.end();
}

/// The weights of the source pixels for one target pixel along one axis.
struct ResizeTaps {
  int64_t first = 0;
  std::vector<double> weights;
};

std::vector<ResizeTaps> resizeTaps(int64_t from, int64_t to) {
  std::vector<ResizeTaps> result(static_cast<size_t>(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  // The filter is a triangle with a radius of at least one pixel: bilinear for enlarging, a
  // weighted mean for shrinking.
  const double radius = std::max(scale, 1.0);
  for (int64_t t = 0; t < to; ++t) {
    const double centre = (static_cast<double>(t) + 0.5) * scale - 0.5;
    const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(centre - radius)));
    const auto last =
        std::min<int64_t>(from - 1, static_cast<int64_t>(std::floor(centre + radius)));
    ResizeTaps& taps = result[static_cast<size_t>(t)];
    taps.first = first;
    double sum = 0;
    for (int64_t s = first; s <= last; ++s) {
      taps.weights.push_back(
          std::max(0.0, 1.0 - std::abs(static_cast<double>(s) - centre) / radius));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights)
      weight /= sum;
  }
  return result;
}

}  // namespace

Tensor decodeImage(std::string_view bytes, const std::string& path, const ImageReading& reading,
                   BlendedImage* blended) {
  Tensor image;
  if (isPngBytes(bytes))
    image = image_parts::decodePng(bytes, path, reading, blended);
  else if (isJpegBytes(bytes))
    image = image_parts::decodeJpeg(bytes, path, reading.channels);
  else
    failUnknownImage(bytes, path);
  if (reading.bits == 16 && image.dtype() == DType::U8) image = withSixteenBits(image);
  return reading.isUpright ? uprightImage(std::move(image), imageOrientation(bytes)) : image;
}

Tensor readImage(const std::string& path, const ImageReading& reading, BlendedImage* blended) {
  return decodeImage(readFile(path, kMaxImageBytes), path, reading, blended);
}

Shape imageSize(const std::string& path, bool isUpright) {
  const std::string bytes = readFile(path, kMaxImageBytes);
  Shape size;
  if (isPngBytes(bytes))
    size = image_parts::pngSize(bytes, path);
  else if (isJpegBytes(bytes))
    size = image_parts::jpegSize(bytes, path);
  else
    failUnknownImage(bytes, path);
  return isUpright && exchangesSides(imageOrientation(bytes)) ? Shape{size[1], size[0]} : size;
}

bool hasSixteenBits(const std::string& path) {
  try {
    FileBytes file(path);
    std::array<std::byte, 33> head{};
    file.read(head.data(), std::min<uint64_t>(head.size(), file.size()), 0);
    return image_parts::isDeepPng({reinterpret_cast<const char*>(head.data()), head.size()});
  }
  catch (const Error&) {
    return false;
  }
}

bool isImageName(std::string_view path) {
  return hasSuffixOf(path, {"png", "jpg", "jpeg", "jpe", "jfif"});
}
bool isImageBytes(std::string_view beginning) {
  return isPngBytes(beginning) || isJpegBytes(beginning);
}
bool isOtherImageName(std::string_view path) {
  return hasSuffixOf(path, {"bmp", "gif", "webp", "tif", "tiff", "heic", "avif", "ppm", "pgm"});
}

/// Resizes an image whose values are at most `largest`.
template <class T>
static Tensor resized(const Tensor& image, int64_t height, int64_t width, long largest) {
  const int64_t fromHeight = image.shape()[0], fromWidth = image.shape()[1],
                channels = image.shape()[2];
  const auto rows = resizeTaps(fromHeight, height), columns = resizeTaps(fromWidth, width);
  const auto source = image.as<T>();
  const int64_t stride = width * channels;
  const auto behind = [](const ResizeTaps& taps) {
    return taps.first + static_cast<int64_t>(taps.weights.size());
  };
  Tensor result(image.dtype(), {height, width, channels});
  std::span<T> target = result.as<T>();
  // The image is resized row by row, so that memory contains only the sums of incomplete new rows.
  std::vector<double> row(static_cast<size_t>(stride));
  std::deque<std::vector<double>> sums;
  // Index of the new row that sums.front() belongs to
  int64_t first = 0;
  const auto finishRow = [&] {
    for (size_t i = 0; i < row.size(); ++i)
      target[i] = static_cast<T>(std::clamp(std::lround(sums.front()[i]), 0L, largest));
    target = target.subspan(row.size());
    sums.pop_front();
    ++first;
  };
  for (int64_t from = 0; from < fromHeight; ++from) {
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const ResizeTaps& taps = columns[static_cast<size_t>(x)];
        double sum = 0;
        const T* cell = source.data() + (from * fromWidth + taps.first) * channels + c;
        for (const double weight : taps.weights) {
          sum += weight * static_cast<double>(*cell);
          cell += channels;
        }
        row[static_cast<size_t>(x * channels + c)] = sum;
      }
    for (int64_t y = first; y < height && rows[static_cast<size_t>(y)].first <= from; ++y) {
      const auto held = static_cast<size_t>(y - first);
      if (held == sums.size()) sums.emplace_back(row.size(), 0.0);
      const ResizeTaps& taps = rows[static_cast<size_t>(y)];
      const double weight = taps.weights[static_cast<size_t>(from - taps.first)];
      for (size_t i = 0; i < row.size(); ++i)
        sums[held][i] += weight * row[i];
    }
    while (!sums.empty() && behind(rows[static_cast<size_t>(first)]) <= from + 1)
      finishRow();
  }
  return result;
}

Tensor resizeImage(const Tensor& image, int64_t height, int64_t width) {
  if (image.shape()[0] == height && image.shape()[1] == width) return image;
  if (image.shape()[0] < 1 || image.shape()[1] < 1)
    throw Error(ErrorCode::InvalidArgument, "image", "has no pixels.");
  return image.dtype() == DType::F32 ? resized<float>(image, height, width, 65535)
                                     : resized<uint8_t>(image, height, width, 255);
}

Tensor withSixteenBits(const Tensor& image) {
  Tensor result(DType::F32, image.shape());
  const auto from = image.as<uint8_t>();
  std::transform(from.begin(), from.end(), result.as<float>().begin(),
                 [](uint8_t value) { return static_cast<float>(value * 257); });
  return result;
}

Tensor cropToProportions(const Tensor& image, int64_t height, int64_t width) {
  const int64_t fromHeight = image.shape()[0], fromWidth = image.shape()[1],
                channels = image.shape()[2];
  const int64_t keptHeight = std::clamp<int64_t>(fromWidth * height / width, 1, fromHeight),
                keptWidth = std::clamp<int64_t>(fromHeight * width / height, 1, fromWidth);
  if (keptHeight == fromHeight && keptWidth == fromWidth) return image;
  Tensor result(image.dtype(), {keptHeight, keptWidth, channels});
  const int64_t top = (fromHeight - keptHeight) / 2, left = (fromWidth - keptWidth) / 2,
                pixel = channels * static_cast<int64_t>(dtypeBytes(image.dtype()));
  for (int64_t y = 0; y < keptHeight; ++y)
    std::memcpy(result.data() + y * keptWidth * pixel,
                image.data() + ((top + y) * fromWidth + left) * pixel,
                static_cast<size_t>(keptWidth * pixel));
  return result;
}

}  // namespace strata
