// SPDX-License-Identifier: Apache-2.0
// Dropout. The mask is computed and not stored, so that the gradient is the same op applied to dy.
#include "gpu/ops/dropout_mask.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeDropout(const KernelSetup& setup) {
  const Shape& shape = setup.inputShape();
  const int64_t count = shape.numElements();
  const int64_t perSample = shape.rank() == 0 || shape[0] == 0 ? 1 : count / shape[0];
  const double rate = setup.real("rate");
  const uint64_t streamNumber = streamOf(setup.text("stream"));
  const std::array<DType, 3> types{setup.inputType(1), setup.inputType(2), setup.inputType(3)};
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          T* y = outputOf<T>(arguments);
          const uint64_t seed = static_cast<uint64_t>(readInteger(arguments.inputs[1], types[0]));
          const uint64_t atStep =
              dropoutStream(streamNumber, readInteger(arguments.inputs[2], types[1]));
          const int64_t first = readInteger(arguments.inputs[3], types[2]) * perSample;
          const T scale = static_cast<T>(1 / (1 - rate));
          const WorkRange range = shareOf(count, worker, workers);
          int64_t block = -1;
          std::array<uint32_t, 4> words{};
          for (int64_t i = range.begin; i < range.end; ++i) {
            const int64_t element = first + i;
            if (element / 4 != block) words = dropoutWords(seed, atStep, block = element / 4);
            y[i] = dropoutKeeps(words[static_cast<size_t>(element % 4)], static_cast<float>(rate))
                       ? x[i] * scale
                       : T{0};
          }
        });
  });
}

}  // namespace strata::reference
