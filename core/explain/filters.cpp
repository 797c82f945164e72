// SPDX-License-Identifier: Apache-2.0
#include "core/explain/filters.h"

#include <algorithm>
#include <optional>

#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// How the kernel of a convolution is stored.
enum class KernelOrder : uint8_t {
  // [sizes..., channels, filters]
  FiltersLast,
  // [sizes..., filters, channels], as transposed convolutions store it
  ChannelsLast,
  // [sizes..., channels, multiplier], where each channel has its own filters
  Depthwise,
};

struct FilterKernel {
  std::string variable;
  KernelOrder order = KernelOrder::FiltersLast;
};

/// Returns the kernel of a layer of this type, or nullopt if it is no convolution.
std::optional<FilterKernel> kernelOf(std::string_view type) {
  if (type == "Conv1D" || type == "Conv2D" || type == "Conv3D")
    return FilterKernel{"kernel", KernelOrder::FiltersLast};
  if (type == "Conv1DTranspose" || type == "Conv2DTranspose" || type == "Conv3DTranspose")
    return FilterKernel{"kernel", KernelOrder::ChannelsLast};
  if (type == "DepthwiseConv1D" || type == "DepthwiseConv2D")
    return FilterKernel{"kernel", KernelOrder::Depthwise};
  if (type == "SeparableConv1D" || type == "SeparableConv2D")
    return FilterKernel{"depthwise_kernel", KernelOrder::Depthwise};
  return std::nullopt;
}

/// Returns the layer with this path, such as "block/conv"; null if there is none.
const Layer* layerOfPath(const Model& model, const std::string& path) {
  const Model* scope = &model;
  for (size_t begin = 0; scope;) {
    const size_t end = std::min(path.find('/', begin), path.size());
    const Layer* layer = scope->find(path.substr(begin, end - begin));
    if (!layer || end == path.size()) return layer;
    scope = layer->inner.get();
    begin = end + 1;
  }
  return nullptr;
}

/// Returns the layer with this path or with this name in the graph; null if there is none.
const Layer* layerAt(const Model& model, const std::string& name) {
  const Layer* layer = layerOfPath(model, name);
  return layer ? layer : layerOfPath(model, pathOfLayer(name));
}

std::optional<FilterKernel> kernelAt(const Model& model, const std::string& name) {
  const Layer* layer = layerAt(model, name);
  return layer && layer->definition ? kernelOf(layer->definition->schema.type) : std::nullopt;
}

/// Copies a kernel [sizes..., a, b] to [filters, sizes..., channels].
Tensor ordered(const Tensor& kernel, KernelOrder order) {
  const Shape& shape = kernel.shape();
  const int64_t a = shape.dim(-2), b = shape.dim(-1), places = shape.numElements() / (a * b);
  int64_t filters = b;
  if (order == KernelOrder::ChannelsLast) filters = a;
  if (order == KernelOrder::Depthwise) filters = a * b;
  const int64_t channels = a * b / filters;
  Shape target{filters};
  for (int i = 0; i + 2 < shape.rank(); ++i)
    target.append(shape[i]);
  target.append(channels);
  Tensor images(DType::F32, target);
  const std::span<const float> from = kernel.as<float>();
  const std::span<float> to = images.as<float>();
  for (int64_t place = 0; place < places; ++place)
    for (int64_t i = 0; i < a; ++i)
      for (int64_t k = 0; k < b; ++k) {
        int64_t filter = k, channel = i;
        if (order == KernelOrder::ChannelsLast) std::swap(filter, channel);
        if (order == KernelOrder::Depthwise) {
          filter = i * b + k;
          channel = 0;
        }
        to[static_cast<size_t>((filter * places + place) * channels + channel)] =
            from[static_cast<size_t>((place * a + i) * b + k)];
      }
  return images;
}

}  // namespace

bool hasFilters(const Model& model, const std::string& layer) {
  return kernelAt(model, layer).has_value();
}

Tensor filterImages(const Model& model, const std::map<std::string, Tensor>& weights,
                    const std::string& layer) {
  if (!layerAt(model, layer))
    throw Error(ErrorCode::InvalidArgument, layer,
                "there is no such layer (expected a convolution of the network).");
  const auto kernel = kernelAt(model, layer);
  if (!kernel)
    throw Error(ErrorCode::InvalidArgument, layer,
                "the layer has no filters (expected a convolution, such as Conv2D).");
  // The last repeat has the longest name, and among those the last one in alphabetical order
  const Tensor* found = nullptr;
  size_t longest = 0;
  for (const auto& [name, value] : weights) {
    if (!name.ends_with("/" + kernel->variable)) continue;
    const std::string owner = name.substr(0, name.size() - kernel->variable.size() - 1);
    if (owner == layer) return ordered(value, kernel->order);
    if (pathOfLayer(owner) != layer || owner.size() < longest) continue;
    found = &value;
    longest = owner.size();
  }
  require(found, "a convolution has a kernel");
  return ordered(*found, kernel->order);
}

}  // namespace strata
