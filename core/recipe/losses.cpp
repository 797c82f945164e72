// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/losses.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/loss_parts.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

LossDef makeLoss(const char* type, const char* group, Text help, const char* formula,
                 const char* source, TargetKind target, LossRanges ranges,
                 std::vector<FieldSchema> fields, LossResult (*lower)(LossContext&)) {
  LossDef result;
  result.wantsProbabilities = !fields.empty() && fields.front().name == "from_logits";
  fields.push_back({.name = "reduction",
                    .type = FieldType::Choice,
                    .defaultJson = "\"sum_over_batch_size\"",
                    .choices = {"sum_over_batch_size", "mean", "sum", "mean_with_sample_weight"},
                    .help = STRATA_TEXT("training", "How the losses of the samples are combined"),
                    .title = STRATA_TEXT("training", "Reduction")});
  result.schema = {.type = type,
                   .group = group,
                   .help = help,
                   .formula = formula,
                   .source = source,
                   .fields = std::move(fields)};
  result.target = target;
  result.ranges = ranges;
  result.lower = lower;
  return result;
}

FieldSchema lossAxisField(const char* defaultJson, Text help) {
  return integerField("axis", defaultJson, -7, 7, STRATA_TEXT("training", "Axis"), help);
}

ValueId reducedLoss(const LossContext& context, ValueId rows, ValueId counted) {
  Graph& g = context.graph;
  const Shape shape = g.shape(rows);
  // Comparing Json with a string literal would allocate a Json. If memory is exhausted, that
  // terminates the program.
  const std::string& reduction = context.fields.at("reduction").get_ref<const std::string&>();
  ValueId weights = context.weights;
  if (weights.isValid()) {
    Shape wide = g.shape(weights);
    while (wide.rank() < shape.rank())
      wide.append(1);
    weights = reshape(g, weights, wide);
    rows = multiply(g, rows, weights);
  }
  if (counted.isValid()) rows = multiply(g, rows, counted);
  if (shape.rank() == 0 && !weights.isValid()) return rows;
  if (reduction == "sum")
    return context.share.isValid() ? divide(g, sumAll(g, rows), context.share) : sumAll(g, rows);
  // Divides by 1 instead of 0 if no row counts, so that the result is 0
  const auto over = [&](ValueId divisor) {
    const ValueId none = equal(g, divisor, constantScalar(g, DType::F32, 0));
    return divide(g, sumAll(g, rows), add(g, divisor, none));
  };
  if (reduction == "mean_with_sample_weight" && weights.isValid())
    return over(sumAll(g, counted.isValid() ? multiply(g, counted, weights) : weights));
  if (counted.isValid())
    return over(sumAll(g, context.mask.isValid() ? multiply(g, counted, context.mask) : counted));
  return meanAll(g, rows);
}

ValueId clippedProbabilities(Graph& g, ValueId x) {
  return maximum(g, minimum(g, x, constantScalar(g, DType::F32, 1 - kLossEpsilon)),
                 constantScalar(g, DType::F32, kLossEpsilon));
}

ValueId raised(Graph& g, ValueId x, double exponent) {
  if (exponent == 1) return x;
  if (exponent == 2) return square(g, x);
  if (exponent == 0.5) return sqrt(g, x);
  return power(g, x, constantScalar(g, DType::F32, exponent));
}

ValueId axisLast(const LossContext& context, ValueId x, const char* field) {
  Graph& g = context.graph;
  const int rank = g.shape(x).rank(), given = context.fields.at(field).get<int>();
  if (given >= rank || given < -rank)
    throw Error(ErrorCode::InvalidProject, "loss",
                "axis is " + std::to_string(given) + " but the prediction has " +
                    std::to_string(rank) + " dimensions (expected " + std::to_string(-rank) +
                    " to " + std::to_string(rank - 1) + "). Set it to -1.");
  const int axis = given < 0 ? given + rank : given;
  if (axis == rank - 1) return x;
  std::vector<int64_t> order;
  for (int i = 0; i < rank; ++i)
    if (i != axis) order.push_back(i);
  order.push_back(axis);
  return transpose(g, x, order);
}

std::span<const LossDef* const> allLosses() {
  static const std::vector<LossDef> losses = [] {
    std::vector<LossDef> result;
    for (auto family : {classificationLosses, regressionLosses, embeddingLosses, sequenceLosses})
      for (LossDef& each : family())
        result.push_back(std::move(each));
    return result;
  }();
  static const std::vector<const LossDef*> pointers = [] {
    std::vector<const LossDef*> result;
    for (const auto& each : losses)
      result.push_back(&each);
    return result;
  }();
  return pointers;
}

