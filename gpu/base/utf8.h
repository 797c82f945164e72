// SPDX-License-Identifier: Apache-2.0
// UTF-8 of text from files. Not here: making text safe for a terminal (printable.h).
// Thread: the function is pure, so any thread may call it.
#pragma once

#include <cstddef>
#include <string_view>

namespace strata {

/// Returns the length of the UTF-8 sequence at `position`, or 0 if it is invalid.
size_t utf8Length(std::string_view text, size_t position);

}  // namespace strata
