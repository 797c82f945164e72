// SPDX-License-Identifier: Apache-2.0
#include "tests/gpu/ops/op_rows.h"

#include <algorithm>
#include <cmath>

#include "gpu/autodiff/autodiff.h"
#include "gpu/base/rng.h"
#include "gpu/graph/op.h"

namespace strata::test {

namespace {

Tensor fillOperand(const OperandSpec& spec, DType floating, uint64_t seed, uint64_t stream) {
  const DType dtype = spec.dtype.value_or(floating);
  const auto count = static_cast<size_t>(spec.shape.numElements());
  std::vector<double> numbers(count);
  RandomStream random(seed, stream);
  for (size_t i = 0; i < count; ++i) {
    if (!spec.values.empty()) {
      numbers[i] = spec.values[i % spec.values.size()];
    }
    else if (!isFloating(dtype)) {
      numbers[i] = spec.low + random.below(static_cast<uint32_t>(spec.high - spec.low) + 1);
    }
    else if (spec.isDistinct) {
      numbers[i] = spec.low + (spec.high - spec.low) * static_cast<double>(i + 1) /
                                  static_cast<double>(count + 1);
    }
    else {
      do
        numbers[i] = spec.low + (spec.high - spec.low) * random.uniformDouble();
      while (std::fabs(numbers[i]) < spec.margin);
    }
  }
  if (spec.isDistinct)
    for (size_t i = count; i > 1; --i)
      std::swap(numbers[i - 1], numbers[random.below(static_cast<uint32_t>(i))]);
  if (isFloating(dtype))
    for (double& number : numbers)
      number = static_cast<float>(number);
  return Tensor::from<double>(spec.shape, numbers).converted(dtype);
}

}  // namespace

RowRun makeRowRun(const OpRow& row, DType floating, bool withGradients, uint64_t seed) {
  RowRun run;
  Graph& g = run.graph;
  Scope scope(g, "layer", Phase::Forward, Category::Activation);
  std::vector<ValueId> operands;
  std::vector<ValueId> targets;
  std::vector<bool> isState;
  for (size_t i = 0; i < row.operands.size(); ++i) {
    const OperandSpec& spec = row.operands[i];
    Tensor tensor = fillOperand(spec, floating, seed, i);
    const std::string name = (spec.isState ? "s" : "x") + std::to_string(i);
    operands.push_back(spec.isState ? g.addVariable(name, tensor.type(), Category::Parameter, true)
                                    : g.addInput(name, tensor.type()));
    if (!spec.isState && isFloating(tensor.dtype()) && spec.isDifferentiated) {
      targets.push_back(operands.back());
      run.differentiated.push_back(name);
    }
    (spec.isState ? run.variables : run.inputs).emplace(name, std::move(tensor));
  }
  const std::vector<ValueId> outputs = row.build(g, operands);

  // New values of state become the next values of variables. They are not outputs.
  bool isUpdate = false;
  for (ValueId output : outputs) {
    const Node& node = g.node(g.value(output).producer);
    if (node.op->kind != OpKind::Update) continue;
    isUpdate = true;
    for (const auto& [out, in] : sharedPairs(node)) {
      if (out != g.value(output).outputIndex) continue;
      for (const Variable& variable : std::vector<Variable>(g.variables()))
        if (variable.value == node.inputs[static_cast<size_t>(in)])
          g.setNext(variable.name, output);
    }
  }
  if (isUpdate) return run;

  for (size_t i = 0; i < outputs.size(); ++i)
    g.addOutput("y" + std::to_string(i), outputs[i]);
  if (!withGradients || !row.hasGradient) return run;
  std::vector<GradientSeed> seeds;
  for (size_t i = 0; i < outputs.size(); ++i) {
    const TensorType type = g.type(outputs[i]);
    if (!isFloating(type.dtype) ||
        (row.seededOutputs >= 0 && static_cast<int>(i) >= row.seededOutputs))
      continue;
    const std::string name = "dy" + std::to_string(i);
    seeds.push_back({outputs[i], g.addInput(name, type)});
    run.inputs.emplace(
        name, fillOperand({.shape = type.shape, .dtype = type.dtype}, floating, seed, 100 + i));
  }
  const std::vector<ValueId> gradients = differentiate(g, seeds, targets);
  for (size_t i = 0; i < gradients.size(); ++i)
    if (gradients[i].isValid()) g.addOutput("d" + run.differentiated[i], gradients[i]);
  return run;
}

}  // namespace strata::test
