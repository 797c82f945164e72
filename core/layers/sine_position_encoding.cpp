// SPDX-License-Identifier: Apache-2.0
// SinePositionEncoding returns sine waves that encode the position of each step, whatever the
// values of the input. An Add layer usually adds it to the input.
// Formula: y[n,t,i] = sin(t r) for even i and cos(t r) for odd i, r = max_wavelength^(-2 floor(i /
//   2) / F).
// Input: [N,T,F].
// Output: the same shape.
// Gradient: none, because the output does not depend on the values of the input.
// Numerics: float32; the waves are computed in double.
// Errors: shape_mismatch unless the input has rank 3.
// Source: Vaswani et al., 2017; KerasHub, keras_hub.layers.SinePositionEncoding.
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "core/layers/turning.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerSinePositionEncoding(LayerContext& context) {
  context.requireRank(3);
  Graph& g = context.graph;
  const Shape in = context.inputShape();
  Tensor waves = context.table({1, in[1], in[2]});
  const double longest = context.number("max_wavelength");
  std::vector<double> rates(static_cast<size_t>((in[2] + 1) / 2));
  for (size_t i = 0; i < rates.size(); ++i)
    rates[i] = std::pow(longest, -2.0 * static_cast<double>(i) / static_cast<double>(in[2]));
  Turning turning(std::move(rates));
  float* wave = waves.as<float>().data();
  for (int64_t t = 0; t < in[1]; ++t, turning.nextStep())
    for (size_t i = 0; i < static_cast<size_t>(in[2]); ++i)
      *wave++ = static_cast<float>(i % 2 == 0 ? turning.sines()[i / 2] : turning.cosines()[i / 2]);
  return broadcastTo(g, g.addConstant(std::move(waves)), in);
}

}  // namespace

const LayerDef& sinePositionEncodingLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "SinePositionEncoding",
           .group = "Embedding",
           .help = STRATA_TEXT("layers",
                               "Sine and cosine encoding of the position in a sequence, to be "
                               "added to the features"),
           .formula = "y_(t,i) = sin or cos(t / max_wavelength^(2 floor(i / 2) / F))",
           .source = "Vaswani et al., 2017; KerasHub, keras_hub.layers.SinePositionEncoding",
           .fields = {{.name = "max_wavelength",
                       .type = FieldType::Number,
                       .defaultJson = "10000.0",
                       .minimum = 0.0,
                       .isMinimumExclusive = true,
                       .help = STRATA_TEXT(
                           "layers",
                           "Maximum wavelength of the sines and cosines, in steps divided by 2 pi"),
                       .title = STRATA_TEXT("layers", "Maximum wavelength")}}},
      .lower = lowerSinePositionEncoding,
  };
  return definition;
}

}  // namespace strata
