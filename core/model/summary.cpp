// SPDX-License-Identifier: Apache-2.0
// Computes the values of each row of the network list by lowering layer by layer on a temporary
// graph.
#include <limits>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/model/model.h"
#include "core/model/partial_shape.h"
#include "core/project/input_ref.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

void completeFixes(Diagnostic& diagnostic, const std::string& layerPointer) {
  for (Fix& fix : diagnostic.fixes)
    for (EditOperation& operation : fix.edit.operations)
      if (operation.pointer.empty() || operation.pointer[0] != '/')
        operation.pointer = layerPointer + "/" + operation.pointer;
}

namespace {

// Maximum number of repeats of a Block that are lowered if sizes are unknown
constexpr int64_t kMaxUnknownRepeats = 64;

/// Returns total + count * value, limited to the maximum of int64_t.
int64_t plusTimes(int64_t total, int64_t count, int64_t value) {
  int64_t result = 0;
  if (__builtin_mul_overflow(count, value, &result) ||
      __builtin_add_overflow(total, result, &result))
    return std::numeric_limits<int64_t>::max();
  return result;
}

PartialShape partialOf(const Shape& shape) {
  return {true, {shape.dims().begin(), shape.dims().end()}};
}

/// An input or output of a Block.
struct ScopeValue {
  PartialShape shape;
  DType dtype = DType::F32;
  // Name of the layer that computes the value, for messages
  std::string name = {};
  // Whether the value comes from an Input layer of the network, as layers that adapt to the data
  // require
  bool isInput = false;
  bool operator==(const ScopeValue& other) const {
    return shape.isRankKnown == other.shape.isRankKnown && shape.dims == other.shape.dims &&
           dtype == other.dtype;
  }
};

std::vector<LayerSummary> unknownRows(const Json& layers) {
  std::vector<LayerSummary> rows;
  for (const Json& json : layers) {
    LayerSummary row;
    if (json.is_object()) {
      if (json.contains("name") && json["name"].is_string()) row.name = json["name"];
      if (json.contains("type") && json["type"].is_string()) row.type = json["type"];
      if (json.contains("inputs") && json["inputs"].is_array()) {
        for (const Json& input : json["inputs"])
          if (input.is_string()) row.inputs.push_back(inputRefOf(input.get<std::string>()).layer);
      }
      else if (row.type != "Input" && !rows.empty()) {
        row.inputs = {rows.back().name};
      }
    }
    row.parameters = row.trainableParameters = -1;
    row.multiplyAdds = -1;
    rows.push_back(std::move(row));
  }
  return rows;
}

/// Lowers the layers of one scope on a temporary graph. Each Block is a separate scope.
class Lowering {
 public:
  /// `given` contains the inputs of the first layer in a Block. `budget` is the number of layers
  /// that the summary may still lower for repeats.
  Lowering(const Model& model, int64_t batchSize, int64_t& budget, std::vector<ScopeValue> given,
           std::vector<LayerSummary>& rows, Diagnostics& diagnostics)
      : m_model(model),
        m_batchSize(batchSize),
        m_budget(budget),
        m_given(std::move(given)),
        m_rows(rows),
        m_diagnostics(diagnostics),
        m_isValid(rows.size(), false) {
    for (const Layer& layer : model.layers)
      m_isValid[static_cast<size_t>(layer.index)] = true;
    std::set<std::string, std::less<>> seen;
    for (const LayerSummary& row : rows)
      if (!seen.insert(row.name).second) m_ambiguous.insert(row.name);
  }

  void run() {
    for (const Layer& layer : m_model.drafts)
      if (layer.definition && layer.fields) add(layer);
  }

  /// Returns the output of the last layer.
  ScopeValue end() const { return m_rows.empty() ? ScopeValue() : valueOf(m_rows.back().name); }

