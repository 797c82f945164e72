// SPDX-License-Identifier: Apache-2.0
// Discretization replaces each number by the index of its bin. The boundaries come from
// `bin_boundaries`. If this field is not set, they are computed from the training data, so that
// `num_bins` bins contain equally many values.
// Formula: y = the number of boundaries <= x.
// Input: [N,...].
// Output: integers of the same shape, or vectors like those of CategoryEncoding.
// Variables: `bin_boundaries` [num_bins - 1] if computed from the data.
// Gradient: none.
// Numerics: exact.
// Errors: out_of_range unless exactly one of `bin_boundaries` and `num_bins` is set and the
//   boundaries are sorted; not_adaptable unless the input is an Input layer.
// Source: Keras 3, keras.layers.Discretization.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/adapted.h"
#include "core/layers/layer.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerDiscretization(LayerContext& context) {
  Graph& g = context.graph;
  const Json &given = context.fields.at("bin_boundaries"), &bins = context.fields.at("num_bins");
  if (given.is_null() == bins.is_null())
    context.fail("out_of_range", "bin_boundaries",
                 STRATA_TEXT("problem",
                             "exactly one of bin_boundaries and num_bins must be set (expected 1, "
                             "got %1). Set only one of them."),
                 {given.is_null() ? "0" : "2"});
  ValueId boundaries;
  if (given.is_null()) {
    const int64_t count = bins.get<int64_t>();
    boundaries = adaptedVariable(context, "bin_boundaries", {count - 1},
                                 {.statistic = Adaptation::Statistic::Boundaries});
  }
  else {
    const auto values = given.get<std::vector<float>>();
    if (!std::is_sorted(values.begin(), values.end()))
      context.fail(
          "out_of_range", "bin_boundaries",
          STRATA_TEXT(
              "problem",
              "bin_boundaries is %1 (expected increasing numbers, such as [0, 1, 2]). Sort them."),
          {given.dump()});
    boundaries = g.addConstant(Tensor::from<float>({static_cast<int64_t>(values.size())}, values));
  }
  const int64_t count = g.shape(boundaries)[0];
  Shape wide = context.inputShape();
  wide.append(1);
  const ValueId x = reshape(g, context.floatInput(), wide);
  const ValueId index = cast(g, reduceSum(g, greaterEqual(g, x, boundaries), {-1}), DType::I32);
  const std::string mode = context.string("output_mode");
  return mode == "int" ? index : encodedIndices(context, index, count + 1, mode);
}

}  // namespace

const LayerDef& discretizationLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Discretization",
                 .group = "Preprocessing",
                 .help = STRATA_TEXT("layers",
                                     "Assigns numbers to bins and outputs the index of the bin"),
                 .formula = "y = number of boundaries <= x",
                 .source = "Keras 3, keras.layers.Discretization",
                 .fields = {{.name = "bin_boundaries",
                             .type = FieldType::NumberList,
                             .defaultJson = "null",
                             .exampleJson = "[0.0, 1.0]",
                             .isNullable = true,
                             .help = STRATA_TEXT(
                                 "layers", "Boundaries between the bins, in increasing order"),
                             .title = STRATA_TEXT("layers", "Bin boundaries")},
                            {.name = "num_bins",
                             .type = FieldType::Integer,
                             .defaultJson = "null",
                             .minimum = 2.0,
                             .maximum = 65536.0,
                             .isNullable = true,
                             .help = STRATA_TEXT(
                                 "layers",
                                 "Number of bins, with boundaries computed from the training data"),
                             .title = STRATA_TEXT("layers", "Number of bins")},
                            {.name = "output_mode",
                             .type = FieldType::Choice,
                             .defaultJson = "\"int\"",
                             .choices = {"int", "one_hot", "multi_hot", "count"},
                             .help = STRATA_TEXT(
                                 "layers",
                                 "int: bin index; one_hot: one vector per value; multi_hot: which "
                                 "bins occur; count: how often each occurs"),
                             .title = STRATA_TEXT("layers", "Output mode")}}},
      .lower = lowerDiscretization,
  };
  return definition;
}

}  // namespace strata
