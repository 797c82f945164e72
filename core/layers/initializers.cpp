// SPDX-License-Identifier: Apache-2.0
// Initializers as schemas, with Keras's names and defaults.
#include "core/layers/objects.h"

#include <nlohmann/json.hpp>

namespace strata {

namespace {

FieldSchema initializerSeedField() {
  return {
      .name = "seed",
      .type = FieldType::Integer,
      .defaultJson = "null",
      .minimum = 0.0,
      .isNullable = true,
      .help = STRATA_TEXT("initializer", "Seed of its own; left out, the project's seed decides")};
}

FieldSchema numberField(const char* name, const char* value, Text help,
                        std::optional<double> minimum = {}) {
  return {.name = name,
          .type = FieldType::Number,
          .defaultJson = value,
          .minimum = minimum,
          .help = help};
}

Schema initializer(const char* type, Text help, const char* formula,
                   std::vector<FieldSchema> fields,
                   const char* source = "Keras 3, keras.initializers") {
  return {.type = type,
          .group = "Initializer",
          .help = help,
          .formula = formula,
          .source = source,
          .fields = std::move(fields)};
}

FieldSchema choiceField(const char* name, const char* value, std::vector<std::string> choices,
                        Text help) {
  return {.name = name,
          .type = FieldType::Choice,
          .defaultJson = value,
          .choices = std::move(choices),
          .help = help};
}

FieldSchema orNull(FieldSchema field) {
  field.isNullable = true;
  return field;
}

std::vector<const Schema*> initializerPointers(const std::vector<Schema>& schemas) {
  std::vector<const Schema*> result;
  for (const auto& schema : schemas)
    result.push_back(&schema);
  return result;
}

}  // namespace

std::span<const Schema* const> initializerSchemas() {
  static const std::vector<Schema> schemas = {
      initializer("glorot_uniform",
                  STRATA_TEXT("initializer", "Uniform, scaled by inputs and outputs (Xavier)"),
                  "U(-a, a), a = sqrt(6 / (fan_in + fan_out))", {initializerSeedField()},
                  "Glorot and Bengio, 2010"),
      initializer(
          "glorot_normal",
          STRATA_TEXT("initializer", "Truncated normal, scaled by inputs and outputs (Xavier)"),
          "N(0, 2 / (fan_in + fan_out)), cut at two deviations", {initializerSeedField()},
          "Glorot and Bengio, 2010"),
      initializer("he_uniform", STRATA_TEXT("initializer", "Uniform, scaled for relu"),
                  "U(-a, a), a = sqrt(6 / fan_in)", {initializerSeedField()}, "He et al., 2015"),
      initializer("he_normal", STRATA_TEXT("initializer", "Truncated normal, scaled for relu"),
                  "N(0, 2 / fan_in), cut at two deviations", {initializerSeedField()},
                  "He et al., 2015"),
      initializer("lecun_uniform", STRATA_TEXT("initializer", "Uniform, scaled by inputs"),
                  "U(-a, a), a = sqrt(3 / fan_in)", {initializerSeedField()}, "LeCun et al., 1998"),
      initializer("lecun_normal", STRATA_TEXT("initializer", "Truncated normal, scaled by inputs"),
                  "N(0, 1 / fan_in), cut at two deviations", {initializerSeedField()},
                  "LeCun et al., 1998"),
      initializer("zeros", STRATA_TEXT("initializer", "All zero"), "0", {}),
      initializer("ones", STRATA_TEXT("initializer", "All one"), "1", {}),
      initializer("constant", STRATA_TEXT("initializer", "One number everywhere"), "value",
                  {numberField("value", "0.0", STRATA_TEXT("initializer", "The number"))}),
      initializer("random_uniform", STRATA_TEXT("initializer", "Uniform between two numbers"),
                  "U(minval, maxval)",
                  {numberField("minval", "-0.05", STRATA_TEXT("initializer", "Smallest value")),
                   numberField("maxval", "0.05", STRATA_TEXT("initializer", "Largest value")),
                   initializerSeedField()}),
      initializer(
          "random_normal", STRATA_TEXT("initializer", "Normal distribution"), "N(mean, stddev^2)",
          {numberField("mean", "0.0", STRATA_TEXT("initializer", "Mean")),
           numberField("stddev", "0.05", STRATA_TEXT("initializer", "Standard deviation"), 0.0),
           initializerSeedField()}),
      initializer(
          "truncated_normal",
          STRATA_TEXT("initializer", "Normal distribution cut at two deviations"),
          "N(mean, stddev^2), cut",
          {numberField("mean", "0.0", STRATA_TEXT("initializer", "Mean")),
           numberField("stddev", "0.05", STRATA_TEXT("initializer", "Standard deviation"), 0.0),
           initializerSeedField()}),
      initializer(
          "variance_scaling",
          STRATA_TEXT("initializer",
                      "A variance of scale over the number of inputs, outputs or their mean"),
          "variance scale / n",
          {numberField("scale", "1.0", STRATA_TEXT("initializer", "The variance times n"), 0.0),
           choiceField("mode", "\"fan_in\"", {"fan_in", "fan_out", "fan_avg"},
                       STRATA_TEXT("initializer", "What n counts")),
           choiceField("distribution", "\"truncated_normal\"",
                       {"truncated_normal", "untruncated_normal", "uniform"},
                       STRATA_TEXT("initializer", "Distribution of the values")),
           initializerSeedField()}),
      initializer(
          "orthogonal",
          STRATA_TEXT(
              "initializer",
              "Rows or columns of length 1 at right angles, so that signals keep their size"),
          "gain * Q of a QR decomposition of N(0, 1)",
          {numberField("gain", "1.0", STRATA_TEXT("initializer", "Length of the rows or columns")),
           initializerSeedField()},
          "Saxe et al., 2013"),
      initializer(
          "identity", STRATA_TEXT("initializer", "One on the diagonal of a matrix, else zero"),
          "gain * I",
          {numberField("gain", "1.0", STRATA_TEXT("initializer", "The number on the diagonal"))}),
      initializer(
          "stft",
          STRATA_TEXT(
              "initializer",
              "Waves of a short-time Fourier transform, for the kernel of a Conv1D of one channel"),
          "w(t) cos(-2 pi t f / (2 (filters - 1))), sin for imag",
          {choiceField("side", "\"real\"", {"real", "imag"},
                       STRATA_TEXT("initializer", "Part of the transform")),
           orNull(
               choiceField("window", "\"hann\"", {"hann", "hamming", "blackman", "boxcar"},
                           STRATA_TEXT("initializer",
                                       "Weights of a frame's samples; null or boxcar: all alike"))),
           orNull(choiceField(
               "scaling", "\"density\"", {"density", "spectrum"},
               STRATA_TEXT(
                   "initializer",
                   "What of the window becomes one: the length, or the sum; null: nothing"))),
           {.name = "periodic",
            .type = FieldType::Boolean,
            .defaultJson = "false",
            .help = STRATA_TEXT("initializer", "The window would go on in the next frame")}},
          "Keras 3, keras.initializers.STFT"),
  };
  static const std::vector<const Schema*> result = initializerPointers(schemas);
  return result;
}

Initializer readInitializer(const Json& object) {
  Initializer result;
  for (auto field = object.begin(); field != object.end(); ++field) {
    if (field.key() == "type")
      result.type = field->get_ref<const std::string&>();
    else if (field.key() == "seed" && !field->is_null())
      result.seed = field->get<uint64_t>();
    else if (field->is_string())
      result.words.emplace(field.key(), field->get_ref<const std::string&>());
    else if (field->is_boolean())
      result.numbers.emplace(field.key(), field->get<bool>() ? 1 : 0);
    else if (field->is_number())
      result.numbers.emplace(field.key(), field->get<double>());
  }
  return result;
}

}  // namespace strata
