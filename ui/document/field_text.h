// SPDX-License-Identifier: GPL-3.0-or-later
// Values of fields as a person writes them ("3 × 3", "28 × 28 × 1", "0.001") and back, in the C
// locale, by the field's schema. A value that was not touched is never written back, so its
// spelling in the file stays. Thread: pure.
#pragma once

#include <QString>
#include <optional>

#include "core/layers/schema.h"

namespace strata::ui {

/// "Conv2D 32, 3 × 3, relu": the type and what is set of its main fields.
QString layerSummaryText(const Schema& schema, const Json& layer);
QString fieldText(const FieldSchema& field, const Json& value);
/// Empty answer: `why` says what is expected.
std::optional<Json> parseFieldText(const FieldSchema& field, const QString& text, QString& why);
/// The field's default as text; "" for a required field.
QString defaultText(const FieldSchema& field);
/// "Kernel size": the schema's title, else its name with spaces.
QString fieldTitle(const FieldSchema& field);
/// Help, range, unit and default in a tool tip.
QString fieldToolTip(const FieldSchema& field);

}  // namespace strata::ui
