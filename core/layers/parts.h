// SPDX-License-Identifier: Apache-2.0
// Pieces of lowerings that several layers share, so that each is written once. Not here: fields
// (fields.h). Thread: edit the given graph only.
#pragma once

#include <vector>

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema outputPaddingField(int count);

/// All inputs as f32 and of one rank: behind the batch, smaller ones get dimensions of 1. Fails:
/// shape_mismatch where they do not broadcast.
std::vector<ValueId> mergeInputs(LayerContext& context);
/// The inputs one after the other by `merge`; what a mask leaves out has no part in it.
ValueId mergedWhereCounted(LayerContext& context, ValueId (*merge)(Graph&, ValueId, ValueId));
/// The mask of input `i` beside its values: [N,T,1]. Invalid where it has none, and as in Keras
/// where the input got dimensions in mergeInputs().
ValueId maskBeside(LayerContext& context, int i);
/// Adds the variable `bias` where `use_bias` is set.
ValueId withBias(LayerContext& context, ValueId y, int64_t filters);
/// Fails: out_of_range where `groups` does not divide `filters` or the channels.
void requireGroups(const LayerContext& context, int64_t channels);
/// Fails: out_of_range where both are above 1.
void requireOneOfStrideAndDilation(const LayerContext& context, int64_t stride, int64_t dilation);

/// Mean 0, variance 1 along the axes.
ValueId standardized(Graph& g, ValueId x, const std::vector<int64_t>& axes, double epsilon);
/// y * gamma + beta where `scale` and `center` say so; variables of shape `sizes`, which is `wide`
/// beside y.
ValueId scaledAndShifted(LayerContext& context, ValueId y, const Shape& sizes, const Shape& wide);
/// Length 1 along the axes; nothing shorter than `least` is stretched to it.
ValueId unitLength(Graph& g, ValueId x, const std::vector<int64_t>& axes, double least);

/// The layers ZeroPadding and Cropping of 1 to 3 dimensions: by the margins of `padding` and
/// `cropping`. Fails: shape_mismatch where nothing is left.
ValueId padded(LayerContext& context, int dimensions);
ValueId cropped(LayerContext& context, int dimensions);
/// UpSampling of 1 to 3 dimensions by `size`.
ValueId upSampled(LayerContext& context, int dimensions);
/// Each cell times[i] times along dimension i + 1.
ValueId repeatedAlong(LayerContext& context, ValueId x, const std::vector<int64_t>& times);
/// `size` cells along an axis, at half-pixel centers: "nearest" takes the nearest cell; "bilinear"
/// lies on lines, "bicubic" on curves of four cells, "lanczos3" and "lanczos5" on waves over six
/// and ten. isSmoothed: making smaller, each new cell looks at all those it stands for.
ValueId resampled(LayerContext& context, ValueId x, int axis, int64_t size,
                  const std::string& way = "bilinear", bool isSmoothed = false);
/// x times a matrix [cells, size] along an axis.
ValueId timesAlong(Graph& g, ValueId x, int axis, Tensor matrix);

FieldSchema interpolationField(const char* defaultJson);

enum class PoolKind : uint8_t { Max, Average };
/// Pooling of sequences, images and volumes (1 to 3 dimensions): by windows, of everything, and by
/// as many windows as `output_size` says.
ValueId pooled(LayerContext& context, int dimensions, PoolKind kind);
ValueId pooledWhole(LayerContext& context, int dimensions, PoolKind kind);
ValueId pooledTo(LayerContext& context, int dimensions, PoolKind kind);
/// Depthwise and separable convolutions of sequences and images (1 and 2 dimensions).
ValueId depthwiseConvolution(LayerContext& context, int dimensions);
ValueId separableConvolution(LayerContext& context, int dimensions);

/// Indices as rows of zeros and ones: "one_hot" each, "multi_hot" which occur along dimension 1,
/// "count" how often.
ValueId encodedIndices(LayerContext& context, ValueId x, int64_t depth, const std::string& mode);

/// What random numbers are keyed by: the layer's own `seed` or the run's, the step, and the place
/// of the batch's first row. `rowsOfInput`: how many rows are drawn for one of the layer's input.
struct RandomKey {
  ValueId seed, step, firstRow;
};
RandomKey randomKey(LayerContext& context, int64_t rowsOfInput = 1);
/// Does a layer with `rate` leave something out in this step?
bool leavesOut(const LayerContext& context);
/// "noise_shape": the sizes of what is drawn, which may be 1 where all along a dimension stay or go
/// together. Fails: shape_mismatch.
FieldSchema noiseShapeField();
Shape noiseShape(const LayerContext& context);
/// x, or 0 with probability `rate`, the rest scaled: as Dropout.
ValueId droppedOut(LayerContext& context, ValueId x);
/// Whole channels (the last dimension) are left out while training, by `rate` and `seed`.
ValueId withoutChannels(LayerContext& context, int dimensions);

/// Windows over a volume [N,D,H,W,C]: of its planes [H,W], and along the depth.
struct VolumeWindow {
  Window2D plane;
  // Zeros before and after along the depth; windows that fit
  int64_t before = 0, after = 0, depth = 0;
};
/// Fails: shape_mismatch where the window is larger than the volume.
VolumeWindow volumeWindow(const LayerContext& context, const std::vector<int64_t>& window,
                          const std::vector<int64_t>& strides,
                          const std::vector<int64_t>& dilation);
/// The volume with the window's zeros along its depth, and room for planesFrom() to step.
ValueId deepened(Graph& g, ValueId x, const VolumeWindow& volume, int64_t stride);
/// `count` planes from `first` on, each `stride` further: [N count,H,W,C].
ValueId planesFrom(Graph& g, ValueId x, int64_t first, int64_t count, int64_t stride);

/// One axis of a transposed convolution.
struct SpreadWindow {
  int64_t size = 0, before = 0, after = 0;
};
/// The transpose of a convolution over an image of shape `out`: w [R,S,filters,C].
ValueId convTranspose2d(Graph& g, ValueId x, ValueId w, const Window2D& window, const Shape& out);
SpreadWindow spreadWindow(const LayerContext& context, int64_t size, int64_t kernel, int64_t stride,
                          int64_t dilation, size_t axis);

}  // namespace strata
