// SPDX-License-Identifier: Apache-2.0
#include "core/data/png.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>

#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata {

Tensor readPng(const std::string& path, int channels) {
  const std::string bytes = readFile(path, size_t{256} << 20);
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  const std::unique_ptr<png_image, void (*)(png_image*)> release(&image, png_image_free);
  const auto fail = [&](const std::string& reason) -> Error {
    return {ErrorCode::InvalidFile, path, "is not a PNG image that can be read (" + reason + "). Give an 8 or 16 bit PNG file."};
  };
  if (bytes.empty()) throw fail("it is empty");
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) throw fail(image.message);
  if (uint64_t{image.width} * image.height > (uint64_t{1} << 26)) throw fail("more than 67 million pixels");
  image.format = channels == 1 ? PNG_FORMAT_GRAY : channels == 3 ? PNG_FORMAT_RGB : PNG_FORMAT_RGBA;
  Tensor result(DType::U8, {image.height, image.width, channels});
  const png_color black{0, 0, 0};
  if (!png_image_finish_read(&image, &black, result.data(), 0, nullptr)) throw fail(image.message);
  return result;
}

namespace {

/// Weights of source samples for one target sample along one axis.
struct Taps {
  int64_t first = 0;
  std::vector<double> weights;
};

std::vector<Taps> tapsFor(int64_t from, int64_t to) {
  std::vector<Taps> result(static_cast<size_t>(to));
  const double scale = static_cast<double>(from) / static_cast<double>(to);
  const double radius = std::max(scale, 1.0);  // triangle of at least one sample: bilinear up, weighted mean down
  for (int64_t t = 0; t < to; ++t) {
    const double centre = (static_cast<double>(t) + 0.5) * scale - 0.5;
    const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(centre - radius)));
    const auto last = std::min<int64_t>(from - 1, static_cast<int64_t>(std::floor(centre + radius)));
    Taps& taps = result[static_cast<size_t>(t)];
    taps.first = first;
    double sum = 0;
    for (int64_t s = first; s <= last; ++s) {
      taps.weights.push_back(std::max(0.0, 1.0 - std::abs(static_cast<double>(s) - centre) / radius));
      sum += taps.weights.back();
    }
    for (double& weight : taps.weights) weight /= sum;
  }
  return result;
}

}  // namespace

Tensor resizeImage(const Tensor& image, int64_t height, int64_t width) {
  const int64_t fromHeight = image.shape()[0], fromWidth = image.shape()[1], channels = image.shape()[2];
  if (fromHeight == height && fromWidth == width) return image;
  if (fromHeight < 1 || fromWidth < 1) throw Error(ErrorCode::InvalidArgument, "image", "has no pixels.");
  const auto rows = tapsFor(fromHeight, height), columns = tapsFor(fromWidth, width);
  const auto source = image.as<uint8_t>();
  std::vector<double> wide(static_cast<size_t>(fromHeight * width * channels));
  for (int64_t y = 0; y < fromHeight; ++y)
    for (int64_t x = 0; x < width; ++x)
      for (int64_t c = 0; c < channels; ++c) {
        const Taps& taps = columns[static_cast<size_t>(x)];
        double sum = 0;
        for (size_t i = 0; i < taps.weights.size(); ++i)
          sum += taps.weights[i] * source[static_cast<size_t>((y * fromWidth + taps.first + static_cast<int64_t>(i)) * channels + c)];
        wide[static_cast<size_t>((y * width + x) * channels + c)] = sum;
      }
  Tensor result(DType::U8, {height, width, channels});
  auto target = result.as<uint8_t>();
  for (int64_t y = 0; y < height; ++y)
    for (int64_t i = 0; i < width * channels; ++i) {
      const Taps& taps = rows[static_cast<size_t>(y)];
      double sum = 0;
      for (size_t k = 0; k < taps.weights.size(); ++k)
        sum += taps.weights[k] * wide[static_cast<size_t>((taps.first + static_cast<int64_t>(k)) * width * channels + i)];
      target[static_cast<size_t>(y * width * channels + i)] = static_cast<uint8_t>(std::clamp(std::lround(sum), 0L, 255L));
    }
  return result;
}

}  // namespace strata
