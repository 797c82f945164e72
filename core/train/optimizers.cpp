// SPDX-License-Identifier: Apache-2.0
#include "core/train/optimizers.h"

#include <map>

#include <nlohmann/json.hpp>

#include "core/train/catalogue.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

FieldSchema number(const char* name, const char* value, std::optional<double> minimum, std::optional<double> maximum, Text title,
                   Text help) {
  return {
      .name = name, .type = FieldType::Number, .defaultJson = value, .minimum = minimum, .maximum = maximum, .help = help, .title = title};
}

FieldSchema positive(const char* name, const char* value, Text title, Text help) {
  FieldSchema field = number(name, value, 0.0, {}, title, help);
  field.isMinimumExclusive = true;
  field.isNullable = std::string_view(value) == "null";
  return field;
}

FieldSchema share(const char* name, const char* value, Text title, Text help) {
  FieldSchema field = number(name, value, 0.0, 1.0, title, help);
  field.isMaximumExclusive = true;
  return field;
}

FieldSchema flag(const char* name, Text title, Text help) {
  return {.name = name, .type = FieldType::Boolean, .defaultJson = "false", .help = help, .title = title};
}

FieldSchema epsilonField() {
  return positive("epsilon", "1e-7", STRATA_TEXT("training", "Epsilon"), STRATA_TEXT("training", "Added to what is divided by"));
}

/// Keras's order: learning_rate first, then the optimizer's own, then what all have.
Schema schema(const char* type, Text help, const char* formula, const char* source, const char* rate, const char* decay,
              std::vector<FieldSchema> own) {
  Schema result{.type = type, .group = "Optimizer", .help = help, .formula = formula, .source = source};
  result.fields.push_back(
      number("learning_rate", rate, 0.0, {}, STRATA_TEXT("training", "Learning rate"), STRATA_TEXT("training", "Size of each step")));
  for (auto& field : own) result.fields.push_back(std::move(field));
  FieldSchema weightDecay = number("weight_decay", decay, 0.0, {}, STRATA_TEXT("training", "Weight decay"),
                                   STRATA_TEXT("training", "Each step takes this share, times the learning rate, off every weight"));
  weightDecay.isNullable = true;
  result.fields.push_back(std::move(weightDecay));
  result.fields.push_back(positive("clipnorm", "null", STRATA_TEXT("training", "Clip norm"),
                                   STRATA_TEXT("training", "Largest length of each variable's gradient")));
  result.fields.push_back(positive("clipvalue", "null", STRATA_TEXT("training", "Clip value"),
                                   STRATA_TEXT("training", "Largest size of each number of a gradient")));
  result.fields.push_back(positive("global_clipnorm", "null", STRATA_TEXT("training", "Global clip norm"),
                                   STRATA_TEXT("training", "Largest length of all gradients together")));
  return result;
}

double decayOf(const Json& fields) { return fields.at("weight_decay").is_null() ? 0.0 : fields.at("weight_decay").get<double>(); }
double get(const Json& fields, const char* name) { return fields.at(name).get<double>(); }

// --- SGD

std::vector<OptimizerState> sgdState(const Json& fields) {
  if (get(fields, "momentum") == 0) return {};
  return {{"velocity", 0}};
}
std::vector<ValueId> sgdOperands(const std::vector<ValueId>& state, ValueId rate, ValueId (*)(Graph&), Graph&) {
  std::vector<ValueId> result{rate};
  result.insert(result.end(), state.begin(), state.end());
  return result;
}
Attributes sgdAttributes(const Json& fields) {
  return {{"momentum", get(fields, "momentum")}, {"nesterov", fields.at("nesterov").get<bool>()}, {"weight_decay", decayOf(fields)}};
}

// --- Adam, AdamW

std::vector<OptimizerState> adamState(const Json& fields) {
  std::vector<OptimizerState> state{{"m", 0}, {"v", 0}};
  if (fields.at("amsgrad").get<bool>()) state.push_back({"v_max", 0});
  return state;
}
std::vector<ValueId> adamOperands(const std::vector<ValueId>& state, ValueId rate, ValueId (*step)(Graph&), Graph& graph) {
  std::vector<ValueId> result{state[0], state[1], rate, step(graph)};
  if (state.size() > 2) result.push_back(state[2]);
  return result;
}
Attributes adamAttributes(const Json& fields) {
  return {{"beta_1", get(fields, "beta_1")},
          {"beta_2", get(fields, "beta_2")},
          {"epsilon", get(fields, "epsilon")},
          {"weight_decay", decayOf(fields)},
          {"amsgrad", fields.at("amsgrad").get<bool>()}};
}
std::vector<FieldSchema> adamFields() {
  return {share("beta_1", "0.9", STRATA_TEXT("training", "Beta 1"), STRATA_TEXT("training", "How slowly the mean gradient follows")),
          share("beta_2", "0.999", STRATA_TEXT("training", "Beta 2"), STRATA_TEXT("training", "How slowly the mean square follows")),
          epsilonField(),
          flag("amsgrad", STRATA_TEXT("training", "AMSGrad"),
               STRATA_TEXT("training", "Keeps the largest mean square, so that steps never grow again"))};
}

