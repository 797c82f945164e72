// SPDX-License-Identifier: Apache-2.0
// The fields of the source `csv`, read from a project. Not here: their schema (source_csv.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <vector>

#include "core/data/csv.h"
#include "core/data/table.h"
#include "core/project/json.h"

namespace strata {

/// Returns how the text of the table is read. Requires: checked fields. Fails: InvalidProject for a
/// wrong delimiter.
CsvOptions csvOptionsOf(const Json& fields);
MissingPolicy missingPolicyOf(const Json& fields);
/// Returns the decimal separator that the project sets, or '\0'.
char decimalOf(const Json& fields);
/// Returns a list of names. A string is a list of one name, and null is an empty list.
std::vector<std::string> namesOf(const Json& value);
/// Returns the columns of the table with these names, as the table spells them. Fails: InvalidFile
/// naming a missing column and `field`.
std::vector<std::string> columnsOf(const CsvTable& table, const Json& names, const char* field);

}  // namespace strata
