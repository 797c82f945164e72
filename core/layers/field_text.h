// SPDX-License-Identifier: Apache-2.0
// Texts about fields and their values for messages. Not here: the checks (field_check.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>

#include "core/layers/schema.h"
#include "core/project/text.h"

namespace strata {

/// Returns the value as JSON on one line, shortened to at most 60 bytes.
std::string compactText(const Json& json);
/// Returns a number as text. Integers that fit in int64_t have no decimal point.
std::string plainNumber(double value);
/// Returns the only schema of an Object field, or null for other fields and for fields with several
/// schemas. If there is only one schema, the values of the field need no "type".
const Schema* onlySchema(const FieldSchema& field);
/// Returns a description of the values that a field accepts, such as "a list of integers".
Text expectedType(const FieldSchema& field);

}  // namespace strata
