// SPDX-License-Identifier: Apache-2.0
// Fields that several layers share, so that each is described once. Thread: pure.
#pragma once

#include "core/layers/schema.h"
#include "gpu/ops/build.h"

namespace strata {

/// Fields of every layer: trainable, learning_rate_factor, device. The registry appends them.
std::vector<FieldSchema> commonLayerFields();

/// "data_format": the registry appends it where channels may come first; lowerLayer() turns inputs
/// and outputs round.
FieldSchema dataFormatField();
FieldSchema activationField(const char* defaultJson = "\"linear\"");
FieldSchema useBiasField();
/// True or false.
FieldSchema switchField(const char* name, const char* defaultJson, Text help, Text title);
/// A switch of Keras that changes how it computes, not what: known, without effect here, and not in
/// forms.
FieldSchema ignoredSwitch(const char* name, const char* defaultJson = "false");
FieldSchema initializerField(const char* name, const char* defaultJson, Text title);
FieldSchema regularizerField(const char* name, Text title);
/// "kernel_constraint", ...: the registry puts one beside each regularizer of weights.
FieldSchema constraintField(const std::string& name);
FieldSchema kernelSizeField();
FieldSchema poolSizeField();
/// defaultJson "null": as pool_size.
FieldSchema stridesField(const char* defaultJson);
FieldSchema paddingField();
FieldSchema dilationField();

/// Of one dimension: sizes in steps of a sequence.
FieldSchema sequenceKernelField();
FieldSchema sequencePoolField();
FieldSchema sequenceStridesField(const char* defaultJson);
FieldSchema sequencePaddingField(bool hasCausal);
FieldSchema sequenceDilationField();
/// Of three dimensions: sizes in cells of a volume.
FieldSchema volumePoolField();
FieldSchema volumeStridesField(const char* defaultJson);
FieldSchema volumeDilationField();
FieldSchema volumeKernelField();
FieldSchema depthMultiplierField();
/// Share that is left out while training, and the seed of a layer with random numbers.
FieldSchema rateField(const char* exampleJson, Text help);
FieldSchema seedField();
FieldSchema filtersField();
FieldSchema groupsField();
FieldSchema epsilonField(const char* defaultJson, Text help);
/// Of normalizations: whether they learn an offset and a scale.
FieldSchema centerField();
FieldSchema scaleField();
/// "height" or "width" of an image that a layer makes.
FieldSchema outputSizeField(const char* name, const char* exampleJson, Text help, Text title);
FieldSchema keepDimsField();
/// "axis": an integer, or where `isList` several.
FieldSchema axisField(const char* defaultJson, bool isList, Text help);

class LayerContext;
/// An integer or a list of `count` as `count` integers.
std::vector<int64_t> severalOf(const LayerContext& context, std::string_view field, int count);
/// The axes that a field names (one or a list), from 0, sorted, each once. Fails: out_of_range for
/// the batch, for what the input does not have, and for one that is named twice, unless it may be.
std::vector<int64_t> axesOf(const LayerContext& context, std::string_view field,
                            bool mayRepeat = false);
/// Cells before and after along each of the dimensions between batch and channels, of a field of
/// type Margins.
std::vector<std::pair<int64_t, int64_t>> marginsOf(const LayerContext& context,
                                                   std::string_view field);
/// Strides, dilation and Keras's padding for an image [N,H,W,C]: "same" pads to ceil(size /
/// stride), the odd cell after.
/// Fails: shape_mismatch where the window is larger than the image, out_of_range where strides and
/// dilation are both above 1 for a convolution.
Window2D imageWindow(const LayerContext& context, const std::vector<int64_t>& window,
                     const std::vector<int64_t>& strides, const std::vector<int64_t>& dilation);
/// The same for a sequence [N,T,C], seen as an image of height 1; also "causal": zeros before
/// alone, so that no step sees a later one.
Window2D sequenceWindow(const LayerContext& context, int64_t window, int64_t stride,
                        int64_t dilation);
/// [N,T,C] <-> [N,1,T,C].
ValueId asImage(Graph& g, ValueId sequence);
ValueId asSequence(Graph& g, ValueId image);

}  // namespace strata
