// SPDX-License-Identifier: Apache-2.0
// Files of a run that grow while it trains (events, history), opened so that only the run's own
// file is ever written: a link, also a hard one as backups by link make them, is first replaced by
// a copy of what it names. Not here: files written whole (AtomicFile).
// Thread: pure functions on the file system.
#pragma once

#include <cstdint>
#include <string>

namespace strata {

/// Opens or makes the file, cuts it to at most `keptBytes` and stands at its end. Returns a
/// descriptor that the caller closes.
/// Fails: IoFailure; InvalidFile where something else than a file has that name.
int openOwnFile(const std::string& path, uint64_t keptBytes);
/// Fails: InvalidFile where the folder DIR/checkpoints is a link or no folder; IoFailure where it
/// cannot be read. False: it is not there.
bool requireOwnFolder(const std::string& path);

}  // namespace strata
