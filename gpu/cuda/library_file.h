// SPDX-License-Identifier: Apache-2.0
// Says what is wrong with the file of a shared library, in words that a person understands. The
// loader itself does not notice that a file is incomplete, and the program then ends with a signal.
// Not here: finding the file.
// Thread: any.
#pragma once

#include <filesystem>
#include <string>

namespace strata::cuda {

/// Returns what is wrong with a file that should be a shared library of this machine, as a
/// predicate such as "is incomplete"; empty if nothing is.
std::string faultOfLibrary(const std::filesystem::path& file);

/// Returns what the loader's text (dlerror) says about a library, as a predicate such as
/// "needs libz.so.1, which was not found".
std::string explainLoader(const std::string& text);

}  // namespace strata::cuda
