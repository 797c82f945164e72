// SPDX-License-Identifier: Apache-2.0
// The one list of layers: a new layer is one line here. The order is that of palettes and listings.
#include <memory>

#include "core/layers/fields.h"
#include "core/layers/layer.h"

// clang-format off
#define STRATA_LAYERS(LAYER)    \
  LAYER(input)                  \
  LAYER(dense)                  \
  LAYER(conv1d)                 \
  LAYER(conv2d)                 \
  LAYER(conv3d)                 \
  LAYER(conv1dTranspose)        \
  LAYER(conv2dTranspose)        \
  LAYER(depthwiseConv1d)        \
  LAYER(depthwiseConv2d)        \
  LAYER(separableConv1d)        \
  LAYER(separableConv2d)        \
  LAYER(maxPooling1d)           \
  LAYER(maxPooling2d)           \
  LAYER(maxPooling3d)           \
  LAYER(averagePooling1d)       \
  LAYER(averagePooling2d)       \
  LAYER(averagePooling3d)       \
  LAYER(globalMaxPooling1d)     \
  LAYER(globalMaxPooling2d)     \
  LAYER(globalMaxPooling3d)     \
  LAYER(globalAveragePooling1d) \
  LAYER(globalAveragePooling2d) \
  LAYER(globalAveragePooling3d) \
  LAYER(flatten)                \
  LAYER(reshape)                \
  LAYER(permute)                \
  LAYER(repeatVector)           \
  LAYER(zeroPadding1d)          \
  LAYER(zeroPadding2d)          \
  LAYER(zeroPadding3d)          \
  LAYER(cropping1d)             \
  LAYER(cropping2d)             \
  LAYER(cropping3d)             \
  LAYER(upSampling1d)           \
  LAYER(upSampling2d)           \
  LAYER(upSampling3d)           \
  LAYER(pixelShuffle)           \
  LAYER(dropout)                \
  LAYER(spatialDropout1d)       \
  LAYER(spatialDropout2d)       \
  LAYER(spatialDropout3d)       \
  LAYER(alphaDropout)           \
  LAYER(batchNormalization)     \
  LAYER(layerNormalization)     \
  LAYER(groupNormalization)     \
  LAYER(rmsNormalization)       \
  LAYER(unitNormalization)      \
  LAYER(activation)             \
  LAYER(relu)                   \
  LAYER(leakyRelu)              \
  LAYER(prelu)                  \
  LAYER(elu)                    \
  LAYER(softmax)                \
  LAYER(embedding)              \
  LAYER(positionEmbedding)      \
  LAYER(sinePositionEncoding)   \
  LAYER(rotaryEmbedding)        \
  LAYER(multiHeadAttention)     \
  LAYER(groupQueryAttention)    \
  LAYER(attention)              \
  LAYER(additiveAttention)      \
  LAYER(add)                    \
  LAYER(subtract)               \
  LAYER(multiply)               \
  LAYER(average)                \
  LAYER(maximum)                \
  LAYER(minimum)                \
  LAYER(concatenate)            \
  LAYER(dot)                    \
  LAYER(rescaling)              \
  LAYER(normalization)          \
  LAYER(resizing)               \
  LAYER(centerCrop)             \
  LAYER(block)
// clang-format on

namespace strata {

#define STRATA_DECLARE(NAME) const LayerDef& NAME##Layer();
STRATA_LAYERS(STRATA_DECLARE)
#undef STRATA_DECLARE

std::span<const LayerDef* const> allLayers() {
  static const std::vector<std::unique_ptr<const LayerDef>> definitions = [] {
    std::vector<std::unique_ptr<const LayerDef>> result;
    const auto append = [&](const LayerDef& definition) {
      auto copy = std::make_unique<LayerDef>(definition);
      for (auto& field : commonLayerFields()) copy->schema.fields.push_back(std::move(field));
      result.push_back(std::move(copy));
    };
#define STRATA_APPEND(NAME) append(NAME##Layer());
    STRATA_LAYERS(STRATA_APPEND)
#undef STRATA_APPEND
    return result;
  }();
  static const std::vector<const LayerDef*> pointers = [] {
    std::vector<const LayerDef*> result;
    for (const auto& definition : definitions) result.push_back(definition.get());
    return result;
  }();
  return pointers;
}

const LayerDef* findLayer(std::string_view type) {
  for (const LayerDef* definition : allLayers())
    if (definition->schema.type == type) return definition;
  return nullptr;
}

}  // namespace strata
