// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/error.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/ops/activation_kinds.h"

namespace strata::cuda {

int32_t activationNumber(const CudaSetup& setup, std::string_view kind) {
  int32_t number = 0;
  for (const std::string_view name : kActivationNames) {
    if (name == kind) return number;
    ++number;
  }
  throw Error(
      ErrorCode::UnsupportedOp, setup.layer,
      "activation \"" + std::string(kind) + "\" has no kernel on cards. Choose another one.");
}

std::unique_ptr<CudaKernel> makeActivation(const CudaSetup& setup) {
  const Function& function = setup.typed("activation", setup.inputType());
  const int32_t kind = activationNumber(setup, setup.text("kind"));
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("activation", [=, &function, alpha = static_cast<float>(setup.real("alpha"))](
                                      Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], count, kind,
                           alpha);
  });
}

std::unique_ptr<CudaKernel> makeActivationBackward(const CudaSetup& setup) {
  const Function& function = setup.typed("activation_backward", setup.inputType());
  const int32_t kind = activationNumber(setup, setup.text("kind"));
  const int64_t count = setup.outputShape().numElements();
  return makeKernel(
      "activation_backward", [=, &function, alpha = static_cast<float>(setup.real("alpha"))](
                                 Encoder& encoder, const Operands& operands) {
        encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                               operands.outputs[0], count, kind, alpha);
      });
}

}  // namespace strata::cuda
