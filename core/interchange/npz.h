// SPDX-License-Identifier: Apache-2.0
// NumPy's archives of arrays (.npz): a ZIP of .npy members, stored or deflated, by name. Metadata of this program stands in the archive's comment, which NumPy
// passes over. Not here: what the tensors mean. Thread: pure functions.
#pragma once

#include <map>
#include <string>

#include "core/interchange/safetensors.h"

namespace strata {

/// Fails: InvalidFile naming file, array and what is wrong (as ZipReader and readNpyHead; damaged by its CRC); IoFailure.
TensorFile readNpz(const std::string& path);
/// Its directory and the arrays' heads, with every size checked. Fails: as readNpz, less the CRC.
void checkNpz(const std::string& path);
/// Whole or not at all. Fails: IoFailure.
void writeNpz(const std::string& path, const TensorViews& tensors, const std::map<std::string, std::string>& metadata,
              bool isDurable = true);

}  // namespace strata
