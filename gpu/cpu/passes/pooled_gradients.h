// SPDX-License-Identifier: Apache-2.0
// Backend pass of the cpu: what follows the gradient of a max pool is done on the pooled side,
// which is a fraction as large.
//
//   d -> max_pool2d_backward(index) -> activation_backward(saved = pool's input)      d -> activation_backward(saved = pool's output) -> max_pool2d_backward(index)
//                                  \-> reduce_sum over N,H,W                     =>   d -> reduce_sum over N,H,W
//
// Right because each pooled gradient goes to the one cell whose value is the pooled value, so the
// slope there is that of the pooled value (kinds whose slope is had from the output), and a sum
// over all cells is the sum over what was put into them. The full-size activation is then not kept
// for the backward phase. Thread: edits the given graph only.
#pragma once

#include "gpu/passes/pass.h"

namespace strata::cpu {

void poolGradientsFirst(Graph& graph, PassReport& report);

}  // namespace strata::cpu
