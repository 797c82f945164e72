// SPDX-License-Identifier: Apache-2.0
// Resizes images: along each axis, multiplies by a matrix with the weight of each input pixel in
// each output pixel. The results match TensorFlow's.
#include <algorithm>
#include <cmath>
#include <numbers>

#include <nlohmann/json.hpp>

#include "core/layers/parts.h"

namespace strata {

namespace {

/// Keys' cubic kernel with a = -1/2. nearCubic() is for distances up to 1, farCubic() from 1 to 2.
double nearCubic(double x) { return (1.5 * x - 2.5) * x * x + 1; }
double farCubic(double x) { return ((-0.5 * x + 2.5) * x - 4) * x + 2; }

double waveOf(double x, double radius) {
  x = std::abs(x);
  if (x >= radius) return 0;
  if (x <= 1e-3) return 1;
  return radius * std::sin(std::numbers::pi * x) * std::sin(std::numbers::pi * x / radius) /
         (std::numbers::pi * std::numbers::pi * x * x);
}

double kernelRadius(const std::string& method) {
  if (method == "bilinear") return 1;
  if (method == "bicubic") return 2;
  return method == "lanczos3" ? 3 : 5;
}

double kernelAt(const std::string& method, double x) {
  x = std::abs(x);
  if (method == "bilinear") return std::max(0.0, 1 - x);
  if (method == "bicubic") {
    if (x >= 2) return 0;
    return x < 1 ? nearCubic(x) : farCubic(x);
  }
  return waveOf(x, kernelRadius(method));
}

/// Calls put(input pixel, weight) for each input pixel in the kernel around `center`. `stretch`
/// widens the kernel. The weights sum to 1. Makes no calls if `center` is outside the image.
template <class Put>
void kernelShares(const std::string& method, int64_t cells, double center, double stretch,
                  Put put) {
  if (center < 0 || center > static_cast<double>(cells)) return;
  const double radius = kernelRadius(method) * stretch;
  const auto first = std::max<int64_t>(0, static_cast<int64_t>(std::ceil(center - radius - 0.5)));
  const auto last =
      std::min<int64_t>(cells - 1, static_cast<int64_t>(std::floor(center + radius - 0.5)));
  double sum = 0;
  for (int64_t cell = first; cell <= last; ++cell)
    sum += kernelAt(method, (static_cast<double>(cell) + 0.5 - center) / stretch);
  for (int64_t cell = first; cell <= last && sum != 0; ++cell)
    put(cell, kernelAt(method, (static_cast<double>(cell) + 0.5 - center) / stretch) / sum);
}

/// Calls put(input pixel, weight) for each input pixel in the cubic kernel around `place`. As in
/// TensorFlow, rounds the fraction of the position to a multiple of 1/1024, and ignores pixels
/// outside the image.
template <class Put>
void cubicShares(int64_t cells, double place, Put put) {
  const double first = std::floor(place),
               between = static_cast<double>(std::lrint((place - first) * 1024)) / 1024;
  const double shares[] = {farCubic(1 + between), nearCubic(between), nearCubic(1 - between),
                           farCubic(2 - between)};
  double sum = 0;
  const auto at = [&](int i) {
    return static_cast<int64_t>(first) + i - 1;
  };
  for (int i = 0; i < 4; ++i)
    sum += at(i) >= 0 && at(i) < cells ? shares[i] : 0;
  for (int i = 0; i < 4; ++i)
    if (at(i) >= 0 && at(i) < cells) put(at(i), shares[i] / sum);
}

}  // namespace

ValueId resampled(LayerContext& context, ValueId x, int axis, int64_t size,
                  const std::string& method, bool isSmoothed) {
  Graph& g = context.graph;
  const Shape in = g.shape(x);
  const int64_t cells = in[axis];
  if (cells == size) return x;
  Shape out = in;
  out.set(axis, size);
  context.requireSize(out);
  // Weight of each input pixel in each output pixel
  Tensor weights = context.table({cells, size});
  const auto values = weights.as<float>();
  const double scale = static_cast<double>(cells) / static_cast<double>(size);
  for (int64_t i = 0; i < size; ++i) {
    const auto put = [&](int64_t cell, double share) {
      values[static_cast<size_t>(std::clamp<int64_t>(cell, 0, cells - 1) * size + i)] +=
          static_cast<float>(share);
    };
    const double center = (static_cast<double>(i) + 0.5) * scale, place = center - 0.5,
                 first = std::floor(place);
    if (method == "nearest") {
      put(static_cast<int64_t>(std::floor(center)), 1);
    }
    else if (isSmoothed || method.starts_with("lanczos")) {
      kernelShares(method, cells, center, isSmoothed ? std::max(1.0, scale) : 1.0, put);
    }
    else if (method == "bicubic") {
      cubicShares(cells, place, put);
    }
    else {
      put(static_cast<int64_t>(first), 1 - (place - first));
      put(static_cast<int64_t>(first) + 1, place - first);
    }
  }
  return timesAlong(g, x, axis, std::move(weights));
}

FieldSchema interpolationField(const char* defaultJson) {
  return {
      .name = "interpolation",
      .type = FieldType::Choice,
      .defaultJson = defaultJson,
      .choices = {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"},
      .help = STRATA_TEXT(
          "layers", "Interpolation between pixels, from nearest (fastest) to lanczos5 (smoothest)"),
      .title = STRATA_TEXT("layers", "Interpolation")};
}

}  // namespace strata