// --- RMSprop

std::vector<OptimizerState> rmspropState(const Json& fields) {
  std::vector<OptimizerState> state{{"v", 0}};
  if (get(fields, "momentum") != 0) state.push_back({"momentum", 0});
  if (fields.at("centered").get<bool>()) state.push_back({"average", 0});
  return state;
}
std::vector<ValueId> rmspropOperands(const std::vector<ValueId>& state, ValueId rate, ValueId (*)(Graph&), Graph&) {
  std::vector<ValueId> result{state[0], rate};
  result.insert(result.end(), state.begin() + 1, state.end());
  return result;
}
Attributes rmspropAttributes(const Json& fields) {
  return {{"rho", get(fields, "rho")},
          {"epsilon", get(fields, "epsilon")},
          {"momentum", get(fields, "momentum")},
          {"centered", fields.at("centered").get<bool>()},
          {"weight_decay", decayOf(fields)}};
}

// --- Adagrad

std::vector<OptimizerState> adagradState(const Json& fields) { return {{"accumulator", get(fields, "initial_accumulator_value")}}; }
std::vector<ValueId> adagradOperands(const std::vector<ValueId>& state, ValueId rate, ValueId (*)(Graph&), Graph&) {
  return {state[0], rate};
}
Attributes adagradAttributes(const Json& fields) { return {{"epsilon", get(fields, "epsilon")}, {"weight_decay", decayOf(fields)}}; }

FieldSchema momentumField() {
  return share("momentum", "0.0", STRATA_TEXT("training", "Momentum"), STRATA_TEXT("training", "Share of the last step that goes on"));
}

ValueId stepInput(Graph& graph) {
  const ValueId present = graph.findInput("step");
  if (present.isValid()) return present;
  const Scope scope(graph, "", Phase::Update, Category::Input);  // all layers share it
  return graph.addInput("step", {DType::I64, {}});
}

double numberOrZero(const Json& fields, const char* name) { return fields.at(name).is_null() ? 0.0 : fields.at(name).get<double>(); }

/// Keras: by value, by each variable's norm, or by the norm of all together.
std::vector<ValueId> clipped(Graph& g, const Json& fields, const std::vector<ParameterGradient>& parameters) {
  std::vector<ValueId> gradients;
  for (const auto& parameter : parameters) gradients.push_back(parameter.gradient);
  const double byNorm = numberOrZero(fields, "clipnorm"), byValue = numberOrZero(fields, "clipvalue"),
               byGlobalNorm = numberOrZero(fields, "global_clipnorm");
  ValueId globalScale;
  if (byGlobalNorm > 0 && byNorm == 0 && !gradients.empty()) {
    ValueId sum;
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Scope scope(g, parameters[i].layer, Phase::Update, Category::Temporary);
      const ValueId part = sumAll(g, square(g, gradients[i]));
      sum = i == 0 ? part : add(g, sum, part);
    }
    const Scope scope(g, "", Phase::Update, Category::Temporary);
    const ValueId limit = constantScalar(g, DType::F32, byGlobalNorm);
    globalScale = divide(g, limit, maximum(g, sqrt(g, sum), limit));
  }
  for (size_t i = 0; i < gradients.size(); ++i) {
    const Scope scope(g, parameters[i].layer, Phase::Update, Category::Gradient);
    ValueId& gradient = gradients[i];
    if (byNorm > 0) {
      const ValueId limit = constantScalar(g, DType::F32, byNorm);
      gradient = multiply(g, gradient, divide(g, limit, maximum(g, sqrt(g, sumAll(g, square(g, gradient))), limit)));
    } else if (byGlobalNorm > 0) {
      gradient = multiply(g, gradient, globalScale);
    } else if (byValue > 0) {
      gradient = maximum(g, minimum(g, gradient, constantScalar(g, DType::F32, byValue)), constantScalar(g, DType::F32, -byValue));
    }
  }
  return gradients;
}

}  // namespace

