// SPDX-License-Identifier: GPL-3.0-or-later
// How well a name answers what a person types into a search field. Thread: any.
#pragma once

#include <QString>

namespace strata::ui {

/// The best comes first. WordStart: a capital letter or what follows a space or sign begins a word.
enum class SearchRank { Exact, Prefix, WordStart, Contains, None };

/// Case does not count. An empty `wanted` is a prefix of every name.
SearchRank searchRank(const QString& name, const QString& wanted);

}  // namespace strata::ui
