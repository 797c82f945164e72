// SPDX-License-Identifier: Apache-2.0
// The batch of the step whose loss or gradient was not finite, in `bad_batch.safetensors` of the
// run directory. A later failure of the run replaces it. The tensors are "input/<layer>" and
// "target/<layer>" as the network got them, "weight/<output>" if samples have weights, and
// "indices" (the positions of the samples in the training data).
// Not here: finding the layer (core/train/non_finite.h).
// Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/interchange/safetensors.h"

namespace strata {

constexpr const char* kKeptBatchFile = "bad_batch.safetensors";

struct KeptBatch {
  // Path of the file
  std::string path;
  int64_t step = 0, epoch = 0;
  double loss = 0;
  // The layer whose output, weights or gradient were first not finite; "" if it is not known
  std::string layer;
  // What the run reported
  std::string message;
  // Hash of all tensors with the indices (weightsHash()), as in the record of the run
  std::string hash;
  // Positions of the samples in the training data
  std::vector<int32_t> indices;
  // Names of the other tensors in the file
  std::vector<std::string> tensors;
};

/// Returns all tensors of the file: `tensors` and the indices, which stay in `batch`.
TensorViews tensorsOf(const KeptBatch& batch, TensorViews tensors);
/// Writes the file atomically. `tensors` are those of tensorsOf(), and batch.hash their hash;
/// batch.path and batch.tensors are not used. Fails: IoFailure.
void writeKeptBatch(const std::string& path, const KeptBatch& batch, const TensorViews& tensors);
/// Returns the batch that the record of the run lists, or nullopt if it lists none. If it lists one
/// whose file is missing or damaged, returns nullopt and sets `problem`, the rest of a sentence
/// such as "bad_batch.safetensors is missing"; otherwise `problem` is "". openSafetensors(path)
/// reads its tensors. Fails: as readRunRecord().
std::optional<KeptBatch> readKeptBatch(const std::string& runDirectory, std::string& problem);

}  // namespace strata
