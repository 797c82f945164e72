// SPDX-License-Identifier: Apache-2.0
// Files of weights of either format: read by their content, written by their suffix (.safetensors, .npz). Not here: which tensor is which variable
// (weight_names.h). Thread: pure functions.
#pragma once

#include <string>

#include "core/interchange/safetensors.h"

namespace strata {

/// "" where the format of that suffix is known, else what is wrong with it and what to do.
std::string problemOfWeightsSuffix(const std::string& path);
/// Fails: as readSafetensors and readNpz.
TensorFile readWeightsFile(const std::string& path);
/// Its head alone. Fails: as checkSafetensors and checkNpz.
void checkWeightsFile(const std::string& path);
/// Whole or not at all. Fails: UnsupportedOp (suffix), IoFailure.
void writeWeightsFile(const std::string& path, const TensorViews& tensors, const std::map<std::string, std::string>& metadata);

}  // namespace strata
