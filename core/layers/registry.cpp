// SPDX-License-Identifier: Apache-2.0
// Lists all layers; a new layer needs one line here. Palettes and listings use this order.
#include <memory>
#include <set>

#include "core/layers/fields.h"
#include "core/layers/layer.h"

// clang-format off
#define STRATA_LAYERS(LAYER)      \
  LAYER(input)                    \
  LAYER(dense)                    \
  LAYER(einsumDense)              \
  LAYER(conv1d)                   \
  LAYER(conv2d)                   \
  LAYER(conv3d)                   \
  LAYER(conv1dTranspose)          \
  LAYER(conv2dTranspose)          \
  LAYER(conv3dTranspose)          \
  LAYER(depthwiseConv1d)          \
  LAYER(depthwiseConv2d)          \
  LAYER(separableConv1d)          \
  LAYER(separableConv2d)          \
  LAYER(maxPooling1d)             \
  LAYER(maxPooling2d)             \
  LAYER(maxPooling3d)             \
  LAYER(averagePooling1d)         \
  LAYER(averagePooling2d)         \
  LAYER(averagePooling3d)         \
  LAYER(globalMaxPooling1d)       \
  LAYER(globalMaxPooling2d)       \
  LAYER(globalMaxPooling3d)       \
  LAYER(globalAveragePooling1d)   \
  LAYER(globalAveragePooling2d)   \
  LAYER(globalAveragePooling3d)   \
  LAYER(adaptiveMaxPooling1d)     \
  LAYER(adaptiveMaxPooling2d)     \
  LAYER(adaptiveMaxPooling3d)     \
  LAYER(adaptiveAveragePooling1d) \
  LAYER(adaptiveAveragePooling2d) \
  LAYER(adaptiveAveragePooling3d) \
  LAYER(flatten)                  \
  LAYER(reshape)                  \
  LAYER(permute)                  \
  LAYER(repeatVector)             \
  LAYER(zeroPadding1d)            \
  LAYER(zeroPadding2d)            \
  LAYER(zeroPadding3d)            \
  LAYER(cropping1d)               \
  LAYER(cropping2d)               \
  LAYER(cropping3d)               \
  LAYER(upSampling1d)             \
  LAYER(upSampling2d)             \
  LAYER(upSampling3d)             \
  LAYER(pixelShuffle)             \
  LAYER(masking)                  \
  LAYER(dropout)                  \
  LAYER(spatialDropout1d)         \
  LAYER(spatialDropout2d)         \
  LAYER(spatialDropout3d)         \
  LAYER(alphaDropout)             \
  LAYER(gaussianDropout)          \
  LAYER(gaussianNoise)            \
  LAYER(activityRegularization)   \
  LAYER(batchNormalization)       \
  LAYER(layerNormalization)       \
  LAYER(groupNormalization)       \
  LAYER(rmsNormalization)         \
  LAYER(unitNormalization)        \
  LAYER(spectralNormalization)    \
  LAYER(activation)               \
  LAYER(relu)                     \
  LAYER(leakyRelu)                \
  LAYER(prelu)                    \
  LAYER(elu)                      \
  LAYER(softmax)                  \
  LAYER(embedding)                \
  LAYER(positionEmbedding)        \
  LAYER(sinePositionEncoding)     \
  LAYER(rotaryEmbedding)          \
  LAYER(simpleRnn)                \
  LAYER(gru)                      \
  LAYER(lstm)                     \
  LAYER(convLstm2d)               \
  LAYER(bidirectional)            \
  LAYER(timeDistributed)          \
  LAYER(multiHeadAttention)       \
  LAYER(groupQueryAttention)      \
  LAYER(attention)                \
  LAYER(additiveAttention)        \
  LAYER(add)                      \
  LAYER(subtract)                 \
  LAYER(multiply)                 \
  LAYER(average)                  \
  LAYER(maximum)                  \
  LAYER(minimum)                  \
  LAYER(concatenate)              \
  LAYER(dot)                      \
  LAYER(rescaling)                \
  LAYER(normalization)            \
  LAYER(discretization)           \
  LAYER(categoryEncoding)         \
  LAYER(resizing)                 \
  LAYER(centerCrop)               \
  LAYER(randomFlip)               \
  LAYER(randomRotation)           \
  LAYER(randomZoom)               \
  LAYER(randomTranslation)        \
  LAYER(randomCrop)               \
  LAYER(randomContrast)           \
  LAYER(randomBrightness)         \
  LAYER(randomErasing)            \
  LAYER(expression)               \
  LAYER(block)
// clang-format on

namespace strata {

#define STRATA_DECLARE(NAME) const LayerDef& NAME##Layer();
STRATA_LAYERS(STRATA_DECLARE)
#undef STRATA_DECLARE

/// Adds a constraint field for each weight regularizer, such as `kernel_constraint`.
static void appendConstraints(Schema& schema) {
  std::vector<FieldSchema> fields;
  for (const FieldSchema& field : schema.fields)
    if (field.registry == "regularizer" && field.name.ends_with("_regularizer") &&
        field.name != "activity_regularizer") {
      const std::string name = field.name.substr(0, field.name.rfind('_')) + "_constraint";
      if (!schema.field(name)) fields.push_back(constraintField(name));
    }
  for (FieldSchema& field : fields)
    schema.fields.push_back(std::move(field));
}

/// Returns whether the layer has the field `data_format`.
static bool hasDataFormat(const Schema& schema) {
  static const std::set<std::string_view> others{
      "Flatten",       "Cropping2D",   "Cropping3D",   "ZeroPadding1D",    "ZeroPadding2D",
      "ZeroPadding3D", "UpSampling2D", "UpSampling3D", "SpatialDropout2D", "SpatialDropout3D",
      "ConvLSTM2D",    "Resizing",     "CenterCrop"};
  return schema.group == "Convolution" || schema.group == "Pooling" ||
         schema.group == "Augmentation" || others.contains(schema.type);
}

std::span<const LayerDef* const> allLayers() {
  static const std::vector<std::unique_ptr<const LayerDef>> definitions = [] {
    std::vector<std::unique_ptr<const LayerDef>> result;
    const auto append = [&](const LayerDef& definition) {
      auto copy = std::make_unique<LayerDef>(definition);
      appendConstraints(copy->schema);
      if (copy->maxInputs != 0 && copy->schema.type != "Block")
        copy->schema.fields.push_back(
            regularizerField("activity_regularizer", STRATA_TEXT("layers", "Output regularizer")));
      if (hasDataFormat(copy->schema)) copy->schema.fields.push_back(dataFormatField());
      for (auto& field : commonLayerFields())
        copy->schema.fields.push_back(std::move(field));
      result.push_back(std::move(copy));
    };
#define STRATA_APPEND(NAME) append(NAME##Layer());
    STRATA_LAYERS(STRATA_APPEND)
#undef STRATA_APPEND
    return result;
  }();
  static const std::vector<const LayerDef*> pointers = [] {
    std::vector<const LayerDef*> result;
    for (const auto& definition : definitions)
      result.push_back(definition.get());
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
