// SPDX-License-Identifier: Apache-2.0
// Defines the activations, with the names and defaults of Keras. An activation with a parameter is
// written as an object: {"type": "leaky_relu", "negative_slope": 0.1}.
#include "core/layers/objects.h"

#include <algorithm>
#include <map>

#include <nlohmann/json.hpp>

#include "core/layers/activation_range.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

struct ActivationDef {
  Schema schema;
  // Attribute `kind` of the op "activation"
  std::string kind;
  // Name of the field that sets the attribute `alpha`
  std::string number;
  ValueRange range = {};
};

ActivationDef plain(const char* type, Text help, const char* formula, const char* kind = "") {
  return {{.type = type,
           .group = "Activation",
           .help = help,
           .formula = formula,
           .source = "Keras 3, keras.activations"},
          *kind ? kind : type,
          {},
          {}};
}

ActivationDef withNumber(const char* type, Text help, const char* formula, const char* field,
                         const char* value, Text fieldHelp) {
  ActivationDef result = plain(type, help, formula);
  result.number = field;
  result.schema.fields = {{.name = field,
                           .type = FieldType::Number,
                           .defaultJson = value,
                           .minimum = 0.0,
                           .isMinimumExclusive = true,
                           .help = fieldHelp}};
  return result;
}

ActivationDef alongAxis(const char* type, Text help, const char* formula, Text axisHelp) {
  ActivationDef result = plain(type, help, formula);
  result.schema.fields = {{.name = "axis",
                           .type = FieldType::Integer,
                           .defaultJson = "-1",
                           .minimum = -7.0,
                           .maximum = 7.0,
                           .help = axisHelp}};
  return result;
}

ActivationDef threshold() {
  ActivationDef result =
      plain("threshold",
            STRATA_TEXT("activation", "Values up to the threshold are replaced by a constant"),
            "y = x for x > threshold, else default_value");
  result.schema.fields = {{.name = "threshold",
                           .type = FieldType::Number,
                           .defaultJson = "0.0",
                           .help = STRATA_TEXT("activation", "Values above this pass unchanged")},
                          {.name = "default_value",
                           .type = FieldType::Number,
                           .defaultJson = "0.0",
                           .help = STRATA_TEXT("activation", "Replacement for all other values")}};
  return result;
}

constexpr Text kSumsToOne = STRATA_TEXT(
    "activation", "Dimension along which values sum to 1; 0 is the batch, -1 the last dimension");

ValueRange limitsOf(std::string_view type) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  static const std::map<std::string_view, ValueRange> ranges{
      {"relu", {0, kInfinity}},
      {"relu6", {0, 6}},
      {"softplus", {0, kInfinity}},
      {"squareplus", {0, kInfinity}},
      {"sparse_plus", {0, kInfinity}},
      {"exponential", {0, kInfinity}},
      {"sigmoid", {0, 1}},
      {"hard_sigmoid", {0, 1}},
      {"sparse_sigmoid", {0, 1}},
      {"softmax", {0, 1}},
      {"sparsemax", {0, 1}},
      {"tanh", {-1, 1}},
      {"hard_tanh", {-1, 1}},
      {"softsign", {-1, 1}},
      {"log_sigmoid", {-kInfinity, 0}},
      {"log_softmax", {-kInfinity, 0}},
  };
  const auto found = ranges.find(type);
  return found == ranges.end() ? ValueRange{} : found->second;
}

