// SPDX-License-Identifier: Apache-2.0
#include "core/train/non_finite.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <functional>
#include <optional>
#include <ranges>
#include <set>
#include <span>

#include "core/project/text.h"
#include "gpu/graph/op.h"
#include "gpu/passes/standard_passes.h"

namespace strata {

namespace {

/// Returns whether all values are finite. Whole networks are checked often, so the loop is
/// vectorized and does not return early. In a value that is not finite, all bits of the exponent
/// are set, so adding 1 to the exponent carries into the sign bit.
template <class Float, class Bits>
bool areFinite(std::span<const Float> values, Bits exponent) {
  constexpr size_t kLanes = 16;
  const Bits lowest = exponent & (~exponent + 1), sign = exponent + lowest;
  std::array<Bits, kLanes> seen{};
  size_t at = 0;
  for (; at + kLanes <= values.size(); at += kLanes)
    for (size_t i = 0; i < kLanes; ++i)
      seen[i] |= (std::bit_cast<Bits>(values[at + i]) & exponent) + lowest;
  for (; at < values.size(); ++at)
    seen[0] |= (std::bit_cast<Bits>(values[at]) & exponent) + lowest;
  Bits all = 0;
  for (const Bits each : seen)
    all |= each;
  return (all & sign) == 0;
}

bool isFinite(const TensorView& tensor) {
  const auto count = static_cast<size_t>(tensor.type.shape.numElements());
  if (tensor.type.dtype == DType::F32)
    return areFinite<float, uint32_t>({reinterpret_cast<const float*>(tensor.data), count},
                                      0x7f800000u);
  if (tensor.type.dtype == DType::F64)
    return areFinite<double, uint64_t>({reinterpret_cast<const double*>(tensor.data), count},
                                       0x7ff0000000000000u);
  return true;
}
bool isFinite(const Tensor& tensor) { return isFinite(TensorView{tensor.type(), tensor.data()}); }

constexpr const char* kAdvice =
    " Lower the learning rate, clip the gradients or check the data. Earlier checkpoints are kept.";

/// Returns a sentence about where the gradient became non-finite, or "" if this is not known. A
/// layer with finite weights received a finite gradient. Therefore the gradient became non-finite
/// between this layer and the last layer with non-finite weights.
std::string whereGradientOverflowed(
    const Network& network,
    const std::function<bool(const std::string& variable)>& isFiniteVariable) {
  const std::vector<Layer>& layers = network.steps().model().layers;
  const auto of = [](const Layer& layer, const VariableRequest& request) {
    return request.layer == layer.name || request.layer.starts_with(layer.name + "/");
  };
  const auto has = [&](const Layer& layer, bool isFiniteWanted) {
    return std::ranges::any_of(network.state().variables(), [&](const VariableRequest& request) {
      return request.isTrainable && of(layer, request) &&
             isFiniteVariable(request.name) == isFiniteWanted;
    });
  };
  size_t last = layers.size();
  for (size_t i = 0; i < layers.size(); ++i)
    if (has(layers[i], false)) last = i;
  std::vector<std::string> names;
  for (size_t i = last + 1; i < layers.size(); ++i) {
    names.push_back(layers[i].name);
    if (has(layers[i], true))
      return " The gradient became non-finite in the backward pass through " + joinedNames(names) +
             ".";
  }
  return {};
}

/// The output of a layer, or the last value of a layer in a Block.
struct LayerEnd {
  std::string layer;
  ValueId value;
};

std::vector<LayerEnd> endsInBlock(const Graph& graph, const std::string& block) {
  std::vector<LayerEnd> ends;
  std::set<std::string> seen;
  for (const NodeId id : std::views::reverse(graph.order())) {
    const Node& node = graph.node(id);
    if (node.layer.starts_with(block + "/") && !node.outputs.empty() &&
        seen.insert(node.layer).second)
      ends.push_back({node.layer, node.outputs[0]});
  }
  std::ranges::reverse(ends);
  return ends;
}

}  // namespace

std::optional<std::string> firstNonFinite(const TensorViews& tensors) {
  for (const auto& [name, tensor] : tensors)
    if (!isFinite(tensor)) return name;
  return std::nullopt;
}

void requireFinite(const Network& network, const TensorViews& state, int64_t step,
                   std::optional<int64_t> finiteStep) {
  for (const auto& [name, tensor] : state) {
    if (isFinite(tensor)) continue;
    // "out/kernel:m" is optimizer state of out/kernel.
    const std::string variable = name.substr(0, name.find(':'));
    std::string layer = variable;
    for (const VariableRequest& request : network.state().variables())
      if (request.name == variable) layer = request.layer;
    if (step == 0)
      throw Error(
          ErrorCode::NonFinite, layer,
          "the initial weights (" + name +
              ") contain values that are not finite. Start from other weights, or from the seed.");
    const int64_t first = std::min(step, finiteStep.value_or(step - 1) + 1);
    throw Error(ErrorCode::NonFinite, layer,
                (first == step ? "the update of step " + std::to_string(step)
                               : "an update between step " + std::to_string(first) + " and " +
                                     std::to_string(step)) +
                    " overflowed: its " + (variable == name ? "weights (" : "optimizer values (") +
                    name + ") are no longer finite." +
                    whereGradientOverflowed(
                        network,
                        [&](const std::string& wanted) {
                          const auto found = std::ranges::find(
                              state, wanted, [](const auto& each) { return each.first; });
                          return found == state.end() || isFinite(found->second);
                        }) +
                    kAdvice);
  }
}

static std::string nameOfNonFinite(double loss) {
  if (std::isnan(loss)) return "NaN";
  return loss > 0 ? "infinite" : "minus infinite";
}

/// Lets a graph compute in the precision of the network, in which values may overflow earlier.
static void lowerPrecision(Graph& graph, const Network& network) {
  if (network.steps().isPassDisabled("mixed_precision")) return;
  PassReport report;
  mixedPrecision(graph, network.steps().execution().precision, report);
}

/// Returns the variables whose gradients are not finite. Computes the gradients of the batch again.
static std::set<std::string> badGradients(Network& network, const BadBatch& batch) {
  StepOptions options;
  options.batchSize = batch.count();
  options.stopAfter = Stage::Differentiated;
  options.lossScale = network.steps().execution().lossScale();
  StepGraph step = buildStep(network.steps().model(), network.steps().training(), options);
  Graph& graph = step.graph;
  std::vector<ValueId> operands;
  for (const NodeId id : graph.order())
    if (const Node& node = graph.node(id); node.op->role == OpRole::AllFinite &&
                                           node.inputs.size() == step.checkedVariables.size() + 1)
      operands = node.inputs;
  const auto outputOf = [](const std::string& variable) {
    return "gradient/" + variable;
  };
  for (size_t i = 0; i < step.checkedVariables.size(); ++i)
    graph.addOutput(outputOf(step.checkedVariables[i]), operands[i]);
  lowerPrecision(graph, network);
  State state(network.steps().device());
  const auto program = Program::build(std::move(graph), network.steps().device(), state);
  program->bind();
  for (const std::string& name : state.names())
    if (network.state().values().has(name)) state.write(name, network.state().values().read(name));
  network.arrays().gather(*program, *batch.samples, batch.transforms, batch.indices.data(),
                          batch.count());
  setStep(*program, batch.update > 0 ? batch.update : batch.step, batch.learningRate, batch.seed,
          batch.firstSample);
  program->run();
  std::set<std::string> bad;
  for (const std::string& variable : step.checkedVariables)
    if (!isFinite(program->readOutput(outputOf(variable)))) bad.insert(variable);
  return bad;
}

/// Returns the error for a step with a finite loss and a gradient that is not finite.
static Error explainGradient(Network& network, const BadBatch& batch) {
  const std::string what = "a gradient of step " + std::to_string(batch.step) +
                           " is not finite, although its loss is (" + std::to_string(batch.loss) +
                           ")";
  const std::set<std::string> bad = badGradients(network, batch);
  std::string layer, variables;
  for (const VariableRequest& request : network.state().variables()) {
    if (!bad.contains(request.name)) continue;
    // Gradients are computed from the last layer to the first, so the last layer comes first
    layer = request.layer;
    variables = request.name;
  }
  if (layer.empty())
    return Error(ErrorCode::NonFinite, "", what + ". The weights were not changed." + kAdvice);
  return Error(ErrorCode::NonFinite, layer,
               what + ": the gradient of " + variables + ". The weights were not changed." +
                   whereGradientOverflowed(
                       network, [&](const std::string& name) { return !bad.contains(name); }) +
                   kAdvice);
}

Error explainNonFinite(Network& network, const BadBatch& batch) {
  if (std::isfinite(batch.loss)) return explainGradient(network, batch);
  const std::string what =
      "the loss became " + nameOfNonFinite(batch.loss) + " at step " + std::to_string(batch.step);
  const auto error = [&](const std::string& subject, const std::string& why) {
    return Error(ErrorCode::NonFinite, subject, what + ": " + why + kAdvice);
  };

  const Snapshot weights = network.state().weightSnapshot();
  for (const VariableRequest& request : network.state().variables())
    if (!isFinite(weights.views().at(request.name)))
      return error(request.layer,
                   "its weights (" + request.name +
                       ") are no longer finite, so the gradient of an earlier step was too large." +
                       whereGradientOverflowed(network, [&](const std::string& name) {
                         return isFinite(weights.views().at(name));
                       }));

  std::optional<Error> dataError;
  /// Runs the forward pass, and keeps the values that `find` selects. Returns the first layer whose
  /// value is not finite, or "".
  const auto firstBad = [&](const std::function<std::vector<LayerEnd>(
                                const Graph&, const std::vector<ValueId>&)>& find) -> std::string {
    Graph graph;
    std::vector<VariableRequest> variables;
    NextValues nextValues;
    const std::vector<ValueId> outputs = lowerLayers(
        graph, network.steps().model(), StepMode::Train, batch.count(), variables, nextValues);
    const std::vector<LayerEnd> ends = find(graph, outputs);
    for (size_t i = 0; i < ends.size(); ++i)
      graph.addOutput("layer/" + std::to_string(i), ends[i].value);
    lowerPrecision(graph, network);
    State state(network.steps().device());
    const auto program = Program::build(std::move(graph), network.steps().device(), state);
    program->bind();
    for (const VariableRequest& request : variables)
      if (state.has(request.name))
        state.write(request.name, network.state().values().read(request.name));
    // Only the inputs of the network are gathered.
    std::vector<Tensor> inputs;
    std::vector<std::byte*> places;
    for (size_t i = 0; i < network.arrays().numInputs(); ++i) {
      Shape shape = network.arrays().all()[i].type.shape;
      shape.set(0, batch.count());
      inputs.emplace_back(network.arrays().all()[i].type.dtype, shape);
    }
    for (Tensor& input : inputs)
      places.push_back(input.data());
    network.arrays().gatherInto(places, *batch.samples, batch.transforms, batch.indices.data(),
                                batch.count());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string& name = network.arrays().all()[i].name;
      if (!dataError && !isFinite(inputs[i]))
        dataError = error(name, "the data of this batch contains values that are not finite.");
      if (findInput(program->graph(), name).isValid()) program->writeInput(name, inputs[i]);
    }
    setStep(*program, batch.update > 0 ? batch.update : batch.step, batch.learningRate, batch.seed,
            batch.firstSample);
    program->run();
    for (size_t i = 0; i < ends.size(); ++i)
      if (!isFinite(program->readOutput("layer/" + std::to_string(i)))) return ends[i].layer;
    return {};
  };
  std::string bad = firstBad([&](const Graph&, const std::vector<ValueId>& outputs) {
    std::vector<LayerEnd> ends;
    for (size_t i = 0; i < outputs.size(); ++i)
      ends.push_back({network.steps().model().layers[i].name, outputs[i]});
    return ends;
  });
  if (dataError) return *dataError;
  if (const Layer* layer = network.steps().model().find(bad); layer && layer->inner)
    if (const std::string inner = firstBad([&](const Graph& graph, const std::vector<ValueId>&) {
          return endsInBlock(graph, bad);
        });
        !inner.empty())
      bad = inner;
  if (!bad.empty()) return error(bad, "the output of this layer is the first that is not finite.");
  return error(
      network.steps().model().layers.empty() ? "" : network.steps().model().layers.back().name,
      "the outputs of all layers are finite, so the loss overflowed on this output and its "
      "targets.");
}

}  // namespace strata
