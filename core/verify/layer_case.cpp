// SPDX-License-Identifier: Apache-2.0
// Compares the outputs, gradients and new state of a network with the reference.
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/verify/case_fields.h"
#include "core/verify/cases.h"
#include "core/verify/runnable_graph.h"
#include "gpu/autodiff/autodiff.h"

namespace strata {

// Tolerance of recurrent layers, attention layers and wrappers
constexpr double kSequenceTolerance = 5e-5;

void verifyLayer(ReferenceCase& reference) {
  const Json& item = reference.item();
  const Model model = modelOf(item.at("layers"));
  const bool isTraining = item.at("training");
  double tolerance = ReferenceCase::kTolerance;
  for (const Layer& layer : model.layers)
    for (const char* type : {"SimpleRNN", "LSTM", "GRU", "Bidirectional", "TimeDistributed",
                             "MultiHeadAttention", "Attention"})
      if (layer.definition->schema.type == type) tolerance = kSequenceTolerance;
  const int64_t batch = reference.rowCount(reference.tensor("input/0"));

  Graph graph;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  const std::vector<ValueId> values =
      lowerLayers(graph, model, isTraining ? StepMode::Train : StepMode::Evaluate, batch, variables,
                  nextValues);
  const auto valueOf = [&](const std::string& name) {
    return values[static_cast<size_t>(model.find(name) - model.layers.data())];
  };
  const ValueId output = valueOf(model.outputs.back());
  graph.addOutput("output", output);

  int64_t parameters = 0;
  std::vector<std::string> targetNames;
  std::vector<ValueId> targets;
  // The file has numbers instead of the names of Input layers.
  for (size_t i = 0; i < model.inputs.size(); ++i) {
    const std::string name = "input_gradient/" + std::to_string(i);
    if (!reference.find(reference.id() + "/" + name)) continue;
    targetNames.push_back(name);
    targets.push_back(valueOf(model.inputs[i]));
  }
  for (const auto& variable : variables) {
    if (!variable.isTrainable) continue;
    parameters += variable.shape.numElements();
    targetNames.push_back("weight_gradient/" + variable.name);
    targets.push_back(variable.replacement.isValid() ? variable.replacement
                                                     : graph.findVariable(variable.name)->value);
  }
  if (const auto expected = item.find("parameters");
      expected != item.end() && *expected != parameters)
    return reference.fail("the layers have " + std::to_string(parameters) +
                          " trainable parameters (expected " + expected->dump() + ").");
  const bool hasGradient = reference.find(reference.id() + "/output_gradient") && !targets.empty();
  std::vector<ValueId> gradients;
  if (hasGradient) {
    const GradientSeed seed{output, graph.addInput("output_gradient", graph.type(output))};
    gradients = differentiate(graph, {&seed, 1}, targets);
    for (size_t i = 0; i < targets.size(); ++i)
      if (gradients[i].isValid()) graph.addOutput(targetNames[i], gradients[i]);
  }
  assignNextValues(graph, nextValues);
  if (isTraining) assignReplacements(graph, variables);

  RunnableGraph step(std::move(graph), reference.device());
  for (size_t i = 0; i < model.inputs.size(); ++i)
    step.write(model.inputs[i], reference.tensor("input/" + std::to_string(i)));
  if (hasGradient) step.write("output_gradient", reference.tensor("output_gradient"));
  const std::vector<std::string> weights = reference.namesUnder("weight/");
  for (const auto& variable : variables)
    // Keras does not save the states of stateful layers as weights, so they start with zeros.
    if (std::find(weights.begin(), weights.end(), variable.name) == weights.end() &&
        variable.name.find("/rnn_state") == std::string::npos)
      return reference.fail("the file has no weight for the variable " + variable.name + ".");
  for (const auto& name : weights)
    reference.writeWeight(step.state(), name);
  step.run();
  reference.compare("output", step.read("output"), reference.tensor("output"), tolerance);
  for (size_t i = 0; hasGradient && i < targets.size(); ++i) {
    const Tensor& expected = reference.tensor(targetNames[i]);
    reference.compare(
        targetNames[i],
        gradients[i].isValid() ? step.read(targetNames[i]) : Tensor(DType::F32, expected.shape()),
        expected, tolerance);
  }
  for (const auto& name : reference.namesUnder("weight_after/"))
    reference.compare("weight_after/" + name, step.state().read(name),
                      reference.tensor("weight_after/" + name), tolerance);
}

}  // namespace strata