const std::vector<ActivationDef>& activations() {
  static const std::vector<ActivationDef> table = [] {
    std::vector<ActivationDef> defs = {
        plain("linear", STRATA_TEXT("activation", "No activation"), "y = x"),
        plain("relu",
              STRATA_TEXT("activation", "Rectified linear unit: negative values become zero"),
              "y = max(x, 0)"),
        plain("relu6", STRATA_TEXT("activation", "Rectified linear unit limited to 6"),
              "y = min(max(x, 0), 6)"),
        withNumber("leaky_relu",
                   STRATA_TEXT("activation",
                               "Rectified linear unit with a small slope for negative values"),
                   "y = x for x >= 0, negative_slope * x below", "negative_slope", "0.2",
                   STRATA_TEXT("activation", "Slope for negative values")),
        withNumber("elu", STRATA_TEXT("activation", "Exponential linear unit"),
                   "y = x for x > 0, alpha * (exp(x) - 1) below", "alpha", "1.0",
                   STRATA_TEXT("activation", "Scale for negative values: y approaches -alpha")),
        plain("selu",
              STRATA_TEXT("activation",
                          "Scaled exponential linear unit, which keeps mean 0 and variance 1"),
              "y = 1.0507 * elu(x, 1.6733)"),
        plain("gelu",
              STRATA_TEXT(
                  "activation",
                  "Gaussian error linear unit: x times the normal cumulative distribution at x"),
              "y = x * 0.5 * (1 + erf(x / sqrt(2)))"),
        plain("tanh", STRATA_TEXT("activation", "Hyperbolic tangent, between -1 and 1"),
              "y = tanh(x)"),
        plain("sigmoid", STRATA_TEXT("activation", "Logistic function, between 0 and 1"),
              "y = 1 / (1 + exp(-x))"),
        plain("hard_sigmoid",
              STRATA_TEXT("activation", "Piecewise linear approximation of sigmoid"),
              "y = min(max(x / 6 + 0.5, 0), 1)"),
        plain("silu", STRATA_TEXT("activation", "x times its sigmoid (swish)"),
              "y = x * sigmoid(x)"),
        plain("swish", STRATA_TEXT("activation", "Alias of silu"), "y = x * sigmoid(x)", "silu"),
        plain("hard_silu", STRATA_TEXT("activation", "Piecewise linear approximation of silu"),
              "y = x * min(max(x / 6 + 0.5, 0), 1)"),
        plain("hard_swish", STRATA_TEXT("activation", "Alias of hard_silu"),
              "y = x * min(max(x / 6 + 0.5, 0), 1)", "hard_silu"),
        plain("mish", STRATA_TEXT("activation", "x times the tanh of its softplus"),
              "y = x * tanh(softplus(x))"),
        plain("softplus", STRATA_TEXT("activation", "Smooth approximation of relu"),
              "y = log(1 + exp(x))"),
        plain("softsign", STRATA_TEXT("activation", "x divided by 1 + |x|"), "y = x / (1 + |x|)"),
        plain("exponential", STRATA_TEXT("activation", "Exponential function"), "y = exp(x)"),
        withNumber("celu", STRATA_TEXT("activation", "Continuously differentiable ELU"),
                   "y = max(x, 0) + min(alpha * (exp(x / alpha) - 1), 0)", "alpha", "1.0",
                   STRATA_TEXT("activation", "Scale for negative values: y approaches -alpha")),
        plain("hard_tanh", STRATA_TEXT("activation", "Values clipped to the range -1 to 1"),
              "y = min(max(x, -1), 1)"),
        plain("tanh_shrink", STRATA_TEXT("activation", "x minus its tanh"), "y = x - tanh(x)"),
        withNumber("soft_shrink",
                   STRATA_TEXT("activation",
                               "Moves values toward zero by the threshold; values within the "
                               "threshold become zero"),
                   "y = x - t for x > t, x + t for x < -t, else 0", "threshold", "0.5",
                   STRATA_TEXT("activation", "Values with at most this magnitude become zero")),
        withNumber("hard_shrink",
                   STRATA_TEXT("activation",
                               "Values whose magnitude is at most the threshold become zero"),
                   "y = x for |x| > t, else 0", "threshold", "0.5",
                   STRATA_TEXT("activation", "Values with at most this magnitude become zero")),
        plain("log_sigmoid", STRATA_TEXT("activation", "Logarithm of the sigmoid"),
              "y = -softplus(-x)"),
        withNumber("squareplus",
                   STRATA_TEXT("activation", "Smooth approximation of relu without exponentials"),
                   "y = (x + sqrt(x^2 + b)) / 2", "b", "4.0",
                   STRATA_TEXT("activation", "Smoothness; y(0) is sqrt(b) / 2")),
        plain("sparse_plus",
              STRATA_TEXT("activation", "Smooth relu that is zero below -1 and linear above 1"),
              "y = 0 for x <= -1, (x + 1)^2 / 4 for x < 1, else x"),
        plain("sparse_sigmoid", STRATA_TEXT("activation", "Piecewise linear: maps -1..1 to 0..1"),
              "y = min(max((x + 1) / 2, 0), 1)"),
        threshold(),
        alongAxis(
            "glu",
            STRATA_TEXT(
                "activation",
                "Gated linear unit: one half of the values times the sigmoid of the other half"),
            "y = a * sigmoid(b), x = [a, b]",
            STRATA_TEXT("activation", "Dimension to halve; 0 is the batch, -1 the last dimension")),
        alongAxis("softmax", STRATA_TEXT("activation", "Probabilities that sum to 1"),
                  "y = exp(x) / sum(exp(x))", kSumsToOne),
        alongAxis("log_softmax", STRATA_TEXT("activation", "Logarithm of softmax"),
                  "y = x - log(sum(exp(x)))", kSumsToOne),
        alongAxis(
            "sparsemax",
            STRATA_TEXT("activation", "Sparse softmax: small values become exactly zero"),
            "y = max(x - t, 0), t = (sum of the cumulative sums of the support - 1) / size "
            "of the support",
            STRATA_TEXT("activation",
                        "Dimension that is normalized; 0 is the batch, -1 the last dimension")),
    };
    const auto number = [](const char* name, const char* value, Text help) {
      return FieldSchema{
          .name = name, .type = FieldType::Number, .defaultJson = value, .help = help};
    };
    for (auto& def : defs) {
      if (def.schema.type == "relu") {
        def.schema.fields = {
            number("negative_slope", "0.0",
                   STRATA_TEXT("activation", "Slope for values below the threshold")),
            number("max_value", "null",
                   STRATA_TEXT("activation", "Maximum value; by default unlimited")),
            number("threshold", "0.0",
                   STRATA_TEXT("activation", "Values above this pass unchanged"))};
        def.schema.fields[1].isNullable = true;
        def.schema.fields[1].minimum = 0.0;
      }
      if (def.schema.type == "gelu")
        def.schema.fields = {
            {.name = "approximate",
             .type = FieldType::Boolean,
             .defaultJson = "false",
             .help = STRATA_TEXT("activation",
                                 "Use the tanh approximation instead of the error function")}};
      addTitles(def.schema);
      def.range = limitsOf(def.schema.type);
    }
    return defs;
  }();
  return table;
}

