// SPDX-License-Identifier: Apache-2.0
// Losses: a schema and a lowering to ops. losses.cpp holds the list and what all share, losses_<family>.cpp the definitions; a row there adds one.
// Numerics are those of Keras 3. Thread: definitions are constant.
#pragma once

#include <span>
#include <string_view>

#include "core/layers/schema.h"
#include "gpu/graph/graph.h"

namespace strata {

/// What a loss or metric compares a prediction with.
enum class TargetKind : uint8_t {
  Labels,  // i32, the prediction's shape without its last dimension
  Values,  // f32, the prediction's shape
};

struct LossContext {
  Graph& graph;
  const Json& fields;
  ValueId prediction, target;
  ValueId weights = {};  // f32, of the samples: the leading dimensions of a loss's rows; invalid: all count the same
};

struct LossResult {
  ValueId value;               // scalar, reduced as the field `reduction` says
  ValueId probabilities = {};  // of the prediction, where the loss computed them from logits
};

struct LossDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  bool wantsProbabilities = false;  // unless from_logits
  LossResult (*lower)(LossContext&) = nullptr;
};

std::span<const LossDef* const> allLosses();
const LossDef* findLoss(std::string_view type);
TensorType targetType(TargetKind kind, const Shape& prediction);

/// The logits of a prediction that is their softmax (over the last axis) or sigmoid: the loss is then computed from them as one stable op.
struct LogitsSource {
  enum class Of : uint8_t { Nothing, Softmax, Sigmoid } of = Of::Nothing;
  ValueId logits;
};
LogitsSource findLogits(Graph& graph, ValueId prediction);

}  // namespace strata
