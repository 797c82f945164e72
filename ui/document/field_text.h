// SPDX-License-Identifier: GPL-3.0-or-later
// Converts field values to text that users can edit ("3 × 3", "28 × 28 × 1", "0.001"), and parses
// such text with the field's schema. Numbers use the C locale. Thread: the functions are pure, so
// any thread may call them.
#pragma once

#include <QString>
#include <optional>

#include "core/layers/schema.h"

namespace strata::ui {

/// Returns the type of a layer and its most important fields, such as "Conv2D 32, 3 × 3, relu".
QString layerSummaryText(const Schema& schema, const Json& layer);
QString fieldText(const FieldSchema& field, const Json& value);
/// Returns the value, or nullopt if the text is invalid. `why` then contains what was expected.
std::optional<Json> parseFieldText(const FieldSchema& field, const QString& text, QString& why);
/// Returns the field's default as text, or "" for a required field.
QString defaultText(const FieldSchema& field);
/// Returns the title in the schema, such as "Kernel size". If there is no title, derives it from
/// the name.
QString fieldTitle(const FieldSchema& field);
/// Returns a tooltip with the help, the range, the unit, the default and the name in the file.
QString fieldToolTip(const FieldSchema& field);

}  // namespace strata::ui
