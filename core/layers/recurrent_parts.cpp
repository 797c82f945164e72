// SPDX-License-Identifier: Apache-2.0
#include "core/layers/recurrent_parts.h"

#include <nlohmann/json.hpp>

#include "core/layers/fields.h"
#include "core/layers/parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

FieldSchema recurrentRate(const char* name, Text help, Text title) {
  return {.name = name,
          .type = FieldType::Number,
          .defaultJson = "0.0",
          .minimum = 0.0,
          .maximum = 1.0,
          .isMaximumExclusive = true,
          .isLive = true,
          .help = help,
          .title = title};
}

NamedActivation cellActivation(const LayerContext& context, const char* field) {
  const Json& activation_ = context.fields.at(field);
  if (const auto named = elementwiseActivation(activation_)) return *named;
  context.fail("out_of_range", field,
               STRATA_TEXT("problem",
                           "%1 is %2, which recurrent layers do not support (expected an "
                           "element-wise activation such as tanh). Choose another activation."),
               {field, activation_.at("type").get<std::string>()},
               {context.setFieldFix(field, "\"tanh\"")});
}

}  // namespace

ValueId keptAtAllSteps(LayerContext& context, const char* rateField, const Shape& shape) {
  const double rate = context.number(rateField);
  if (context.mode != StepMode::Train || rate == 0) return {};
  Graph& g = context.graph;
  const RandomKey key = randomKey(context);
  return dropout(g, constantFill(g, {DType::F32, shape}, 1), key.seed, key.step, key.firstRow, rate,
                 context.name + "/" + rateField);
}

FieldSchema returnStateField() {
  return switchField("return_state", "false",
                     STRATA_TEXT("layers",
                                 "Also return the last state: other layers refer to it as NAME:1, "
                                 "and to the cell state of an LSTM as NAME:2"),
                     STRATA_TEXT("layers", "Return state"));
}

int outputsWithState(const Json& fields) { return fields.at("return_state").get<bool>() ? 2 : 1; }
int outputsWithCellState(const Json& fields) {
  return fields.at("return_state").get<bool>() ? 3 : 1;
}

FieldSchema forgetBiasField() {
  return switchField("unit_forget_bias", "true",
                     STRATA_TEXT("layers",
                                 "Initialize the bias of the forget gate with 1, so that the cell "
                                 "keeps its state early in training"),
                     STRATA_TEXT("layers", "Unit forget bias"));
}

std::vector<FieldSchema> recurrentFields(bool hasGates) {
  FieldSchema activation_ = activationField("\"tanh\"");
  activation_.help = STRATA_TEXT("layers", "Activation function of the state");
  std::vector<FieldSchema> fields{
      {.name = "units",
       .type = FieldType::Integer,
       .exampleJson = "32",
       .minimum = 1.0,
       .maximum = 1e6,
       .help = STRATA_TEXT(
           "layers", "Size of the state, which is also the size of the output of each time step"),
       .title = STRATA_TEXT("layers", "Units")},
      activation_};
  if (hasGates) {
    FieldSchema gate = activationField("\"sigmoid\"");
    gate.name = "recurrent_activation";
    gate.help = STRATA_TEXT("layers", "Activation function of the gates");
    gate.title = STRATA_TEXT("layers", "Recurrent activation");
    fields.push_back(std::move(gate));
  }
  for (FieldSchema& field : std::vector<FieldSchema>{
           useBiasField(),
           switchField("return_sequences", "false",
                       STRATA_TEXT("layers",
                                   "Return the output of every time step instead of only the last"),
                       STRATA_TEXT("layers", "Return sequences")),
           returnStateField(),
           switchField(
               "go_backwards", "false",
               STRATA_TEXT("layers",
                           "Process the sequence in reverse and return the reversed sequence"),
               STRATA_TEXT("layers", "Go backwards")),
           switchField(
               "stateful", "false",
               STRATA_TEXT("layers", "Start each batch from the last state of the previous batch"),
               STRATA_TEXT("layers", "Stateful")),
           ignoredSwitch("unroll"),
           recurrentRate("dropout",
                         STRATA_TEXT("layers",
                                     "Fraction of the inputs to drop during training; the same "
                                     "inputs are dropped at every time step"),
                         STRATA_TEXT("layers", "Dropout")),
           recurrentRate("recurrent_dropout",
                         STRATA_TEXT("layers",
                                     "Fraction of the recurrent state to drop during training; the "
                                     "same values are dropped at every time step"),
                         STRATA_TEXT("layers", "Recurrent dropout")),
           initializerField("kernel_initializer", "\"glorot_uniform\"",
                            STRATA_TEXT("layers", "Kernel initializer")),
           initializerField("recurrent_initializer", "\"orthogonal\"",
                            STRATA_TEXT("layers", "Recurrent initializer")),
           initializerField("bias_initializer", "\"zeros\"",
                            STRATA_TEXT("layers", "Bias initializer")),
           regularizerField("kernel_regularizer", STRATA_TEXT("layers", "Kernel regularizer")),
           regularizerField("recurrent_regularizer",
                            STRATA_TEXT("layers", "Recurrent regularizer")),
           regularizerField("bias_regularizer", STRATA_TEXT("layers", "Bias regularizer")),
           seedField()})
    fields.push_back(std::move(field));
  return fields;
}

