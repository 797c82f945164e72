// SPDX-License-Identifier: Apache-2.0
// GroupNormalization normalizes groups of channels of each sample, then applies a learned scale and
// offset per channel.
// Formula: y = gamma (x - mean) / sqrt(variance + epsilon) + beta.
// Input: [N, ...].
// Output: the same shape.
// Variables: gamma [C], beta [C].
// Gradient: derived from its ops.
// Numerics: float32; the variance is the mean of the squared differences.
// Errors: shape_mismatch for an input of rank 1; out_of_range for a wrong axis, or if `groups` does
//   not divide the channels.
// Source: Wu and He, 2018; Keras 3, keras.layers.GroupNormalization.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerGroupNormalization(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  const int axis = static_cast<int>(axesOf(context, "axis")[0]);
  const int64_t channels = in[axis], given = context.integer("groups"),
                groups = given == -1 ? channels : given;
  if (groups < 1 || channels % groups != 0)
    context.fail("out_of_range", "groups",
                 STRATA_TEXT("problem",
                             "groups is %1, which does not divide the %2 channels of the input "
                             "(expected a divisor). Set groups to 1 or to a divisor."),
                 {std::to_string(given), std::to_string(channels)},
                 {context.setFieldFix("groups", "1")});
  Shape split, wide = in;
  std::vector<int64_t> axes;
  for (int i = 0; i < in.rank(); ++i) {
    if (i == axis) split.append(groups);
    split.append(i == axis ? channels / groups : in[i]);
    wide.set(i, i == axis ? channels : 1);
  }
  for (int i = 1; i < split.rank(); ++i)
    if (i != axis) axes.push_back(i);
  const ValueId y =
      standardized(g, reshape(g, context.floatInput(), split), axes, context.number("epsilon"));
  return scaledAndShifted(context, reshape(g, y, in), Shape{channels}, wide);
}

}  // namespace

const LayerDef& groupNormalizationLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "GroupNormalization",
           .group = "Normalization",
           .help = STRATA_TEXT("layers", "Normalizes groups of channels within each sample"),
           .formula = "y = gamma (x - mean) / sqrt(variance + epsilon) + beta",
           .source = "Wu and He, 2018; Keras 3, keras.layers.GroupNormalization",
           .fields =
               {{.name = "groups",
                 .type = FieldType::Integer,
                 .defaultJson = "32",
                 .minimum = -1.0,
                 .maximum = 1e6,
                 .help = STRATA_TEXT("layers",
                                     "Number of groups that the channels are split into; -1: one "
                                     "group per channel"),
                 .title = STRATA_TEXT("layers", "Groups")},
                axisField(
                    "-1", false,
                    STRATA_TEXT("layers", "Dimension of the channels; -1 is the last dimension")),
                epsilonField(
                    "0.001",
                    STRATA_TEXT("layers",
                                "Small number added to the variance to avoid division by zero")),
                centerField(),
                scaleField(),
                initializerField("beta_initializer", "\"zeros\"",
                                 STRATA_TEXT("layers", "Beta initializer")),
                initializerField("gamma_initializer", "\"ones\"",
                                 STRATA_TEXT("layers", "Gamma initializer")),
                regularizerField("beta_regularizer", STRATA_TEXT("layers", "Beta regularizer")),
                regularizerField("gamma_regularizer", STRATA_TEXT("layers", "Gamma regularizer"))}},
      .lower = lowerGroupNormalization,
      .masks = MaskRule::Kept,
  };
  return definition;
}

}  // namespace strata
