// SPDX-License-Identifier: Apache-2.0
// safetensors files (https://huggingface.co/docs/safetensors, format description): little-endian, JSON header, no code. Read with every size checked first.
// Thread: pure functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "core/project/atomic_file.h"
#include "gpu/tensor/tensor.h"

namespace strata {

struct TensorFile {
  std::map<std::string, Tensor> tensors;
  std::map<std::string, std::string> metadata;  // __metadata__
};

using TensorViews = std::map<std::string, TensorView>;
TensorViews viewsOf(const std::map<std::string, Tensor>& tensors);

/// Headers above this are refused, as the format's own reader does.
constexpr uint64_t kMaxSafetensorsHeaderBytes = uint64_t{100} << 20;

/// Fails: InvalidFile naming file, tensor and byte (truncated, header too large, overlapping or out-of-range offsets, unknown dtype, duplicate name, not there); IoFailure.
TensorFile readSafetensors(const std::string& path);
/// Its head alone, with every size checked against the file. Fails: as readSafetensors.
void checkSafetensors(const std::string& path);
/// Whole or not at all (temporary, fsync, rename; isDurable as in AtomicFile). Fails: IoFailure.
void writeSafetensors(const std::string& path, const TensorFile& file, bool isDurable = true);
/// The same without a copy of what is written.
void writeSafetensors(const std::string& path, const TensorViews& tensors, const std::map<std::string, std::string>& metadata,
                      bool isDurable = true, Links links = Links::Follow);
/// XXH3-64 over the tensors in name order (name, shape and bytes), as 16 hex digits.
std::string weightsHash(const std::map<std::string, Tensor>& tensors);
std::string weightsHash(const TensorViews& tensors);

}  // namespace strata
