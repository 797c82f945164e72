// SPDX-License-Identifier: Apache-2.0
// Losses: a schema and a lowering to ops. losses.cpp holds the list and what all share,
// losses_<family>.cpp the definitions; a row there adds one. Numerics are those of Keras 3. Thread:
// definitions are constant.
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
  // f32, of the samples: the leading dimensions of a loss's rows; invalid: all count the same
  ValueId weights = {};
  // f32, likewise, and in the weights: of the rows that count, where the loss finds more that do
  // not; else invalid
  ValueId mask = {};
  // f32[], of a piece in its batch: what it computes counts by that, so its sum is divided by it;
  // invalid: no piece
  ValueId share = {};
};

struct LossResult {
  // Scalar, reduced as the field `reduction` says
  ValueId value;
  // Of the prediction, where the loss computed them from logits
  ValueId probabilities = {};
};

struct LossDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  // Unless from_logits
  bool wantsProbabilities = false;
  // Each output is an answer of its own, yes or no
  bool isBinary = false;
  // Its mean is over some of the samples, by their predictions
  bool countsRows = false;
  LossResult (*lower)(LossContext&) = nullptr;
};

std::span<const LossDef* const> allLosses();
// Of allLosses()
std::span<const Schema* const> lossSchemas();
const LossDef* findLoss(std::string_view type);
/// What decides how much of a batch the loss's mean is over, so that pieces of it cannot be weighed
/// by their samples: "mask", "ignore_class", ... Empty: nothing, or the loss is a sum.
std::string countedBy(const LossDef& loss, const Json& fields, bool hasMask, bool hasWeights);
TensorType targetType(TargetKind kind, const Shape& prediction);

/// The logits of a prediction that is their softmax (over the last axis) or sigmoid: the loss is
/// then computed from them as one stable op.
struct LogitsSource {
  enum class Of : uint8_t { Nothing, Softmax, Sigmoid } of = Of::Nothing;
  ValueId logits;
};
LogitsSource findLogits(Graph& graph, ValueId prediction);

}  // namespace strata
