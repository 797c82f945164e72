// SPDX-License-Identifier: Apache-2.0
#include "gpu/reference/evaluate.h"

#include "gpu/base/error.h"
#include "gpu/reference/low_precision_kernel.h"

namespace strata {

std::vector<Tensor> evaluateOp(const OpDef& op, const Attributes& attributes,
                               const std::vector<Tensor>& inputs) {
  if (!reference::findKernelMaker(op.name))
    throw Error(
        op.kind == OpKind::Source ? ErrorCode::InvalidArgument : ErrorCode::UnsupportedOp, op.name,
        "op " + op.name + " has no reference kernel. Evaluate a graph that feeds it instead.");
  reference::KernelSetup setup;
  setup.op = op.name;
  setup.attributes = attributes;
  // A graph adds default attributes to its nodes. Here there is no node, so they are added to the
  // setup.
  for (const AttributeSpec& spec : op.attributes)
    if (!spec.required && !setup.attributes.has(spec.name))
      setup.attributes.set(spec.name, spec.defaultValue);
  for (const Tensor& input : inputs)
    setup.inputs.push_back(input.type());
  setup.outputs = op.infer(ShapeContext{op, setup.inputs, setup.attributes});
  const std::unique_ptr<HostKernel> kernel = reference::createKernel(setup);

  std::vector<Tensor> outputs;
  KernelArguments arguments;
  for (const Tensor& input : inputs)
    arguments.inputs.push_back(input.data());
  for (const TensorType& type : setup.outputs)
    outputs.emplace_back(type);
  for (Tensor& output : outputs)
    arguments.outputs.push_back(output.data());
  AlignedBytes workspace(kernel->workspaceBytes());
  arguments.workspace = workspace.data();
  for (int stage = 0; stage < kernel->numStages(); ++stage)
    kernel->run(arguments, stage, 0);
  return outputs;
}

namespace {

const Tensor& take(const NamedTensors& tensors, const std::string& name, const TensorType& type,
                   const char* what) {
  const auto found = tensors.find(name);
  if (found == tensors.end())
    throw Error(ErrorCode::InvalidArgument, name,
                std::string(what) + " \"" + name + "\" has no value (expected " + type.toString() +
                    "). Pass one.");
  if (found->second.type() != type)
    throw Error(ErrorCode::ShapeMismatch, name,
                std::string(what) + " \"" + name + "\" has the wrong type (expected " +
                    type.toString() + ", got " + found->second.type().toString() +
                    "). Pass the expected type.");
  return found->second;
}

}  // namespace

Evaluation evaluateGraph(const Graph& graph, const NamedTensors& inputs,
                         const NamedTensors& variables) {
  Evaluation result;
  auto& values = result.values;
  values.resize(static_cast<size_t>(graph.numValues()));
  const auto at = [&](ValueId id) -> Tensor& {
    return values[static_cast<size_t>(id.index)];
  };
  for (const NamedValue& input : graph.inputs())
    at(input.value) = take(inputs, input.name, graph.type(input.value), "input");
  for (const Variable& variable : graph.variables())
    at(variable.value) = take(variables, variable.name, graph.type(variable.value), "variable");
  for (NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    if (node.payload) {
      at(node.outputs[0]) = *node.payload;
      continue;
    }
    if (node.op->kind == OpKind::Source) continue;
    std::vector<Tensor> operands;
    if (const ValueId apply = applyOf(node); apply.isValid() && at(apply).as<float>()[0] == 0) {
      for (const auto& [output, input] : sharedPairs(node))
        at(node.outputs[static_cast<size_t>(output)]) = at(node.inputs[static_cast<size_t>(input)]);
      continue;
    }
    for (size_t i = 0; i < numOwnOperands(node); ++i)
      operands.push_back(at(node.inputs[i]));
    auto outputs = evaluateOp(*node.op, node.attributes, operands);
    for (size_t i = 0; i < outputs.size(); ++i)
      at(node.outputs[i]) = std::move(outputs[i]);
  }
  for (const NamedValue& output : graph.outputs())
    result.outputs[output.name] = at(output.value);
  for (const Variable& variable : graph.variables())
    result.variables[variable.name] = at(variable.next.isValid() ? variable.next : variable.value);
  return result;
}

}  // namespace strata
