// SPDX-License-Identifier: Apache-2.0
#include "core/explain/class_maps.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "gpu/base/error.h"

namespace strata {

static Shape withoutChannels(const Shape& shape) { return shape.without(shape.rank() - 1); }

Tensor largestOverChannels(const Tensor& gradient) {
  const Shape& shape = gradient.shape();
  const bool hasChannels = shape.rank() >= 2;
  const size_t channels = hasChannels ? static_cast<size_t>(shape.dim(-1)) : 1;
  Tensor map(DType::F32, hasChannels ? withoutChannels(shape) : shape);
  const std::span<float> places = map.as<float>();
  for (size_t i = 0; i < places.size(); ++i) {
    places[i] = 0;
    for (const float value : gradient.as<float>().subspan(i * channels, channels))
      places[i] = std::max(places[i], std::abs(value));
  }
  return map;
}

Tensor weightedChannels(const Tensor& values, const Tensor& gradient) {
  require(values.shape() == gradient.shape() && values.shape().rank() >= 2,
          "a gradient has the shape of its values");
  const auto channels = static_cast<size_t>(values.shape().dim(-1));
  const std::span<const float> value = values.as<float>(), slope = gradient.as<float>();
  Tensor map(DType::F32, withoutChannels(values.shape()));
  const std::span<float> places = map.as<float>();
  std::vector<double> weights(channels);
  for (size_t i = 0; i < slope.size(); ++i)
    weights[i % channels] += slope[i] / static_cast<double>(places.size());
  for (size_t i = 0; i < places.size(); ++i) {
    double sum = 0;
    for (size_t c = 0; c < channels; ++c)
      sum += weights[c] * value[i * channels + c];
    places[i] = static_cast<float>(std::max(0.0, sum));
  }
  return map;
}

/// Returns the map with another size along one axis.
static Tensor resizedAlong(const Tensor& map, int axis, int64_t after) {
  Shape shape = map.shape();
  const int64_t before = shape[axis];
  int64_t outer = 1, inner = 1;
  for (int i = 0; i < shape.rank(); ++i)
    (i < axis ? outer : inner) *= i == axis ? 1 : shape[i];
  shape.set(axis, after);
  Tensor result(DType::F32, shape);
  const std::span<const float> from = map.as<float>();
  const std::span<float> to = result.as<float>();
  const double scale = static_cast<double>(before) / static_cast<double>(after);
  for (int64_t k = 0; k < after; ++k) {
    const double center = std::clamp((static_cast<double>(k) + 0.5) * scale - 0.5, 0.0,
                                     static_cast<double>(before - 1));
    const auto low = static_cast<int64_t>(center);
    const int64_t high = std::min(low + 1, before - 1);
    const double part = center - static_cast<double>(low);
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t i = 0; i < inner; ++i) {
        const double one = from[static_cast<size_t>((o * before + low) * inner + i)],
                     other = from[static_cast<size_t>((o * before + high) * inner + i)];
        to[static_cast<size_t>((o * after + k) * inner + i)] =
            static_cast<float>((1 - part) * one + part * other);
      }
  }
  return result;
}

Tensor resizedMap(const Tensor& map, std::span<const int64_t> sizes) {
  require(static_cast<int>(sizes.size()) == map.shape().rank(), "each axis has a size");
  Tensor result = map;
  for (int axis = 0; axis < map.shape().rank(); ++axis)
    result = resizedAlong(result, axis, sizes[static_cast<size_t>(axis)]);
  return result;
}

}  // namespace strata
