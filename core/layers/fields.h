// SPDX-License-Identifier: Apache-2.0
// Fields that several layers share, and how lowerings read them. Not here: shared lowerings
// (parts.h). Thread: pure.
#pragma once

#include "core/layers/schema.h"
#include "gpu/ops/build.h"

namespace strata {

/// Fields of every layer: trainable, learning_rate_factor, device. The registry appends them.
std::vector<FieldSchema> commonLayerFields();

/// "data_format": the registry appends it to layers whose channels may come first; lowerLayer()
/// transposes their inputs and outputs.
FieldSchema dataFormatField();
FieldSchema activationField(const char* defaultJson = "\"linear\"");
FieldSchema useBiasField();
/// True or false.
FieldSchema switchField(const char* name, const char* defaultJson, Text help, Text title);
/// A switch of Keras that has no effect here, because it changes only how Keras computes. Forms do
/// not show it.
FieldSchema ignoredSwitch(const char* name, const char* defaultJson = "false");
FieldSchema initializerField(const char* name, const char* defaultJson, Text title);
FieldSchema regularizerField(const char* name, Text title);
/// "kernel_constraint", ...: the registry adds one for each regularizer of weights.
FieldSchema constraintField(const std::string& name);
FieldSchema kernelSizeField();
FieldSchema poolSizeField();
/// A default of "null" means pool_size.
FieldSchema stridesField(const char* defaultJson);
FieldSchema paddingField();
FieldSchema dilationField();

/// For sequences: sizes in steps.
FieldSchema sequenceKernelField();
FieldSchema sequencePoolField();
FieldSchema sequenceStridesField(const char* defaultJson);
FieldSchema sequencePaddingField(bool hasCausal);
FieldSchema sequenceDilationField();
/// For volumes: sizes in cells.
FieldSchema volumePoolField();
FieldSchema volumeStridesField(const char* defaultJson);
FieldSchema volumeDilationField();
FieldSchema volumeKernelField();
FieldSchema depthMultiplierField();
/// Dropout rate, and the seed of a layer with random numbers.
FieldSchema rateField(const char* exampleJson, Text help);
FieldSchema seedField();
FieldSchema filtersField();
FieldSchema groupsField();
FieldSchema epsilonField(const char* defaultJson, Text help);
/// Whether a normalization learns an offset and a scale.
FieldSchema centerField();
FieldSchema scaleField();
/// "height" or "width" of the image that a layer outputs.
FieldSchema outputSizeField(const char* name, const char* exampleJson, Text help, Text title);
FieldSchema keepDimsField();
/// "axis": one integer, or a list of them where `isList`.
FieldSchema axisField(const char* defaultJson, bool isList, Text help);

class LayerContext;
/// An integer or a list of `count` as `count` integers.
std::vector<int64_t> severalOf(const LayerContext& context, std::string_view field, int count);
/// The axes in a field (one or a list), counted from 0, sorted and unique. Fails: out_of_range for
/// the batch, for an axis the input does not have, and for a repeated one unless mayRepeat.
std::vector<int64_t> axesOf(const LayerContext& context, std::string_view field,
                            bool mayRepeat = false);
/// The cells before and after along each dimension between batch and channels, from a field of type
/// Margins.
std::vector<std::pair<int64_t, int64_t>> marginsOf(const LayerContext& context,
                                                   std::string_view field);
/// Strides, dilation and Keras's padding for an image [N,H,W,C]: "same" pads to ceil(size /
/// stride), the odd cell after.
/// Fails: shape_mismatch where the window is larger than the image, out_of_range where strides and
/// dilation are both above 1 for a convolution.
Window2D imageWindow(const LayerContext& context, const std::vector<int64_t>& window,
                     const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation);
/// The same for a sequence [N,T,C], treated as an image of height 1. "causal" pads only before, so
/// that no step depends on a later one.
Window2D sequenceWindow(const LayerContext& context, int64_t window, int64_t stride,
                        int64_t dilation);
/// [N,T,C] <-> [N,1,T,C].
ValueId asImage(Graph& g, ValueId sequence);
ValueId asSequence(Graph& g, ValueId image);

}  // namespace strata