int64_t axisFromFront(const Graph& graph, ValueId x, const Json& activation_) {
  const auto axis = activation_.at("axis").get<int64_t>();
  return axis < 0 ? axis + graph.shape(x).rank() : axis;
}

std::vector<int64_t> sizesOf(const Graph& graph, ValueId x) {
  const Shape shape = graph.shape(x);
  return {shape.dims().begin(), shape.dims().end()};
}

/// Computes the gated linear unit: the first half of x along the axis times the sigmoid of the
/// second half. Requires: the size along the axis is even.
ValueId glu(Graph& g, ValueId x, int64_t axis) {
  std::vector<int64_t> size = sizesOf(g, x), begin(size.size(), 0);
  const auto at = static_cast<size_t>(axis);
  size[at] /= 2;
  const ValueId values = slice(g, x, begin, size);
  begin[at] = size[at];
  return multiply(g, values, activation(g, slice(g, x, begin, size), "sigmoid"));
}

/// Computes sparsemax along an axis. A value x belongs to the support if 1 + k x exceeds the sum of
/// the k values that are at least as large as x. All pairs of values are compared instead of
/// sorting them. The threshold follows Keras 3.15, which adds the cumulative sums of the support;
/// Martins and Astudillo (2016) use only the last sum.
ValueId sparsemax(Graph& g, ValueId x, int64_t axis) {
  std::vector<int64_t> self = sizesOf(g, x), other = self;
  self.insert(self.begin() + axis + 1, 1);
  other.insert(other.begin() + axis, 1);
  const ValueId others = reshape(g, x, Shape(other)),
                isAtLeast = greaterEqual(g, others, reshape(g, x, Shape(self)));
  const ValueId count = reduceSum(g, isAtLeast, {axis + 1}),
                sum = reduceSum(g, multiply(g, isAtLeast, others), {axis + 1});
  const ValueId support = greater(g, addScalar(g, multiply(g, count, x), 1), sum);
  const ValueId excess = addScalar(g, reduceSum(g, multiply(g, support, sum), {axis}, true), -1);
  return activation(g, subtract(g, x, divide(g, excess, reduceSum(g, support, {axis}, true))),
                    "relu");
}

}  // namespace