 private:
  void add(const Layer& layer) {
    std::vector<ScopeValue> inputs;
    const bool takesGiven = layer.index == 0 && !m_given.empty();
    for (const auto& input : layer.inputs) {
      inputs.push_back(valueOf(input));
      inputs.back().name = input;
    }
    if (takesGiven) inputs = m_given;
    if (layer.inner) {
      // The shape of the missing input is unknown. parseModel() reports the problem.
      if (inputs.empty()) inputs.resize(1);
      return addBlock(layer, inputs);
    }
    --m_budget;
    std::vector<ValueId> values;
    for (const auto& input : layer.inputs)
      if (const auto found = m_values.find(input); found != m_values.end())
        values.push_back(found->second);
    if (takesGiven) {
      for (size_t i = 0; i < m_given.size(); ++i)
        if (m_given[i].shape.isComplete())
          values.push_back(addAssumed("given " + std::to_string(i), m_given[i]));
    }
    // A wrong number of inputs is reported for the enclosing Block.
    const bool isCountRight = !takesGiven || layer.definition->takes(m_given.size());
    if (!m_isValid[static_cast<size_t>(layer.index)] || !isCountRight ||
        values.size() != inputs.size()) {
      std::vector<PartialShape> shapes;
      for (ScopeValue& input : inputs)
        shapes.push_back(std::move(input.shape));
      addPartly(layer, std::move(shapes), isCountRight);
      return;
    }
    const int firstNode = m_graph.numNodes();
    std::vector<std::string> names = layer.inputs;
    if (takesGiven)
      for (const ScopeValue& given : m_given)
        names.push_back(given.name);
    try {
      const LoweredLayer lowered =
          lowerLayer(m_graph, {*layer.definition, layer.path, *layer.fields, std::move(values),
                               std::move(names), StepMode::Predict, m_batchSize});
      requireRows(layer, m_graph.shape(lowered.value));
      lowered.forEachOutput(layer.name, [&](const std::string& called, ValueId value) {
        m_values.emplace(called, value);
      });
      fillRow(layer, lowered, firstNode);
    }
    catch (const LayerProblem& problem) {
      report(layer, problem.diagnostic());
      // Computes the output that the layer would have for valid inputs.
      addPartly(layer, std::vector<PartialShape>(inputs.size()), false);
    }
  }

  /// Lowers the repeats of a Block. Stops when the output of a repeat has the shape of its input,
  /// because all later repeats are then the same. Lowers only the first repeat if the Block is too
  /// large.
  void addBlock(const Layer& layer, std::vector<ScopeValue> inputs) {
    const int64_t repeat = layer.fields->at("repeat").get<int64_t>();
    const bool isTooLarge = layer.inner->expandedLayers > kMaxExpandedLayers / repeat;
    LayerSummary sum;
    sum.isKnown = true;
    for (int64_t i = 0; i < repeat;) {
      std::vector<LayerSummary> rows = unknownRows(layer.fields->at("layers"));
      Diagnostics problems;
      Lowering once(*layer.inner, m_batchSize, m_budget, inputs, rows, problems);
      once.run();
      const ScopeValue output = once.end();
      const bool isSame =
          inputs.size() == 1 && output == inputs[0] && (isTooLarge || !inputs[0].isInput);
      const int64_t count = isSame ? repeat - i : 1;
      for (const LayerSummary& row : rows) {
        sum.isKnown = sum.isKnown && row.isKnown;
        sum.parameters = plusTimes(sum.parameters, count, row.parameters);
        sum.trainableParameters =
            plusTimes(sum.trainableParameters, count, row.trainableParameters);
        sum.multiplyAdds += static_cast<double>(count) * row.multiplyAdds;
      }
      if (i == 0) m_rows[static_cast<size_t>(layer.index)].inner = std::move(rows);
      for (Diagnostic& problem : problems) {
        if (i > 0) {
          problem.around.push_back(
              {STRATA_TEXT(
                   "problem",
                   "repetition %1 of %2 does not accept the output of the previous one: %3"),
               {std::to_string(i + 1), std::to_string(repeat)}});
        }
        m_diagnostics.push_back(std::move(problem));
      }
      inputs = {output};
      inputs[0].name = layer.path;
      i += count;
      if (!problems.empty()) break;
      if (i < repeat && (isTooLarge || m_budget <= 0)) sum.isKnown = false;
      if (!sum.isKnown && (isTooLarge || m_budget <= 0 || i >= kMaxUnknownRepeats)) {
        if (i < repeat) inputs = {ScopeValue()};
        break;
      }
    }
    LayerSummary& row = m_rows[static_cast<size_t>(layer.index)];
    if (inputs[0].shape.isComplete()) row.outputShape = Shape(inputs[0].shape.dims);
    keep(layer, inputs[0]);
    if (!sum.isKnown) return;
    row.isKnown = true;
    row.parameters = sum.parameters;
    row.trainableParameters = sum.trainableParameters;
    row.multiplyAdds = sum.multiplyAdds;
  }

  void report(const Layer& layer, Diagnostic problem) {
    completeFixes(problem, layer.pointer);
    problem.pointer =
        problem.field.empty() ? layer.pointer : layer.pointer + "/" + escapedKey(problem.field);
    m_diagnostics.push_back(std::move(problem));
  }

  /// Checks that the output has one row per sample. Fails: LayerProblem.
  void requireRows(const Layer& layer, const Shape& output) const {
    if (output[0] == m_batchSize) return;
    throw LayerProblem({Severity::Error,
                        "out_of_range",
                        layer.path,
                        "axis",
                        STRATA_TEXT("problem",
                                    "axis is %1, the batch dimension (expected 1 to %2, or -1 for "
                                    "the last dimension). Set it to -1."),
                        {layer.fields->at("axis").dump(), std::to_string(output.rank() - 1)},
                        {setFieldFix(layer.path, "axis", -1, "axis")}});
  }

