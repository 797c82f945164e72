// SPDX-License-Identifier: Apache-2.0
// safetensors files (https://huggingface.co/docs/safetensors, format description): little-endian,
// JSON header, no code. Read with every size checked first.
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/interchange/tensor_reader.h"
#include "core/project/atomic_file.h"

namespace strata {

/// Headers above this are refused, as the format's own reader does.
constexpr uint64_t kMaxSafetensorsHeaderBytes = uint64_t{100} << 20;

/// Its head alone, with every size checked against the file. Fails: InvalidFile naming file, tensor
/// and byte (truncated, header too large, overlapping or out-of-range offsets, unknown dtype,
/// duplicate name, not there); IoFailure.
std::unique_ptr<TensorReader> openSafetensors(const std::string& path);
/// All of it. Fails: as openSafetensors.
TensorFile readSafetensors(const std::string& path);
/// Whole or not at all (temporary, fsync, rename; isDurable as in AtomicFile). Fails: as `tensors`;
/// IoFailure.
void writeSafetensors(const std::string& path, TensorReader& tensors,
                      const std::map<std::string, std::string>& metadata, bool isDurable = true,
                      Links links = Links::Follow);
/// The same of tensors in memory.
void writeSafetensors(const std::string& path, const TensorFile& file, bool isDurable = true);
void writeSafetensors(const std::string& path, const TensorViews& tensors,
                      const std::map<std::string, std::string>& metadata, bool isDurable = true,
                      Links links = Links::Follow);

}  // namespace strata
