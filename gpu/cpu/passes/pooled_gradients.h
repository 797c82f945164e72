// SPDX-License-Identifier: Apache-2.0
// A pass of the CPU backend: operations after the gradient of max pooling run before it, at the
// pooled size, which is a fraction of the full size.
//
//   before:  d -> max_pool2d_backward(index) -> activation_backward(saved = pool's input)
//                                          \-> reduce_sum over N,H,W
//   after:   d -> activation_backward(saved = pool's output) -> max_pool2d_backward(index)
//            d -> reduce_sum over N,H,W
//
// Each pooled gradient goes to the one element that has the pooled value, so the slope there is the
// slope of the pooled value, for activations whose slope follows from the output. A sum over all
// elements is the sum of the pooled gradients. The full-size activation is then not kept for the
// backward pass.
// Thread: edits the given graph only.
#pragma once

#include "gpu/passes/pass.h"

namespace strata::cpu {

void poolGradientsFirst(Graph& graph, PassReport& report);

}  // namespace strata::cpu
