// SPDX-License-Identifier: Apache-2.0
// Dropout and random numbers.
#include "gpu/base/rng.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

/// Returns the number of threads for `count` elements: each has four random words, and the first
/// and the last one may have elements for only some of them.
int64_t threadsFor(int64_t count) { return count == 0 ? 0 : count / 4 + 2; }

int64_t perSampleOf(const Shape& shape) {
  return shape.rank() == 0 || shape[0] == 0 ? 1 : shape.numElements() / shape[0];
}

}  // namespace

std::unique_ptr<CudaKernel> makeDropout(const CudaSetup& setup) {
  const Function& function = setup.typed("dropout", setup.inputType());
  const int64_t count = setup.inputShape().numElements(),
                perSample = perSampleOf(setup.inputShape());
  const double rate = setup.real("rate");
  const uint64_t stream = streamOf(setup.text("stream"));
  return makeKernel("dropout", [=, &function, scale = static_cast<float>(1 / (1 - rate))](
                                   Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, threadsFor(count), operands.inputs[0], operands.inputs[1],
                           operands.inputs[2], operands.inputs[3], operands.outputs[0], count,
                           perSample, stream, static_cast<float>(rate), scale);
  });
}

std::unique_ptr<CudaKernel> makeRandomUniform(const CudaSetup& setup) {
  const Function& function = setup.function("random_uniform");
  const int64_t count = setup.outputShape().numElements(),
                perSample = perSampleOf(setup.outputShape());
  const uint64_t stream = streamOf(setup.text("stream"));
  return makeKernel("random_uniform", [=, &function](Encoder& encoder, const Operands& operands) {
    encoder.launchElements(function, threadsFor(count), operands.inputs[0], operands.inputs[1],
                           operands.inputs[2], operands.outputs[0], count, perSample, stream);
  });
}

}  // namespace strata::cuda
