// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/optimizers.h"

#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/optimizer_parts.h"
#include "core/recipe/schedules.h"
#include "gpu/graph/op.h"
#include "gpu/ops/build.h"

namespace strata {

Schema optimizerSchema(const char* type, Text help, const char* formula, const char* source,
                       const char* rate, const char* decay, std::vector<FieldSchema> own) {
  Schema result{
      .type = type, .group = "Optimizer", .help = help, .formula = formula, .source = source};
  FieldSchema learningRate =
      numberField("learning_rate", rate, 0.0, {}, STRATA_TEXT("training", "Learning rate"),
                  STRATA_TEXT("training", "Step size of each weight update"));
  learningRate.registry = "schedule";
  learningRate.objects = scheduleSchemas;
  learningRate.isLive = true;
  result.fields.push_back(std::move(learningRate));
  for (auto& field : own)
    result.fields.push_back(std::move(field));
  FieldSchema weightDecay = numberField(
      "weight_decay", decay, 0.0, {}, STRATA_TEXT("training", "Weight decay"),
      STRATA_TEXT("training",
                  "Each step reduces every weight by this fraction times the learning rate"));
  weightDecay.isNullable = weightDecay.isLive = true;
  result.fields.push_back(std::move(weightDecay));
  FieldSchema excluded{
      .name = "exclude_from_weight_decay", .type = FieldType::StringList, .defaultJson = "[]"};
  excluded.help = STRATA_TEXT(
      "training",
      "Variables whose names contain one of these words are not decayed, for example bias");
  excluded.title = STRATA_TEXT("training", "Exclude from decay");
  result.fields.push_back(std::move(excluded));
  for (FieldSchema clip :
       {positiveField("clipnorm", "null", STRATA_TEXT("training", "Clip norm"),
                      STRATA_TEXT("training", "Maximum norm of the gradient of each variable")),
        positiveField("clipvalue", "null", STRATA_TEXT("training", "Clip value"),
                      STRATA_TEXT("training", "Maximum absolute value of each gradient element")),
        positiveField("global_clipnorm", "null", STRATA_TEXT("training", "Global clip norm"),
                      STRATA_TEXT("training", "Maximum norm of all gradients together"))}) {
    clip.isLive = true;
    result.fields.push_back(std::move(clip));
  }
  result.fields.push_back(flagField(
      "use_ema", "false", STRATA_TEXT("training", "Moving average"),
      STRATA_TEXT(
          "training",
          "Keeps a moving average of the weights, which a finished run saves as its weights")));
  result.fields.push_back(numberField(
      "ema_momentum", "0.99", 0.0, 1.0, STRATA_TEXT("training", "Moving average decay"),
      STRATA_TEXT(
          "training",
          "Decay rate of the moving average; values closer to 1 make it change more slowly")));
  result.fields.push_back(integerField(
      "ema_overwrite_frequency", "null", 1, 1e15,
      STRATA_TEXT("training", "Overwrite weights every (steps)"),
      STRATA_TEXT(
          "training",
          "Number of steps after which the average replaces the weights; none: only at the end")));
  return result;
}

FieldSchema epsilonField() {
  return positiveField(
      "epsilon", "1e-7", STRATA_TEXT("training", "Epsilon"),
      STRATA_TEXT("training", "Small constant added to the denominator for numerical stability"));
}
FieldSchema momentumField(const char* value) {
  return shareField(
      "momentum", value, STRATA_TEXT("training", "Momentum"),
      STRATA_TEXT("training", "Fraction of the previous update that is added to the next one"));
}
FieldSchema nesterovField(const char* value) {
  return flagField("nesterov", value, STRATA_TEXT("training", "Nesterov"),
                   STRATA_TEXT("training", "Uses Nesterov momentum"));
}
FieldSchema betaField(const char* name, const char* value, bool isSquare) {
  return isSquare
             ? shareField(
                   name, value, STRATA_TEXT("training", "Beta 2"),
                   STRATA_TEXT("training", "Decay rate of the running mean of squared gradients"))
             : shareField(name, value, STRATA_TEXT("training", "Beta 1"),
                          STRATA_TEXT("training", "Decay rate of the running mean of gradients"));
}

namespace {

double numberOrZero(const Json& fields, const char* name) {
  return fields.at(name).is_null() ? 0.0 : fields.at(name).get<double>();
}

/// Returns whether a gradient is a sum of parts, one for each lookup of a row in a table. All other
/// gradients, and sums of several gradients, have no parts.
bool hasParts(const Graph& g, ValueId gradient) {
  return g.node(g.value(gradient).producer).op->sumsLookups;
}

/// Applies `change` to each part of a gradient, or to the gradient if it has no parts.
template <class Change>
ValueId ofParts(Graph& g, ValueId gradient, Change&& change) {
  if (!hasParts(g, gradient)) return change(g, gradient);
  const Node node = g.node(g.value(gradient).producer);
  return g.add(*node.op, {change(g, node.inputs[0]), node.inputs[1]}, node.attributes);
}

/// Returns the sum of squares over all elements of a gradient, or over all its parts.
ValueId sumOfSquares(Graph& g, ValueId gradient) {
  return sumAll(g, square(g, hasParts(g, gradient) ? g.node(g.value(gradient).producer).inputs[0]
                                                   : gradient));
}

/// Clips the gradients like Keras: by value, by the norm of each variable, or by the global norm.
std::vector<ValueId> clipped(Graph& g, const Json& fields,
                             const std::vector<ParameterGradient>& parameters) {
  std::vector<ValueId> gradients;
  for (const auto& parameter : parameters)
    gradients.push_back(parameter.gradient);
  const double byNorm = numberOrZero(fields, "clipnorm"),
               byValue = numberOrZero(fields, "clipvalue"),
               byGlobalNorm = numberOrZero(fields, "global_clipnorm");
  ValueId globalScale;
  if (byGlobalNorm > 0 && byNorm == 0 && !gradients.empty()) {
    ValueId sum;
    for (size_t i = 0; i < gradients.size(); ++i) {
      const Scope scope(g, parameters[i].layer, Phase::Update, Category::Temporary);
      const ValueId part = sumOfSquares(g, gradients[i]);
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
      const ValueId scale = divide(g, limit, maximum(g, sqrt(g, sumOfSquares(g, gradient)), limit));
      gradient =
          ofParts(g, gradient, [&](Graph& graph, ValueId x) { return multiply(graph, x, scale); });
    }
    else if (byGlobalNorm > 0) {
      // Like Keras, scales the total gradient instead of its parts
      gradient = multiply(g, gradient, globalScale);
    }
    else if (byValue > 0) {
      gradient = ofParts(g, gradient, [&](Graph& graph, ValueId x) {
        return maximum(graph, minimum(graph, x, constantScalar(graph, DType::F32, byValue)),
                       constantScalar(graph, DType::F32, -byValue));
      });
    }
  }
  return gradients;
}

/// Returns the weight decay of a parameter, or 0 if its name contains an excluded text.
double decayOf(const Json& fields, const std::string& name) {
  for (const Json& part : fields.at("exclude_from_weight_decay"))
    if (name.find(part.get_ref<const std::string&>()) != std::string::npos) return 0;
  return numberOrZero(fields, "weight_decay");
}

/// Updates the moving average with the new weights. Replaces the weights by the average every
/// `ema_overwrite_frequency` steps. Returns the weights that the step assigns.
ValueId averaged(const UpdateContext& c, const ParameterGradient& parameter, ValueId weights,
                 std::vector<VariableRequest>& state) {
  Graph& g = c.graph;
  VariableRequest request;
  request.name = averageName(parameter.name);
  request.layer = parameter.layer;
  request.shape = c.shape();
  request.isTrainable = false;
  const ValueId average = g.addVariable(request.name, g.type(weights), Category::Optimizer, false);
  // Momentum 0 in the first update initializes the average with the weights
  const ValueId isLater = greater(g, c.floatStep(), constantScalar(g, DType::F32, 1));
  const ValueId keep = multiplyScalar(g, isLater, c.number("ema_momentum"));
  const ValueId next =
      add(g, multiply(g, average, keep), multiply(g, weights, affine(g, keep, -1, 1)));
  const ValueId assigned = assign(g, average, next);
  g.setNext(request.name, assigned);
  state.push_back(std::move(request));
  const Json& every = c.fields.at("ema_overwrite_frequency");
  if (every.is_null()) return weights;
  const ValueId period = constantScalar(g, DType::I64, static_cast<double>(every.get<int64_t>()));
  const ValueId rest = subtract(g, c.step(), multiply(g, divide(g, c.step(), period), period));
  const ValueId isDue = cast(g, equal(g, rest, constantScalar(g, DType::I64, 0)), DType::F32);
  return select(g, isDue, next, weights);
}

}  // namespace

bool UpdateContext::isOfParts() const { return hasParts(graph, gradient); }
ValueId UpdateContext::squares() const { return ofParts(graph, gradient, square); }
ValueId UpdateContext::magnitudes() const { return ofParts(graph, gradient, abs); }

double UpdateContext::number(const char* field) const { return fields.at(field).get<double>(); }

ValueId UpdateContext::step() const {
  ValueId number = findInput(graph, "step");
  // All layers share this input, so it belongs to no layer
  const Scope scope(graph, "", Phase::Update, Category::Input);
  if (!number.isValid()) number = graph.addInput("step", {DType::I64, {}});
  const Variable* const skipped = graph.findVariable(kSkippedSteps);
  if (!skipped) return number;
  graph.context.category = Category::Temporary;
  return maximum(graph, subtract(graph, number, cast(graph, skipped->value, DType::I64)),
                 constantScalar(graph, DType::I64, 1));
}

ValueId UpdateContext::floatStep() const { return cast(graph, step(), DType::F32); }

ValueId UpdateContext::oneMinusPower(double base) const {
  return negate(graph, expm1(graph, multiplyScalar(graph, floatStep(), std::log(base))));
}

std::string averageName(const std::string& variable) { return variable + ":average"; }

std::span<const OptimizerDef* const> allOptimizers() {
  static const std::vector<OptimizerDef> optimizers = [] {
    std::vector<OptimizerDef> result = fusedOptimizers();
    for (OptimizerDef& each : composedOptimizers())
      result.push_back(std::move(each));
    return result;
  }();
  static const std::vector<const OptimizerDef*> pointers = [] {
    std::vector<const OptimizerDef*> result;
    for (const auto& each : optimizers)
      result.push_back(&each);
    return result;
  }();
  return pointers;
}

const OptimizerDef* findOptimizer(std::string_view type) {
  for (const OptimizerDef* each : allOptimizers())
    if (each->schema.type == type) return each;
  return nullptr;
}

void appendUpdates(Graph& graph, const TypedFields& optimizer,
                   const std::vector<ParameterGradient>& parameters,
                   std::vector<VariableRequest>& state) {
  const OptimizerDef* definition = findOptimizer(optimizer.type);
  if (!definition)
    throw Error(
        ErrorCode::InvalidProject, "optimizer",
        "there is no optimizer \"" + optimizer.type + "\". Choose one listed by `strata layers`.");
  if (parameters.empty()) return;
  const Json& fields = *optimizer.fields;
  const std::vector<ValueId> gradients = clipped(graph, fields, parameters);
  const Scope outer(graph, "", Phase::Update, Category::Temporary);
  ValueId rate = findInput(graph, "learning_rate");
  if (!rate.isValid()) rate = graph.addInput("learning_rate", {DType::F32, {}});
  std::map<double, ValueId> rates{{1.0, rate}};
  const bool isAveraged = fields.at("use_ema").get<bool>();
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ParameterGradient& parameter = parameters[i];
    const Scope scope(graph, parameter.layer, Phase::Update,
                      definition->isInPlace ? Category::Optimizer : Category::Temporary);
    const TensorType type = graph.type(parameter.variable);
    UpdateContext context{graph, fields, parameter.name, parameter.variable, gradients[i]};
    context.decay = decayOf(fields, parameter.name);
    std::vector<std::string> names{parameter.name};
    for (const auto& part : definition->state(fields, parameter.name, type.shape)) {
      VariableRequest request;
      request.name = parameter.name + ":" + part.suffix;
      request.layer = parameter.layer;
      request.shape = part.shape;
      request.isTrainable = false;
      request.initializer = {"constant", {{"value", part.initialValue}}, {}};
      names.push_back(request.name);
      context.state.push_back(
          graph.addVariable(request.name, {type.dtype, part.shape}, Category::Optimizer, false));
      state.push_back(std::move(request));
    }
    ValueId& ownRate = rates[parameter.learningRateFactor];
    if (!ownRate.isValid()) ownRate = multiplyScalar(graph, rate, parameter.learningRateFactor);
    context.rate = ownRate;
    if (context.decay > 0 && !definition->isInPlace && !definition->decaysItself)
      context.weights =
          subtract(graph, context.weights,
                   multiply(graph, multiplyScalar(graph, context.weights, context.decay), ownRate));
    std::vector<ValueId> next = definition->update(context);
    ValueId weights = isAveraged ? averaged(context, parameter, next[0], state) : next[0];
    // The constraint is applied last, as in Keras
    weights = constrained(graph, weights, parameter.constraint);
    for (size_t k = 0; k < next.size(); ++k) {
      ValueId value = k == 0 ? weights : next[k];
      // An op that works in place has already written all values. Weights that averaged() or the
      // constraint changed must be assigned again.
      if (!definition->isInPlace)
        value = assign(graph, k == 0 ? parameter.variable : context.state[k - 1], value);
      else if (value != next[k])
        value = assign(graph, next[k], value);
      graph.edit().setCategory(value, k == 0 ? Category::Parameter : Category::Optimizer);
      graph.setNext(names[k], value);
    }
  }
}

std::span<const Schema* const> optimizerSchemas() {
  static const std::vector<const Schema*> schemas = schemasOf(allOptimizers());
  return schemas;
}

}  // namespace strata