std::span<const OptimizerDef* const> allOptimizers() {
  static const std::vector<OptimizerDef> optimizers = {
      {schema("sgd", STRATA_TEXT("training", "Steps against the gradient, with momentum if wanted"), "v = momentum v - rate g; w += v",
              "Keras 3, keras.optimizers.SGD", "0.01", "null",
              {momentumField(), flag("nesterov", STRATA_TEXT("training", "Nesterov"), STRATA_TEXT("training", "Looks one step ahead"))}),
       "sgd_update", sgdState, sgdOperands, sgdAttributes},
      {schema("adam", STRATA_TEXT("training", "Steps of similar size for every weight: a good first choice"),
              "w -= rate m' / (sqrt(v') + epsilon)", "Kingma and Ba, 2014; Keras 3, keras.optimizers.Adam", "0.001", "null", adamFields()),
       "adam_update", adamState, adamOperands, adamAttributes},
      {schema("adamw", STRATA_TEXT("training", "Adam with weight decay"), "w -= rate weight_decay w + rate m' / (sqrt(v') + epsilon)",
              "Loshchilov and Hutter, 2017; Keras 3, keras.optimizers.AdamW", "0.001", "0.004", adamFields()),
       "adam_update", adamState, adamOperands, adamAttributes},
      {schema("rmsprop", STRATA_TEXT("training", "Divides by the recent size of the gradient"),
              "v = rho v + (1 - rho) g^2; w -= rate g / sqrt(v + epsilon)", "Hinton, 2012; Keras 3, keras.optimizers.RMSprop", "0.001",
              "null",
              {share("rho", "0.9", STRATA_TEXT("training", "Rho"), STRATA_TEXT("training", "How slowly the mean square follows")),
               momentumField(), epsilonField(),
               flag("centered", STRATA_TEXT("training", "Centered"),
                    STRATA_TEXT("training", "Divides by the variance in place of the mean square"))}),
       "rmsprop_update", rmspropState, rmspropOperands, rmspropAttributes},
      {schema("adagrad", STRATA_TEXT("training", "Steps shrink for weights that moved much"), "a += g^2; w -= rate g / sqrt(a + epsilon)",
              "Duchi et al., 2011; Keras 3, keras.optimizers.Adagrad", "0.001", "null",
              {number("initial_accumulator_value", "0.1", 0.0, {}, STRATA_TEXT("training", "Initial accumulator"),
                      STRATA_TEXT("training", "Where the sum of squares starts")),
               epsilonField()}),
       "adagrad_update", adagradState, adagradOperands, adagradAttributes},
  };
  static const std::vector<const OptimizerDef*> pointers = [] {
    std::vector<const OptimizerDef*> result;
    for (const auto& each : optimizers) result.push_back(&each);
    return result;
  }();
  return pointers;
}

const OptimizerDef* findOptimizer(std::string_view type) {
  for (const OptimizerDef* each : allOptimizers())
    if (each->schema.type == type) return each;
  return nullptr;
}

std::vector<Schema> optimizerSchemas() {
  std::vector<Schema> result;
  for (const OptimizerDef* each : allOptimizers()) result.push_back(each->schema);
  return result;
}

std::vector<Schema> scheduleSchemas() { return {}; }

void appendUpdates(Graph& graph, const TypedFields& optimizer, const std::vector<ParameterGradient>& parameters,
                   std::vector<VariableRequest>& state) {
  const OptimizerDef* definition = findOptimizer(optimizer.type);
  if (!definition)
    throw Error(ErrorCode::InvalidProject, "optimizer", "there is no optimizer \"" + optimizer.type + "\". Choose one of `strata layers`.");
  if (parameters.empty()) return;
  const Json& fields = *optimizer.fields;
  const std::vector<ValueId> gradients = clipped(graph, fields, parameters);
  const Scope outer(graph, "", Phase::Update, Category::Temporary);
  ValueId rate = graph.findInput("learning_rate");
  if (!rate.isValid()) rate = graph.addInput("learning_rate", {DType::F32, {}});
  std::map<double, ValueId> rates{{1.0, rate}};
  const Attributes attributes = definition->attributes(fields);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterGradient& parameter = parameters[i];
    const Scope scope(graph, parameter.layer, Phase::Update, Category::Optimizer);
    const TensorType type = graph.type(parameter.variable);
    std::vector<std::string> names{parameter.name};
    std::vector<ValueId> stateValues;
    for (const auto& part : definition->state(fields)) {
      VariableRequest request;
      request.name = parameter.name + ":" + part.suffix;
      request.layer = parameter.layer;
      request.shape = type.shape;
      request.isTrainable = false;
      request.initializer = {"constant", {{"value", part.initialValue}}, {}};
      names.push_back(request.name);
      stateValues.push_back(graph.addVariable(request.name, type, Category::Optimizer, false));
      state.push_back(std::move(request));
    }
    ValueId& ownRate = rates[parameter.learningRateFactor];
    if (!ownRate.isValid()) ownRate = multiplyScalar(graph, rate, parameter.learningRateFactor);
    std::vector<ValueId> operands{parameter.variable, gradients[i]};
    for (const ValueId operand : definition->operands(stateValues, ownRate, stepInput, graph)) operands.push_back(operand);
    const std::vector<ValueId> next = update(graph, definition->op, std::move(operands), attributes);
    graph.setCategory(next[0], Category::Parameter);
    for (size_t k = 0; k < next.size(); ++k) graph.setNext(names[k], next[k]);
  }
}

}  // namespace strata
