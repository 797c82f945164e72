// SPDX-License-Identifier: Apache-2.0
#include "core/explain/score_graph.h"

#include <algorithm>

#include "core/compile/compile.h"
#include "core/recipe/losses.h"
#include "gpu/autodiff/autodiff.h"
#include "gpu/base/error.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns the logits of a prediction that is a softmax or a sigmoid, also before a reshape that
/// keeps the classes, such as that of a Conv1D. Returns an invalid id for other predictions.
ValueId logitsOf(Graph& graph, ValueId prediction) {
  const LogitsSource source = findLogits(graph, prediction);
  if (source.of != LogitsSource::Of::Nothing) return source.logits;
  const Node& node = graph.node(graph.value(prediction).producer);
  if (node.op->role != OpRole::Reshape) return {};
  const ValueId before = node.inputs[0];
  const Shape shape = graph.shape(prediction);
  if (graph.shape(before).rank() < 1 || graph.shape(before).dim(-1) != shape.dim(-1)) return {};
  const ValueId logits = logitsOf(graph, before);
  return logits.isValid() ? reshape(graph, logits, shape) : logits;
}

}  // namespace

ScoreGraph buildScoreGraph(const Model& model, const std::string& output, int64_t batch) {
  ScoreGraph score;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  // Predict mode has no random numbers, and no state that batches pass on
  const std::vector<ValueId> values =
      lowerLayers(score.graph, model, StepMode::Predict, batch, variables, nextValues);
  ValueId prediction;
  for (size_t i = 0; i < model.layers.size(); ++i) {
    const std::string& name = model.layers[i].name;
    if (name == output) prediction = values[i];
    if (std::ranges::find(model.inputs, name) != model.inputs.end())
      score.inputs.push_back({name, values[i]});
  }
  score.layers = layerValuesOf(score.graph, model, values);
  require(prediction.isValid(), "the output is a layer of the model");
  const Scope scope(score.graph, output, Phase::Forward, Category::Activation);
  const ValueId logits = logitsOf(score.graph, prediction);
  score.scores = logits.isValid() ? logits : prediction;
  score.scores = cast(score.graph, score.scores, DType::F32);
  if (score.graph.shape(score.scores).rank() < 2)
    score.scores = reshape(score.graph, score.scores, Shape{batch, 1});
  score.graph.addOutput(kScoresOutput, score.scores);
  return score;
}

bool appendScoreGradient(ScoreGraph& score, ValueId value) {
  const ValueId seed = score.graph.addInput(kSeedInput, score.graph.type(score.scores));
  const GradientSeed seeds[]{{score.scores, seed}};
  const ValueId targets[]{value};
  const ValueId gradient = differentiate(score.graph, seeds, targets).front();
  if (!gradient.isValid()) return false;
  score.graph.addOutput(kGradientOutput, gradient);
  return true;
}

bool dependsOn(const ScoreGraph& score, ValueId value) {
  const Graph& graph = score.graph;
  std::vector<char> reaches(static_cast<size_t>(graph.numValues()));
  reaches[static_cast<size_t>(value.index)] = 1;
  for (const NodeId id : graph.order()) {
    const Node& node = graph.node(id);
    const bool isReached = std::ranges::any_of(
        node.inputs, [&](ValueId input) { return reaches[static_cast<size_t>(input.index)] != 0; });
    if (!isReached) continue;
    for (const ValueId output : node.outputs)
      reaches[static_cast<size_t>(output.index)] = 1;
  }
  return reaches[static_cast<size_t>(score.scores.index)] != 0;
}

int spatialAxesOf(const Shape& shape) {
  int64_t places = 1;
  for (int i = 1; i + 1 < shape.rank(); ++i)
    places *= shape[i];
  return shape.rank() >= 3 && places > 1 ? shape.rank() - 2 : 0;
}

}  // namespace strata
