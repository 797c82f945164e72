// SPDX-License-Identifier: Apache-2.0
// Initializers and regularizers as schemas, with Keras's names and defaults.
#include "core/layers/objects.h"

#include <nlohmann/json.hpp>

namespace strata {

namespace {

FieldSchema seedField() {
  return {.name = "seed",
          .type = FieldType::Integer,
          .defaultJson = "null",
          .minimum = 0.0,
          .isNullable = true,
          .help = STRATA_TEXT("initializer", "Seed of its own; left out, the project's seed decides")};
}

FieldSchema numberField(const char* name, const char* value, Text help, std::optional<double> minimum = {}) {
  return {.name = name, .type = FieldType::Number, .defaultJson = value, .minimum = minimum, .help = help};
}

Schema initializer(const char* type, Text help, const char* formula, std::vector<FieldSchema> fields,
                   const char* source = "Keras 3, keras.initializers") {
  return {.type = type, .group = "Initializer", .help = help, .formula = formula, .source = source, .fields = std::move(fields)};
}

std::vector<const Schema*> pointers(const std::vector<Schema>& schemas) {
  std::vector<const Schema*> result;
  for (const auto& schema : schemas) result.push_back(&schema);
  return result;
}

FieldSchema factorField(const char* name, const char* value, Text help) {
  return {.name = name,
          .type = FieldType::Number,
          .defaultJson = value,
          .minimum = 0.0,
          .isNullable = std::string_view(value) == "null",
          .help = help};
}

}  // namespace

std::span<const Schema* const> initializerSchemas() {
  static const std::vector<Schema> schemas = {
      initializer("glorot_uniform", STRATA_TEXT("initializer", "Uniform, scaled by inputs and outputs (Xavier)"),
                  "U(-a, a), a = sqrt(6 / (fan_in + fan_out))", {seedField()}, "Glorot and Bengio, 2010"),
      initializer("glorot_normal", STRATA_TEXT("initializer", "Truncated normal, scaled by inputs and outputs (Xavier)"),
                  "N(0, 2 / (fan_in + fan_out)), cut at two deviations", {seedField()}, "Glorot and Bengio, 2010"),
      initializer("he_uniform", STRATA_TEXT("initializer", "Uniform, scaled for relu"), "U(-a, a), a = sqrt(6 / fan_in)", {seedField()},
                  "He et al., 2015"),
      initializer("he_normal", STRATA_TEXT("initializer", "Truncated normal, scaled for relu"), "N(0, 2 / fan_in), cut at two deviations",
                  {seedField()}, "He et al., 2015"),
      initializer("lecun_uniform", STRATA_TEXT("initializer", "Uniform, scaled by inputs"), "U(-a, a), a = sqrt(3 / fan_in)", {seedField()},
                  "LeCun et al., 1998"),
      initializer("lecun_normal", STRATA_TEXT("initializer", "Truncated normal, scaled by inputs"),
                  "N(0, 1 / fan_in), cut at two deviations", {seedField()}, "LeCun et al., 1998"),
      initializer("zeros", STRATA_TEXT("initializer", "All zero"), "0", {}),
      initializer("ones", STRATA_TEXT("initializer", "All one"), "1", {}),
      initializer("constant", STRATA_TEXT("initializer", "One number everywhere"), "value",
                  {numberField("value", "0.0", STRATA_TEXT("initializer", "The number"))}),
      initializer("random_uniform", STRATA_TEXT("initializer", "Uniform between two numbers"), "U(minval, maxval)",
                  {numberField("minval", "-0.05", STRATA_TEXT("initializer", "Smallest value")),
                   numberField("maxval", "0.05", STRATA_TEXT("initializer", "Largest value")), seedField()}),
      initializer("random_normal", STRATA_TEXT("initializer", "Normal distribution"), "N(mean, stddev^2)",
                  {numberField("mean", "0.0", STRATA_TEXT("initializer", "Mean")),
                   numberField("stddev", "0.05", STRATA_TEXT("initializer", "Standard deviation"), 0.0), seedField()}),
      initializer("truncated_normal", STRATA_TEXT("initializer", "Normal distribution cut at two deviations"), "N(mean, stddev^2), cut",
                  {numberField("mean", "0.0", STRATA_TEXT("initializer", "Mean")),
                   numberField("stddev", "0.05", STRATA_TEXT("initializer", "Standard deviation"), 0.0), seedField()}),
  };
  static const std::vector<const Schema*> result = pointers(schemas);
  return result;
}

Initializer readInitializer(const Json& object) {
  Initializer result;
  for (auto field = object.begin(); field != object.end(); ++field) {
    if (field.key() == "type")
      result.type = field->get_ref<const std::string&>();
    else if (field.key() == "seed" && !field->is_null())
      result.seed = field->get<uint64_t>();
    else if (field->is_number())
      result.numbers.emplace(field.key(), field->get<double>());
  }
  return result;
}

std::span<const Schema* const> regularizerSchemas() {
  static const std::vector<Schema> schemas = {
      {.type = "l2",
       .group = "Regularizer",
       .help = STRATA_TEXT("regularizer", "Large weights cost: the sum of squares is added to the loss"),
       .formula = "factor * sum(w^2)",
       .source = "Keras 3, keras.regularizers.L2",
       .fields = {factorField("factor", "0.01", STRATA_TEXT("regularizer", "Weight of the sum")),
                  factorField("l2", "null", STRATA_TEXT("regularizer", "Keras's name of factor"))}},
      {.type = "l1",
       .group = "Regularizer",
       .help = STRATA_TEXT("regularizer", "Weights cost by their size, so that many become zero"),
       .formula = "factor * sum(|w|)",
       .source = "Keras 3, keras.regularizers.L1",
       .fields = {factorField("factor", "0.01", STRATA_TEXT("regularizer", "Weight of the sum")),
                  factorField("l1", "null", STRATA_TEXT("regularizer", "Keras's name of factor"))}},
      {.type = "l1_l2",
       .group = "Regularizer",
       .help = STRATA_TEXT("regularizer", "Both sums together"),
       .formula = "l1 * sum(|w|) + l2 * sum(w^2)",
       .source = "Keras 3, keras.regularizers.L1L2",
       .fields = {factorField("l1", "0.0", STRATA_TEXT("regularizer", "Weight of the sum of sizes")),
                  factorField("l2", "0.0", STRATA_TEXT("regularizer", "Weight of the sum of squares"))}},
  };
  static const std::vector<const Schema*> result = pointers(schemas);
  return result;
}

RegularizerFactors regularizerFactors(const Json& regularizer) {
  if (regularizer.is_null()) return {};
  const std::string& type = regularizer.at("type").get_ref<const std::string&>();
  if (type == "l1_l2") return {regularizer.at("l1").get<double>(), regularizer.at("l2").get<double>()};
  const double factor = regularizer.at(type).is_null() ? regularizer.at("factor").get<double>() : regularizer.at(type).get<double>();
  return type == "l1" ? RegularizerFactors{factor, 0} : RegularizerFactors{0, factor};
}

}  // namespace strata