/// Returns [N,T] with 1 from the first unmasked step on, in the order of processing.
static ValueId stepsBegun(Graph& g, ValueId mask, bool isBackwards) {
  const int64_t steps = g.shape(mask)[1];
  // Indexed by [from][to]: 1 if step `to` is processed at or after step `from`
  Tensor before(DType::F32, {steps, steps});
  for (int64_t from = 0; from < steps; ++from)
    for (int64_t to = 0; to < steps; ++to)
      before.as<float>()[static_cast<size_t>(from * steps + to)] =
          (isBackwards ? from >= to : from <= to) ? 1.0f : 0.0f;
  return minimum(g, matmul(g, mask, g.addConstant(std::move(before))),
                 constantScalar(g, DType::F32, 1));
}

ValueId lowerRecurrentLayer(LayerContext& context, const CellParts& parts) {
  Graph& g = context.graph;
  context.requireRank(3);
  const Shape in = context.inputShape();
  const int64_t samples = in[0], steps = in[1], features = in[2], units = context.integer("units"),
                width = parts.gates * units;
  if (steps < 1)
    context.fail(
        "shape_mismatch", "inputs",
        STRATA_TEXT(
            "problem",
            "the input has the shape %1 (expected at least one step). Choose another input."),
        {shapeWithoutBatch(in).toString()});
  RecurrentOptions options;
  options.cell = parts.cell;
  const NamedActivation act = cellActivation(context, "activation");
  options.activation = act.kind;
  options.alpha = act.alpha;
  if (context.fields.contains("recurrent_activation")) {
    const NamedActivation gate = cellActivation(context, "recurrent_activation");
    options.recurrentActivation = gate.kind;
    options.recurrentAlpha = gate.alpha;
  }
  options.isBackwards = context.boolean("go_backwards");
  const int states = parts.cell == "lstm" ? 2 : 1,
            given = static_cast<int>(context.inputs.size()) - 1;
  if (given != 0 && given != states)
    context.fail("missing_input", "inputs",
                 STRATA_TEXT("problem",
                             "it has %1 inputs (expected the sequence, or the sequence and the "
                             "initial %2). Correct its inputs."),
                 {std::to_string(given + 1), states == 2 ? "state and cell state" : "state"});
  for (int i = 1; i <= given; ++i)
    if (const Shape& state = context.inputShape(i); state != Shape{samples, units})
      context.fail("shape_mismatch", "inputs",
                   STRATA_TEXT("problem",
                               "the state %1 has the shape %2 (expected [%3], the value of units). "
                               "Change units, or choose another input."),
                   {context.inputNames[static_cast<size_t>(i)], shapeWithoutBatch(state).toString(),
                    std::to_string(units)});
  const bool isCarried = given == 0 && context.isCarrying();
  if (isCarried) {
    options.state = context.carriedState("rnn_state", {samples, units});
    if (states == 2) options.cellState = context.carriedState("rnn_state_1", {samples, units});
  }
  if (given > 0) options.state = context.floatInput(1);
  if (given > 1) options.cellState = context.floatInput(2);

  if (const ValueId mask = context.mask();
      mask.isValid() && g.shape(mask) == Shape{samples, steps}) {
    options.mask = mask;
    if (context.boolean("return_sequences")) context.outputMask = mask;
  }

  const auto path = [&](const char* name) {
    return parts.path + "/" + name;
  };
  const ValueId kernel = context.variable(path("kernel"), {features, width}, "kernel_initializer",
                                          true, 0, 0, "kernel_regularizer");
  const ValueId recurrentKernel =
      context.variable(path("recurrent_kernel"), {units, width}, "recurrent_initializer", true, 0,
                       0, "recurrent_regularizer");
  ValueId bias;
  if (context.boolean("use_bias")) {
    const Shape shape = parts.biasRows == 2 ? Shape{2, width} : Shape{width};
    bias =
        context.variable(path("bias"), shape, "bias_initializer", true, 0, 0, "bias_regularizer");
    context.variables.back().initializer.onesFrom = parts.onesFrom;
    context.variables.back().initializer.onesTo = parts.onesTo;
    if (parts.biasRows == 2) {
      options.bias = reshape(g, slice(g, bias, {1, 0}, {1, width}), {width});
      bias = reshape(g, slice(g, bias, {0, 0}, {1, width}), {width});
    }
  }
  ValueId x = context.floatInput();
  if (const ValueId kept = keptAtAllSteps(context, "dropout", Shape{samples, features});
      kept.isValid())
    x = multiply(g, x, reshape(g, kept, {samples, 1, features}));
  options.factors = keptAtAllSteps(context, "recurrent_dropout", Shape{samples, units});
  context.requireSize({samples, steps, width});
  ValueId projection = matmul(g, reshape(g, x, {samples * steps, features}), kernel);
  if (bias.isValid()) projection = add(g, projection, bias);
  RecurrentResult result =
      recurrent(g, reshape(g, projection, {samples, steps, width}), recurrentKernel, options);
  if (isCarried) {
    context.carryOn("rnn_state", result.last);
    if (states == 2) context.carryOn("rnn_state_1", result.lastCell);
  }
  if (context.boolean("return_state")) {
    context.moreOutputs = {result.last};
    if (states == 2) context.moreOutputs.push_back(result.lastCell);
  }
  if (isCarried && options.mask.isValid()) {
    // As in Keras, the output is 0 before the first unmasked step. The state keeps its initial
    // value.
    const ValueId begun = stepsBegun(g, options.mask, options.isBackwards);
    const int64_t end = options.isBackwards ? 0 : steps - 1;
    result.last = multiply(g, result.last, slice(g, begun, {0, end}, {samples, 1}));
    result.sequence = multiply(g, result.sequence, reshape(g, begun, {samples, steps, 1}));
  }
  if (!context.boolean("return_sequences")) return result.last;
  return options.isBackwards && !context.keepsOrder ? reversedSteps(g, result.sequence)
                                                    : result.sequence;
}

