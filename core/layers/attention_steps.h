// SPDX-License-Identifier: Apache-2.0
// Building blocks of attention layers: projections to heads, scores, softmax and the weighted sum
// of values.
// Not here: the layers themselves.
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include "core/layers/layer.h"
#include "gpu/ops/build.h"

namespace strata {

FieldSchema attentionDropoutField();
FieldSchema causalField();
FieldSchema slidingWindowField();
FieldSchema gateField();

/// The inputs of an attention layer: query [N,T,..], value [N,S,..] and key [N,S,..]. With two
/// inputs, the value is also the key.
struct AttentionInputs {
  ValueId query, value, key;
};
/// Reads and checks the inputs of an attention layer. With `hasMoreDimensions`, they may have more
/// than one dimension between batch and features. Fails: shape_mismatch for another rank, or if key
/// and value differ in the number of steps.
AttentionInputs attentionInputs(LayerContext& context, bool hasMoreDimensions = false);
/// Projects x [N,..,E] to heads [N,..,heads,size]. Creates the variables `<path>/kernel`
/// [E,heads,size] and, if `use_bias` is set, `<path>/bias` [heads,size].
ValueId toHeads(LayerContext& context, ValueId x, const char* path, int64_t heads, int64_t size);
/// Returns the weighted mean of the values for each query step and head, [N,T,heads,..]. The query
/// is [N,T,heads,size]. Key and value are [N,S,G,..], where G divides the number of heads. Hides
/// the masked steps of the value, and the steps that the fields `use_causal_mask` and
/// `sliding_window` exclude. With `hasQueryMask`, also applies the masks of query and key. Applies
/// dropout to the weights during training.
ValueId attended(LayerContext& context, const AttentionInputs& heads, double scale,
                 bool hasQueryMask);
/// Applies attended() along `axes`, which are some of the dimensions between batch and heads.
/// Elements at different positions along the other dimensions do not attend to each other.
/// Fails: out_of_range (axes), shape_mismatch.
ValueId attendedAlong(LayerContext& context, const AttentionInputs& heads,
                      std::vector<int64_t> axes, double scale);
/// Multiplies the heads x by gates between 0 and 1, which are computed from the query with the
/// variables `gate/kernel` and `gate/bias`. Returns x unchanged unless `use_gate` is set.
ValueId gatedHeads(LayerContext& context, ValueId x, ValueId query);
/// Projects heads [N,..,heads,size] back to features [N,..,features]. Creates the variables
/// `attention_output/kernel` [heads,size,features] and, if `use_bias` is set,
/// `attention_output/bias` [features].
ValueId fromHeads(LayerContext& context, ValueId x, const std::vector<int64_t>& features);
/// Converts scores [N,T,S] to weights with a softmax over S. Hides masked steps of the value and,
/// if `use_causal_mask` is set, later steps. Applies dropout to the weights during training.
ValueId attentionWeights(LayerContext& context, ValueId scores);
/// Sets x [N,T,F] to zero at the masked steps of the query.
ValueId withoutMaskedQuery(LayerContext& context, ValueId x);

}  // namespace strata
