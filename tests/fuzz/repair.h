// SPDX-License-Identifier: Apache-2.0
// Corrects the checksums of damaged files as far as the file can still be parsed. Not here: damage
// (mutate.h). Thread: pure.
#pragma once

#include <string>

namespace strata::fuzz {

/// Compresses again what can still be unpacked.
std::string repairGzip(const std::string& file);
std::string repairZip(const std::string& file);
std::string repairPng(const std::string& file);
/// The hash over a checkpoint's tensors and metadata.
std::string repairCheckpoint(const std::string& file);

/// level 0: stored, so that damage reaches the contents.
std::string gzipOf(const std::string& bytes, int level);
std::string deflated(const std::string& bytes);

}  // namespace strata::fuzz
