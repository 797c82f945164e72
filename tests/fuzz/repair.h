// SPDX-License-Identifier: Apache-2.0
// Corrects the checksums of damaged files as far as the files can still be parsed. It does not
// damage files (see mutate.h). Any thread may call these functions.
#pragma once

#include <string>

namespace strata::fuzz {

/// Compresses again the contents that can still be decompressed.
std::string repairGzip(const std::string& file);
std::string repairZip(const std::string& file);
std::string repairPng(const std::string& file);
/// Corrects the hash of a checkpoint's tensors and metadata.
std::string repairCheckpoint(const std::string& file);

/// Compresses. Level 0 stores the bytes unchanged, so that damage reaches the contents.
std::string gzipOf(const std::string& bytes, int level);
std::string deflated(const std::string& bytes);

}  // namespace strata::fuzz
