// SPDX-License-Identifier: Apache-2.0
// Matrix products (product.h). cuBLASLt is column-major, so the row-major product y = op(a) op(b)
// is computed as y^T = op(b)^T op(a)^T: its A is b, its B is a, m is the number of columns of y.
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/product.h"

namespace strata::cuda {

std::unique_ptr<CudaKernel> makeMatmul(const CudaSetup& setup) {
  const bool transposeA = setup.flag("transpose_a"), transposeB = setup.flag("transpose_b");
  const Shape &a = setup.inputShape(0), &b = setup.inputShape(1), &out = setup.outputShape();
  const DType dtype = setup.inputType();
  if (dtype != DType::F32 && !isLowPrecision(dtype)) setup.refuse(dtype);
  const int64_t rows = out.dim(-2), columns = out.dim(-1),
                depth = transposeA ? a.dim(-2) : a.dim(-1);
  const int32_t kind = activationNumber(setup, setup.text("activation"));
  const bool hasBias = setup.inputs.size() > 2;
  const int64_t count = out.numElements();
  const Function& tail = setup.typed("bias_activation", setup.outputType());
  const auto alpha = static_cast<float>(setup.real("alpha"));
  const auto finish = [=, &tail](Encoder& encoder, const Operands& operands, DeviceAddress bias) {
    encoder.launchElements(tail, count, operands.outputs[0], bias, count, columns, kind, alpha);
  };
  // A product without elements, or of empty sums
  if (count == 0 || depth == 0)
    return makeKernel("empty product", [=, bytes = setup.outputs[0].bytes()](
                                           Encoder& encoder, const Operands& operands) {
      encoder.clear(operands.outputs[0], bytes);
      finish(encoder, operands, hasBias ? operands.inputs[2] : DeviceAddress());
    });
  StrataMatmul matmul{};
  matmul.m = columns;
  matmul.n = rows;
  matmul.k = depth;
  matmul.batches = out.rank() == 3 ? out[0] : 1;
  matmul.transposeA = transposeB ? 1 : 0;
  matmul.transposeB = transposeA ? 1 : 0;
  matmul.lda = b.dim(-1);
  matmul.ldb = a.dim(-1);
  matmul.ldd = columns;
  matmul.strideA = depth * columns;
  matmul.strideB = rows * depth;
  matmul.strideD = rows * columns;
  matmul.operandType = static_cast<StrataType>(dtype);
  matmul.resultType = static_cast<StrataType>(setup.outputType());
  matmul.alpha = 1;
  // The library adds the bias before it rounds. It applies no activation, because its relu may turn
  // a NaN into 0.
  matmul.hasBias = hasBias ? 1 : 0;
  const Product product = Product::plan(setup, matmul, setup.algorithm);
  return makeKernel(
      product.implementation(),
      [=](Encoder& encoder, const Operands& operands) {
        const DeviceAddress bias = hasBias ? operands.inputs[2] : DeviceAddress();
        product.encode(encoder, operands.inputs[1], operands.inputs[0], operands.outputs[0], bias,
                       operands.workspace);
        const bool isBiasMissing = hasBias && !product.addsBias();
        if (kind != 0 || isBiasMissing)
          finish(encoder, operands, isBiasMissing ? bias : DeviceAddress());
      },
      product.workspaceBytes(), product.library(), product.implementation());
}

}  // namespace strata::cuda
