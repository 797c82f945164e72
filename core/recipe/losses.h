// SPDX-License-Identifier: Apache-2.0
// Losses: a schema and a lowering to ops. losses.cpp has the list and the shared parts,
// losses_<family>.cpp the definitions; one entry there adds a loss. Numerics follow Keras 3.
// Thread: definitions are constant.
#pragma once

#include <span>
#include <string_view>

#include "core/layers/schema.h"
#include "gpu/graph/graph.h"

namespace strata {

/// What a loss or metric compares a prediction with.
enum class TargetKind : uint8_t {
  // i32, the prediction's shape without its last dimension
  Labels,
  // f32, the prediction's shape
  Values,
  // i32, labels in their order, fewer than the prediction's steps, padded with 0
  Sequences,
};

struct LossContext {
  Graph& graph;
  const Json& fields;
  ValueId prediction, target;
  // Weights of the samples (f32, leading dimensions of the loss's rows); invalid: all equal
  ValueId weights = {};
  // Mask of the rows that count (f32), also contained in `weights`; only set if the loss excludes
  // more rows
  ValueId mask = {};
  // Share of a micro-batch in its batch (f32[]): its result is weighted by it later, so sums are
  // divided by it; invalid: a whole batch
  ValueId share = {};
};

struct LossResult {
  // Scalar, reduced as the field `reduction` says
  ValueId value;
  // Probabilities of the prediction, if the loss computed them from logits
  ValueId probabilities = {};
};

struct LossDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  // The loss expects probabilities, unless from_logits is set
  bool wantsProbabilities = false;
  // Each output is an independent yes/no answer
  bool isBinary = false;
  // The mean covers only some samples, chosen by their predictions
  bool countsRows = false;
  LossResult (*lower)(LossContext&) = nullptr;
};

std::span<const LossDef* const> allLosses();
// Schemas of allLosses()
std::span<const Schema* const> lossSchemas();
const LossDef* findLoss(std::string_view type);
/// What excludes samples from the loss's mean ("mask", "ignore_class", ...), so that micro-batches
/// cannot be weighted by their samples. Empty: nothing, or the loss is a sum.
std::string countedBy(const LossDef& loss, const Json& fields, bool hasMask, bool hasWeights);
TensorType targetType(TargetKind kind, const Shape& prediction);

/// The logits behind a prediction that is their softmax (over the last axis) or sigmoid; the loss
/// is then computed from them as one numerically stable op.
struct LogitsSource {
  enum class Of : uint8_t { Nothing, Softmax, Sigmoid } of = Of::Nothing;
  ValueId logits;
};
LogitsSource findLogits(Graph& graph, ValueId prediction);

}  // namespace strata