ValueId reversedSteps(Graph& g, ValueId x) {
  const Shape shape = g.shape(x);
  const int64_t samples = shape[0], steps = shape[1],
                size = shape.numElements() / std::max<int64_t>(1, samples * steps);
  Tensor places(DType::I32, {samples * steps});
  const auto to = places.as<int32_t>();
  for (int64_t n = 0; n < samples; ++n)
    for (int64_t t = 0; t < steps; ++t)
      to[static_cast<size_t>(n * steps + t)] = static_cast<int32_t>(n * steps + steps - 1 - t);
  return reshape(
      g, gather(g, reshape(g, x, {samples * steps, size}), g.addConstant(std::move(places))),
      shape);
}

std::string snakeCaseOf(const std::string& type) {
  const auto isUpper = [&](size_t i) {
    return i < type.size() && type[i] >= 'A' && type[i] <= 'Z';
  };
  const auto isLower = [&](size_t i) {
    return i < type.size() && type[i] >= 'a' && type[i] <= 'z';
  };
  std::string result;
  for (size_t i = 0; i < type.size(); ++i) {
    if (i > 0 && isUpper(i) && (isLower(i + 1) || isLower(i - 1))) result += '_';
    result += isUpper(i) ? static_cast<char>(type[i] - 'A' + 'a') : type[i];
  }
  return result;
}

std::string nameOfWrapped(const Json& inner) {
  const auto name = inner.find("name");
  return name != inner.end() && name->is_string() && !name->get_ref<const std::string&>().empty()
             ? name->get<std::string>()
             : snakeCaseOf(inner.at("type").get<std::string>());
}

WrappedResult lowerWrapped(LayerContext& outer, WrappedCall wrapped) {
  const LayerDef& definition = *findLayer(wrapped.inner.at("type").get<std::string>());
  Json fields = wrapped.inner;
  fields["trainable"] = fields.at("trainable").get<bool>() && outer.boolean("trainable");
  fields["learning_rate_factor"] =
      fields.at("learning_rate_factor").get<double>() * outer.number("learning_rate_factor");
  std::vector<std::string> names = outer.inputNames;
  names.resize(wrapped.inputs.size());
  LayerCall call{definition,       outer.name + "/" + wrapped.name,
                 fields,           std::move(wrapped.inputs),
                 std::move(names), outer.mode,
                 wrapped.batchSize};
  call.keepsOrder = wrapped.keepsOrder;
  call.timeSteps = outer.timeSteps * wrapped.timeSteps;
  call.stateRows = outer.stateRows * (wrapped.batchSize / std::max<int64_t>(1, outer.batchSize));
  call.replicas = outer.replicas;
  call.masks = std::move(wrapped.masks);
  call.replaceVariable = std::move(wrapped.replaceVariable);
  try {
    LoweredLayer lowered = lowerLayer(outer.graph, std::move(call));
    for (auto& variable : lowered.variables)
      outer.variables.push_back(std::move(variable));
    for (auto& next : lowered.nextValues)
      outer.nextValues.push_back(std::move(next));
    for (const ValueId penalty : lowered.penalties)
      outer.penalties.push_back(penalty);
    return {lowered.value, lowered.mask, std::move(lowered.moreOutputs)};
  }
  catch (const LayerProblem& problem) {
    Diagnostic diagnostic = problem.diagnostic();
    diagnostic.layer = outer.name;
    // The fixes are removed, because they edit fields of the inner layer, but completeFixes() would
    // add the pointer of the wrapper.
    diagnostic.fixes.clear();
    throw LayerProblem(std::move(diagnostic));
  }
}

}  // namespace strata
