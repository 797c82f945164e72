// SPDX-License-Identifier: GPL-3.0-or-later
// Makes everything that the program prints safe for a terminal. Names of classes, layers and
// devices, paths and cells come from other people's files, and a terminal obeys control characters
// in them. So both standard streams replace these characters (gpu/base/printable.h), whoever prints
// them. JSON keeps its meaning, because the escapes are those of JSON.
// Thread: the functions are for the main thread. Afterwards, any thread may print. The log is safe
// by itself (gpu/base/log.h).
#pragma once

#include <ostream>

namespace strata::cli {

/// Makes std::cout and std::cerr safe. Call it once.
void makeOutputSafe();

/// Removes the text in the current line of the terminal.
void clearTerminalLine(std::ostream& out);

}  // namespace strata::cli
