// SPDX-License-Identifier: Apache-2.0
#include "tests/core/layers/layer_rows.h"

#include "core/layers/layer.h"

namespace strata::test {

Json jsonOf(const Shape& shape) {
  Json result = Json::array();
  for (const int64_t size : shape.dims())
    result.push_back(size);
  return result;
}

Json layersOf(const LayerRow& row, const Json& shape) {
  Json layers = Json::array();
  Json own = Json::parse(row.fields);
  own["type"] = row.type;
  own["name"] = "own";
  const int inputs = findLayer(row.type)->minInputs;
  if (inputs > 0) layers.push_back({{"type", "Input"}, {"name", "x"}, {"shape", shape}});
  for (int i = 0; i < inputs; ++i)
    own["inputs"].push_back("x");
  layers.push_back(own);
  return layers;
}

Project projectOf(const Json& layers) {
  return Project(
      Json{{"format", "strata-project"}, {"version", 1}, {"model", {{"layers", layers}}}});
}

}  // namespace strata::test
