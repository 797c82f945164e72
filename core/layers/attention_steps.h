// SPDX-License-Identifier: Apache-2.0
// Building blocks of attention layers: projections to heads, scores, softmax and the weighted sum
// of values. Not here: the layers themselves. Thread: edits only the given graph.
#pragma once

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema attentionDropoutField();
FieldSchema causalField();
FieldSchema slidingWindowField();
FieldSchema gateField();

/// Query, value and key: [N,T,..], [N,S,..], [N,S,..]. With two inputs the value is also the key.
/// hasMoreDimensions: all may have more dimensions before the features. Fails: shape_mismatch.
struct AttentionInputs {
  ValueId query, value, key;
};
AttentionInputs attentionInputs(LayerContext& context, bool hasMoreDimensions = false);
/// Projects x [N,..,E] to heads [N,..,heads,size] with the variables `<path>/kernel` [E,heads,size]
/// and, with `use_bias`, `<path>/bias`.
ValueId toHeads(LayerContext& context, ValueId x, const char* path, int64_t heads, int64_t size);
/// The weighted mean of the values for each query step and head: query [N,T,heads,size], key and
/// value [N,S,heads or fewer,..] to [N,T,heads,..]. Hides later steps where `use_causal_mask` is
/// set, and steps masked in value or key. hasQueryMask: a masked query step sees nothing. Drops
/// some weights during training.
ValueId attended(LayerContext& context, const AttentionInputs& heads, double scale,
                 bool hasQueryMask);
/// The same along some of the dimensions between batch and heads. Cells at different places along
/// the other dimensions do not see each other. Fails: out_of_range (axes), shape_mismatch.
ValueId attendedAlong(LayerContext& context, const AttentionInputs& heads,
                      std::vector<int64_t> axes, double scale);
/// Multiplies the heads by gates computed from the query with `gate/kernel` and `gate/bias`.
/// Returns them unchanged without `use_gate`.
ValueId gatedHeads(LayerContext& context, ValueId x, ValueId query);
/// Projects heads [N,..,heads,size] back to features [N,..,features] with `attention_output/kernel`
/// [heads,size,features] and bias.
ValueId fromHeads(LayerContext& context, ValueId x, const std::vector<int64_t>& features);
/// Turns scores [N,T,S] into weights that sum to 1. Hides later steps where `use_causal_mask` is
/// set and masked steps of the value; drops some weights during training.
ValueId attentionWeights(LayerContext& context, ValueId scores);
/// x [N,T,F] with zeros at the steps that are masked in the query.
ValueId withoutMaskedQuery(LayerContext& context, ValueId x);

}  // namespace strata
