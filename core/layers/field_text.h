// SPDX-License-Identifier: Apache-2.0
// Texts about fields and their values for messages. Not here: the checks (field_check.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>

#include "core/layers/schema.h"
#include "core/project/text.h"

namespace strata {

/// Returns at most 60 bytes of the value, printed on one line.
std::string compactText(const Json& json);
/// Returns a number as text. Integers that fit in int64_t have no decimal point.
std::string plainNumber(double value);
/// Returns the schema of an Object that has only one, so that its values need no "type". Returns
/// null for other fields.
const Schema* onlySchema(const FieldSchema& field);
/// Returns a description of the values that a field accepts, such as "a list of integers".
Text expectedType(const FieldSchema& field);

}  // namespace strata
