// SPDX-License-Identifier: Apache-2.0
// Permute reorders the dimensions of a sample.
// Formula: dimension i of y is dimension dims[i] of x, both counted from 1.
// Input: [N, ...].
// Output: the dimensions in the order of `dims`.
// Gradient: permuted back.
// Numerics: exact.
// Errors: out_of_range unless `dims` lists each dimension once.
// Source: Keras 3, keras.layers.Permute.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerPermute(LayerContext& context) {
  const std::vector<int64_t> dims = context.integers("dims");
  std::vector<int64_t> order{0}, sorted = dims;
  order.insert(order.end(), dims.begin(), dims.end());
  std::sort(sorted.begin(), sorted.end());
  bool isOrder = static_cast<int>(sorted.size()) == context.inputShape().rank() - 1;
  for (size_t i = 0; isOrder && i < sorted.size(); ++i)
    isOrder = sorted[i] == static_cast<int64_t>(i) + 1;
  if (!isOrder)
    context.fail(
        "out_of_range", "dims",
        STRATA_TEXT("problem",
                    "dims is %1 (expected each number from 1 to %2 once). List every dimension of "
                    "the input."),
        {context.fields.at("dims").dump(), std::to_string(context.inputShape().rank() - 1)});
  return transpose(context.graph, context.inputs[0], order);
}

}  // namespace

const LayerDef& permuteLayer() {
  static const LayerDef definition = {
      .schema =
          {.type = "Permute",
           .group = "Shape",
           .help = STRATA_TEXT("layers", "Reorders the dimensions of each sample"),
           .formula = "dimension i of y is dimension dims_i of x",
           .source = "Keras 3, keras.layers.Permute",
           .fields = {{.name = "dims",
                       .type = FieldType::IntegerList,
                       .exampleJson = "[2, 1]",
                       .minimum = 1.0,
                       .maximum = 7.0,
                       .help = STRATA_TEXT(
                           "layers",
                           "New order of the dimensions; 1 is the first dimension of a sample"),
                       .title = STRATA_TEXT("layers", "Dimension order")}}},
      .lower = lowerPermute,
  };
  return definition;
}

}  // namespace strata
