// SPDX-License-Identifier: Apache-2.0
#include "core/train/non_finite.h"

#include <cmath>

namespace strata {

namespace {

bool isFinite(const Tensor& tensor) {
  if (tensor.dtype() == DType::F32) {
    const auto values = tensor.as<float>();
    return std::all_of(values.begin(), values.end(), [](float v) { return std::isfinite(v); });
  }
  if (tensor.dtype() == DType::F64) {
    const auto values = tensor.as<double>();
    return std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); });
  }
  return true;
}

}  // namespace

Error explainNonFinite(Network& network, const BadBatch& batch) {
  const std::string what = std::string("the loss became ") +
                           (std::isnan(batch.loss) ? "NaN"
                            : batch.loss > 0       ? "infinite"
                                                   : "minus infinite") +
                           " at step " + std::to_string(batch.step);
  const char* const advice = " Lower the learning rate, clip the gradients or check the data; the last checkpoint is kept.";
  const auto error = [&](const std::string& subject, const std::string& why) {
    return Error(ErrorCode::NonFinite, subject, what + ": " + why + "." + advice);
  };

  for (const VariableRequest& request : network.variables())
    if (!isFinite(network.state().read(request.name)))
      return error(request.layer,
                   "its weights (" + request.name + ") are no longer finite, so the gradient of an earlier step was too large");

  StepGraph forward = network.stepGraph(StepMode::Train, batch.count);  // for its input types
  Graph graph;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  const std::vector<ValueId> outputs = lowerLayers(graph, network.model(), StepMode::Train, batch.count, variables, nextValues);
  for (size_t i = 0; i < outputs.size(); ++i) graph.addOutput("layer/" + std::to_string(i), outputs[i]);
  State state;
  const auto program = Program::build(std::move(graph), network.backend(), state);
  program->bind();
  for (const VariableRequest& request : variables)
    if (state.has(request.name)) state.write(request.name, network.state().read(request.name));
  Tensor input(forward.inputType);
  network.gatherInto(input.data(), nullptr, *batch.samples, batch.transform, batch.indices, batch.count);
  if (!isFinite(input)) return error(network.inputName(), "the data of this batch holds values that are not finite");
  program->writeInput(network.inputName(), input);
  network.setStep(*program, batch.step, batch.learningRate, batch.seed, batch.firstSample);
  program->run();
  for (size_t i = 0; i < outputs.size(); ++i)
    if (!isFinite(program->readOutput("layer/" + std::to_string(i))))
      return error(network.model().layers[i].name, "the output of this layer is the first that is not finite");
  return error(network.model().layers.empty() ? "" : network.model().layers.back().name,
               "every layer's output is finite, so the loss itself overflowed on this output and its targets");
}

}  // namespace strata
