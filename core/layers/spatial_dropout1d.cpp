// SPDX-License-Identifier: Apache-2.0
// SpatialDropout1D: leaves out whole channels while training. Formula: y = x kept[n,c] / (1 - rate). Input: [N,T,C]. Output: the same shape. Gradient: of the
// channels that were kept. Numerics: which ones is decided by seed, step and sample. Errors: shape_mismatch. Source: Tompson et al., 2014; Keras 3,
// keras.layers.SpatialDropout1D.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerSpatialDropout1d(LayerContext& context) {
  context.requireRank(3);
  return withoutChannels(context);
}

}  // namespace

const LayerDef& spatialDropout1dLayer() {
  static const LayerDef definition = {
      .schema = {.type = "SpatialDropout1D",
                 .group = "Regularization",
                 .help = STRATA_TEXT("layers", "Leaves out a random share of the channels while training"),
                 .formula = "y = x * kept_c / (1 - rate)",
                 .source = "Tompson et al., 2014; Keras 3, keras.layers.SpatialDropout1D",
                 .fields = {{.name = "rate",
                             .type = FieldType::Number,
                             .exampleJson = "0.2",
                             .minimum = 0.0,
                             .maximum = 1.0,
                             .isMaximumExclusive = true,
                             .help = STRATA_TEXT("layers", "Share of the channels that is left out"),
                             .title = STRATA_TEXT("layers", "Rate")},
                            {.name = "seed",
                             .type = FieldType::Integer,
                             .defaultJson = "null",
                             .minimum = 0.0,
                             .isNullable = true,
                             .help = STRATA_TEXT("layers", "Seed of its own; left out, the project's seed decides"),
                             .title = STRATA_TEXT("layers", "Seed")}}},
      .lower = lowerSpatialDropout1d,
  };
  return definition;
}

}  // namespace strata
