// SPDX-License-Identifier: Apache-2.0
// Field schemas shared by losses, optimizers, schedules and metrics. Not here: fields of layers
// (core/layers/fields.h).
// Thread: pure.
#pragma once

#include <optional>

#include "core/layers/schema.h"

namespace strata {

FieldSchema numberField(const char* name, const char* value, std::optional<double> minimum,
                        std::optional<double> maximum, Text title, Text help);
/// Above 0; with the default "null" the field is optional.
FieldSchema positiveField(const char* name, const char* value, Text title, Text help);
/// At least 0, below 1.
FieldSchema shareField(const char* name, const char* value, Text title, Text help);
FieldSchema flagField(const char* name, const char* value, Text title, Text help);
/// "axis" of losses and metrics whose targets are class numbers: as in Keras, only the last
/// dimension.
FieldSchema lastClassAxis();
FieldSchema integerField(const char* name, const char* value, double minimum, double maximum,
                         Text title, Text help);
/// `field` without a default; a new object starts with `example`.
FieldSchema requiredField(FieldSchema field, const char* example);
/// For losses and metrics of class probabilities.
FieldSchema fromLogitsField();
FieldSchema labelSmoothingField();

}  // namespace strata
