// SPDX-License-Identifier: Apache-2.0
// Corrects the checksums of damaged files as far as the files can still be parsed. These functions
// do not damage files (see mutate.h). Any thread may call them.
#pragma once

#include <string>

namespace strata::fuzz {

/// Decompresses as much of the file as possible and compresses it again.
std::string repairGzip(const std::string& file);
/// Correct the checksums of the members of an archive, or of the chunks of an image.
std::string repairZip(const std::string& file);
std::string repairPng(const std::string& file);
/// Corrects the hash of a checkpoint's tensors and metadata.
std::string repairCheckpoint(const std::string& file);

/// Returns the bytes as a gzip file. Level 0 stores them uncompressed, so that damage reaches the
/// contents.
std::string gzipOf(const std::string& bytes, int level);
/// Returns the bytes as a compressed stream without a header or checksum.
std::string deflated(const std::string& bytes);

}  // namespace strata::fuzz
