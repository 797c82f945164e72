// SPDX-License-Identifier: Apache-2.0
// RotaryEmbedding rotates pairs of features by an angle that grows with the step. Dot products of
// two steps then depend on their distance.
// Formula: y = x cos(a) + (-x_2, x_1) sin(a), a[t,i] = t / scaling_factor / max_wavelength^(2 i /
//   F); x_1 and x_2 are the halves of the features.
// Input: [N,T,F] or [N,T,heads,F]; F is even.
// Output: the same shape.
// Gradient: rotated back.
// Numerics: float32; the angles are computed in double.
// Errors: shape_mismatch for an odd F or an input of another rank.
// Source: Su et al., 2021; KerasHub, keras_hub.layers.RotaryEmbedding.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/turning.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerRotaryEmbedding(LayerContext& context) {
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  if (in.rank() != 4) context.requireRank(3);
  const int64_t features = in.dim(-1), half = features / 2;
  if (features % 2 != 0)
    context.fail("shape_mismatch", "inputs",
                 STRATA_TEXT("problem",
                             "the input has %1 features (expected an even number). Insert a Dense "
                             "with an even number of units before this layer."),
                 {std::to_string(features)});
  Shape wide = in;
  for (int i = 0; i < in.rank(); ++i)
    if (i != 1 && i != in.rank() - 1) wide.set(i, 1);
  Tensor cosines = context.table(wide), sines = context.table(wide);
  const double longest = context.number("max_wavelength"),
               scaling = context.number("scaling_factor");
  std::vector<double> rates(static_cast<size_t>(half));
  for (size_t i = 0; i < rates.size(); ++i)
    rates[i] =
        std::pow(longest, -2.0 * static_cast<double>(i) / static_cast<double>(features)) / scaling;
  Turning turning(std::move(rates));
  float *cosine = cosines.as<float>().data(), *sine = sines.as<float>().data();
  for (int64_t t = 0; t < in[1]; ++t, turning.nextStep())
    // Both halves of the features rotate by the same angles
    for (int both = 0; both < 2; ++both) {
      cosine = std::copy(turning.cosines().begin(), turning.cosines().end(), cosine);
      sine = std::copy(turning.sines().begin(), turning.sines().end(), sine);
    }
  const ValueId x = context.floatInput();
  std::vector<int64_t> begin(static_cast<size_t>(in.rank()), 0),
      size(in.dims().begin(), in.dims().end());
  size.back() = half;
  const ValueId first = slice(g, x, begin, size);
  begin.back() = half;
  const ValueId turned = concatenate(g, {negate(g, slice(g, x, begin, size)), first}, -1);
  return add(g, multiply(g, x, g.addConstant(std::move(cosines))),
             multiply(g, turned, g.addConstant(std::move(sines))));
}

}  // namespace

const LayerDef& rotaryEmbeddingLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "RotaryEmbedding",
           .group = "Embedding",
           .help = STRATA_TEXT("layers",
                               "Rotary position embedding: rotates pairs of features by an angle "
                               "that grows with the position"),
           .formula = "y = x cos(a_t) + (-x_2, x_1) sin(a_t)",
           .source = "Su et al., 2021; KerasHub, keras_hub.layers.RotaryEmbedding",
           .fields =
               {{.name = "max_wavelength",
                 .type = FieldType::Number,
                 .defaultJson = "10000.0",
                 .minimum = 0.0,
                 .isMinimumExclusive = true,
                 .help = STRATA_TEXT(
                     "layers",
                     "Maximum wavelength of the sines and cosines, in steps divided by 2 pi"),
                 .title = STRATA_TEXT("layers", "Maximum wavelength")},
                {.name = "scaling_factor",
                 .type = FieldType::Number,
                 .defaultJson = "1.0",
                 .minimum = 0.0,
                 .isMinimumExclusive = true,
                 .help = STRATA_TEXT(
                     "layers",
                     "Divisor of the positions, to support sequences longer than in training"),
                 .title = STRATA_TEXT("layers", "Scaling factor")}}},
      .lower = lowerRotaryEmbedding,
  };
  return definition;
}

}  // namespace strata
