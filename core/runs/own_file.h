// SPDX-License-Identifier: Apache-2.0
// Opens files of a run that grow while it trains (events, history). A run must never write through
// a symbolic or hard link, which some backup programs create. The link is therefore replaced by a
// copy of its target first. Not here: files that are written as a whole (AtomicFile).
// Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// Opens or creates the file, truncates it to at most `keptBytes` and seeks to its end. The caller
/// closes the returned descriptor. Fails: IoFailure; InvalidFile if the path exists and is not a
/// regular file.
int openOwnFile(const std::string& path, uint64_t keptBytes);
/// Returns false if the folder does not exist. Fails: InvalidFile if the path is a link or not a
/// folder; IoFailure if it cannot be read.
bool requireOwnFolder(const std::string& path);

}  // namespace strata
