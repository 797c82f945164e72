// SPDX-License-Identifier: Apache-2.0
// Building blocks of the losses: reductions, shared fields, and the lists that losses.cpp joins.
// Not here: the definition of a loss (losses.h).
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include <vector>

#include "core/recipe/losses.h"

namespace strata {

/// The value of keras.device.epsilon().
constexpr double kLossEpsilon = 1e-7;

std::vector<LossDef> classificationLosses();
std::vector<LossDef> regressionLosses();
std::vector<LossDef> embeddingLosses();
std::vector<LossDef> sequenceLosses();

/// Returns the definition of a loss with these fields and the field `reduction`. If the first field
/// is `from_logits`, the loss expects probabilities unless `from_logits` is set.
LossDef makeLoss(const char* type, const char* group, Text help, const char* formula,
                 const char* source, TargetKind target, LossRanges ranges,
                 std::vector<FieldSchema> fields, LossResult (*lower)(LossContext&));
FieldSchema lossAxisField(const char* defaultJson, Text help);

/// Reduces the losses of the rows to one number, as the field `reduction` says. `counted` is f32 in
/// the shape of the rows, with 1 for rows that count; it is invalid if all rows count.
ValueId reducedLoss(const LossContext& context, ValueId rows, ValueId counted = {});

/// Clips x to [kLossEpsilon, 1 - kLossEpsilon].
ValueId clippedProbabilities(Graph& g, ValueId x);
/// Returns x^exponent. Uses x itself, square or sqrt instead of power for the exponents 1, 2 and
/// 0.5.
ValueId raised(Graph& g, ValueId x, double exponent);
/// Moves the axis that `field` selects to the end. Fails: InvalidProject if x does not have this
/// axis.
ValueId axisLast(const LossContext& context, ValueId x, const char* field = "axis");

}  // namespace strata
