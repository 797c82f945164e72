// SPDX-License-Identifier: Apache-2.0
#include "core/compile/loss_scale.h"

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

ValueId LossScaler::seed(std::vector<VariableRequest>& state) {
  const Scope scope(m_graph, "", Phase::Update, Category::Optimizer);
  if (!isDynamic())
    return m_scale.value == 1 ? ValueId{} : constantScalar(m_graph, DType::F32, m_scale.value);
  const auto addState = [&](const char* name, double initial) {
    if (m_isUpdating) {
      VariableRequest request;
      request.name = name;
      request.isTrainable = false;
      request.initializer = {"constant", {{"value", initial}}, {}};
      state.push_back(std::move(request));
    }
    return m_graph.addVariable(name, {DType::F32, {}}, Category::Optimizer, false);
  };
  m_value = addState(kLossScale, kInitialLossScale);
  if (m_isUpdating) {
    addState(kGoodSteps, 0);
    addState(kSkippedSteps, 0);
  }
  return m_value;
}

ValueId LossScaler::unscaled(ValueId gradient) {
  if (!isDynamic() && m_scale.value == 1) return gradient;
  if (isDynamic() && !m_reciprocal.isValid()) m_reciprocal = reciprocal(m_graph, m_value);
  const auto divided = [&](ValueId value) {
    return isDynamic() ? multiply(m_graph, value, m_reciprocal)
                       : multiplyScalar(m_graph, value, 1 / m_scale.value);
  };
  // Optimizers look at the parts of a gradient that is a sum of lookups, so the parts are divided
  const Node producer = m_graph.node(m_graph.value(gradient).producer);
  if (!producer.op->sumsLookups) return divided(gradient);
  return m_graph.add(*producer.op, {divided(producer.inputs[0]), producer.inputs[1]},
                     producer.attributes);
}

ValueId LossScaler::appendUpdate(ValueId isGood, ValueId loss) {
  Graph& g = m_graph;
  const Scope scope(g, "", Phase::Update, Category::Temporary);
  const auto number = [&](double value) {
    return constantScalar(g, DType::F32, value);
  };
  const ValueId half = multiplyScalar(g, m_value, 0.5);
  const ValueId mayShrink = greaterEqual(g, half, number(kMinLossScale));
  const ValueId goesOn = multiply(g, allFinite(g, {loss}), maximum(g, isGood, mayShrink));
  const ValueId good = addScalar(g, g.findVariable(kGoodSteps)->value, 1);
  const ValueId isGrowing = greaterEqual(g, good, number(kLossScaleGrowthSteps));
  const ValueId grown = minimum(g, multiplyScalar(g, m_value, 2), number(kMaxLossScale));
  const ValueId skipped = g.findVariable(kSkippedSteps)->value;
  const auto setNext = [&](const char* name, ValueId value) {
    const ValueId next = assign(g, g.findVariable(name)->value, value);
    g.edit().setCategory(next, Category::Optimizer);
    g.edit().appendInput(g.value(next).producer, goesOn);
    g.setNext(name, next);
  };
  const ValueId nextScale = select(g, isGood, select(g, isGrowing, grown, m_value), half);
  const ValueId nextGood = multiply(g, isGood, select(g, isGrowing, number(0), good));
  const ValueId nextSkipped = add(g, skipped, affine(g, isGood, -1, 1));
  g.addOutput(kNextLossScale, nextScale);
  setNext(kLossScale, nextScale);
  setNext(kGoodSteps, nextGood);
  setNext(kSkippedSteps, nextSkipped);
  return goesOn;
}

}  // namespace strata
