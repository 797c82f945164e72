// SPDX-License-Identifier: Apache-2.0
// Builds the parts of a training step that follow the loss: gradients, their sums over
// micro-batches and replicas, the guard and the updates.
// Thread: the functions edit only the graph of the given step.
#pragma once

#include <vector>

#include "core/compile/compile.h"
#include "core/compile/loss_scale.h"
#include "core/recipe/optimizers.h"

namespace strata {

/// Returns whether a step computes a part of a batch.
bool isPart(const StepOptions& options);
/// Returns whether a step updates the weights.
bool isUpdating(const StepOptions& options);
/// Returns the input "share", which it creates if necessary.
ValueId shareOfPiece(Graph& graph);
/// Returns the replacement of a variable if it has one, otherwise the variable's own value.
ValueId valueOfVariable(const Graph& graph, const VariableRequest& variable);

/// What a step computes for the updates.
struct StepTotals {
  std::vector<ParameterGradient> gradients;
  // New values of variables that no gradient changes
  NextValues nextValues;
  ValueId loss;
  // What decides whether the updates apply, without the loss
  std::vector<ValueId> checked;
};

/// Computes the gradients of this micro-batch, and adds them to those of earlier ones.
void appendGradients(StepGraph& step, const StepOptions& options, LossScaler& scaler,
                     StepTotals& totals);
void appendNextValues(Graph& graph, const NextValues& nextValues, const StepOptions& options,
                      StepTotals& totals);
/// Sums gradients, new values and the loss over all replicas. In one process, one op does so,
/// because replicas whose shares differ may have different graphs. Nothing was changed before it,
/// so that all replicas can still be stopped.
void sumOverReplicas(Graph& graph, const StepOptions& options, StepTotals& totals);
/// Appends the updates, and what decides whether they apply.
void finishTraining(StepGraph& step, const TrainingOptions& training, const StepOptions& options,
                    LossScaler& scaler, StepTotals totals);
/// Numbers the collectives of a step, if it has some in the forward pass, and lets each of these
/// wait for the one before, so that all replicas have the same order.
void orderCollectives(Graph& graph, int processes);
/// Runs the passes on a step, and adds their reports to it.
void optimizeStep(StepGraph& step, const StepOptions& options,
                  const std::vector<Pass>& devicePasses);

}  // namespace strata
