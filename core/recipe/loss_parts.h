// SPDX-License-Identifier: Apache-2.0
// Building blocks of the loss families: reductions, shared fields, and the lists that losses.cpp
// joins.
// Thread: functions edit only the given graph.
#pragma once

#include <vector>

#include "core/recipe/losses.h"

namespace strata {

// Keras's backend.epsilon()
constexpr double kLossEpsilon = 1e-7;

std::vector<LossDef> classificationLosses();
std::vector<LossDef> regressionLosses();
std::vector<LossDef> embeddingLosses();
std::vector<LossDef> sequenceLosses();

/// `fields` are followed by `reduction`; a first field "from_logits" says that the loss wants
/// probabilities.
LossDef makeLoss(const char* type, const char* group, Text help, const char* formula,
                 const char* source, TargetKind target, std::vector<FieldSchema> fields,
                 LossResult (*lower)(LossContext&));
FieldSchema lossAxisField(const char* defaultJson, Text help);

/// Reduces rows of losses to one number, as `reduction` says. `counted` (f32, shape of the rows, 1
/// or 0): which rows count; invalid: all.
ValueId reducedLoss(const LossContext& context, ValueId rows, ValueId counted = {});

/// x within [kLossEpsilon, 1 - kLossEpsilon].
ValueId clippedProbabilities(Graph& g, ValueId x);
/// x^exponent for a fixed exponent, with a derivative at x = 0 where there is one.
ValueId raised(Graph& g, ValueId x, double exponent);
/// x with the axis named by the field moved to the end.
ValueId axisLast(const LossContext& context, ValueId x, const char* field = "axis");

}  // namespace strata
