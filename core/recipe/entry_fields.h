// SPDX-License-Identifier: Apache-2.0
// Field schemas that losses, optimizers, schedules and metrics share.
// Not here: fields of layers (core/layers/fields.h).
// Thread: the functions have no side effects, so any thread may call them.
#pragma once

#include <optional>

#include "core/layers/schema.h"

namespace strata {

FieldSchema numberField(const char* name, const char* value, std::optional<double> minimum,
                        std::optional<double> maximum, Text title, Text help);
/// A field with a number above 0. With the default "null", the field is optional.
FieldSchema positiveField(const char* name, const char* value, Text title, Text help);
/// A field with a number of at least 0 and less than 1.
FieldSchema shareField(const char* name, const char* value, Text title, Text help);
/// A field of type Boolean.
FieldSchema flagField(const char* name, const char* value, Text title, Text help);
/// The field `axis` of losses and metrics whose targets are class indices. As in Keras, it allows
/// only the last dimension.
FieldSchema lastClassAxis();
FieldSchema integerField(const char* name, const char* value, double minimum, double maximum,
                         Text title, Text help);
/// Returns `field` without its default, so that it is required. A new object starts with `example`.
FieldSchema requiredField(FieldSchema field, const char* example);
/// The fields `from_logits` and `label_smoothing` of losses and metrics of class probabilities.
FieldSchema fromLogitsField();
FieldSchema labelSmoothingField();

}  // namespace strata
