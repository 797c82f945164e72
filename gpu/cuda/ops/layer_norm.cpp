// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

/// The input as a matrix [rows, size]. A warp computes a short row, a block a long one.
struct NormalizedRows {
  int64_t rows = 1, size = 1;

  NormalizedRows(const CudaSetup& setup, const Shape& x) {
    const int64_t outer = x.rank() - setup.integer("dimensions");
    for (int i = 0; i < x.rank(); ++i)
      (i < outer ? rows : size) *= x[i];
  }
  bool isShort() const { return size <= 1024; }
  const char* stem() const { return isShort() ? "layer_norm_warp" : "layer_norm_block"; }
  Grid grid() const { return {isShort() ? Encoder::blocksFor(rows, kBlock / 32) : rows}; }
};

}  // namespace

std::unique_ptr<CudaKernel> makeLayerNorm(const CudaSetup& setup) {
  const NormalizedRows of(setup, setup.inputShape());
  const Function& function = setup.typed(of.stem(), setup.inputType());
  const bool hasScale = setup.flag("scale"), hasCenter = setup.flag("center");
  return makeKernel(of.stem(), [=, &function, epsilon = static_cast<float>(setup.real("epsilon"))](
                                   Encoder& encoder, const Operands& operands) {
    encoder.launch(function, of.grid(), kBlock, operands.inputs[0],
                   hasScale ? operands.inputs[1] : DeviceAddress(),
                   hasCenter ? operands.inputs[hasScale ? 2 : 1] : DeviceAddress(),
                   operands.outputs[0], operands.outputs[1], operands.outputs[2], of.rows, of.size,
                   epsilon);
  });
}

std::unique_ptr<CudaKernel> makeLayerNormBackward(const CudaSetup& setup) {
  const NormalizedRows of(setup, setup.inputShape(1));
  const DType dtype = setup.inputType();
  const Function& function = setup.typed(std::string(of.stem()) + "_backward", dtype);
  const Function& sums = setup.typed("layer_gradient_sums", dtype);
  const bool hasScale = setup.flag("scale"), adds = setup.attributes.getOr("adds", false);
  const ColumnParts parts = columnParts(of.rows, of.size);
  return makeKernel(
      std::string(of.stem()) + "_backward",
      [=, &function, &sums](Encoder& encoder, const Operands& operands) {
        // The sums read all of dy, which dx may overwrite
        encoder.launch(sums, {parts.columnBlocks(), parts.parts}, kColumnThreads,
                       operands.inputs[0], operands.inputs[1], operands.inputs[2],
                       operands.inputs[3], operands.workspace, operands.counters,
                       operands.outputs[1], operands.outputs[2], parts);
        encoder.launch(function, of.grid(), kBlock, operands.inputs[0], operands.inputs[1],
                       operands.inputs[2], operands.inputs[3],
                       hasScale ? operands.inputs[4] : DeviceAddress(),
                       adds ? operands.inputs[hasScale ? 5 : 4] : DeviceAddress(),
                       operands.outputs[0], of.rows, of.size);
      },
      static_cast<size_t>(2 * parts.parts * parts.columns) * sizeof(float));
}

}  // namespace strata::cuda
