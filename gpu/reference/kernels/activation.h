// SPDX-License-Identifier: Apache-2.0
// Scalar formulas of the activations, for the activation ops and for other ops that apply an
// activation.
// Thread: all functions are pure.
#pragma once

#include <string_view>

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

struct ActivationFormula {
  double (*value)(double x, double alpha);
  // `saved` is the output or the input of the activation, depending on its kind (activationSaves())
  double (*slope)(double saved, double alpha);
};

/// Returns the formulas of a kind. Fails: UnsupportedOp.
ActivationFormula activationFormula(const KernelSetup& setup, std::string_view kind);

}  // namespace strata::reference
