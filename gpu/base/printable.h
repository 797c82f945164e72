// SPDX-License-Identifier: Apache-2.0
// Makes text from files and other programs safe for a terminal. A terminal obeys control
// characters: they set its title, clear it, or change what a person reads. Not here: the length of
// messages (core/project/text.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace strata {

/// What becomes of line feeds and tabs.
enum class Breaks : uint8_t { Escape, Keep };
/// Returns the text without what a terminal obeys. Control characters (U+0000 to U+001F, U+007F to
/// U+009F) and marks that change the direction of text (U+061C, U+200E, U+200F, U+202A to U+202E,
/// U+2066 to U+2069) become escapes of JSON, such as \u001b, so that a JSON document keeps its
/// meaning. Line feeds and tabs become \n and \t. Bytes that are not UTF-8 become escapes such as
/// \xff.
std::string printable(std::string_view text, Breaks breaks = Breaks::Escape);

}  // namespace strata
