// SPDX-License-Identifier: GPL-3.0-or-later
// Converts field values to text that a person can edit ("3 × 3", "28 × 28 × 1", "0.001") and back,
// by the field's schema. The text uses the C locale. Values that were not edited are not written
// back, so their spelling in the file stays. Thread: any (pure functions).
#pragma once

#include <QString>
#include <optional>

#include "core/layers/schema.h"

namespace strata::ui {

/// Returns, for example, "Conv2D 32, 3 × 3, relu": the type and the main fields that are set.
QString layerSummaryText(const Schema& schema, const Json& layer);
QString fieldText(const FieldSchema& field, const Json& value);
/// Returns nullopt for invalid text. `why` then says what was expected.
std::optional<Json> parseFieldText(const FieldSchema& field, const QString& text, QString& why);
/// Returns the field's default as text, or "" for a required field.
QString defaultText(const FieldSchema& field);
/// Returns the title of the schema, such as "Kernel size". Without one, returns the name with
/// spaces.
QString fieldTitle(const FieldSchema& field);
/// Returns a tooltip with help, range, unit and default.
QString fieldToolTip(const FieldSchema& field);

}  // namespace strata::ui
