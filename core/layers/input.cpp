// SPDX-License-Identifier: Apache-2.0
// Input passes an array of the data to the network.
// Formula: y = x.
// Input: none.
// Output: [N, shape] of the chosen type.
// Gradient: none.
// Numerics: exact.
// Errors: none.
// Source: Keras 3, keras.Input.
#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

ValueId lowerInput(LayerContext& context) {
  Shape shape{context.batchSize};
  for (const int64_t size : context.integers("shape"))
    shape.append(size);
  context.requireSize(shape);
  const std::string name = context.string("dtype");
  DType dtype = DType::F32;
  if (name == "int32") dtype = DType::I32;
  if (name == "uint8") dtype = DType::U8;
  return context.graph.addInput(context.name, {dtype, shape});
}

}  // namespace

const LayerDef& inputLayer() {
  static const LayerDef definition = {
      .schema = {.type = "Input",
                 .group = "Input",
                 .help = STRATA_TEXT("layers", "Entry point of the data into the network"),
                 .formula = "y = x",
                 .source = "Keras 3, keras.Input",
                 .fields = {{.name = "shape",
                             .type = FieldType::Shape,
                             .exampleJson = "[28, 28, 1]",
                             .minimum = 1.0,
                             .maximum = 1e9,
                             .help = STRATA_TEXT("layers",
                                                 "Shape of one sample without the batch dimension, "
                                                 "such as [height, width, channels]"),
                             .title = STRATA_TEXT("layers", "Shape")},
                            {.name = "dtype",
                             .type = FieldType::Choice,
                             .defaultJson = "\"float32\"",
                             .choices = {"float32", "int32", "uint8"},
                             .help = STRATA_TEXT("layers", "Data type of the input"),
                             .title = STRATA_TEXT("layers", "Data type")}}},
      .minInputs = 0,
      .maxInputs = 0,
      .ports = {},
      .lower = lowerInput,
  };
  return definition;
}

}  // namespace strata
