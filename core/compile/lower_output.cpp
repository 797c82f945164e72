// SPDX-License-Identifier: Apache-2.0
#include "core/compile/lower_output.h"

#include <algorithm>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/compile/step_updates.h"
#include "core/recipe/losses.h"
#include "gpu/ops/build.h"

namespace strata {
namespace {

bool isSumLoss(const Json& loss) {
  // Comparing Json with a string literal would allocate a Json. If memory is exhausted, that
  // terminates the program.
  const auto reduction = loss.find("reduction");
  const std::string* const name =
      reduction == loss.end() ? nullptr : reduction->get_ptr<const std::string*>();
  return name && *name == "sum";
}

/// Whether the shape of the mask matches the leading dimensions of the prediction.
bool isMaskOf(const Graph& graph, ValueId mask, ValueId prediction) {
  if (!mask.isValid()) return false;
  const Shape &shape = graph.shape(mask), &rows = graph.shape(prediction);
  for (int i = 0; i < shape.rank(); ++i)
    if (i >= rows.rank() || shape[i] != rows[i]) return false;
  return true;
}

/// Returns the mask as weights of the time steps. If the loss is a mean, scales them, so that the
/// weighted mean over all time steps equals the mean over the unmasked ones, as in Keras.
ValueId maskWeights(Graph& graph, ValueId mask, const Json& loss) {
  if (isSumLoss(loss)) return mask;
  const double count = static_cast<double>(graph.shape(mask).numElements());
  return multiply(graph, mask,
                  divide(graph, constantScalar(graph, DType::F32, count),
                         addScalar(graph, sumAll(graph, mask), 1e-7)));
}

/// Returns, for each target, the weight of its class.
ValueId classWeights(Graph& graph, const std::vector<double>& weights, TargetKind kind,
                     ValueId prediction, ValueId target) {
  const int64_t outputs = graph.shape(prediction).dim(-1);
  // One-hot classes [.., C]
  ValueId classes;
  if (kind == TargetKind::Labels || outputs > 1) {
    classes = oneHot(graph, kind == TargetKind::Labels ? target : argmax(graph, target), outputs);
  }
  else {
    const ValueId yes = greater(graph, target, constantScalar(graph, DType::F32, 0.5));
    classes = concatenate(graph, {affine(graph, yes, -1, 1), yes}, -1);
  }
  const int64_t count = graph.shape(classes).dim(-1);
  Tensor values(DType::F32, Shape{count});
  for (int64_t i = 0; i < count; ++i)
    values.as<float>()[static_cast<size_t>(i)] =
        static_cast<size_t>(i) < weights.size()
            ? static_cast<float>(weights[static_cast<size_t>(i)])
            : 1;
  return reduceSum(graph, multiply(graph, classes, graph.addConstant(std::move(values))), {-1});
}

/// Appends dimensions of 1 to the weights, such as [N] to [N, 1], so that they broadcast to
/// `finer`.
ValueId weightsOver(Graph& graph, ValueId weights, ValueId finer) {
  Shape shape = graph.shape(weights);
  if (shape.rank() >= graph.shape(finer).rank()) return weights;
  while (shape.rank() < graph.shape(finer).rank())
    shape.append(1);
  return reshape(graph, weights, shape);
}

/// Removes the targets of the class that the loss ignores from all metrics of an output. They keep
/// the weight 0, and become class 0, because a class that is not one of the outputs has no loss.
void ignoreInMetrics(Graph& graph, const Json& loss, LoweredOutput& output) {
  const auto ignored = loss.find("ignore_class");
  if (ignored == loss.end() || ignored->is_null()) return;
  const ValueId isCounted =
      notEqual(graph, output.target, constantScalar(graph, DType::I32, ignored->get<double>()));
  const ValueId counted = cast(graph, isCounted, DType::F32);
  const auto reduce = [&](ValueId& weights) {
    weights = weights.isValid() ? multiply(graph, weightsOver(graph, weights, counted), counted)
                                : counted;
  };
  for (MetricWeights* each : {&output.weights, &output.plainWeights}) {
    reduce(each->ofMeans);
    reduce(each->ofCounts);
  }
  output.target =
      cast(graph, multiply(graph, cast(graph, output.target, DType::F32), counted), DType::I32);
}

}  // namespace

LoweredOutput lowerOutput(StepGraph& step, const TrainingOptions& training,
                          const StepOptions& options, size_t index, ValueId prediction,
                          ValueId outputMask) {
  Graph& graph = step.graph;
  const TypedFields& loss = training.outputs[index].loss;
  const LossDef* definition = findLoss(loss.type);
  if (!definition)
    throw Error(ErrorCode::InvalidProject, "loss",
                "there is no loss \"" + loss.type + "\". Choose one listed by `strata layers`.");
  StepPort target{training.outputs.size() == 1 ? "target" : "target/" + step.outputs[index].layer,
                  targetType(definition->target, graph.shape(prediction))};
  LossContext context{graph, *loss.fields, prediction, graph.addInput(target.name, target.type)};
  step.targets.push_back(std::move(target));
  const bool isOfSequences = definition->target == TargetKind::Sequences;
  if (isOfSequences && !training.classWeights.empty())
    throw Error(ErrorCode::InvalidProject, "class_weight",
                "a sample of " + loss.type +
                    " does not have a single class (expected no class_weight). Remove it.");
  // As in Keras, validation ignores class weights.
  if (options.mode == StepMode::Train && !training.classWeights.empty())
    context.weights =
        classWeights(graph, training.classWeights, definition->target, prediction, context.target);
  // As in Keras, sample weights also apply in evaluation.
  if (const std::string& name = step.outputs[index].weights; !name.empty()) {
    const ValueId weights = graph.addInput(name, {DType::F32, Shape{options.batchSize}});
    context.weights =
        context.weights.isValid()
            ? multiply(graph, context.weights, weightsOver(graph, weights, context.weights))
            : weights;
  }
  MetricWeights weights{context.weights, context.weights};
  // Evaluation has no class weights. Weights of 1 give a weighted mean the same number of sums as
  // in training.
  if (!context.weights.isValid() && !training.classWeights.empty()) {
    Tensor ones(DType::F32, Shape{options.batchSize});
    std::ranges::fill(ones.as<float>(), 1.0f);
    weights.ofMeans = graph.addConstant(std::move(ones));
  }
  const auto masked = [&](ValueId of, ValueId mask) {
    return of.isValid() ? multiply(graph, weightsOver(graph, of, mask), mask) : mask;
  };
  // A loss of sequences excludes masked time steps itself, so its weights do not contain the mask.
  const bool isMasked = !isOfSequences && isMaskOf(graph, outputMask, prediction);
  if (isMasked) {
    const auto ignored = loss.fields->find("ignore_class");
    // With ignore_class, the loss averages over the time steps that neither the mask nor
    // ignore_class excludes.
    const bool ignores = ignored != loss.fields->end() && !ignored->is_null();
    if (ignores) context.mask = outputMask;
    context.weights = masked(context.weights,
                             ignores ? outputMask : maskWeights(graph, outputMask, *loss.fields));
    weights.ofMeans = masked(weights.ofMeans, outputMask);
  }
  if (step.countedBy.empty())
    step.countedBy =
        countedBy(*definition, *loss.fields, isMasked,
                  !training.classWeights.empty() || training.outputs[index].hasSampleWeights);
  if (isPart(options) && isSumLoss(*loss.fields)) context.share = shareOfPiece(graph);
  const LossResult result = definition->lower(context);
  const OutputReading reading = readingOf(*definition, *loss.fields, graph, prediction);
  step.outputs[index].reading = reading;
  // Probabilities that the loss returns replace the output of the model's softmax, so that softmax
  // is not computed twice.
  LoweredOutput output{result.value,
                       result.probabilities.isValid() ? result.probabilities : prediction,
                       context.target,
                       weights,
                       {isMasked ? outputMask : ValueId{}, {}},
                       reading};
  ignoreInMetrics(graph, *loss.fields, output);
  return output;
}

}  // namespace strata
