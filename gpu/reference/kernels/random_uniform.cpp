// SPDX-License-Identifier: Apache-2.0
// Uniform random numbers. Each number depends only on seed, stream, step and its position in the
// global batch.
#include "gpu/ops/dropout_mask.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeRandomUniform(const KernelSetup& setup) {
  const Shape& shape = setup.outputShape();
  const int64_t count = shape.numElements();
  const int64_t perSample = shape.rank() == 0 || shape[0] == 0 ? 1 : count / shape[0];
  const uint64_t streamNumber = streamOf(setup.text("stream"));
  const std::array<DType, 3> types{setup.inputType(0), setup.inputType(1), setup.inputType(2)};
  return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                    int worker) {
    float* y = outputOf<float>(arguments);
    const uint64_t seed = static_cast<uint64_t>(readInteger(arguments.inputs[0], types[0]));
    const uint64_t atStep = dropoutStream(streamNumber, readInteger(arguments.inputs[1], types[1]));
    const int64_t first = readInteger(arguments.inputs[2], types[2]) * perSample;
    const WorkRange range = shareOf(count, worker, workers);
    int64_t block = -1;
    std::array<uint32_t, 4> words{};
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t element = first + i;
      if (element / 4 != block) words = dropoutWords(seed, atStep, block = element / 4);
      y[i] = uniformFloat(words[static_cast<size_t>(element % 4)]);
    }
  });
}

}  // namespace strata::reference
