// SPDX-License-Identifier: Apache-2.0
// Which operands an attention op has, behind those that all have: read from its attributes by its
// shape rule and by kernels. Formulas: attention.cpp.
// Thread: pure.
#pragma once

#include "gpu/graph/attributes.h"

namespace strata {

/// Places of operands; -1 where there is none. seed: of three, with step and first_sample behind
/// it.
struct AttentionForm {
  int mask = -1, seed = -1;
  int numInputs = 0;
};
AttentionForm attentionForm(const Attributes& attributes, bool isBackward);

}  // namespace strata
