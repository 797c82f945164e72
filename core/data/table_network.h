// SPDX-License-Identifier: Apache-2.0
// Proposes small networks for a table: layers, loss, metrics and options of training that fit its
// columns. Not here: checking whether the present network fits (core/check).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "core/data/describe_table.h"
#include "core/project/diagnostic.h"
#include "core/project/project.h"

namespace strata {

/// Returns networks for the table that the project reads, the most suitable one first. Each one
/// replaces the network and the training of the project, in one undo step. A label with few
/// whole numbers has two networks: one for classes and one for values. The result is empty if the
/// label cannot be predicted, for example because each row has another word. Reads the table,
/// because the width of its inputs depends on the split.
std::vector<Fix> networkFixes(const Project& project, const TableDescription& table);

/// Returns chooseTableEdit() for the table at `path`, which may be relative to the project. If the
/// project has no layers, the edit adds the network that is offered first. Does not read a file
/// larger than `limitBytes`, which then gets no network and keeps no names of columns.
ProjectEdit useTableEdit(const Project& project, const std::string& path, size_t limitBytes);

}  // namespace strata
