// SPDX-License-Identifier: Apache-2.0
// Files in the safetensors format (https://huggingface.co/docs/safetensors): a JSON header followed
// by little-endian data, without code. Every size is checked before data is read.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/interchange/tensor_reader.h"
#include "core/project/atomic_file.h"

namespace strata {

/// Maximum size of a header, as in the reference implementation. Larger headers are refused.
constexpr uint64_t kMaxSafetensorsHeaderBytes = uint64_t{100} << 20;

/// Opens a file: reads only the header, and compares every size with the file. Fails: InvalidFile
/// naming file, tensor and byte (missing or truncated file, header too large, overlapping or
/// out-of-range offsets, unknown dtype, duplicate name); IoFailure.
std::unique_ptr<TensorReader> openSafetensors(const std::string& path);
/// Reads all tensors. Fails with the errors of openSafetensors.
TensorFile readSafetensors(const std::string& path);
/// Writes the complete file or nothing (see AtomicFile, also for `isDurable`). Fails with the
/// errors of `tensors`, or with IoFailure.
void writeSafetensors(const std::string& path, TensorReader& tensors,
                      const std::map<std::string, std::string>& metadata, bool isDurable = true,
                      Links links = Links::Follow);
/// These functions write tensors in memory in the same way.
void writeSafetensors(const std::string& path, const TensorFile& file, bool isDurable = true);
void writeSafetensors(const std::string& path, const TensorViews& tensors,
                      const std::map<std::string, std::string>& metadata, bool isDurable = true,
                      Links links = Links::Follow);

}  // namespace strata
