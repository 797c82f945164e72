// SPDX-License-Identifier: Apache-2.0
// What layers with random numbers share: draws keyed by seed, step, layer and sample, and images
// sampled at other places. Thread: edits only the given graph.
#pragma once

#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

/// Uniform numbers in [low, high), keyed by layer and purpose. The first dimension of `shape` is
/// the batch. `shape` is a copy, because adding nodes moves the graph's shapes.
ValueId uniformNumbers(LayerContext& context, Shape shape, const char* purpose, double low = 0,
                       double high = 1);
/// The same with a standard normal distribution.
ValueId normalNumbers(LayerContext& context, Shape shape, const char* purpose);

/// A range given as one number or two. Fails: out_of_range for a list of another length, or for
/// bounds outside of the field's limits.
struct RandomRange {
  double low = 0, high = 0;
};
/// One number f means [-f, f], but not below `least`.
RandomRange rangeOf(const LayerContext& context, const char* field, double least);
FieldSchema rangeField(const char* name, const char* example, double minimum, double maximum,
                       Text help, Text title);
FieldSchema valueRangeField();
RandomRange valueRangeOf(const LayerContext& context);
FieldSchema fillModeField();
FieldSchema fillValueField();
FieldSchema imageInterpolationField();

/// Rows 0..count-1 as f32, in a shape that broadcasts over [N,H,W] along `axis` (1 or 2).
ValueId gridAlong(Graph& g, int axis, int64_t count);
/// Samples images [N,H,W,C] at places [N,P,Q] in cells: interpolates between cells by
/// `interpolation`, and fills outside by `fill_mode` and `fill_value`.
ValueId imagesAt(LayerContext& context, ValueId x, ValueId row, ValueId column);
/// The same at integer places inside the images.
ValueId imageCellsAt(LayerContext& context, ValueId x, ValueId row, ValueId column);
/// Clips x to `value_range`.
ValueId withinRange(LayerContext& context, ValueId x);

}  // namespace strata
