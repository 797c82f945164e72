// SPDX-License-Identifier: Apache-2.0
// The Git commit that a folder has checked out, for the record of a run. Reads the files in .git
// and never starts git, so changes that are not committed are not known.
// Thread: the function only accesses the file system.
#pragma once

#include <string>

namespace strata {

struct SourceRevision {
  // 40 or 64 hexadecimal digits; "" if the folder is in no work tree, or without a commit
  std::string commit;
  // Such as "main"; "" if no branch is checked out
  std::string branch;
};

/// Returns the commit of the work tree that contains this folder. Damaged files count as missing.
SourceRevision revisionOf(const std::string& folder);

}  // namespace strata
