// SPDX-License-Identifier: Apache-2.0
#include "core/layers/adapted.h"

#include "gpu/graph/op.h"

namespace strata {

ValueId adaptedVariable(LayerContext& context, const char* path, const Shape& shape,
                        Adaptation adaptation) {
  const Graph& g = context.graph;
  const Node& producer = g.node(g.value(context.inputs[0]).producer);
  if (producer.op->role != OpRole::Input)
    context.fail(
        "not_adaptable", "inputs",
        STRATA_TEXT("problem",
                    "it adapts to the training data, but its input is %1 (expected an Input "
                    "layer). Place it directly after the Input layer, or set its values."),
        {context.inputNames[0]});
  adaptation.input = producer.attributes.get<std::string>("name");
  const ValueId result = context.variable(
      path, shape, adaptation.statistic == Adaptation::Statistic::Variance ? "ones" : "zeros",
      false);
  context.variables.back().adaptation = std::move(adaptation);
  return result;
}

}  // namespace strata
