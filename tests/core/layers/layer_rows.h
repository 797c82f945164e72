// SPDX-License-Identifier: Apache-2.0
// A table with one or more rows per type of layer. A row has the fields of a layer, the shapes of
// its input and output, and the expected sizes. Each new layer needs a row, or tst_layers fails.
// The table is constant, so any thread may read it.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/project/project.h"
#include "gpu/tensor/shape.h"

namespace strata::test {

struct LayerRow {
  const char* type;
  // The fields as a JSON object.
  const char* fields;
  // Shapes without the batch dimension. All inputs of the layer have the shape `input`.
  Shape input, output;
  // The number of weights.
  int64_t parameters;
  // The multiply-adds for a batch of two samples.
  double multiplyAdds = 0;
};

const std::vector<LayerRow>& layerRows();

Json jsonOf(const Shape& shape);

/// Returns the layers of a network with the row's layer, which is named "own". All of its inputs
/// are an Input "x" of this shape. For a row of the type Input, "own" is the only layer.
Json layersOf(const LayerRow& row, const Json& shape);

/// Returns a project that has only these layers.
Project projectOf(const Json& layers);

}  // namespace strata::test
