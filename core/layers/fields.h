// SPDX-License-Identifier: Apache-2.0
// Field schemas that several layers share, and functions that read such fields in lowerings.
// Not here: shared lowerings (parts.h).
// Thread: the functions have no side effects, so any thread may call them.
#pragma once

#include "core/layers/schema.h"
#include "gpu/ops/build.h"

namespace strata {

/// The fields of every layer: trainable, learning_rate_factor, device. The registry appends them.
std::vector<FieldSchema> commonLayerFields();

/// The field `data_format`. The registry appends it to layers whose channels may come first. If its
/// value is "channels_first", lowerLayer() transposes the inputs and outputs of the layer.
FieldSchema dataFormatField();
FieldSchema activationField(const char* defaultJson = "\"linear\"");
FieldSchema useBiasField();
/// A field of type Boolean.
FieldSchema switchField(const char* name, const char* defaultJson, Text help, Text title);
/// A field of type Boolean that exists for compatibility with Keras. It has no effect, and forms do
/// not show it.
FieldSchema ignoredSwitch(const char* name, const char* defaultJson = "false");
FieldSchema initializerField(const char* name, const char* defaultJson, Text title);
FieldSchema regularizerField(const char* name, Text title);
/// A field such as `kernel_constraint`. The registry adds one for each weight regularizer.
FieldSchema constraintField(const std::string& name);
FieldSchema kernelSizeField();
FieldSchema poolSizeField();
/// The field `strides`. Pooling layers have the default "null", which means the value of
/// `pool_size`.
FieldSchema stridesField(const char* defaultJson);
FieldSchema paddingField();
FieldSchema dilationField();

/// These functions return fields of layers for sequences. Sizes are numbers of steps.
FieldSchema sequenceKernelField();
FieldSchema sequencePoolField();
FieldSchema sequenceStridesField(const char* defaultJson);
FieldSchema sequencePaddingField(bool hasCausal);
FieldSchema sequenceDilationField();
/// These functions return fields of layers for volumes. Sizes are numbers of voxels.
FieldSchema volumePoolField();
FieldSchema volumeStridesField(const char* defaultJson);
FieldSchema volumeDilationField();
FieldSchema volumeKernelField();
FieldSchema depthMultiplierField();
/// The field `rate`, a dropout rate.
FieldSchema rateField(const char* exampleJson, Text help);
/// The field `seed` of a layer that draws random numbers.
FieldSchema seedField();
FieldSchema filtersField();
FieldSchema groupsField();
FieldSchema epsilonField(const char* defaultJson, Text help);
/// The fields `center` and `scale`: whether a normalization learns an offset and a scale.
FieldSchema centerField();
FieldSchema scaleField();
/// A field with the height or width of the image that a layer outputs.
FieldSchema outputSizeField(const char* name, const char* exampleJson, Text help, Text title);
FieldSchema keepDimsField();
/// The field `axis`: an integer or, with `isList`, an integer or a list of integers.
FieldSchema axisField(const char* defaultJson, bool isList, Text help);

class LayerContext;
/// Returns the integers in a field. If the field has one integer instead of a list, returns this
/// integer `count` times.
std::vector<int64_t> severalOf(const LayerContext& context, std::string_view field, int count);
/// Returns the axes in a field (one integer or a list), counted from 0, sorted and unique.
/// Fails: shape_mismatch if the batch is the only dimension of the input; out_of_range for the
/// batch axis, for an axis that the input does not have, and for a repeated axis unless `mayRepeat`
/// is set.
std::vector<int64_t> axesOf(const LayerContext& context, std::string_view field,
                            bool mayRepeat = false);
/// Returns the margins in a field of type Margins: for each dimension between batch and channels,
/// the numbers of elements at its start and at its end.
std::vector<std::pair<int64_t, int64_t>> marginsOf(const LayerContext& context,
                                                   std::string_view field);
/// Returns strides, dilation and padding for an image [N,H,W,C]. Reads the field `padding`: "same"
/// pads so that the output has ceil(size / stride) elements, and puts an odd padding element at the
/// end.
/// Fails: shape_mismatch for another rank, or if a window without padding is larger than the image.
Window2D imageWindow(const LayerContext& context, const std::vector<int64_t>& window,
                     const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation);
/// Returns strides, dilation and padding for a sequence [N,T,C], which is treated as an image of
/// height 1. Reads the field `padding`: "causal" pads only before the first step, so that no step
/// depends on a later one.
/// Fails: shape_mismatch for another rank, or if a window without padding is longer than the
/// sequence.
Window2D sequenceWindow(const LayerContext& context, int64_t window, int64_t stride,
                        int64_t dilation);
/// Reshapes a sequence [N,T,C] to an image [N,1,T,C].
ValueId asImage(Graph& g, ValueId sequence);
/// Reshapes an image [N,1,T,C] to a sequence [N,T,C].
ValueId asSequence(Graph& g, ValueId image);

}  // namespace strata
