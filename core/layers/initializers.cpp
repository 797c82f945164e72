// SPDX-License-Identifier: Apache-2.0
// Defines the schemas of the initializers, with the names and defaults of Keras.
#include "core/layers/objects.h"

#include <nlohmann/json.hpp>

namespace strata {

namespace {

FieldSchema initializerSeedField() {
  return {.name = "seed",
          .type = FieldType::Integer,
          .defaultJson = "null",
          .minimum = 0.0,
          .isNullable = true,
          .help = STRATA_TEXT("initializer", "Random seed; by default the project's seed")};
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
  static const std::vector<Schema> schemas = withTitles({
      initializer("glorot_uniform",
                  STRATA_TEXT("initializer",
                              "Glorot (Xavier) uniform: uniform distribution, scaled by the number "
                              "of inputs and outputs"),
                  "U(-a, a), a = sqrt(6 / (fan_in + fan_out))", {initializerSeedField()},
                  "Glorot and Bengio, 2010"),
      initializer("glorot_normal",
                  STRATA_TEXT("initializer",
                              "Glorot (Xavier) normal: truncated normal distribution, scaled by "
                              "the number of inputs and outputs"),
                  "N(0, 2 / (fan_in + fan_out)), truncated at two standard deviations",
                  {initializerSeedField()}, "Glorot and Bengio, 2010"),
      initializer(
          "he_uniform",
          STRATA_TEXT("initializer",
                      "He uniform: uniform distribution, scaled for relu by the number of inputs"),
          "U(-a, a), a = sqrt(6 / fan_in)", {initializerSeedField()}, "He et al., 2015"),
      initializer(
          "he_normal",
          STRATA_TEXT(
              "initializer",
              "He normal: truncated normal distribution, scaled for relu by the number of inputs"),
          "N(0, 2 / fan_in), truncated at two standard deviations", {initializerSeedField()},
          "He et al., 2015"),
      initializer(
          "lecun_uniform",
          STRATA_TEXT("initializer",
                      "LeCun uniform: uniform distribution, scaled by the number of inputs"),
          "U(-a, a), a = sqrt(3 / fan_in)", {initializerSeedField()}, "LeCun et al., 1998"),
      initializer(
          "lecun_normal",
          STRATA_TEXT(
              "initializer",
              "LeCun normal: truncated normal distribution, scaled by the number of inputs"),
          "N(0, 1 / fan_in), truncated at two standard deviations", {initializerSeedField()},
          "LeCun et al., 1998"),
      initializer("zeros", STRATA_TEXT("initializer", "All zeros"), "0", {}),
      initializer("ones", STRATA_TEXT("initializer", "All ones"), "1", {}),
      initializer(
          "constant", STRATA_TEXT("initializer", "A constant value"), "value",
          {numberField("value", "0.0", STRATA_TEXT("initializer", "Value of all weights"))}),
      initializer("random_uniform",
                  STRATA_TEXT("initializer", "Uniform distribution between two values"),
                  "U(minval, maxval)",
                  {numberField("minval", "-0.05", STRATA_TEXT("initializer", "Lower bound")),
                   numberField("maxval", "0.05", STRATA_TEXT("initializer", "Upper bound")),
                   initializerSeedField()}),
      initializer(
          "random_normal", STRATA_TEXT("initializer", "Normal distribution"), "N(mean, stddev^2)",
          {numberField("mean", "0.0", STRATA_TEXT("initializer", "Mean")),
           numberField("stddev", "0.05", STRATA_TEXT("initializer", "Standard deviation"), 0.0),
           initializerSeedField()}),
      initializer(
          "truncated_normal",
          STRATA_TEXT("initializer", "Normal distribution, truncated at two standard deviations"),
          "N(mean, stddev^2), truncated",
          {numberField("mean", "0.0", STRATA_TEXT("initializer", "Mean")),
           numberField("stddev", "0.05", STRATA_TEXT("initializer", "Standard deviation"), 0.0),
           initializerSeedField()}),
      initializer("variance_scaling",
                  STRATA_TEXT("initializer",
                              "Random values whose variance is scaled by the number of inputs or "
                              "outputs, or by their mean"),
                  "variance scale / n",
                  {numberField("scale", "1.0",
                               STRATA_TEXT("initializer", "Scaling factor of the variance"), 0.0),
                   choiceField("mode", "\"fan_in\"", {"fan_in", "fan_out", "fan_avg"},
                               STRATA_TEXT("initializer",
                                           "Divisor of the variance: the number of inputs, the "
                                           "number of outputs, or their mean")),
                   choiceField("distribution", "\"truncated_normal\"",
                               {"truncated_normal", "untruncated_normal", "uniform"},
                               STRATA_TEXT("initializer", "Distribution of the random values")),
                   initializerSeedField()}),
      initializer(
          "orthogonal",
          STRATA_TEXT("initializer", "Orthogonal matrix, which preserves the magnitude of signals"),
          "gain * Q of a QR decomposition of N(0, 1)",
          {numberField(
               "gain", "1.0",
               STRATA_TEXT("initializer", "Factor by which the orthogonal matrix is multiplied")),
           initializerSeedField()},
          "Saxe et al., 2013"),
      initializer("identity", STRATA_TEXT("initializer", "Identity matrix"), "gain * I",
                  {numberField("gain", "1.0",
                               STRATA_TEXT("initializer",
                                           "Factor by which the identity matrix is multiplied"))}),
      initializer(
          "stft",
          STRATA_TEXT(
              "initializer",
              "Basis of the short-time Fourier transform, for a Conv1D with one input channel"),
          "w(t) cos(-2 pi t f / (2 (filters - 1))); sin for the imaginary part",
          {choiceField("side", "\"real\"", {"real", "imag"},
                       STRATA_TEXT("initializer", "Real or imaginary part of the transform")),
           orNull(choiceField(
               "window", "\"hann\"", {"hann", "hamming", "blackman", "boxcar"},
               STRATA_TEXT("initializer",
                           "Window function of a frame; none or boxcar: a rectangular window"))),
           orNull(choiceField(
               "scaling", "\"density\"", {"density", "spectrum"},
               STRATA_TEXT("initializer",
                           "Scaling of the window: density or spectrum; none: no scaling"))),
           {.name = "periodic",
            .type = FieldType::Boolean,
            .defaultJson = "false",
            .help =
                STRATA_TEXT("initializer", "Use a periodic window instead of a symmetric one")}},
          "Keras 3, keras.initializers.STFT"),
  });
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
