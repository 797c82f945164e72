// SPDX-License-Identifier: Apache-2.0
// Defines what a loss is: a schema and a lowering to ops. losses.cpp contains the list and shared
// functions, and losses_<family>.cpp contain the definitions. Numerics follow Keras 3.
// Not here: the sum of the losses of several outputs (core/compile).
// Thread: any thread may use the definitions, which are constant. A lowering edits only the given
// graph.
#pragma once

#include <span>
#include <string_view>

#include "core/layers/schema.h"
#include "gpu/graph/graph.h"

namespace strata {

/// The kind of target that a loss or metric compares a prediction with.
enum class TargetKind : uint8_t {
  // Class indices, i32, with the prediction's shape without its last dimension
  Labels,
  // Values, f32, with the prediction's shape
  Values,
  // Sequences of labels, i32, padded with 0. A sequence has at most as many labels as the
  // prediction has steps.
  Sequences,
};

/// The values that the targets of a loss or metric may have. core/check judges the data by it.
enum class TargetRange : uint8_t {
  Any,
  // Class indices from 0 to the number of outputs - 1
  Classes,
  // Numbers from 0 to 1
  Unit,
  // Numbers from 0 to 1 that sum to 1 over the classes
  Distribution,
  // -1 and 1, or 0 and 1
  Signs,
  // Numbers of at least 0
  NotNegative,
  // Numbers other than 0
  NotZero,
};

/// The values that a loss expects of an output, unless it is computed from logits.
enum class OutputRange : uint8_t {
  Any,
  // Numbers from 0 to 1, each of which is a separate probability
  Unit,
  // Probabilities that sum to 1 over the classes
  Distribution,
  // Numbers above 0
  Positive,
  // Scores of any sign: a positive score means class 1, or the class with the largest score wins
  Scores,
};

struct LossRanges {
  TargetRange targets = TargetRange::Any;
  OutputRange outputs = OutputRange::Any;
};

/// The inputs of a loss's lowering.
struct LossContext {
  Graph& graph;
  const Json& fields;
  ValueId prediction, target;
  // Weights of the samples, f32 with the leading dimensions of the loss's rows; invalid if all
  // weights are equal
  ValueId weights = {};
  // Mask of the rows that count, f32. It is set only for a loss with ignore_class, which needs the
  // mask to count the remaining rows. `weights` already include the mask.
  ValueId mask = {};
  // Share of a micro-batch in its batch, f32[]; invalid for a whole batch. The loss is multiplied
  // by the share later, so a loss that is a sum must be divided by it.
  ValueId share = {};
};

struct LossResult {
  // A scalar, reduced as the field `reduction` says
  ValueId value;
  // Probabilities of the prediction, if the loss computed them from logits
  ValueId probabilities = {};
};

struct LossDef {
  Schema schema = {};
  TargetKind target = TargetKind::Values;
  LossRanges ranges = {};
  // Whether the loss expects probabilities, unless from_logits is set
  bool wantsProbabilities = false;
  // Whether each output is an independent binary classification
  bool isBinary = false;
  // Whether the loss averages only over some samples, which depend on the predictions
  bool countsRows = false;
  LossResult (*lower)(LossContext&) = nullptr;
};

std::span<const LossDef* const> allLosses();
/// Returns the schemas of allLosses().
std::span<const Schema* const> lossSchemas();
/// Returns the definition of a loss type, or null if the type is not known.
const LossDef* findLoss(std::string_view type);
/// Returns the reason why the loss is not a mean over all samples, such as "mask" or
/// "ignore_class". If there is a reason, micro-batches cannot be weighted by their number of
/// samples. Returns "" if there is no reason or the loss is a sum.
std::string countedBy(const LossDef& loss, const Json& fields, bool hasMask, bool hasWeights);
/// Returns the type of the target for a prediction of this shape.
TensorType targetType(TargetKind kind, const Shape& prediction);

/// The logits of a prediction that is a softmax (over the last axis) or a sigmoid. With the logits,
/// a loss can use a numerically stable op.
struct LogitsSource {
  enum class Of : uint8_t { Nothing, Softmax, Sigmoid } of = Of::Nothing;
  ValueId logits;
};
/// Finds the logits of a prediction. May append a reshape to the graph.
LogitsSource findLogits(Graph& graph, ValueId prediction);

/// How the loss of an output reads its prediction. The metrics of the output read it in the same
/// way, so that they agree with the loss and with each other.
struct OutputReading {
  // The function that makes probabilities of the prediction. None: the prediction has
  // probabilities already, or the loss needs none.
  enum class Logits : uint8_t { None, Sigmoid, Softmax } logits = Logits::None;
  // The axis of Softmax
  int axis = -1;
  // Whether each element is a separate answer, positive above 0.5: an element of a binary loss, a
  // single output, or one of several sigmoids
  bool isBinary = false;
  // Whether targets may be -1 instead of 0
  bool hasSigns = false;
};
/// Returns how a loss with these fields reads the prediction. May append a reshape to the graph.
OutputReading readingOf(const LossDef& loss, const Json& fields, Graph& graph, ValueId prediction);

}  // namespace strata
