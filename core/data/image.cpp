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

Tensor decodeImage(std::string_view bytes, const std::string& path, int channels) {
  if (isPngBytes(bytes)) return image_parts::decodePng(bytes, path, channels);
  if (isJpegBytes(bytes)) return image_parts::decodeJpeg(bytes, path, channels);
  failUnknownImage(bytes, path);
}

Tensor readImage(const std::string& path, int channels) {
  return decodeImage(readFile(path, kMaxImageBytes), path, channels);
}

Shape imageSize(const std::string& path) {
  const std::string bytes = readFile(path, kMaxImageBytes);
  if (isPngBytes(bytes)) return image_parts::pngSize(bytes, path);
  if (isJpegBytes(bytes)) return image_parts::jpegSize(bytes, path);
  failUnknownImage(bytes, path);
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

Tensor resizeImage(const Tensor& image, int64_t height, int64_t width) {
  const int64_t fromHeight = image.shape()[0], fromWidth = image.shape()[1],
                channels = image.shape()[2];
  if (fromHeight == height && fromWidth == width) return image;
  if (fromHeight < 1 || fromWidth < 1)
    throw Error(ErrorCode::InvalidArgument, "image", "has no pixels.");
  const auto rows = resizeTaps(fromHeight, height), columns = resizeTaps(fromWidth, width);
  const auto source = image.as<uint8_t>();
  const int64_t stride = width * channels;
  const auto behind = [](const ResizeTaps& taps) {
    return taps.first + static_cast<int64_t>(taps.weights.size());
  };
  Tensor result(DType::U8, {height, width, channels});
  std::span<uint8_t> target = result.as<uint8_t>();
  // The image is resized row by row, so that memory contains only the sums of incomplete new rows.
  std::vector<double> row(static_cast<size_t>(stride));
  std::deque<std::vector<double>> sums;
  // Index of the new row that sums.front() belongs to
  int64_t first = 0;
  const auto finishRow = [&] {
    for (size_t i = 0; i < row.size(); ++i)
      target[i] = static_cast<uint8_t>(std::clamp(std::lround(sums.front()[i]), 0L, 255L));
    target = target.subspan(row.size());
    sums.pop_front();
    ++first;
  };
  for (int64_t from = 0; from < fromHeight; ++from) {
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const ResizeTaps& taps = columns[static_cast<size_t>(x)];
        double sum = 0;
        const uint8_t* cell = source.data() + (from * fromWidth + taps.first) * channels + c;
        for (const double weight : taps.weights) {
          sum += weight * *cell;
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

Tensor cropToProportions(const Tensor& image, int64_t height, int64_t width) {
  const int64_t fromHeight = image.shape()[0], fromWidth = image.shape()[1],
                channels = image.shape()[2];
  const int64_t keptHeight = std::clamp<int64_t>(fromWidth * height / width, 1, fromHeight),
                keptWidth = std::clamp<int64_t>(fromHeight * width / height, 1, fromWidth);
  if (keptHeight == fromHeight && keptWidth == fromWidth) return image;
  Tensor result(DType::U8, {keptHeight, keptWidth, channels});
  const int64_t top = (fromHeight - keptHeight) / 2, left = (fromWidth - keptWidth) / 2;
  for (int64_t y = 0; y < keptHeight; ++y)
    std::memcpy(result.data() + y * keptWidth * channels,
                image.data() + ((top + y) * fromWidth + left) * channels,
                static_cast<size_t>(keptWidth * channels));
  return result;
}

}  // namespace strata
