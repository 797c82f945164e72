// SPDX-License-Identifier: Apache-2.0
// Building blocks of lowerings that several layers share. Not here: fields (fields.h). Thread:
// edits only the given graph.
#pragma once

#include <vector>

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema outputPaddingField(int count);

/// All inputs as f32 with the same rank: smaller ones get dimensions of 1 after the batch. Fails:
/// shape_mismatch where they do not broadcast.
std::vector<ValueId> mergeInputs(LayerContext& context);
/// Combines the inputs one after the other with `merge`, without the masked steps.
ValueId mergedWhereCounted(LayerContext& context, ValueId (*merge)(Graph&, ValueId, ValueId));
/// The mask of input `i` as [N,T,1], to broadcast over its values. Invalid where it has none and,
/// as in Keras, where mergeInputs() added dimensions to the input.
ValueId maskBeside(LayerContext& context, int i);
/// Adds the variable `bias` where `use_bias` is set.
ValueId withBias(LayerContext& context, ValueId y, int64_t filters);
/// Fails: out_of_range where `groups` does not divide `filters` or the channels.
void requireGroups(const LayerContext& context, int64_t channels);
/// Fails: out_of_range where both are above 1.
void requireOneOfStrideAndDilation(const LayerContext& context, int64_t stride, int64_t dilation);

/// x normalized to mean 0 and variance 1 along the axes.
ValueId standardized(Graph& g, ValueId x, const std::vector<int64_t>& axes, double epsilon);
/// y * gamma + beta, according to `scale` and `center`. The variables have the shape `sizes`,
/// reshaped to `wide` to broadcast over y.
ValueId scaledAndShifted(LayerContext& context, ValueId y, const Shape& sizes, const Shape& wide);
/// x scaled to length 1 along the axes; lengths below `least` count as `least`.
ValueId unitLength(Graph& g, ValueId x, const std::vector<int64_t>& axes, double least);

/// ZeroPadding and Cropping with 1 to 3 dimensions, by the fields `padding` and `cropping`. Fails:
/// shape_mismatch where nothing is left.
ValueId padded(LayerContext& context, int dimensions);
ValueId cropped(LayerContext& context, int dimensions);
/// UpSampling with 1 to 3 dimensions, by the field `size`.
ValueId upSampled(LayerContext& context, int dimensions);
/// Repeats each cell times[i] times along dimension i + 1.
ValueId repeatedAlong(LayerContext& context, ValueId x, const std::vector<int64_t>& times);
/// Resamples x to `size` cells along an axis, at half-pixel centers; `method` is "nearest",
/// "bilinear", "bicubic", "lanczos3" or "lanczos5". isSmoothed: anti-aliasing where the axis
/// becomes smaller.
ValueId resampled(LayerContext& context, ValueId x, int axis, int64_t size,
                  const std::string& method = "bilinear", bool isSmoothed = false);
/// Multiplies x by a matrix [cells, size] along an axis.
ValueId timesAlong(Graph& g, ValueId x, int axis, Tensor matrix);

FieldSchema interpolationField(const char* defaultJson);

enum class PoolKind : uint8_t { Max, Average };
/// Pooling of sequences, images and volumes (1 to 3 dimensions): by windows, globally, and
/// adaptively to `output_size`.
ValueId pooled(LayerContext& context, int dimensions, PoolKind kind);
ValueId pooledWhole(LayerContext& context, int dimensions, PoolKind kind);
ValueId pooledTo(LayerContext& context, int dimensions, PoolKind kind);
/// Depthwise and separable convolutions of sequences and images (1 and 2 dimensions).
ValueId depthwiseConvolution(LayerContext& context, int dimensions);
ValueId separableConvolution(LayerContext& context, int dimensions);

/// Encodes indices: "one_hot" gives one vector per index, "multi_hot" marks which indices occur
/// along dimension 1, "count" counts them.
ValueId encodedIndices(LayerContext& context, ValueId x, int64_t depth, const std::string& mode);

/// The key of random numbers: the layer's `seed` or that of the run, the step, and the index of the
/// batch's first row. `rowsOfInput`: number of rows drawn per row of the layer's input.
struct RandomKey {
  ValueId seed, step, firstRow;
};
RandomKey randomKey(LayerContext& context, int64_t rowsOfInput = 1);
/// Whether a layer with `rate` drops values in this step.
bool leavesOut(const LayerContext& context);
/// "noise_shape": the shape of the dropout mask. A size of 1 shares the mask along that dimension.
/// Fails: shape_mismatch.
FieldSchema noiseShapeField();
Shape noiseShape(const LayerContext& context);
/// Dropout: sets values to 0 with probability `rate` and scales the others.
ValueId droppedOut(LayerContext& context, ValueId x);
/// Drops whole channels (the last dimension) during training, by `rate` and `seed`.
ValueId withoutChannels(LayerContext& context, int dimensions);

/// Windows over a volume [N,D,H,W,C]: over its planes [H,W] and along its depth.
struct VolumeWindow {
  Window2D plane;
  // Zeros before and after along the depth, and the number of windows along it
  int64_t before = 0, after = 0, depth = 0;
};
/// Fails: shape_mismatch where the window is larger than the volume.
VolumeWindow volumeWindow(const LayerContext& context, const std::vector<int64_t>& window,
                          const std::vector<int64_t>& strides,
                          const std::vector<int64_t>& dilation);
/// The volume padded along its depth, with room for the strides of planesFrom().
ValueId deepened(Graph& g, ValueId x, const VolumeWindow& volume, int64_t stride);
/// Takes `count` planes from `first` on, `stride` apart: [N count,H,W,C].
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
