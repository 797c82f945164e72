// SPDX-License-Identifier: Apache-2.0
// What replicas do together, on a card that computes a step alone. With replicas, objects of
// card_collective.h take the place of these kernels.
#include <algorithm>
#include <span>
#include <vector>

#include "gpu/cuda/card_collective.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/ops/sum_layout.h"

namespace strata::cuda {
namespace {

/// Copies the operands of a sum to the results.
std::unique_ptr<CudaKernel> copyOperands(const CudaSetup& setup, size_t workspaceBytes) {
  // Operands and results are f32 or f64. The buffer of a sum over processes stays as it is.
  std::vector<int64_t> words;
  for (size_t i = 0; i < std::min(setup.inputs.size(), setup.outputs.size()); ++i)
    words.push_back(static_cast<int64_t>(setup.outputs[i].bytes() / sizeof(float)));
  const Function& function = setup.function("assign_words");
  return makeKernel(
      setup.op,
      [=, &function](Encoder& encoder, const Operands& operands) {
        for (size_t i = 0; i < words.size(); ++i)
          if (operands.outputs[i].bits() != operands.inputs[i].bits())
            encoder.launchElements(function, words[i], operands.inputs[i], operands.outputs[i],
                                   words[i], DeviceAddress());
      },
      workspaceBytes);
}

}  // namespace

std::unique_ptr<CudaKernel> makeAllReduce(const CudaSetup& setup) { return copyOperands(setup, 0); }

std::unique_ptr<CudaKernel> makeSyncSum(const CudaSetup& setup) {
  const PackedSums layout(std::span(setup.inputs).first(1),
                          static_cast<int>(setup.integer("processes")));
  return copyOperands(setup, layout.bufferBytes());
}

std::unique_ptr<CudaKernel> makeAllGather(const CudaSetup& setup) {
  const size_t elementBytes = dtypeBytes(setup.inputType());
  if (elementBytes != sizeof(float)) setup.refuse(setup.inputType());
  const auto &begins = setup.attributes.get<std::vector<int64_t>>("begins"),
             &counts = setup.attributes.get<std::vector<int64_t>>("counts");
  const size_t n = setup.outputs.size(), first = static_cast<size_t>(setup.integer("rank")) * n;
  const Function& function = setup.function("assign_words");
  return makeKernel(
      "all_gather",
      [=, &function](Encoder& encoder, const Operands& operands) {
        size_t next = n;
        for (size_t i = 0; i < n; ++i) {
          const int64_t count = counts[first + i];
          if (count == 0) continue;
          const size_t begin = static_cast<size_t>(begins[first + i]) * elementBytes;
          encoder.launchElements(function, count, operands.inputs[next++],
                                 operands.outputs[i] + begin, count, operands.apply);
        }
      },
      gatheredBytes(setup.attributes, elementBytes));
}

std::unique_ptr<CudaKernel> makeSend(const CudaSetup& setup) {
  return makeKernel(setup.op, [](Encoder& encoder, const Operands& operands) {
    encoder.clear(operands.outputs[0], 1);
  });
}

std::unique_ptr<CudaKernel> makeReceive(const CudaSetup& setup) {
  const size_t bytes = setup.outputs[0].bytes();
  return makeKernel("receive", [=](Encoder& encoder, const Operands& operands) {
    encoder.clear(operands.outputs[0], bytes);
  });
}

}  // namespace strata::cuda
