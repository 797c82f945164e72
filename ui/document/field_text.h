// SPDX-License-Identifier: GPL-3.0-or-later
// Converts field values to text as a person writes it ("3 × 3", "28 × 28 × 1", "0.001") and back,
// in the C locale, by the field's schema. A value that was not edited is never written back, so its
// spelling in the file stays. Thread: any (pure functions).
#pragma once

#include <QString>
#include <optional>

#include "core/layers/schema.h"

namespace strata::ui {

/// "Conv2D 32, 3 × 3, relu": the type and the main fields that are set
QString layerSummaryText(const Schema& schema, const Json& layer);
QString fieldText(const FieldSchema& field, const Json& value);
/// If the result is empty, `why` says what was expected.
std::optional<Json> parseFieldText(const FieldSchema& field, const QString& text, QString& why);
/// The field's default as text; "" for a required field.
QString defaultText(const FieldSchema& field);
/// "Kernel size": the title of the schema, else the name with spaces
QString fieldTitle(const FieldSchema& field);
/// Help, range, unit and default as a tooltip
QString fieldToolTip(const FieldSchema& field);

}  // namespace strata::ui
