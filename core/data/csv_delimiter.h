// SPDX-License-Identifier: Apache-2.0
// Recognizes the delimiter of a table by its first rows.
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <string_view>

namespace strata {

/// Returns the likely delimiter of a text: the most frequent one of comma, semicolon, tab and
/// vertical bar in the first row. If commas only stand in numbers, and another delimiter occurs
/// equally often in each row, commas are decimal separators. Returns ' ' if spaces and tabs
/// separate the cells: each row has the same number of words, and either no other delimiter occurs,
/// or tabs and decimal commas stand between numbers alone. `decimal` is the decimal separator of
/// the project. Lines that begin with `comment` do not count; "" stands for no comments.
char likelyDelimiter(std::string_view text, char decimal, std::string_view comment);

}  // namespace strata
