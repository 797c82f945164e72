// SPDX-License-Identifier: Apache-2.0
// Building blocks of lowerings that several layers share.
// Not here: fields (fields.h).
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include <vector>

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema outputPaddingField(int count);

/// Returns all inputs as f32 with the same rank. Inputs of smaller rank get dimensions of size 1
/// after the batch. Fails: shape_mismatch if the inputs do not broadcast.
std::vector<ValueId> mergeInputs(LayerContext& context);
/// Combines the inputs one after the other with `merge`. Ignores the masked steps of each input.
/// Requires: merge(x, x) = x.
ValueId mergedWhereCounted(LayerContext& context, ValueId (*merge)(Graph&, ValueId, ValueId));
/// Returns the mask of input `i` as [N,T,1], which broadcasts over the input. Returns an invalid
/// value if the input has no mask or, as in Keras, if mergeInputs() added dimensions to the input.
ValueId broadcastMask(LayerContext& context, int i);
/// Adds the variable `bias` [filters] to y if `use_bias` is set.
ValueId withBias(LayerContext& context, ValueId y, int64_t filters);
/// Checks that the field `groups` divides `filters` and the channels. Fails: out_of_range for
/// `filters`; shape_mismatch for the channels.
void requireGroups(const LayerContext& context, int64_t channels);
/// Checks that stride and dilation are not both above 1. Fails: out_of_range.
void requireOneOfStrideAndDilation(const LayerContext& context, int64_t stride, int64_t dilation);

/// Normalizes x to mean 0 and variance 1 over the axes.
ValueId standardized(Graph& g, ValueId x, const std::vector<int64_t>& axes, double epsilon);
/// Multiplies y by the variable `gamma` if the field `scale` is set, and adds the variable `beta`
/// if `center` is set. The variables have the shape `sizes`. They are reshaped to `wide`, which
/// broadcasts over y.
ValueId scaledAndShifted(LayerContext& context, ValueId y, const Shape& sizes, const Shape& wide);
/// Scales x to length 1 over the axes. Lengths below `least` count as `least`.
ValueId unitLength(Graph& g, ValueId x, const std::vector<int64_t>& axes, double least);

/// These functions lower ZeroPadding and Cropping with 1 to 3 dimensions. They read `padding` or
/// `cropping`.
/// Fails: shape_mismatch for an input of another rank, or if cropping leaves nothing.
ValueId padded(LayerContext& context, int dimensions);
ValueId cropped(LayerContext& context, int dimensions);
/// Lowers UpSampling with 1 to 3 dimensions; reads the field `size`.
ValueId upSampled(LayerContext& context, int dimensions);
/// Repeats each element times[i] times along dimension i + 1. `times` has an entry for each
/// dimension between batch and channels. Fails: too_large.
ValueId repeatedAlong(LayerContext& context, ValueId x, const std::vector<int64_t>& times);
/// Resamples x to `size` elements along an axis, at half-pixel centers. `method` is "nearest",
/// "bilinear", "bicubic", "lanczos3" or "lanczos5". With `isSmoothed`, downsampling is
/// anti-aliased, except for "nearest". Fails: too_large.
ValueId resampled(LayerContext& context, ValueId x, int axis, int64_t size,
                  const std::string& method = "bilinear", bool isSmoothed = false);
/// Multiplies x by a matrix [old size, new size] along an axis.
ValueId timesAlong(Graph& g, ValueId x, int axis, Tensor matrix);

FieldSchema interpolationField(const char* defaultJson);

enum class PoolKind : uint8_t { Max, Average };
/// These functions lower the pooling of sequences, images and volumes (1 to 3 dimensions). pooled()
/// uses windows, pooledWhole() pools globally, pooledTo() pools adaptively to `output_size`.
ValueId pooled(LayerContext& context, int dimensions, PoolKind kind);
ValueId pooledWhole(LayerContext& context, int dimensions, PoolKind kind);
ValueId pooledTo(LayerContext& context, int dimensions, PoolKind kind);
/// These functions lower depthwise and separable convolutions of sequences and images (1 and 2
/// dimensions).
ValueId depthwiseConvolution(LayerContext& context, int dimensions);
ValueId separableConvolution(LayerContext& context, int dimensions);

/// Encodes indices as vectors of size `depth`. "one_hot" returns one vector per index. "multi_hot"
/// marks the indices that occur along dimension 1, and "count" counts them. Fails: too_large.
ValueId encodedIndices(LayerContext& context, ValueId x, int64_t depth, const std::string& mode);

/// The key of random numbers: the seed of the layer or of the run, the step, and the index of the
/// first row of the batch.
struct RandomKey {
  ValueId seed, step, firstRow;
};
/// Returns the key for random numbers of the layer. `rowsOfInput` is the number of rows drawn for
/// each row of the layer's input.
RandomKey randomKey(LayerContext& context, int64_t rowsOfInput = 1);
/// Returns whether a layer with the field `rate` drops values in this step.
bool dropsValues(const LayerContext& context);
/// The field `noise_shape`, the shape of the dropout mask. A size of 1 shares the mask along that
/// dimension.
FieldSchema noiseShapeField();
/// Returns the shape of the dropout mask. Fails: shape_mismatch if it does not match the input.
Shape noiseShape(const LayerContext& context);
/// Sets values to 0 with probability `rate` and scales the others by 1 / (1 - rate).
ValueId droppedOut(LayerContext& context, ValueId x);
/// Drops random channels of each sample during training. Reads the fields `rate` and `seed`. The
/// input has `dimensions` dimensions between batch and channels.
ValueId withoutChannels(LayerContext& context, int dimensions);

/// Windows over a volume [N,D,H,W,C], split into windows over its planes [H,W] and along its depth.
struct VolumeWindow {
  Window2D plane;
  // Padding before and after the volume along its depth, and the number of windows along the depth
  int64_t before = 0, after = 0, depth = 0;
};
/// Returns the windows with this size, these strides and this dilation over the layer's input
/// volume. Reads the field `padding`. Fails: shape_mismatch if a window without "same" padding is
/// larger than the volume.
VolumeWindow volumeWindow(const LayerContext& context, const std::vector<int64_t>& window,
                          const std::vector<int64_t>& strides,
                          const std::vector<int64_t>& dilation);
/// Pads the volume x along its depth, as `volume` says, and by `stride` - 1 more planes.
/// planesFrom() reads these planes but does not return them.
ValueId deepened(Graph& g, ValueId x, const VolumeWindow& volume, int64_t stride);
/// Returns `count` planes of x as [N count,H,W,C]. The first plane has the index `first`, and the
/// planes are `stride` apart. Requires: x is a result of deepened() with this stride.
ValueId planesFrom(Graph& g, ValueId x, int64_t first, int64_t count, int64_t stride);

/// Output size and padding along one axis of a transposed convolution.
struct SpreadWindow {
  int64_t size = 0, before = 0, after = 0;
};
/// Returns the transposed convolution of x [N,H,W,C] with w [R,S,filters,C]. The result has the
/// shape `out`. `window` describes the convolution from `out` to the shape of x.
ValueId convTranspose2d(Graph& g, ValueId x, ValueId w, const Window2D& window, const Shape& out);
/// Returns output size and padding along the axis with index `axis`, according to `padding` and
/// `output_padding`. Fails: out_of_range unless the output padding is smaller than the stride.
SpreadWindow spreadWindow(const LayerContext& context, int64_t size, int64_t kernel, int64_t stride,
                          int64_t dilation, size_t axis);

}  // namespace strata