const LossDef* findLoss(std::string_view type) {
  for (const LossDef* each : allLosses())
    if (each->schema.type == type) return each;
  return nullptr;
}

std::string countedBy(const LossDef& loss, const Json& fields, bool hasMask, bool hasWeights) {
  const std::string& reduction = fields.at("reduction").get_ref<const std::string&>();
  if (reduction == "sum") return {};
  if (hasMask) return "mask";
  if (const auto ignored = fields.find("ignore_class");
      ignored != fields.end() && !ignored->is_null())
    return "ignore_class";
  if (loss.countsRows) return loss.schema.type;
  return hasWeights && reduction == "mean_with_sample_weight" ? reduction : std::string();
}

TensorType targetType(TargetKind kind, const Shape& prediction) {
  return kind != TargetKind::Values
             ? TensorType{DType::I32, prediction.without(prediction.rank() - 1)}
             : TensorType{DType::F32, prediction};
}

LogitsSource findLogits(Graph& graph, ValueId prediction) {
  const auto producer = [&](ValueId value) -> const Node& {
    return graph.node(graph.value(value).producer);
  };
  const auto isSigmoid = [](const Node& node) {
    return node.op->role == OpRole::Activation &&
           node.attributes.get<std::string>("kind") == "sigmoid";
  };
  const Node& node = producer(prediction);
  if (node.op->role == OpRole::Softmax &&
      graph.shape(prediction)
              .normalizeAxis(static_cast<int>(node.attributes.get<int64_t>("axis"))) ==
          graph.shape(prediction).rank() - 1)
    return {LogitsSource::Of::Softmax, node.inputs[0]};
  if (isSigmoid(node)) return {LogitsSource::Of::Sigmoid, node.inputs[0]};
  // A Dense layer whose input has more than one dimension ends in a reshape
  if (node.op->role == OpRole::Reshape && isSigmoid(producer(node.inputs[0])))
    return {LogitsSource::Of::Sigmoid,
            reshape(graph, producer(node.inputs[0]).inputs[0], graph.shape(prediction))};
  return {};
}

/// Whether a prediction consists of the outputs of sigmoids, such as sigmoid and hard_sigmoid.
static bool endsInSigmoid(const Graph& graph, ValueId prediction) {
  const Node& node = graph.node(graph.value(prediction).producer);
  switch (node.op->role) {
    case OpRole::Activation: {
      const auto& kind = node.attributes.get<std::string>("kind");
      return kind.ends_with("sigmoid") && kind != "log_sigmoid";
    }
    case OpRole::Reshape:
    case OpRole::Transpose: return endsInSigmoid(graph, node.inputs[0]);
    case OpRole::Concatenate:
      return std::ranges::all_of(node.inputs,
                                 [&](ValueId input) { return endsInSigmoid(graph, input); });
    default: return false;
  }
}

/// Whether each element of an output is a separate answer, although the loss is not a binary one: a
/// single output, or several sigmoids whose loss does not compare classes with each other.
static bool isSeparate(const LossDef& loss, const Graph& graph, ValueId prediction) {
  if (loss.target != TargetKind::Values || loss.ranges.outputs == OutputRange::Distribution)
    return false;
  const Shape& shape = graph.shape(prediction);
  return (shape.rank() > 1 && shape.dim(-1) == 1) || endsInSigmoid(graph, prediction);
}

OutputReading readingOf(const LossDef& loss, const Json& fields, Graph& graph, ValueId prediction) {
  using Logits = OutputReading::Logits;
  OutputReading reading;
  reading.hasSigns = loss.ranges.targets == TargetRange::Signs;
  reading.isBinary = loss.isBinary || reading.hasSigns || isSeparate(loss, graph, prediction);
  const auto flag = fields.find("from_logits");
  const bool isFromLogits = flag != fields.end() && flag->get<bool>();
  if (!isFromLogits && loss.ranges.outputs != OutputRange::Scores) return reading;
  // A softmax or sigmoid at the end of the network has already made probabilities
  if (findLogits(graph, prediction).of != LogitsSource::Of::Nothing) return reading;
  reading.logits = reading.isBinary ? Logits::Sigmoid : Logits::Softmax;
  if (const auto axis = fields.find("axis"); axis != fields.end() && axis->is_number())
    reading.axis = axis->get<int>();
  return reading;
}

std::span<const Schema* const> lossSchemas() {
  static const std::vector<const Schema*> schemas = schemasOf(allLosses());
  return schemas;
}

}  // namespace strata
