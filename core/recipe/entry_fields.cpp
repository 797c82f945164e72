// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/entry_fields.h"

namespace strata {

FieldSchema numberField(const char* name, const char* value, std::optional<double> minimum,
                        std::optional<double> maximum, Text title, Text help) {
  FieldSchema field{.name = name,
                    .type = FieldType::Number,
                    .defaultJson = value,
                    .minimum = minimum,
                    .maximum = maximum};
  field.isNullable = std::string_view(value) == "null";
  field.help = help;
  field.title = title;
  return field;
}

FieldSchema positiveField(const char* name, const char* value, Text title, Text help) {
  FieldSchema field = numberField(name, value, 0.0, {}, title, help);
  field.isMinimumExclusive = true;
  return field;
}

FieldSchema shareField(const char* name, const char* value, Text title, Text help) {
  FieldSchema field = numberField(name, value, 0.0, 1.0, title, help);
  field.isMaximumExclusive = true;
  return field;
}

FieldSchema flagField(const char* name, const char* value, Text title, Text help) {
  return {
      .name = name, .type = FieldType::Boolean, .defaultJson = value, .help = help, .title = title};
}

FieldSchema integerField(const char* name, const char* value, double minimum, double maximum,
                         Text title, Text help) {
  FieldSchema field = numberField(name, value, minimum, maximum, title, help);
  field.type = FieldType::Integer;
  return field;
}

FieldSchema lastClassAxis() {
  FieldSchema field =
      integerField("axis", "-1", -1, -1, STRATA_TEXT("training", "Axis"),
                   STRATA_TEXT("training", "Dimension of the classes; -1: the last one"));
  field.hasOneValue = true;
  return field;
}

FieldSchema requiredField(FieldSchema field, const char* example) {
  field.defaultJson.clear();
  field.exampleJson = example;
  return field;
}

FieldSchema fromLogitsField() {
  return flagField(
      "from_logits", "false", STRATA_TEXT("training", "From logits"),
      STRATA_TEXT("training", "The network outputs logits: it ends without softmax or sigmoid"));
}

FieldSchema labelSmoothingField() {
  return numberField(
      "label_smoothing", "0.0", 0.0, 1.0, STRATA_TEXT("training", "Label smoothing"),
      STRATA_TEXT("training", "Fraction of each target that is spread over all classes"));
}

}  // namespace strata
