// SPDX-License-Identifier: Apache-2.0
// Updates of variables.
#include "gpu/cuda/kernels/update.h"

#include <cmath>

#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/update_numbers.h"

namespace strata::cuda {
namespace {

UpdateScalars bindScalars(UpdateScalars scalars, const Operands& operands, size_t rateInput) {
  scalars.rate.bits = operands.inputs[rateInput].bits();
  scalars.apply.bits = operands.apply.bits();
  return scalars;
}

DeviceAddress optional(const std::vector<DeviceAddress>& list, bool isPresent, size_t index) {
  return isPresent ? list[index] : DeviceAddress();
}

}  // namespace

UpdateScalars updateScalarsOf(const CudaSetup& setup, size_t rateInput) {
  UpdateScalars scalars;
  if (setup.inputType(rateInput) == DType::F64) setup.refuse(DType::F64);
  scalars.rateType = static_cast<int32_t>(setup.inputType(rateInput));
  scalars.weightDecay = static_cast<float>(setup.real("weight_decay"));
  return scalars;
}

SgdNumbers sgdNumbers(const CudaSetup& setup) {
  SgdNumbers numbers;
  numbers.momentum = static_cast<float>(setup.real("momentum"));
  numbers.isNesterov = setup.flag("nesterov") ? 1 : 0;
  return numbers;
}

AdamNumbers adamNumbers(const CudaSetup& setup) {
  AdamNumbers numbers;
  numbers.meanShare = static_cast<float>(1 - setup.real("beta_1"));
  numbers.squareShare = static_cast<float>(1 - setup.real("beta_2"));
  numbers.logBeta1 = static_cast<float>(std::log(setup.real("beta_1")));
  numbers.logBeta2 = static_cast<float>(std::log(setup.real("beta_2")));
  numbers.epsilon = static_cast<float>(setup.real("epsilon"));
  return numbers;
}

RmspropNumbers rmspropNumbers(const CudaSetup& setup) {
  RmspropNumbers numbers;
  numbers.rho = setup.real("rho");
  numbers.epsilon = setup.real("epsilon");
  numbers.momentum = static_cast<float>(setup.real("momentum"));
  return numbers;
}

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
  constexpr size_t kRate = 2;
  const Function& function = setup.typed("sgd_update", setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  const bool hasVelocity = setup.outputs.size() > 1;
  const UpdateScalars scalars = updateScalarsOf(setup, kRate);
  const SgdNumbers numbers = sgdNumbers(setup);
  return makeKernel("sgd_update", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           optional(operands.inputs, hasVelocity, 3), operands.outputs[0],
                           optional(operands.outputs, hasVelocity, 1), count,
                           bindScalars(scalars, operands, kRate), numbers);
  });
}

std::unique_ptr<CudaKernel> makeAdamUpdate(const CudaSetup& setup) {
  constexpr size_t kRate = 4;
  const Function& function = setup.typed("adam_update", setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  const bool isAmsgrad = setup.flag("amsgrad");
  const UpdateScalars scalars = updateScalarsOf(setup, kRate);
  const AdamNumbers numbers = adamNumbers(setup);
  return makeKernel("adam_update", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           operands.inputs[2], operands.inputs[3], operands.inputs[5],
                           optional(operands.inputs, isAmsgrad, 6), operands.outputs[0],
                           operands.outputs[1], operands.outputs[2],
                           optional(operands.outputs, isAmsgrad, 3), count,
                           bindScalars(scalars, operands, kRate), numbers);
  });
}

std::unique_ptr<CudaKernel> makeRmspropUpdate(const CudaSetup& setup) {
  constexpr size_t kRate = 3;
  const Function& function = setup.typed("rmsprop_update", setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  const bool hasMomentum = setup.real("momentum") != 0, isCentered = setup.flag("centered");
  const UpdateScalars scalars = updateScalarsOf(setup, kRate);
  const RmspropNumbers numbers = rmspropNumbers(setup);
  return makeKernel("rmsprop_update", [=, &function](Encoder& encoder, const Operands& operands) {
    const size_t averageInput = hasMomentum ? 5 : 4;
    encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                           operands.inputs[2], optional(operands.inputs, hasMomentum, 4),
                           optional(operands.inputs, isCentered, averageInput), operands.outputs[0],
                           operands.outputs[1], optional(operands.outputs, hasMomentum, 2),
                           optional(operands.outputs, isCentered, averageInput - 2), count,
                           bindScalars(scalars, operands, kRate), numbers);
  });
}

std::unique_ptr<CudaKernel> makeAdagradUpdate(const CudaSetup& setup) {
  constexpr size_t kRate = 3;
  const Function& function = setup.typed("adagrad_update", setup.inputType());
  const int64_t count = setup.outputShape().numElements();
  const UpdateScalars scalars = updateScalarsOf(setup, kRate);
  return makeKernel(
      "adagrad_update", [=, &function, epsilon = static_cast<float>(setup.real("epsilon"))](
                            Encoder& encoder, const Operands& operands) {
        encoder.launchElements(function, count, operands.inputs[0], operands.inputs[1],
                               operands.inputs[2], operands.outputs[0], operands.outputs[1], count,
                               bindScalars(scalars, operands, kRate), epsilon);
      });
}

}  // namespace strata::cuda
