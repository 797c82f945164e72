// SPDX-License-Identifier: Apache-2.0
// Files of weights of either format: read by their content, written by their suffix (.safetensors,
// .npz). Not here: which tensor is which variable (weight_names.h). Thread: pure functions.
#pragma once

#include <string>

#include "core/interchange/safetensors.h"

namespace strata {

/// "" where the format of that suffix is known, else what is wrong with it and what to do.
std::string problemOfWeightsSuffix(const std::string& path);
/// Its heads alone. Fails: as openSafetensors and openNpz.
std::unique_ptr<TensorReader> openWeightsFile(const std::string& path);
/// Of weights that this program wrote: their values against the hash that they keep. Fails:
/// InvalidFile naming `file`; as TensorReader::read.
void requireHash(TensorReader& tensors, const std::string& file);
/// Whole or not at all. Fails: UnsupportedOp (suffix), IoFailure; as `tensors`.
void writeWeightsFile(const std::string& path, TensorReader& tensors,
                      const std::map<std::string, std::string>& metadata);
void writeWeightsFile(const std::string& path, const TensorViews& tensors,
                      const std::map<std::string, std::string>& metadata);

}  // namespace strata
