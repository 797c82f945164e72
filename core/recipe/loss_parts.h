// SPDX-License-Identifier: Apache-2.0
// What the families of losses are made of: the reductions, fields they share, and the lists that
// losses.cpp joins. Thread: edit the given graph only.
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

/// Rows of losses to one number, as `reduction` says. `counted` (f32, the rows' shape, 1 or 0):
/// rows that count, invalid: all.
ValueId reducedLoss(const LossContext& context, ValueId rows, ValueId counted = {});

/// x within [kLossEpsilon, 1 - kLossEpsilon].
ValueId clippedProbabilities(Graph& g, ValueId x);
/// x^exponent for a fixed exponent, with a derivative at x = 0 where there is one.
ValueId raised(Graph& g, ValueId x, double exponent);
/// The axis named by the field, moved to the end.
ValueId axisLast(const LossContext& context, ValueId x, const char* field = "axis");

}  // namespace strata
