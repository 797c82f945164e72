// SPDX-License-Identifier: Apache-2.0
// Defines the constraints: schemas with the names and defaults of Keras, and lowerings to ops.
#include <nlohmann/json.hpp>

#include "core/layers/objects.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

// The value of keras.device.epsilon()
constexpr double kNormEpsilon = 1e-7;

FieldSchema normField(const char* name, const char* value, Text help,
                      std::optional<double> maximum = {}) {
  return {.name = name,
          .type = FieldType::Number,
          .defaultJson = value,
          .minimum = 0.0,
          .maximum = maximum,
          .help = help};
}

FieldSchema normAxisField() {
  return {.name = "axis",
          .type = FieldType::IntegerOrList,
          .defaultJson = "0",
          .minimum = -8.0,
          .maximum = 7.0,
          .help = STRATA_TEXT(
              "constraint",
              "Axes along which the norm is computed: 0 for Dense, [0, 1, 2] for Conv2D")};
}

}  // namespace

std::span<const Schema* const> constraintSchemas() {
  static const std::vector<Schema> schemas = withTitles({
      {.type = "max_norm",
       .group = "Constraint",
       .help = STRATA_TEXT("constraint",
                           "Limits the norm of the weights of each unit after each update"),
       .formula = "w * min(|w|, max_value) / |w|",
       .source = "Srivastava et al., 2014; Keras 3, keras.constraints.MaxNorm",
       .fields = {normField("max_value", "2.0", STRATA_TEXT("constraint", "Maximum norm")),
                  normAxisField()}},
      {.type = "non_neg",
       .group = "Constraint",
       .help = STRATA_TEXT("constraint", "Sets negative weights to zero after each update"),
       .formula = "max(w, 0)",
       .source = "Keras 3, keras.constraints.NonNeg",
       .fields = {}},
      {.type = "unit_norm",
       .group = "Constraint",
       .help =
           STRATA_TEXT("constraint", "Scales the weights of each unit to norm 1 after each update"),
       .formula = "w / |w|",
       .source = "Keras 3, keras.constraints.UnitNorm",
       .fields = {normAxisField()}},
      {.type = "min_max_norm",
       .group = "Constraint",
       .help = STRATA_TEXT(
           "constraint",
           "Keeps the norm of the weights of each unit within a range after each update"),
       .formula = "w * (rate * clip(|w|, min_value, max_value) + (1 - rate) * |w|) / |w|",
       .source = "Keras 3, keras.constraints.MinMaxNorm",
       .fields = {normField("min_value", "0.0", STRATA_TEXT("constraint", "Minimum norm")),
                  normField("max_value", "1.0", STRATA_TEXT("constraint", "Maximum norm")),
                  normField(
                      "rate", "1.0",
                      STRATA_TEXT("constraint",
                                  "How strictly the constraint is enforced; 1 enforces it fully"),
                      1.0),
                  normAxisField()}},
  });
  static const std::vector<const Schema*> result = [] {
    std::vector<const Schema*> pointers;
    for (const Schema& schema : schemas)
      pointers.push_back(&schema);
    return pointers;
  }();
  return result;
}

Constraint readConstraint(const Json& constraint) {
  if (constraint.is_null()) return {};
  Constraint result;
  const std::string& type = constraint.at("type").get_ref<const std::string&>();
  result.kind = Constraint::Kind::MinMaxNorm;
  if (type == "max_norm") result.kind = Constraint::Kind::MaxNorm;
  if (type == "non_neg") result.kind = Constraint::Kind::NonNegative;
  if (type == "unit_norm") result.kind = Constraint::Kind::UnitNorm;
  const auto number = [&](const char* name, double otherwise) {
    return constraint.contains(name) ? constraint[name].get<double>() : otherwise;
  };
  result.minimum = number("min_value", 0);
  result.maximum = number("max_value", 0);
  result.rate = number("rate", 1);
  if (const auto axis = constraint.find("axis"); axis != constraint.end())
    result.axes = axis->is_array() ? axis->get<std::vector<int64_t>>()
                                   : std::vector<int64_t>{axis->get<int64_t>()};
  return result;
}

ValueId constrained(Graph& graph, ValueId w, const Constraint& constraint) {
  const auto number = [&](double value) {
    return constantScalar(graph, DType::F32, value);
  };
  if (constraint.kind == Constraint::Kind::None) return w;
  if (constraint.kind == Constraint::Kind::NonNegative) return maximum(graph, w, number(0));
  std::vector<int64_t> axes = constraint.axes;
  for (int64_t& axis : axes)
    axis = graph.shape(w).normalizeAxis(static_cast<int>(axis));
  const ValueId norm = sqrt(graph, reduceSum(graph, square(graph, w), axes, true)),
                divisor = addScalar(graph, norm, kNormEpsilon);
  if (constraint.kind == Constraint::Kind::UnitNorm) return divide(graph, w, divisor);
  ValueId wanted = minimum(graph, norm, number(constraint.maximum));
  if (constraint.kind == Constraint::Kind::MinMaxNorm) {
    wanted = minimum(graph, maximum(graph, norm, number(constraint.minimum)),
                     number(constraint.maximum));
    if (constraint.rate != 1)
      wanted = add(graph, multiplyScalar(graph, wanted, constraint.rate),
                   multiplyScalar(graph, norm, 1 - constraint.rate));
  }
  return multiply(graph, w, divide(graph, wanted, divisor));
}

}  // namespace strata