ValueRange rangeOfActivation(std::string_view type) {
  const auto& all = activations();
  const auto found = std::ranges::find(
      all, type, [](const ActivationDef& def) { return std::string_view(def.schema.type); });
  return found == all.end() ? ValueRange{} : found->range;
}

std::span<const Schema* const> activationSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const auto& def : activations())
      result.push_back(&def.schema);
    return result;
  }();
  return schemas;
}

/// Computes y = x from the threshold on, and otherwise y = negative_slope * (x - threshold).
/// max_value limits y.
ValueId reluOf(Graph& g, ValueId x, const Json& fields) {
  const double slope = fields.at("negative_slope").get<double>(),
               threshold = fields.at("threshold").get<double>();
  const Json& most = fields.at("max_value");
  const auto scalar = [&](double value) {
    return constantScalar(g, DType::F32, value);
  };
  ValueId y;
  if (threshold == 0) {
    if (slope == 0 && most.is_null()) return activation(g, x, "relu");
    if (slope == 0 && most.get<double>() == 6) return activation(g, x, "relu6");
    y = slope == 0 ? activation(g, x, "relu") : activation(g, x, "leaky_relu", slope);
  }
  else {
    const ValueId below = slope == 0 ? scalar(0) : affine(g, x, slope, -slope * threshold);
    y = select(g, greater(g, x, scalar(threshold)), x, below);
  }
  return most.is_null() ? y : minimum(g, y, scalar(most.get<double>()));
}

static bool isPlainRelu(const Json& fields) {
  return fields.at("negative_slope") == 0.0 && fields.at("threshold") == 0.0 &&
         fields.at("max_value").is_null();
}

std::optional<NamedActivation> elementwiseActivation(const Json& activation_) {
  if (activation_.is_null()) return NamedActivation{"linear"};
  const std::string& type = activation_.at("type").get_ref<const std::string&>();
  if (activation_.contains("axis") || type == "threshold") return std::nullopt;
  if (type == "relu" && !isPlainRelu(activation_)) return std::nullopt;
  if (type == "gelu" && activation_.at("approximate").get<bool>())
    return NamedActivation{"gelu_tanh"};
  for (const auto& def : activations())
    if (def.schema.type == type)
      return NamedActivation{def.kind,
                             def.number.empty() ? 0.0 : activation_.at(def.number).get<double>()};
  return std::nullopt;
}

ValueId applyActivation(Graph& graph, ValueId x, const Json& activation_) {
  if (activation_.is_null()) return x;
  const std::string& type = activation_.at("type").get_ref<const std::string&>();
  if (type == "linear") return x;
  if (type == "relu") return reluOf(graph, x, activation_);
  if (type == "softmax") return softmax(graph, x, activation_.at("axis").get<int>());
  if (type == "log_softmax") return logSoftmax(graph, x, activation_.at("axis").get<int>());
  if (type == "sparsemax") return sparsemax(graph, x, axisFromFront(graph, x, activation_));
  if (type == "glu") return glu(graph, x, axisFromFront(graph, x, activation_));
  if (type == "threshold") {
    const auto number = [&](const char* field) {
      return constantScalar(graph, graph.type(x).dtype, activation_.at(field).get<double>());
    };
    return select(graph, greater(graph, x, number("threshold")), x, number("default_value"));
  }
  const auto named = elementwiseActivation(activation_);
  if (!named) throw Error(ErrorCode::Internal, type, "unknown activation");
  return activation(graph, x, named->kind, named->alpha);
}

}  // namespace strata
