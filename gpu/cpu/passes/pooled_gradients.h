// SPDX-License-Identifier: Apache-2.0
// A pass of the CPU device. It moves operations from after the gradient of max pooling to before
// it, where the tensors are smaller.
//
//   before:  d -> max_pool2d_backward(index) -> activation_backward(saved = pool's input)
//                                          \-> reduce_sum over N,H,W
//   after:   d -> activation_backward(saved = pool's output) -> max_pool2d_backward(index)
//            d -> reduce_sum over N,H,W
//
// max_pool2d_backward adds each pooled gradient to the element that had the pooled value. If the
// derivative of an activation is computed from its output, the pooled value gives the same
// derivative as that element. A sum of the expanded gradient over all pixels equals the sum of the
// pooled gradient. The backward pass then does not need the full-size activation.
// Thread: edits the given graph only.
#pragma once

#include "gpu/passes/pass.h"

namespace strata::cpu {

void poolGradientsFirst(Graph& graph, PassReport& report);

}  // namespace strata::cpu
