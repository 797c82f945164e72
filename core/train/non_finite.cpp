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

#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
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

constexpr const char* kAdvice = " Lower the learning rate, clip the gradients or check the data.";

/// The first layer whose output is not finite, and the samples of the batch for which it is not.
struct BadLayer {
  std::string name = {};
  std::vector<int64_t> rows = {};
  // A sentence about an index that the layer does not have, or ""
  std::string wrongIndex = {};
};

/// Returns the rows of an output that are not finite. Returns none if the output has no row for
/// each sample.
std::vector<int64_t> nonFiniteRows(const Tensor& output, int64_t samples) {
  std::vector<int64_t> rows;
  const Shape& shape = output.shape();
  if (shape.rank() < 1 || shape[0] != samples || samples < 1) return rows;
  TensorType row = output.type();
  row.shape.set(0, 1);
  for (int64_t i = 0; i < samples; ++i)
    if (!isFinite(TensorView{row, output.data() + static_cast<size_t>(i) * row.bytes()}))
      rows.push_back(i);
  return rows;
}

/// Returns sentences that name the first sample whose output is not finite, if others are, and what
/// to do. Returns "" if the output is not finite for any sample.
std::string whichSamples(const BadLayer& bad, const BadBatch& batch) {
  if (bad.rows.empty() || std::ssize(bad.rows) == batch.count()) return {};
  const int32_t first = batch.indices[static_cast<size_t>(bad.rows.front())];
  return " It is not finite for " + std::to_string(bad.rows.size()) + " of the " +
         counted(batch.count(), "sample") + " of the batch; the first one is " +
         batch.samples->placeOf(first) +
         ". Check this sample; if its values are right, lower the learning rate.";
}

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
  const NetworkValues& values = network.state().values();
  for (const auto& [name, tensor] : state) {
    if (isFinite(tensor)) continue;
    // Sums over micro-batches begin anew in each update. They may overflow in an update that the
    // loss scale skips
    if (values.has(name) && values.category(name) == Category::Gradient) continue;
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
  mixedPrecision(graph, network.steps().execution().precision, network.steps().device().traits(),
                 report);
}

/// Runs the forward pass of a batch again, and finds the first layer whose output is not finite.
class ForwardSearch {
 public:
  ForwardSearch(Network& network, const BadBatch& batch, StepMode mode)
      : m_network(network), m_batch(batch), m_mode(mode) {}

  /// Returns the layer, or the layer within a Block. Without one, its name is "".
  BadLayer firstBad() {
    const std::vector<Layer>& layers = m_network.steps().model().layers;
    const BadLayer bad = find([&](const Graph&, const std::vector<ValueId>& outputs) {
      std::vector<LayerEnd> ends;
      for (size_t i = 0; i < outputs.size(); ++i)
        ends.push_back({layers[i].name, outputs[i]});
      return ends;
    });
    if (!m_badInput.empty()) return {};
    const Layer* const layer = m_network.steps().model().find(bad.name);
    if (!layer || !layer->inner) return bad;
    const BadLayer inner = find([&](const Graph& graph, const std::vector<ValueId>&) {
      return endsInBlock(graph, bad.name);
    });
    return inner.name.empty() ? bad : inner;
  }

  /// The Input layer whose data is not finite, or "".
  const std::string& badInput() const { return m_badInput; }

 private:
  using Find = std::function<std::vector<LayerEnd>(const Graph&, const std::vector<ValueId>&)>;

  /// Runs the forward pass, and keeps the values that `select` returns.
  BadLayer find(const Find& select) {
    Graph graph;
    std::vector<VariableRequest> variables;
    NextValues nextValues;
    const std::vector<ValueId> outputs = lowerLayers(graph, m_network.steps().model(), m_mode,
                                                     m_batch.count(), variables, nextValues);
    const std::vector<LayerEnd> ends = select(graph, outputs);
    for (size_t i = 0; i < ends.size(); ++i)
      graph.addOutput("layer/" + std::to_string(i), ends[i].value);
    lowerPrecision(graph, m_network);
    State state(m_network.steps().device());
    const auto program = Program::build(std::move(graph), m_network.steps().device(), state);
    program->bind();
    for (const VariableRequest& request : variables)
      if (state.has(request.name))
        state.write(request.name, m_network.state().values().read(request.name));
    writeInputs(*program);
    setStep(*program, m_batch.update > 0 ? m_batch.update : m_batch.step, m_batch.learningRate,
            m_batch.seed, m_batch.firstSample);
    program->run();
    for (size_t i = 0; i < ends.size(); ++i) {
      const Tensor output = program->readOutput("layer/" + std::to_string(i));
      if (!isFinite(output))
        return {ends[i].layer, nonFiniteRows(output, m_batch.count()),
                wrongIndexOf(*program, ends, ends[i].layer)};
    }
    return {};
  }

