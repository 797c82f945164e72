// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeCtcLoss(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& logSums = setup.typed("ctc_log_sums", dtype);
  const Function& recursion = setup.typed("ctc_recursion", dtype);
  const Function& loss = setup.typed("ctc_loss", dtype);
  const Function& probabilities = setup.typed("ctc_probabilities", dtype);
  const Function& gradient = setup.typed("ctc_gradient", dtype);
  const Shape& shape = setup.inputShape();
  const int64_t samples = shape[0], steps = shape[1], classes = shape[2],
                maxLabels = setup.inputShape(1)[1], blank = setup.integer("blank");
  const int64_t rows = samples * steps, places = 2 * maxLabels + 1;
  // Threads of a recursion
  const int threads = static_cast<int>(
      std::min<int64_t>(kBlock, Encoder::blocksFor(places, kWarpThreads) * kWarpThreads));
  const auto bytesOf = [](int64_t count) {
    return static_cast<size_t>(count) * sizeof(double);
  };
  return makeKernel(
      "ctc_loss",
      [=, &logSums, &recursion, &loss, &probabilities, &gradient](Encoder& encoder,
                                                                  const Operands& operands) {
        const DeviceAddress x = operands.inputs[0], labels = operands.inputs[1],
                            dx = operands.outputs[1];
        const DeviceAddress sums = operands.workspace, likelihoods = sums + bytesOf(rows),
                            recursions = likelihoods + bytesOf(samples);
        encoder.launchElements(logSums, rows * kWarpThreads, x, sums, rows, classes);
        encoder.launch(recursion, {samples, 2}, threads, x, labels, sums, recursions, samples,
                       steps, classes, maxLabels, blank);
        encoder.launchElements(loss, samples, labels, recursions, operands.outputs[0], likelihoods,
                               samples, steps, classes, maxLabels, blank);
        encoder.launchElements(probabilities, rows * classes, x, sums, likelihoods, dx,
                               rows * classes, steps, classes);
        encoder.launchElements(gradient, rows * (maxLabels + 1), x, labels, sums, recursions,
                               likelihoods, dx, samples, steps, classes, maxLabels, blank);
      },
      bytesOf(rows + samples + 2 * rows * places));
}

}  // namespace strata::cuda
