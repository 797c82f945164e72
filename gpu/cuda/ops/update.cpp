// SPDX-License-Identifier: Apache-2.0
// Updates of variables.
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeAssign(const CudaSetup& setup) {
  const auto bytes = static_cast<int64_t>(setup.outputs[0].bytes());
  const bool isWords = bytes % 4 == 0;
  const Function& function = setup.function(isWords ? "assign_words" : "assign_bytes");
  const int64_t count = isWords ? bytes / 4 : bytes;
  return makeKernel("assign", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[1], operands.outputs[0], count,
                           operands.apply);
  });
}

std::unique_ptr<CudaKernel> makeSgdUpdate(const CudaSetup& setup) {
  const Function& function = setup.function("sgd_update");
  const int64_t count = setup.outputShape().numElements();
  const bool hasVelocity = setup.outputs.size() > 1;
  return makeKernel("sgd_update", [=, &function,
                                   momentum = static_cast<float>(setup.real("momentum")),
                                   decay = static_cast<float>(setup.real("weight_decay")),
                                   isNesterov = static_cast<int32_t>(setup.flag("nesterov"))](
                                      Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           operands.inputs[2], hasVelocity ? operands.inputs[3] : DeviceAddress(),
                           operands.outputs[0], hasVelocity ? operands.outputs[1] : DeviceAddress(),
                           count, momentum, decay, isNesterov, operands.apply);
  });
}

std::unique_ptr<CudaKernel> makeAdamUpdate(const CudaSetup& setup) {
  const Function& function = setup.function("adam_update");
  const int64_t count = setup.outputShape().numElements();
  const bool isAmsgrad = setup.flag("amsgrad");
  const auto isStepInteger = static_cast<int32_t>(setup.inputType(5) == DType::I64);
  return makeKernel("adam_update", [=, &function, beta1 = static_cast<float>(setup.real("beta_1")),
                                    beta2 = static_cast<float>(setup.real("beta_2")),
                                    epsilon = static_cast<float>(setup.real("epsilon")),
                                    decay = static_cast<float>(setup.real("weight_decay"))](
                                       Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           operands.inputs[2], operands.inputs[3], operands.inputs[4],
                           operands.inputs[5], isAmsgrad ? operands.inputs[6] : DeviceAddress(),
                           operands.outputs[0], operands.outputs[1], operands.outputs[2],
                           isAmsgrad ? operands.outputs[3] : DeviceAddress(), count, beta1, beta2,
                           epsilon, decay, isStepInteger, operands.apply);
  });
}

}  // namespace strata::cuda
