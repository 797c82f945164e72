// SPDX-License-Identifier: Apache-2.0
// Defines losses of sequences whose steps have no separate labels. The schemas contain the
// formulas.
#include <nlohmann/json.hpp>

#include "core/recipe/loss_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

LossResult ctc(LossContext& context) {
  Graph& g = context.graph;
  if (const Shape shape = g.shape(context.prediction); shape.rank() != 3)
    throw Error(ErrorCode::InvalidProject, "loss",
                "compares sequences, but the prediction is " + shape.without(0).toString() +
                    " per sample (expected [steps, classes]). Set return_sequences of recurrent "
                    "layers to true, and end with a Dense layer.");
  return {reducedLoss(context, ctcLoss(g, context.prediction, context.target))};
}

}  // namespace

std::vector<LossDef> sequenceLosses() {
  return {
      makeLoss("ctc", "Sequence",
               STRATA_TEXT("training",
                           "CTC loss for sequences of labels without positions; outputs are logits "
                           "for each step, class 0 is the blank, targets are padded with 0"),
               "-log sum over all ways to place the labels of product softmax(prediction)",
               "Graves et al., 2006; Keras 3, keras.losses.CTC", TargetKind::Sequences,
               {TargetRange::Classes, OutputRange::Any}, {}, ctc)};
}

}  // namespace strata