  /// Writes the inputs of the network. Their targets are not needed.
  void writeInputs(Program& program) {
    std::vector<Tensor> inputs;
    std::vector<std::byte*> places;
    for (size_t i = 0; i < m_network.arrays().numInputs(); ++i) {
      Shape shape = m_network.arrays().all()[i].type.shape;
      shape.set(0, m_batch.count());
      inputs.emplace_back(m_network.arrays().all()[i].type.dtype, shape);
    }
    for (Tensor& input : inputs)
      places.push_back(input.data());
    m_network.arrays().gatherInto(places, *m_batch.samples, m_batch.transforms,
                                  m_batch.indices.data(), m_batch.count());
    for (size_t i = 0; i < inputs.size(); ++i) {
      const std::string& name = m_network.arrays().all()[i].name;
      if (m_badInput.empty() && !isFinite(inputs[i])) m_badInput = name;
      if (findInput(program.graph(), name).isValid()) program.writeInput(name, inputs[i]);
    }
  }

  /// Returns a sentence about the first index in the input of a layer that its table does not have,
  /// or "". The checks of the data do not see indices that another layer computes.
  std::string wrongIndexOf(const Program& program, const std::vector<LayerEnd>& ends,
                           const std::string& name) const {
    const Layer* const layer = m_network.steps().model().find(name);
    if (!layer || layer->inputs.size() != 1) return {};
    const std::string& type = layer->definition->schema.type;
    if (type != "Embedding" && type != "CategoryEncoding") return {};
    const std::string field = type == "Embedding" ? "input_dim" : "num_tokens";
    const auto count = layer->fields->at(field).get<int64_t>();
    const auto from = std::ranges::find(ends, layer->inputs[0], &LayerEnd::layer);
    if (from == ends.end()) return {};
    const Tensor indices =
        program.readOutput("layer/" + std::to_string(from - ends.begin())).converted(DType::F32);
    const auto wrong = std::ranges::find_if(indices.as<float>(), [&](float index) {
      return !(index >= 0 && index < static_cast<float>(count));
    });
    if (wrong == indices.as<float>().end()) return {};
    return from->layer + " gives it the index " + valueText(static_cast<double>(*wrong)) +
           " (expected 0 to " + std::to_string(count - 1) + ", because " + field + " is " +
           std::to_string(count) + "). Raise " + field + ", or change " + from->layer + ".";
  }

  Network& m_network;
  const BadBatch& m_batch;
  const StepMode m_mode;
  std::string m_badInput;
};

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
  // Cards also check weights whose NaN their products would hide
  const NetworkSnapshot weights = network.state().weightSnapshot();
  for (const VariableRequest& request : network.state().variables())
    if (!isFinite(weights.views().at(request.name)))
      return Error(ErrorCode::NonFinite, request.layer,
                   "at step " + std::to_string(batch.step) + ", its weights (" + request.name +
                       ") are no longer finite, so the gradient of an earlier step was too large." +
                       kAdvice);
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

  const NetworkSnapshot weights = network.state().weightSnapshot();
  for (const VariableRequest& request : network.state().variables())
    if (!isFinite(weights.views().at(request.name)))
      return error(request.layer,
                   "its weights (" + request.name +
                       ") are no longer finite, so the gradient of an earlier step was too large." +
                       whereGradientOverflowed(network, [&](const std::string& name) {
                         return isFinite(weights.views().at(name));
                       }));

  ForwardSearch search(network, batch, StepMode::Train);
  const BadLayer bad = search.firstBad();
  if (!search.badInput().empty())
    return error(search.badInput(), "the data of this batch contains values that are not finite.");
  if (!bad.wrongIndex.empty()) return Error(ErrorCode::NonFinite, bad.name, bad.wrongIndex);
  if (!bad.name.empty()) {
    const std::string samples = whichSamples(bad, batch);
    return Error(ErrorCode::NonFinite, bad.name,
                 what + ": the output of this layer is the first that is not finite." +
                     (samples.empty() ? kAdvice : samples));
  }
  return error(
      network.steps().model().layers.empty() ? "" : network.steps().model().layers.back().name,
      "the outputs of all layers are finite, so the loss overflowed on this output and its "
      "targets.");
}

Error explainNanOutput(Network& network, const std::string& output, const BadBatch& batch) {
  ForwardSearch search(network, batch, StepMode::Evaluate);
  const BadLayer bad = search.firstBad();
  if (!bad.wrongIndex.empty()) return Error(ErrorCode::NonFinite, bad.name, bad.wrongIndex);
  const std::string where =
      bad.rows.empty() || !batch.samples->origin
          ? std::string()
          : " for " + batch.samples->placeOf(batch.indices[static_cast<size_t>(bad.rows.front())]);
  if (!search.badInput().empty() || bad.name.empty())
    return Error(ErrorCode::NonFinite, search.badInput().empty() ? output : search.badInput(),
                 search.badInput().empty()
                     ? "its output is not a number (NaN). Use other weights."
                     : "the data contains values that are not finite. Correct the data.");
  return Error(ErrorCode::NonFinite, bad.name,
               "its output is not finite" + where +
                   ", so the network predicts NaN. Check this "
                   "sample, or use weights of another run.");
}

}  // namespace strata
