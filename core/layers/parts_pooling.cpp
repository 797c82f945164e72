// SPDX-License-Identifier: Apache-2.0
// Lowers the pooling layers of sequences, images and volumes: with windows, global and adaptive.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/parts.h"

namespace strata {

namespace {

ValueId pooledImage(Graph& g, ValueId x, const std::vector<int64_t>& size, const Window2D& window,
                    PoolKind kind) {
  return kind == PoolKind::Max ? maxPool2d(g, x, size, window) : avgPool2d(g, x, size, window);
}

std::vector<int64_t> dimensionsFrom1(int dimensions) {
  std::vector<int64_t> axes;
  for (int i = 1; i <= dimensions; ++i)
    axes.push_back(i);
  return axes;
}

/// Returns the first element and the size of window `i` of `count` windows over `cells` elements.
/// The windows cover all elements and may overlap.
std::pair<int64_t, int64_t> adaptiveWindow(int64_t cells, int64_t count, int64_t i) {
  const int64_t first = i * cells / count;
  return {first, ((i + 1) * cells + count - 1) / count - first};
}

/// Averages adaptive windows along one axis by a product with a matrix of weights.
ValueId adaptiveMeans(LayerContext& context, ValueId x, int axis, int64_t count) {
  Graph& g = context.graph;
  const int64_t cells = g.shape(x)[axis];
  Tensor shares = context.table({cells, count});
  for (int64_t i = 0; i < count; ++i) {
    const auto [first, size] = adaptiveWindow(cells, count, i);
    for (int64_t k = first; k < first + size; ++k)
      shares.as<float>()[static_cast<size_t>(k * count + i)] = 1 / static_cast<float>(size);
  }
  return timesAlong(g, x, axis, std::move(shares));
}

ValueId adaptiveLargest(Graph& g, ValueId x, int axis, int64_t count) {
  const Shape in = g.shape(x);
  std::vector<ValueId> parts;
  for (int64_t i = 0; i < count; ++i) {
    const auto [first, size] = adaptiveWindow(in[axis], count, i);
    std::vector<int64_t> begin(static_cast<size_t>(in.rank()), 0),
        length(in.dims().begin(), in.dims().end());
    begin[static_cast<size_t>(axis)] = first;
    length[static_cast<size_t>(axis)] = size;
    parts.push_back(reduceMax(g, slice(g, x, begin, length), {axis}, true));
  }
  return parts.size() == 1 ? parts[0] : concatenate(g, parts, axis);
}

}  // namespace

ValueId pooled(LayerContext& context, int dimensions, PoolKind kind) {
  context.requireRank(dimensions + 2);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const auto pool = severalOf(context, "pool_size", dimensions),
             strides = context.fields.at("strides").is_null()
                           ? pool
                           : severalOf(context, "strides", dimensions);
  const ValueId x = context.floatInput();
  if (dimensions == 1) {
    const Window2D window = sequenceWindow(context, pool[0], strides[0], 1);
    return asSequence(g, pooledImage(g, asImage(g, x), {1, pool[0]}, window, kind));
  }
  if (dimensions == 2)
    return pooledImage(g, x, pool, imageWindow(context, pool, strides, {1, 1}), kind);
  const VolumeWindow volume = volumeWindow(context, pool, strides, {1, 1, 1});
  const ValueId planes = pooledImage(g, reshape(g, x, {in[0] * in[1], in[2], in[3], in[4]}),
                                     {pool[1], pool[2]}, volume.plane, kind);
  const Shape out = g.shape(planes);
  Window2D window;
  window.strides = {strides[0], 1};
  window.paddingBefore = {volume.before, 0};
  window.paddingAfter = {volume.after, 0};
  const ValueId columns = reshape(g, planes, {in[0], in[1], 1, out[1] * out[2] * in[4]});
  return reshape(g, pooledImage(g, columns, {pool[0], 1}, window, kind),
                 {in[0], volume.depth, out[1], out[2], in[4]});
}

ValueId pooledWhole(LayerContext& context, int dimensions, PoolKind kind) {
  context.requireRank(dimensions + 2);
  const bool isKept = context.boolean("keepdims");
  const ValueId x = context.floatInput();
  // The average of a sequence includes only the unmasked steps.
  if (const ValueId mask = context.mask();
      dimensions == 1 && kind == PoolKind::Average && mask.isValid()) {
    Graph& g = context.graph;
    const Shape shape = g.shape(mask);
    const ValueId wide = reshape(g, mask, {shape[0], shape[1], 1});
    return divide(g, reduceSum(g, multiply(g, x, wide), {1}, isKept),
                  reduceSum(g, wide, {1}, isKept));
  }
  return kind == PoolKind::Max ? reduceMax(context.graph, x, dimensionsFrom1(dimensions), isKept)
                               : reduceMean(context.graph, x, dimensionsFrom1(dimensions), isKept);
}

ValueId pooledTo(LayerContext& context, int dimensions, PoolKind kind) {
  context.requireRank(dimensions + 2);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const auto count = severalOf(context, "output_size", dimensions);
  bool isEven = dimensions <= 2;
  for (int i = 0; i < dimensions; ++i) {
    const int64_t wanted = count[static_cast<size_t>(i)], cells = in[i + 1];
    isEven = isEven && cells % wanted == 0;
  }
  ValueId x = context.floatInput();
  // For sequences and images, windows of equal size without overlap use the pooling ops. The max
  // pooling op accepts only windows with at most 255 elements.
  if (isEven) {
    Window2D window;
    if (dimensions == 1) x = asImage(g, x);
    const Shape image = g.shape(x);
    window.strides = {dimensions == 1 ? 1 : image[1] / count[0], image[2] / count.back()};
    const bool isIndexed =
        kind == PoolKind::Average || window.strides[0] * window.strides[1] <= 255;
    if (isIndexed) {
      const ValueId y = pooledImage(g, x, window.strides, window, kind);
      return dimensions == 1 ? asSequence(g, y) : y;
    }
    if (dimensions == 1) x = asSequence(g, x);
  }
  for (int i = 0; i < dimensions; ++i)
    x = kind == PoolKind::Max ? adaptiveLargest(g, x, i + 1, count[static_cast<size_t>(i)])
                              : adaptiveMeans(context, x, i + 1, count[static_cast<size_t>(i)]);
  return x;
}

}  // namespace strata
