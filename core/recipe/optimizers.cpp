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
ValueId averaged(const UpdateContext& c, ValueId average, ValueId weights) {
  Graph& g = c.graph;
  // Momentum 0 in the first update initializes the average with the weights
  const ValueId isLater = greater(g, c.floatStep(), constantScalar(g, DType::F32, 1));
  const ValueId keep = multiplyScalar(g, isLater, c.number("ema_momentum"));
  const ValueId next =
      add(g, multiply(g, average, keep), multiply(g, weights, affine(g, keep, -1, 1)));
  g.setNext(averageName(c.name), assign(g, average, next));
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

namespace {

/// The part of a parameter that a replica updates.
struct OwnPart {
  // By replica; empty if each replica updates the whole parameter
  std::vector<ShardRange> ranges;
  ShardRange own;
  int64_t elements = 0;
  bool isWhole() const { return ranges.empty() || own.count == elements; }
};

/// Appends the updates of all parameters.
class Updater {
 public:
  Updater(Graph& graph, const TypedFields& optimizer, const OptimizerDef& definition,
          std::vector<VariableRequest>& state, const ShardedUpdate* sharded)
      : m_graph(graph),
        m_fields(*optimizer.fields),
        m_definition(definition),
        m_state(state),
        m_sharded(sharded),
        m_shards(sharded ? sharded->replicas : 1) {
    m_rate = findInput(graph, "learning_rate");
    if (!m_rate.isValid()) m_rate = graph.addInput("learning_rate", {DType::F32, {}});
    m_rates[1.0] = m_rate;
  }

  void update(const ParameterGradient& parameter, ValueId gradient) {
    const Scope scope(m_graph, parameter.layer, Phase::Update,
                      m_definition.isInPlace ? Category::Optimizer : Category::Temporary);
    const OwnPart part = partOf(parameter);
    UpdateContext context{m_graph, m_fields, parameter.name, parameter.variable, gradient};
    context.decay = decayOf(m_fields, parameter.name);
    const size_t firstState = m_state.size();
    addStates(parameter, part, context.state);
    const bool isAveraged = m_fields.at("use_ema").get<bool>();
    if (part.own.count == 0) {
      if (isAveraged) requestAverage(parameter, part);
      return gather(parameter, part, parameter.variable, {});
    }
    if (!part.isWhole()) {
      context.weights = elementsOf(context.weights, part.own);
      context.gradient = elementsOf(context.gradient, part.own);
    }
    ValueId& rate = m_rates[parameter.learningRateFactor];
    if (!rate.isValid()) rate = multiplyScalar(m_graph, m_rate, parameter.learningRateFactor);
    context.rate = rate;
    if (context.decay > 0 && !m_definition.isInPlace && !m_definition.decaysItself)
      context.weights = subtract(
          m_graph, context.weights,
          multiply(m_graph, multiplyScalar(m_graph, context.weights, context.decay), rate));
    const std::vector<ValueId> next = m_definition.update(context);
    ValueId weights = next[0];
    if (isAveraged) weights = averaged(context, requestAverage(parameter, part), weights);
    // The constraint is applied last, as in Keras
    weights = constrained(m_graph, weights, parameter.constraint);
    // An op that works in place has already written all values. Weights that averaged() or the
    // constraint changed must be assigned again.
    if (!part.ranges.empty()) {
      gather(parameter, part,
             m_definition.isInPlace && part.isWhole() ? next[0] : parameter.variable, weights);
    }
    else {
      if (!m_definition.isInPlace)
        weights = assign(m_graph, parameter.variable, weights);
      else if (weights != next[0])
        weights = assign(m_graph, next[0], weights);
      m_graph.edit().setCategory(weights, Category::Parameter);
      m_graph.setNext(parameter.name, weights);
    }
    for (size_t k = 1; k < next.size(); ++k) {
      const ValueId value =
          m_definition.isInPlace ? next[k] : assign(m_graph, context.state[k - 1], next[k]);
      m_graph.edit().setCategory(value, Category::Optimizer);
      m_graph.setNext(m_state[firstState + k - 1].name, value);
    }
  }

  /// Brings the parts of all replicas together.
  void finish() {
    if (m_gathered.empty()) return;
    const Scope scope(m_graph, "", Phase::Update, Category::Parameter);
    std::vector<ValueId> operands;
    for (const Gathered& each : m_gathered)
      operands.push_back(each.variable);
    for (const Gathered& each : m_gathered)
      if (each.own.isValid()) operands.push_back(each.own);
    std::vector<int64_t> begins, counts;
    for (size_t rank = 0; rank < static_cast<size_t>(m_sharded->replicas); ++rank)
      for (const Gathered& each : m_gathered) {
        begins.push_back(each.ranges[rank].begin);
        counts.push_back(each.ranges[rank].count);
      }
    const std::vector<ValueId> next =
        allGather(m_graph, std::move(operands), m_sharded->number, m_sharded->rank,
                  m_sharded->replicas, std::move(begins), std::move(counts));
    for (size_t i = 0; i < m_gathered.size(); ++i)
      m_graph.setNext(m_gathered[i].name, next[i]);
  }

 private:
  struct Gathered {
    std::string name;
    // The variable, and the elements that this replica has updated
    ValueId variable, own;
    std::vector<ShardRange> ranges;
  };

  OwnPart partOf(const ParameterGradient& parameter) {
    OwnPart part;
    part.elements = m_graph.shape(parameter.variable).numElements();
    part.own = {0, part.elements};
    if (!m_sharded) return part;
    part.ranges =
        m_shards.add(part.elements, m_definition.isElementwise &&
                                        parameter.constraint.kind == Constraint::Kind::None);
    part.own = part.ranges[static_cast<size_t>(m_sharded->rank)];
    return part;
  }

  ValueId elementsOf(ValueId value, const ShardRange& range) {
    const int64_t count = m_graph.shape(value).numElements();
    return slice(m_graph, reshape(m_graph, value, Shape{count}), {range.begin}, {range.count});
  }

  /// Requests the state of a parameter, and adds the part of this replica to the graph.
  void addStates(const ParameterGradient& parameter, const OwnPart& part,
                 std::vector<ValueId>& values) {
    const TensorType type = m_graph.type(parameter.variable);
    for (const auto& each : m_definition.state(m_fields, parameter.name, type.shape)) {
      VariableRequest request;
      request.name = parameter.name + ":" + each.suffix;
      request.layer = parameter.layer;
      request.shape = each.shape;
      request.isTrainable = false;
      request.initializer = {"constant", {{"value", each.initialValue}}, {}};
      addState(std::move(request), part, type, values);
    }
  }

  void addState(VariableRequest request, const OwnPart& part, const TensorType& type,
                std::vector<ValueId>& values) {
    request.shards = rangesOf(request, part, type.shape);
    Shape shape = request.shape;
    if (!request.shards.empty() && !part.isWhole()) shape = Shape{part.own.count};
    if (part.own.count > 0)
      values.push_back(
          m_graph.addVariable(request.name, {type.dtype, shape}, Category::Optimizer, false));
    m_state.push_back(std::move(request));
  }

  /// Returns the part of a state that each replica has; nothing if each has all of it.
  static std::vector<ShardRange> rangesOf(const VariableRequest& request, const OwnPart& part,
                                          const Shape& shape) {
    if (part.ranges.empty() || request.shape == shape) return part.ranges;
    // A number of a whole parameter
    const bool isOwned = std::ranges::any_of(
        part.ranges, [&](const ShardRange& range) { return range.count == part.elements; });
    if (!isOwned) return {};
    std::vector<ShardRange> ranges = part.ranges;
    for (ShardRange& range : ranges)
      range.count = range.count > 0 ? request.shape.numElements() : 0;
    return ranges;
  }

  /// Requests the moving average of a parameter, and returns its value in this replica.
  ValueId requestAverage(const ParameterGradient& parameter, const OwnPart& part) {
    VariableRequest request;
    request.name = averageName(parameter.name);
    request.layer = parameter.layer;
    const TensorType type = m_graph.type(parameter.variable);
    request.shape = type.shape;
    request.isTrainable = false;
    std::vector<ValueId> values;
    addState(std::move(request), part, type, values);
    return values.empty() ? ValueId{} : values.front();
  }

  void gather(const ParameterGradient& parameter, const OwnPart& part, ValueId variable,
              ValueId own) {
    m_gathered.push_back({parameter.name, variable, own, part.ranges});
  }

  Graph& m_graph;
  const Json& m_fields;
  const OptimizerDef& m_definition;
  std::vector<VariableRequest>& m_state;
  const ShardedUpdate* m_sharded;
  Shards m_shards;
  ValueId m_rate;
  std::map<double, ValueId> m_rates;
  std::vector<Gathered> m_gathered;
};

}  // namespace

void appendUpdates(Graph& graph, const TypedFields& optimizer,
                   const std::vector<ParameterGradient>& parameters,
                   std::vector<VariableRequest>& state, const ShardedUpdate* sharded) {
  const OptimizerDef* definition = findOptimizer(optimizer.type);
  if (!definition)
    throw Error(
        ErrorCode::InvalidProject, "optimizer",
        "there is no optimizer \"" + optimizer.type + "\". Choose one listed by `strata layers`.");
  if (parameters.empty()) return;
  const std::vector<ValueId> gradients = clipped(graph, *optimizer.fields, parameters);
  const Scope outer(graph, "", Phase::Update, Category::Temporary);
  Updater updater(graph, optimizer, *definition, state, sharded);
  for (size_t i = 0; i < parameters.size(); ++i)
    updater.update(parameters[i], gradients[i]);
  updater.finish();
}

std::span<const Schema* const> optimizerSchemas() {
  static const std::vector<const Schema*> schemas = schemasOf(allOptimizers());
  return schemas;
}

}  // namespace strata
