// SPDX-License-Identifier: Apache-2.0
// Opens files of a run that grow while it trains (events, history). Some backup programs create
// symbolic or hard links, and a run must never write through a link. Therefore a link is first
// replaced by a copy of its target. Not here: files that are written as a whole (AtomicFile).
// Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// Opens or creates the file, truncates it to at most `keptBytes` and seeks to its end. The caller
/// closes the returned descriptor. Fails: IoFailure; InvalidFile if the path exists and is not a
/// regular file.
int openOwnFile(const std::string& path, uint64_t keptBytes);
/// Checks that the path is a folder and not a link. Returns false if it does not exist. Fails:
/// InvalidFile; IoFailure if the path cannot be read.
bool requireOwnFolder(const std::string& path);

}  // namespace strata
