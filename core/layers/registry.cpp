// SPDX-License-Identifier: Apache-2.0
// The one list of layers: a new layer is one line here. The order is that of palettes and listings.
#include <memory>

#include "core/layers/fields.h"
#include "core/layers/layer.h"

// clang-format off
#define STRATA_LAYERS(LAYER)   \
  LAYER(input)                 \
  LAYER(dense)                 \
  LAYER(conv2d)                \
  LAYER(depthwiseConv2d)       \
  LAYER(maxPooling2d)          \
  LAYER(averagePooling2d)      \
  LAYER(globalAveragePooling2d)\
  LAYER(flatten)               \
  LAYER(reshape)               \
  LAYER(dropout)               \
  LAYER(batchNormalization)    \
  LAYER(activation)            \
  LAYER(add)                   \
  LAYER(multiply)              \
  LAYER(concatenate)           \
  LAYER(rescaling)             \
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
