// SPDX-License-Identifier: Apache-2.0
// Edits of a project that uses a table: another source, the roles of columns, and the treatment of
// missing values. Each edit is one undo step. Not here: networks for a table (table_network.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <vector>

#include "core/data/describe_table.h"
#include "core/project/diagnostic.h"
#include "core/project/edit.h"
#include "core/project/json.h"

namespace strata {

/// Replaces the data source by `source`, an object with "type". Removes what belonged to the former
/// data: transforms that fit it, skip and take, and the names and weights of its classes. If both
/// sources read images, the transforms stay.
ProjectEdit changeSourceEdit(const Json& project, const Json& source);

/// Makes a project read the table at `path`, like changeSourceEdit(). The samples are shuffled
/// before a part is used for validation. If the project already reads a table, fields with names of
/// columns keep the names that are in `columns`, the names of the new table. Otherwise the label is
/// likelyLabel(columns), if there is one.
ProjectEdit chooseTableEdit(const Json& project, const std::string& path,
                            const std::vector<std::string>& columns = {});

/// Returns the names of a table's columns, or an empty list if the file is larger than `limitBytes`
/// or cannot be read.
std::vector<std::string> columnNames(const std::string& path, size_t limitBytes);

/// Whether setRoleEdit() can set roles. It cannot if a field of the source has an entry for each
/// Input layer or output.
bool canSetRoles(const Json& project);

/// Gives a column of the table another role. A new label replaces a single former label, which
/// becomes an input, and is added to a list of labels. The edit is empty if nothing changes, if
/// canSetRoles() is false, or if the column is the only label.
ProjectEdit setRoleEdit(const Json& project, const TableDescription& table,
                        const std::string& column, ColumnDescription::Role role);

/// Returns the fixes for rows with missing values that the source does not replace or drop.
std::vector<Fix> missingFixes(const Json& project, const TableDescription& table);

}  // namespace strata
