// SPDX-License-Identifier: Apache-2.0
// Lowers the depthwise and separable convolutions of sequences and images.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/parts.h"

namespace strata {

namespace {

/// The input and filter of a convolution of an image, or of a sequence treated as an image of
/// height 1.
struct SlidingFilter {
  // The image [N,H,W,C]
  ValueId image;
  Window2D window;
  // Shape of the kernel without channels: [S] or [R,S]
  Shape kernel;
  int64_t height = 1, width = 1, channels = 0;
};

SlidingFilter slidingFilter(LayerContext& context, int dimensions) {
  context.requireRank(dimensions + 2);
  SlidingFilter result;
  const auto kernel = severalOf(context, "kernel_size", dimensions),
             strides = severalOf(context, "strides", dimensions),
             dilation = severalOf(context, "dilation_rate", dimensions);
  requireOneOfStrideAndDilation(context, *std::max_element(strides.begin(), strides.end()),
                                *std::max_element(dilation.begin(), dilation.end()));
  const ValueId x = context.floatInput();
  result.window = dimensions == 1 ? sequenceWindow(context, kernel[0], strides[0], dilation[0])
                                  : imageWindow(context, kernel, strides, dilation);
  result.image = dimensions == 1 ? asImage(context.graph, x) : x;
  result.kernel = Shape(kernel);
  result.height = dimensions == 1 ? 1 : kernel[0];
  result.width = kernel.back();
  result.channels = context.inputShape()[dimensions + 1];
  return result;
}

ValueId activatedSum(LayerContext& context, ValueId y, int64_t filters, int dimensions) {
  const ValueId activated = context.activate(withBias(context, y, filters));
  return dimensions == 1 ? asSequence(context.graph, activated) : activated;
}

Shape withChannels(const Shape& kernel, int64_t channels, int64_t filters) {
  Shape shape = kernel;
  shape.append(channels);
  shape.append(filters);
  return shape;
}

ValueId filteredByChannel(LayerContext& context, const SlidingFilter& filter,
                          const char* variable) {
  Graph& g = context.graph;
  const int64_t multiplier = context.integer("depth_multiplier");
  const ValueId w =
      context.variable(variable, withChannels(filter.kernel, filter.channels, multiplier),
                       "depthwise_initializer", true, 0, 0, "depthwise_regularizer");
  return depthwiseConv2d(g, filter.image,
                         reshape(g, w, {filter.height, filter.width, filter.channels, multiplier}),
                         filter.window);
}

}  // namespace

ValueId depthwiseConvolution(LayerContext& context, int dimensions) {
  const SlidingFilter filter = slidingFilter(context, dimensions);
  const ValueId y = filteredByChannel(context, filter, "kernel");
  return activatedSum(context, y, filter.channels * context.integer("depth_multiplier"),
                      dimensions);
}

ValueId separableConvolution(LayerContext& context, int dimensions) {
  Graph& g = context.graph;
  const SlidingFilter filter = slidingFilter(context, dimensions);
  const int64_t mixed = filter.channels * context.integer("depth_multiplier"),
                filters = context.integer("filters");
  const ValueId filtered = filteredByChannel(context, filter, "depthwise_kernel");
  const Shape cell = dimensions == 1 ? Shape{1} : Shape{1, 1};
  const ValueId pointwise =
      context.variable("pointwise_kernel", withChannels(cell, mixed, filters),
                       "pointwise_initializer", true, 0, 0, "pointwise_regularizer");
  const ValueId y = conv2d(g, filtered, reshape(g, pointwise, {1, 1, mixed, filters}), {});
  return activatedSum(context, y, filters, dimensions);
}

}  // namespace strata
