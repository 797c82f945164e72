// SPDX-License-Identifier: Apache-2.0
// Weights files in either format (.safetensors, .npz). When a file is read, its content determines
// the format. When a file is written, the suffix does. Not here: matching tensors and variables
// (weight_names.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>

#include "core/interchange/safetensors.h"

namespace strata {

/// Returns a message about the suffix if it belongs to no supported format, otherwise "".
std::string problemOfWeightsSuffix(const std::string& path);
/// Opens a file, and reads only the headers. Fails with the errors of openSafetensors and openNpz.
std::unique_ptr<TensorReader> openWeightsFile(const std::string& path);
/// Compares weights with the hash in their metadata, if this program wrote the file. Fails:
/// InvalidFile naming `file`; the errors of TensorReader::read.
void requireHash(TensorReader& tensors, const std::string& file);
/// Writes the complete file or nothing. Fails: UnsupportedOp (suffix); IoFailure; the errors of
/// `tensors`.
void writeWeightsFile(const std::string& path, TensorReader& tensors,
                      const std::map<std::string, std::string>& metadata);
void writeWeightsFile(const std::string& path, const TensorViews& tensors,
                      const std::map<std::string, std::string>& metadata);

}  // namespace strata
