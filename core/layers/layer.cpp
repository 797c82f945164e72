// SPDX-License-Identifier: Apache-2.0
#include "core/layers/layer.h"

#include <algorithm>
#include <numeric>

#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "gpu/ops/build.h"

namespace strata {

LayerProblem::LayerProblem(Diagnostic diagnostic)
    : Error(ErrorCode::InvalidProject, diagnostic.layer, diagnostic.sentence()),
      m_diagnostic(std::move(diagnostic)) {}

static LayerProblem tooFewInputs(const std::string& layer, size_t count, size_t expected) {
  return LayerProblem(
      {Severity::Error,
       "missing_input",
       layer,
       "inputs",
       STRATA_TEXT(
           "problem",
           "an input is missing (expected at least %2, got %1). Choose more layers as inputs."),
       {std::to_string(count), std::to_string(expected)},
       {}});
}

ValueId LayerInputs::operator[](size_t i) const {
  if (i >= m_values.size()) throw tooFewInputs(m_layer, m_values.size(), i + 1);
  return m_values[i];
}

LayerContext::LayerContext(Graph& graph_, StepMode mode_, std::string name_, const Json& fields_,
                           std::vector<ValueId> inputs_)
    : graph(graph_),
      mode(mode_),
      name(std::move(name_)),
      fields(fields_),
      inputs(name, std::move(inputs_)) {}

int64_t LayerContext::integer(std::string_view field) const {
  return fields.at(std::string(field)).get<int64_t>();
}
double LayerContext::number(std::string_view field) const {
  return fields.at(std::string(field)).get<double>();
}
bool LayerContext::boolean(std::string_view field) const {
  return fields.at(std::string(field)).get<bool>();
}
std::string LayerContext::string(std::string_view field) const {
  return fields.at(std::string(field)).get<std::string>();
}
std::vector<int64_t> LayerContext::integers(std::string_view field) const {
  return fields.at(std::string(field)).get<std::vector<int64_t>>();
}

std::vector<int64_t> LayerContext::pair(std::string_view field) const {
  const Json& value = fields.at(std::string(field));
  if (value.is_array()) return value.get<std::vector<int64_t>>();
  return {value.get<int64_t>(), value.get<int64_t>()};
}

ValueId LayerContext::variable(std::string_view path, Shape shape,
                               std::string_view initializerFieldOrType, bool isTrainable,
                               int64_t fanIn, int64_t fanOut, std::string_view regularizerField) {
  VariableRequest request;
  request.name = name + "/" + std::string(path);
  request.layer = name;
  request.shape = shape;
  const auto field = fields.find(std::string(initializerFieldOrType));
  if (field != fields.end())
    request.initializer = readInitializer(*field);
  else
    request.initializer.type = initializerFieldOrType;
  request.isTrainable = isTrainable && boolean("trainable");
  request.learningRateFactor = number("learning_rate_factor");
  // Unless the layer passes the fans, they are computed like Keras's compute_fans()
  int64_t cells = 1;
  for (int i = 0; i + 2 < shape.rank(); ++i)
    cells *= shape[i];
  const bool isScalar = shape.rank() == 0;
  request.fanIn = isScalar ? 1 : cells * shape[std::max(0, shape.rank() - 2)];
  request.fanOut = isScalar ? 1 : cells * shape[shape.rank() - 1];
  if (fanIn > 0) request.fanIn = fanIn;
  if (fanOut > 0) request.fanOut = fanOut;
  if (request.initializer.type == "identity" || request.initializer.type == "orthogonal")
    requireMatrix(std::string(initializerFieldOrType), request.initializer.type, shape,
                  request.initializer.type == "identity" ? 2 : kMaxRank);
  if (request.initializer.type == "stft" && (shape.rank() != 3 || shape[1] != 1 || shape[2] < 2))
    fail("shape_mismatch", std::string(initializerFieldOrType),
         STRATA_TEXT(
             "problem",
             "stft initializes only the kernel of a Conv1D with one input channel (expected "
             "[frame, 1, filters] with at least two filters, got %1). Choose another initializer."),
         {shape.toString()});
  if (!regularizerField.empty()) {
    const std::string name_(regularizerField);
    request.regularizer = readRegularizer(fields.at(name_));
    if (request.regularizer.orthogonal != 0)
      requireMatrix(name_, "orthogonal_regularizer", shape, 2);
    const std::string constraint = name_.substr(0, name_.rfind('_')) + "_constraint";
    if (const auto given = fields.find(constraint); given != fields.end())
      request.constraint = readConstraint(*given);
    for (const int64_t axis : request.constraint.axes)
      if (axis < -shape.rank() || axis >= shape.rank())
        fail("out_of_range", constraint,
             STRATA_TEXT("problem",
                         "axis of the constraint is %1, but %2 has the shape %3 (expected one of "
                         "its axes). Change axis."),
             {std::to_string(axis), request.name, shape.toString()});
  }
  requireSize(shape);
  const ValueId result = graph.addVariable(request.name, {DType::F32, shape}, Category::Parameter,
                                           request.isTrainable);
  variables.push_back(std::move(request));
  return replaceVariable ? replaceVariable(*this, path, result) : result;
}

void LayerContext::requireMatrix(const std::string& field, const std::string& type,
                                 const Shape& shape, int largestRank) const {
  if (shape.rank() >= 2 && shape.rank() <= largestRank) return;
  fail("shape_mismatch", field,
       STRATA_TEXT(
           "problem",
           "%1 does not support weights of shape %2 (expected a matrix). Choose another one."),
       {type, shape.toString()});
}

void LayerContext::setNext(std::string_view path, ValueId next) {
  if (mode == StepMode::Train) nextValues.emplace_back(name + "/" + std::string(path), next);
}

ValueId LayerContext::carriedState(std::string_view path, const Shape& shape) {
  Shape whole = shape;
  if (stateRows > 0) whole.set(0, stateRows);
  const ValueId state = variable(path, whole, "zeros", false);
  return whole == shape
             ? state
             : slice(graph, state, std::vector<int64_t>(static_cast<size_t>(shape.rank()), 0),
                     {shape.dims().begin(), shape.dims().end()});
}

void LayerContext::carryOn(std::string_view path, ValueId next) {
  const std::string variableName = name + "/" + std::string(path);
  const ValueId state = graph.findVariable(variableName)->value;
  const Shape whole = graph.shape(state), own = graph.shape(next);
  // If this batch is smaller than a full batch, the remaining rows of the state do not change
  if (own != whole) {
    std::vector<int64_t> begin(static_cast<size_t>(own.rank()), 0);
    begin[0] = own[0];
    Shape rest = whole;
    rest.set(0, whole[0] - own[0]);
    next = concatenate(
        graph, {next, slice(graph, state, begin, {rest.dims().begin(), rest.dims().end()})}, 0);
  }
  nextValues.emplace_back(variableName, next);
}

ValueId LayerContext::activate(ValueId x, std::string_view field) {
  const std::string name_(field);
  const Json& activation_ = fields.at(name_);
  if (activation_.is_object() && activation_.contains("axis")) {
    const Shape shape = graph.shape(x);
    const bool isHalved = activation_.at("type").get_ref<const std::string&>() == "glu";
    const auto given = activation_.at("axis").get<int64_t>(),
               axis = given < 0 ? given + shape.rank() : given;
    if (axis < (isHalved ? 1 : 0) || axis >= shape.rank())
      fail("out_of_range", name_,
           STRATA_TEXT(
               "problem",
               "axis of %1 is %2 (expected 1 to %3, or -1 for the last dimension). Set it to -1."),
           {name_, std::to_string(given), std::to_string(shape.rank() - 1)});
    if (const int64_t size = shape[static_cast<int>(axis)]; isHalved && size % 2 != 0)
      fail("shape_mismatch", name_,
           STRATA_TEXT("problem",
                       "glu halves axis %1 (expected an even size, got %2). Change axis or the "
                       "previous layer."),
           {std::to_string(given), std::to_string(size)});
  }
  return applyActivation(graph, x, activation_);
}

ValueId LayerContext::stepInput(std::string_view name_, DType type) {
  const ValueId present = findInput(graph, name_);
  if (present.isValid()) return present;
  // All layers share this input, so it belongs to no layer
  const Scope scope(graph, "", Phase::Forward, Category::Input);
  return graph.addInput(std::string(name_), {type, {}});
}

static void requireAtMost(const LayerContext& context, const Shape& shape, int64_t most) {
  double count = 1;
  for (const int64_t size : shape.dims())
    count *= static_cast<double>(size);
  if (count > static_cast<double>(most))
    context.fail(
        "too_large", "",
        STRATA_TEXT(
            "problem",
            "%1 is too large to compute (expected at most %2 values). Make the layer smaller."),
        {shape.toString(), std::to_string(most)});
}

void LayerContext::requireSize(const Shape& shape) const {
  requireAtMost(*this, shape, kMaxElements);
}

Tensor LayerContext::table(const Shape& shape) const {
  requireAtMost(*this, shape, kMaxTableElements);
  return Tensor(DType::F32, shape);
}

ValueId LayerContext::floatInput(int i) {
  const ValueId x = inputs[static_cast<size_t>(i)];
  return isFloating(graph.type(x).dtype) ? x : cast(graph, x, DType::F32);
}

void LayerContext::requireRank(int rank, int input) const {
  const Shape& shape = inputShape(input);
  if (shape.rank() == rank) return;
  const std::string found = shapeWithoutBatch(shape).toString();
  const char* expected = "[steps, features]";
  if (rank == 5) expected = "[depth, height, width, channels]";
  if (rank == 4) expected = "[height, width, channels]";
  if (rank == 2) expected = "[features]";
  if (rank == 4) {
    fail("shape_mismatch", "inputs",
         STRATA_TEXT("problem",
                     "the input has the shape %1 (expected an image: %2). Insert a Reshape before "
                     "this layer, or choose another input."),
         {found, expected});
  }
  fail("shape_mismatch", "inputs",
       STRATA_TEXT("problem",
                   "the input has the shape %1 (expected %2). Insert a Flatten or Reshape before "
                   "this layer."),
       {found, expected});
}

void LayerContext::fail(std::string code, std::string field, Text message, Arguments arguments,
                        std::vector<Fix> fixes) const {
  throw LayerProblem({Severity::Error, std::move(code), name, std::move(field), message,
                      std::move(arguments), std::move(fixes)});
}

Fix LayerContext::setFieldFix(const std::string& field, const std::string& json) const {
  return strata::setFieldFix(name, field, Json::parse(json), field);
}

namespace {

/// Appends the penalty of `activity_regularizer` on the output, averaged over the batch. As in
/// Keras, the penalty also counts during evaluation.
void appendActivityPenalty(LayerContext& context, ValueId value) {
  const auto field = context.fields.find("activity_regularizer");
  if (field == context.fields.end() || field->is_null() || context.mode == StepMode::Predict)
    return;
  const Regularizer regularizer = readRegularizer(*field);
  if (regularizer.isNone()) return;
  Graph& g = context.graph;
  const Shape shape = g.shape(value);
  if (regularizer.orthogonal != 0 && shape.rank() != 2)
    context.fail("shape_mismatch", "activity_regularizer",
                 STRATA_TEXT("problem",
                             "orthogonal_regularizer needs a one-dimensional output (expected "
                             "[features], got %1). Choose another regularizer."),
                 {shapeWithoutBatch(shape).toString()});
  const ValueId x = isFloating(g.type(value).dtype) ? value : cast(g, value, DType::F32);
  context.penalties.push_back(
      multiplyScalar(g, penalty(g, x, regularizer), 1 / static_cast<double>(shape[0])));
}

ValueId maskByRule(LayerContext& context, MaskRule rule) {
  if (rule == MaskRule::Lost || context.inputs.empty()) return {};
  ValueId mask = context.mask();
  if (rule == MaskRule::Kept) return mask;
  for (size_t i = 1; i < context.inputs.size() && mask.isValid(); ++i) {
    const ValueId other = context.mask(static_cast<int>(i));
    if (const Graph& g = context.graph;
        other.isValid() && g.shape(other).rank() != g.shape(mask).rank())
      context.fail(
          "shape_mismatch", "inputs",
          STRATA_TEXT("problem",
                      "the mask of the input %1 has the shape %2 (expected %3, like the mask of "
                      "%4). Use inputs with the same number of steps, or without a mask."),
          {context.inputNames[i], shapeWithoutBatch(g.shape(other)).toString(),
           shapeWithoutBatch(g.shape(mask)).toString(), context.inputNames[0]});
    mask = other.isValid() ? maximum(context.graph, mask, other) : ValueId();
  }
  return mask;
}

void requireInputs(const LayerCall& call) {
  const size_t count = call.inputs.size();
  if (call.definition.takes(count)) return;
  if (const auto least = static_cast<size_t>(call.definition.minInputs); count < least)
    throw tooFewInputs(call.name, count, least);
  throw LayerProblem(
      {Severity::Error,
       "too_many_inputs",
       call.name,
       "inputs",
       STRATA_TEXT("problem",
                   "there are too many inputs (expected %2, got %1). Combine them with "
                   "Add or Concatenate, or remove some."),
       {std::to_string(count), std::to_string(call.definition.maxInputs)},
       {}});
}

bool hasChannelsFirst(const LayerCall& call) {
  const auto format = call.fields.find("data_format");
  return format != call.fields.end() && format->is_string() &&
         format->get_ref<const std::string&>() == "channels_first";
}

/// Moves the channels to the last dimension, or back. Channels that come first are dimension 1, or
/// dimension 2 in a sequence of images.
ValueId withChannelsMoved(Graph& g, ValueId x, bool hasSteps, bool toEnd) {
  const int rank = g.shape(x).rank(), first = hasSteps && rank == 5 ? 2 : 1;
  if (rank < 3) return x;
  std::vector<int64_t> order(static_cast<size_t>(rank));
  std::iota(order.begin(), order.end(), 0);
  if (toEnd)
    std::rotate(order.begin() + first, order.begin() + first + 1, order.end());
  else
    std::rotate(order.begin() + first, order.end() - 1, order.end());
  return transpose(g, x, order);
}

}  // namespace

LoweredLayer lowerLayer(Graph& graph, LayerCall call) {
  requireInputs(call);
  const Scope scope(graph, call.name, Phase::Forward, Category::Activation);
  const bool isFirst = hasChannelsFirst(call),
             hasSteps = call.definition.schema.type == "ConvLSTM2D";
  for (ValueId& input : call.inputs)
    if (isFirst) input = withChannelsMoved(graph, input, hasSteps, true);
  LayerContext context(graph, call.mode, call.name, call.fields, std::move(call.inputs));
  context.inputNames = std::move(call.inputNames);
  context.inputNames.resize(context.inputs.size());
  context.batchSize = call.batchSize;
  context.lowerContents = call.lowerContents;
  context.masks = std::move(call.masks);
  context.keepsOrder = call.keepsOrder;
  context.timeSteps = call.timeSteps;
  context.stateRows = call.stateRows;
  context.replicas = call.replicas;
  context.replaceVariable = std::move(call.replaceVariable);
  try {
    ValueId value = call.definition.lower(context);
    if (isFirst) value = withChannelsMoved(graph, value, hasSteps, false);
    for (ValueId& output : context.moreOutputs)
      if (isFirst) output = withChannelsMoved(graph, output, hasSteps, false);
    context.requireSize(graph.shape(value));
    appendActivityPenalty(context, value);
    const ValueId mask = context.outputMask.isValid() ? context.outputMask
                                                      : maskByRule(context, call.definition.masks);
    return {value,
            std::move(context.variables),
            std::move(context.nextValues),
            std::move(context.penalties),
            mask,
            std::move(context.moreOutputs)};
  }
  catch (const LayerProblem&) {
    throw;
  }
  catch (const Error& error) {
    if (error.code() != ErrorCode::ShapeMismatch && error.code() != ErrorCode::InvalidArgument &&
        error.code() != ErrorCode::UnsupportedOp)
      throw;
    throw LayerProblem({Severity::Error,
                        error.code() == ErrorCode::ShapeMismatch ? "shape_mismatch" : "unsupported",
                        call.name,
                        "",
                        STRATA_TEXT("problem", "%1"),
                        {error.what()},
                        {}});
  }
}

int outputsOf(const LayerDef& definition, const Json& fields) {
  return definition.countOutputs ? definition.countOutputs(fields) : 1;
}

Shape shapeWithoutBatch(const Shape& shape) {
  return shape.rank() > 0 ? Shape(shape.dims().subspan(1)) : shape;
}

}  // namespace strata
