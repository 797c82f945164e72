// SPDX-License-Identifier: Apache-2.0
// Scalar formulas of the activations, for the activation ops and for products with a fused
// activation. Thread: pure.
#pragma once

#include <string_view>

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

struct ActivationFormula {
  double (*value)(double x, double alpha);
  // saved: the output or the input, depending on the kind
  double (*slope)(double saved, double alpha);
};

/// Fails: UnsupportedOp.
ActivationFormula activationFormula(const KernelSetup& setup, std::string_view kind);

}  // namespace strata::reference
