// SPDX-License-Identifier: GPL-3.0-or-later
// Ranks how well a name matches the text in a search field. Thread: any.
#pragma once

#include <QString>

namespace strata::ui {

/// The ranks, from the best match to no match. WordStart means that a later word of the name starts
/// with the text.
enum class SearchRank { Exact, Prefix, WordStart, Contains, None };

/// Returns how well `name` matches `wanted`. Ignores case. An empty `wanted` counts as a prefix of
/// every name.
SearchRank searchRank(const QString& name, const QString& wanted);

}  // namespace strata::ui