  ScopeValue valueOf(const std::string& layer) const {
    if (const auto value = m_values.find(layer); value != m_values.end())
      return {partialOf(shapeWithoutBatch(m_graph.shape(value->second))),
              m_graph.type(value->second).dtype,
              {},
              m_graph.node(m_graph.value(value->second).producer).op->role == OpRole::Input};
    const auto partial = m_partial.find(layer);
    return partial != m_partial.end() ? partial->second : ScopeValue{};
  }

  ValueId addAssumed(const std::string& name, const ScopeValue& value) {
    std::vector<int64_t> dims = value.shape.dims;
    dims.insert(dims.begin(), m_batchSize);
    const ValueId given = m_graph.addInput(name, {value.dtype, Shape(dims)});
    return value.isInput ? given : reshape(m_graph, given, Shape(dims));
  }

  void addPartly(const Layer& layer, std::vector<PartialShape> inputs, bool mayReport) {
    PartialLowering lowered = lowerPartly(layer, std::move(inputs), m_batchSize);
    if (lowered.problem && mayReport) {
      lowered.problem->layer = layer.path;
      report(layer, std::move(*lowered.problem));
    }
    if (lowered.output.isComplete())
      m_rows[static_cast<size_t>(layer.index)].outputShape = Shape(lowered.output.dims);
    keep(layer, {std::move(lowered.output),
                 lowered.dtype,
                 {},
                 layer.definition && layer.definition->schema.type == "Input"});
  }

  /// Stores an output, as far as it is known, for the layers that use it.
  void keep(const Layer& layer, ScopeValue output) {
    // A duplicate name is ambiguous, so its outputs are not stored.
    if (layer.name.empty() || m_ambiguous.contains(layer.name)) return;
    if (output.shape.isComplete())
      m_values.emplace(layer.name, addAssumed("assumed " + layer.name, output));
    else
      m_partial[layer.name] = output;
    if (output.shape.isComplete()) m_values.emplace(layer.name + ":0", m_values.at(layer.name));
  }

  void fillRow(const Layer& layer, const LoweredLayer& lowered, int firstNode) {
    LayerSummary& row = m_rows[static_cast<size_t>(layer.index)];
    row.isKnown = true;
    row.outputShape = shapeWithoutBatch(m_graph.shape(lowered.value));
    row.parameters = row.trainableParameters = 0;
    row.multiplyAdds = 0;
    for (const auto& variable : lowered.variables) {
      row.parameters = plusTimes(row.parameters, 1, variable.shape.numElements());
      if (variable.isTrainable)
        row.trainableParameters =
            plusTimes(row.trainableParameters, 1, variable.shape.numElements());
    }
    for (int i = firstNode; i < m_graph.numNodes(); ++i)
      row.multiplyAdds += costOf(m_graph, m_graph.node(NodeId{i})).multiplyAdds;
  }

  const Model& m_model;
  const int64_t m_batchSize;
  int64_t& m_budget;
  const std::vector<ScopeValue> m_given;
  std::vector<LayerSummary>& m_rows;
  Diagnostics& m_diagnostics;
  std::vector<bool> m_isValid;
  std::set<std::string, std::less<>> m_ambiguous;
  Graph m_graph;
  std::map<std::string, ValueId, std::less<>> m_values;
  // Outputs with partly unknown shapes
  std::map<std::string, ScopeValue, std::less<>> m_partial;
};

}  // namespace

ModelSummary summarizeModel(const Model& model, const Project& project, int64_t batchSize,
                            Diagnostics& diagnostics) {
  ModelSummary summary;
  const Json& document = project.document();
  if (!document.is_object() || !document.contains("model") || !document["model"].is_object() ||
      !document["model"].contains("layers"))
    return summary;
  summary.layers = unknownRows(document["model"]["layers"]);
  if (model.isConnected) summary.outputs = model.outputs;
  // The budget is enough for every network within the limit.
  int64_t budget = kMaxExpandedLayers;
  Lowering(model, batchSize, budget, {}, summary.layers, diagnostics).run();
  for (const LayerSummary& row : summary.layers) {
    if (!row.isKnown) continue;
    summary.parameters = plusTimes(summary.parameters, 1, row.parameters);
    summary.trainableParameters =
        plusTimes(summary.trainableParameters, 1, row.trainableParameters);
    summary.multiplyAdds += row.multiplyAdds;
  }
  return summary;
}

}  // namespace strata
