// SPDX-License-Identifier: Apache-2.0
// The steps of attention layers as ops: projections to heads, scores, their softmax, the sum of values. Thread: edit the given graph only.
#pragma once

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema attentionDropoutField();
FieldSchema causalField();

/// Query, value and key: [N,T,..], [N,S,..], [N,S,..]; the key is the value where there are two inputs. Fails: shape_mismatch.
struct AttentionInputs {
  ValueId query, value, key;
};
AttentionInputs attentionInputs(LayerContext& context);
/// x [N,T,E] to heads [N,T,heads,size], by the variables `<path>/kernel` [E,heads,size] and, with `use_bias`, `<path>/bias`.
ValueId toHeads(LayerContext& context, ValueId x, const char* path, int64_t heads, int64_t size);
/// [N,T,heads,size] to [N heads,T,size].
ValueId byHead(Graph& g, ValueId x);
/// Heads [N heads,T,size] back to features [N,T,features], by `attention_output/kernel` [heads,size,features] and bias.
ValueId fromHeads(LayerContext& context, ValueId x, int64_t heads, int64_t features);
/// Scores [N heads,T,S] of `heads` heads to weights that sum to one: later steps left out where `use_causal_mask` is set, some dropped while training.
/// Steps of value and key that a mask leaves out have no weight; `hasQueryMask`: nor have those of the query.
ValueId attentionWeights(LayerContext& context, ValueId scores, int64_t heads = 1, bool hasQueryMask = false);
/// Steps that the query's mask leaves out as zeros: x [N,T,F].
ValueId withoutMaskedQuery(LayerContext& context, ValueId x);

}  // namespace strata
