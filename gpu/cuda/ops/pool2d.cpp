// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/window.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeMaxPool(const CudaSetup& setup) {
  const Function& function = setup.typed("max_pool2d", setup.inputType());
  const Window window = windowOf(setup, setup.inputShape(), setup.outputShape(),
                                 setup.list("pool_size")[0], setup.list("pool_size")[1]);
  const int64_t count = setup.outputShape().numElements();
  const int32_t kind = activationNumber(setup, setup.text("activation"));
  return makeKernel("max_pool2d", [=, &function, alpha = static_cast<float>(setup.real("alpha"))](
                                      Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0],
                           operands.outputs[1], window, kind, alpha);
  });
}

std::unique_ptr<CudaKernel> makeMaxPoolBackward(const CudaSetup& setup) {
  const Function& function = setup.typed("max_pool2d_backward", setup.inputType());
  const Window window = windowOf(setup, setup.outputShape(), setup.inputShape(),
                                 setup.list("pool_size")[0], setup.list("pool_size")[1]);
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("max_pool2d_backward",
                    [=, &function](Encoder& encoder, const Operands& operands) {
                      encoder.launchElements(function, count, operands.inputs[0],
                                             operands.inputs[1], operands.outputs[0], window);
                    });
}

std::unique_ptr<CudaKernel> makeAvgPool(const CudaSetup& setup) {
  const Function& function = setup.typed("avg_pool2d", setup.inputType());
  const Window window = windowOf(setup, setup.inputShape(), setup.outputShape(),
                                 setup.list("pool_size")[0], setup.list("pool_size")[1]);
  const int64_t count = setup.outputShape().numElements();
  return makeKernel("avg_pool2d", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], window);
  });
}

std::unique_ptr<CudaKernel> makeAvgPoolBackward(const CudaSetup& setup) {
  const Function& function = setup.typed("avg_pool2d_backward", setup.inputType());
  const Window window = windowOf(setup, setup.outputShape(), setup.inputShape(),
                                 setup.list("pool_size")[0], setup.list("pool_size")[1]);
  const int64_t count = setup.outputShape().numElements();
  return makeKernel(
      "avg_pool2d_backward", [=, &function](Encoder& encoder, const Operands& operands) {
        encoder.launchElements(function, count, operands.inputs[0], operands.outputs[0], window);
      });
}

}  // namespace strata::cuda
