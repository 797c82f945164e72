// SPDX-License-Identifier: Apache-2.0
// What layers with random numbers share: draws keyed by seed, step, layer and sample, and images
// read at other places. Thread: edit the given graph only.
#pragma once

#include "core/layers/layer.h"
#include "core/layers/parts.h"

namespace strata {

/// Numbers of one purpose of a layer, uniform in [low, high). The first dimension of `shape` (a
/// copy: nodes move the graph's own) is the batch.
ValueId uniformNumbers(LayerContext& context, Shape shape, const char* purpose, double low = 0,
                       double high = 1);
/// Standard normal numbers.
ValueId normalNumbers(LayerContext& context, Shape shape, const char* purpose);

/// A range given as one number or two. Fails: out_of_range for a list of another length, or bounds
/// outside of the field's.
struct RandomRange {
  double low = 0, high = 0;
};
/// One number f is [-f, f], not below `least`.
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
/// The images [N,H,W,C] at places [N,P,Q] in cells, whole numbers or between; outside by
/// `fill_mode` and `fill_value`, between by `interpolation`.
ValueId imagesAt(LayerContext& context, ValueId x, ValueId row, ValueId column);
/// The same at whole places inside of the images.
ValueId imageCellsAt(LayerContext& context, ValueId x, ValueId row, ValueId column);
/// Cut to `value_range`.
ValueId withinRange(LayerContext& context, ValueId x);

}  // namespace strata
