// SPDX-License-Identifier: Apache-2.0
// Opens files of a run that grow while it trains (events, history), so that the run never writes
// through a link: a symbolic or hard link, as some backup programs make them, is first replaced by
// a copy of its target. Not here: files written as a whole (AtomicFile).
// Thread: pure functions on the file system.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// Opens or creates the file, truncates it to at most `keptBytes` and seeks to its end. The caller
/// closes the returned descriptor.
/// Fails: IoFailure; InvalidFile where the name is not that of a regular file.
int openOwnFile(const std::string& path, uint64_t keptBytes);
/// False where the folder does not exist. Fails: InvalidFile where it is a link or not a folder;
/// IoFailure where it cannot be read.
bool requireOwnFolder(const std::string& path);

}  // namespace strata
