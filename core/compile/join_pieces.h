// SPDX-License-Identifier: Apache-2.0
// Joins the micro-batches of an update into one step, for a pipeline: the forward passes of all
// micro-batches come first, then their backward passes, then the update. While one device computes
// a micro-batch, the device before it computes the next one (GPipe, Huang et al. 2019).
// Thread: the functions are pure.
#pragma once

#include <cstdint>
#include <vector>

#include "core/compile/compile.h"

namespace strata {

/// A micro-batch, and its place in the batch.
struct JoinedPiece {
  // After the passes
  const StepGraph* step = nullptr;
  int64_t offset = 0, samples = 0;
};

/// Returns the name of a result of a micro-batch in a joined step: "loss", "loss#1", ..
std::string resultOf(const std::string& name, size_t piece);

/// Joins the steps of the micro-batches First, Middle and Last, in this order. The inputs of the
/// result have the samples of the whole batch. It has the results of each micro-batch, and one flag
/// kFinite, and computes the bits of the single steps one after the other.
StepGraph joinPieces(const std::vector<JoinedPiece>& pieces);

}  // namespace strata
