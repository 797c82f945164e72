// SPDX-License-Identifier: Apache-2.0
// Scalar formulas of the activations, for the activation ops and for products that apply one after
// their bias. Thread: pure.
#pragma once

#include <string_view>

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

struct ActivationFormula {
  double (*value)(double x, double alpha);
  // saved: output or input, as the kind's rule says
  double (*slope)(double saved, double alpha);
};

/// Fails: UnsupportedOp.
ActivationFormula activationFormula(const KernelSetup& setup, std::string_view kind);

}  // namespace strata::reference
