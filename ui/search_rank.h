// SPDX-License-Identifier: GPL-3.0-or-later
// How well a name matches the text in a search field. Thread: any.
#pragma once

#include <QString>

namespace strata::ui {

/// Best match first. WordStart: a word begins with a capital letter or after a space or sign.
enum class SearchRank { Exact, Prefix, WordStart, Contains, None };

/// Ignores case. An empty `wanted` is a prefix of every name.
SearchRank searchRank(const QString& name, const QString& wanted);

}  // namespace strata::ui
