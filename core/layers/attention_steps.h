// SPDX-License-Identifier: Apache-2.0
// The steps of attention layers as ops: projections to heads, scores, their softmax, the sum of
// values. Thread: edit the given graph only.
#pragma once

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema attentionDropoutField();
FieldSchema causalField();
FieldSchema slidingWindowField();
FieldSchema gateField();

/// Query, value and key: [N,T,..], [N,S,..], [N,S,..]; the key is the value where there are two
/// inputs. hasMoreDimensions: all may have more of them before the features. Fails: shape_mismatch.
struct AttentionInputs {
  ValueId query, value, key;
};
AttentionInputs attentionInputs(LayerContext& context, bool hasMoreDimensions = false);
/// x [N,..,E] to heads [N,..,heads,size], by the variables `<path>/kernel` [E,heads,size] and, with
/// `use_bias`, `<path>/bias`.
ValueId toHeads(LayerContext& context, ValueId x, const char* path, int64_t heads, int64_t size);
/// The means of the values that every step of the query takes, head by head: query
/// [N,T,heads,size], key and value [N,S,heads or fewer,..] to [N,T,heads,..]. Hidden are later
/// steps where `use_causal_mask` is set, and what the masks of value and key leave out;
/// hasQueryMask: a step that the query's mask leaves out sees nothing. Some weights are dropped
/// while training.
ValueId attended(LayerContext& context, const AttentionInputs& heads, double scale,
                 bool hasQueryMask);
/// The same along some of the dimensions between batch and heads: cells that differ elsewhere do
/// not see each other. Fails: out_of_range (axes), shape_mismatch.
ValueId attendedAlong(LayerContext& context, const AttentionInputs& heads,
                      std::vector<int64_t> axes, double scale);
/// Heads times the gates that the query opens, of `gate/kernel` and `gate/bias`; as they are
/// without `use_gate`.
ValueId gatedHeads(LayerContext& context, ValueId x, ValueId query);
/// Heads [N,..,heads,size] back to features [N,..,features], by `attention_output/kernel`
/// [heads,size,features] and bias.
ValueId fromHeads(LayerContext& context, ValueId x, const std::vector<int64_t>& features);
/// Scores [N,T,S] to weights that sum to one: later steps left out where `use_causal_mask` is set,
/// some dropped while training. Steps of the value that a mask leaves out have no weight.
ValueId attentionWeights(LayerContext& context, ValueId scores);
/// Steps that the query's mask leaves out as zeros: x [N,T,F].
ValueId withoutMaskedQuery(LayerContext& context, ValueId x);

}  // namespace strata
