// SPDX-License-Identifier: Apache-2.0
// Building blocks of layers with random numbers: numbers keyed by seed, step, layer and sample, and
// sampling of images at other coordinates.
// Not here: the layers themselves.
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

/// Draws uniform numbers in [low, high), keyed by layer and purpose. The first dimension of `shape`
/// is the batch. `shape` is a copy, because adding nodes moves the graph's shapes in memory.
ValueId uniformNumbers(LayerContext& context, Shape shape, const char* purpose, double low = 0,
                       double high = 1);
/// Draws standard normal numbers, keyed by layer and purpose.
ValueId normalNumbers(LayerContext& context, Shape shape, const char* purpose);

/// A range of random numbers.
struct RandomRange {
  double low = 0, high = 0;
};
/// Reads a range from a field with one or two numbers. One number f means [max(-|f|, least), |f|].
/// Fails: out_of_range for a list of another length.
RandomRange rangeOf(const LayerContext& context, const char* field, double least);
FieldSchema rangeField(const char* name, const char* example, double minimum, double maximum,
                       Text help, Text title);
FieldSchema valueRangeField();
/// Reads `value_range`. Fails: out_of_range unless its lower bound is less than its upper bound.
RandomRange valueRangeOf(const LayerContext& context);
FieldSchema fillModeField();
FieldSchema fillValueField();
FieldSchema imageInterpolationField();

/// Returns the coordinates 0 to count - 1 as f32, in a shape that broadcasts over [N,H,W] along
/// `axis` (1 or 2).
ValueId gridAlong(Graph& g, int axis, int64_t count);
/// Samples images [N,H,W,C] at coordinates in pixels, and returns images [N,P,Q,C]. `row` and
/// `column` broadcast to [N,P,Q]. Reads the field `interpolation`, and the fields `fill_mode` and
/// `fill_value` for coordinates outside the image.
ValueId imagesAt(LayerContext& context, ValueId x, ValueId row, ValueId column);
/// Does the same for integer coordinates inside the images, without interpolation. Fails:
/// too_large.
ValueId imagePixelsAt(LayerContext& context, ValueId x, ValueId row, ValueId column);
/// Clips x to `value_range`.
ValueId withinRange(LayerContext& context, ValueId x);

}  // namespace strata
