// SPDX-License-Identifier: Apache-2.0
#include "core/explain/map_file.h"

#include <png.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "core/interchange/npy.h"
#include "core/runs/output_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// The largest number of pixels of a picture.
constexpr int64_t kMaxPixels = int64_t{1} << 26;

/// Scales the finite values to 0 to 1. Others become 0.
void scaleToUnit(std::span<float> values) {
  float low = std::numeric_limits<float>::infinity(), high = -low;
  for (const float value : values)
    if (std::isfinite(value)) {
      low = std::min(low, value);
      high = std::max(high, value);
    }
  const double range = static_cast<double>(high) - static_cast<double>(low);
  for (float& value : values)
    value = std::isfinite(value) && range > 0
                ? static_cast<float>((static_cast<double>(value) - low) / range)
                : 0;
}

/// Places the channels of [count, height, width, channels] side by side.
Tensor tiles(const Tensor& maps) {
  const Shape& shape = maps.shape();
  const int64_t count = shape[0], height = shape[1], width = shape[2], channels = shape[3],
                all = count * channels;
  const auto columns =
      static_cast<int64_t>(std::ceil(std::sqrt(static_cast<double>(std::max<int64_t>(1, all)))));
  const int64_t rows = (all + columns - 1) / columns;
  const Shape size{rows * (height + 1) - 1, columns * (width + 1) - 1};
  if (size.numElements() > kMaxPixels)
    throw Error(ErrorCode::InvalidArgument, "PNG",
                "the picture is too large (expected at most " + std::to_string(kMaxPixels) +
                    " pixels, got " + std::to_string(size.numElements()) + "). Use .npy.");
  Tensor picture(DType::F32, size);
  std::ranges::fill(picture.as<float>(), 0.0f);
  std::vector<float> tile(static_cast<size_t>(height * width));
  for (int64_t i = 0; i < all; ++i) {
    const int64_t map = i / channels, channel = i % channels;
    for (int64_t place = 0; place < height * width; ++place)
      tile[static_cast<size_t>(place)] = maps.as<float>()[static_cast<size_t>(
          (map * height * width + place) * channels + channel)];
    scaleToUnit(tile);
    const int64_t top = i / columns * (height + 1), left = i % columns * (width + 1);
    for (int64_t row = 0; row < height; ++row)
      std::copy_n(tile.begin() + row * width, width,
                  picture.as<float>().begin() + (top + row) * size[1] + left);
  }
  return picture;
}

}  // namespace

Tensor pictureOf(const Tensor& maps) {
  const Shape& shape = maps.shape();
  if (shape.rank() < 1 || shape.rank() > 4 || shape.numElements() == 0)
    throw Error(ErrorCode::InvalidArgument, "PNG",
                "the values have no picture (expected 1 to 4 axes, got " + shape.toString() +
                    "). Use .npy.");
  if (shape.rank() == 1) return maps.reshaped({1, shape[0]});
  if (shape.rank() == 2) return maps;
  return tiles(shape.rank() == 3 ? maps.reshaped({1, shape[0], shape[1], shape[2]}) : maps);
}

std::string pngOf(const Tensor& picture) {
  Tensor scaled = picture;
  scaleToUnit(scaled.as<float>());
  std::vector<png_byte> pixels;
  for (const float value : scaled.as<float>())
    pixels.push_back(static_cast<png_byte>(std::lround(255 * value)));
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(picture.shape()[1]);
  image.height = static_cast<png_uint_32>(picture.shape()[0]);
  image.format = PNG_FORMAT_GRAY;
  png_alloc_size_t bytes = 0;
  std::string file;
  // The first call returns the size
  if (png_image_write_to_memory(&image, nullptr, &bytes, 0, pixels.data(), 0, nullptr)) {
    file.resize(bytes);
    if (png_image_write_to_memory(&image, file.data(), &bytes, 0, pixels.data(), 0, nullptr))
      return file;
  }
  throw Error(ErrorCode::IoFailure, "PNG", std::string("cannot be written: ") + image.message);
}

void writeMap(const std::string& path, const Tensor& maps) {
  constexpr size_t kPngMark = 8, kNpyMark = 6;
  if (path.ends_with(".png")) {
    writeExport(path, pngOf(pictureOf(maps)), kPngMark, "a PNG image");
    return;
  }
  if (!path.ends_with(".npy"))
    throw Error(ErrorCode::InvalidArgument, path,
                "has a suffix of another format (expected .png or .npy). Rename it.");
  std::string bytes = npyHead(maps.type());
  bytes.append(reinterpret_cast<const char*>(maps.data()), maps.bytes());
  writeExport(path, bytes, kNpyMark, "a NumPy array");
}

}  // namespace strata
