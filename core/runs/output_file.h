// SPDX-License-Identifier: Apache-2.0
// Files that a user names for an export (weights, traces, tables, events). They never replace a
// file of a run, because only the run itself writes to its directory.
// Thread: the functions only access the file system.
#pragma once

#include <string>
#include <string_view>

namespace strata {

/// Whether the path leads, also through links, to the place of a file in the directory of a run. A
/// folder with a record or a history is one of a run, and so is `runDirectory`, if there is one.
bool isPlaceOfRun(const std::string& path, const std::string& runDirectory = {});
/// Fails: InvalidArgument if isPlaceOfRun().
void requireOutsideRuns(const std::string& path);

/// Writes an export as a whole, like writeFileAtomically(). A file that exists must be empty or an
/// export of this kind: it begins with the first `numSame` bytes of `bytes`. `kind` names the kind
/// in the error, such as "a trace". Fails: InvalidArgument for another file, or a file of a run;
/// InvalidFile; IoFailure.
void writeExport(const std::string& path, std::string_view bytes, size_t numSame,
                 const std::string& kind);

}  // namespace strata
