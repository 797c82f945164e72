// SPDX-License-Identifier: Apache-2.0
// Matrix products (product.h). cuBLASLt is column-major, so the row-major product y = op(a) op(b)
// is computed as y^T = op(b)^T op(a)^T: its A is b, its B is a, m is the number of columns of y.
#include "gpu/base/round_up.h"
#include "gpu/cuda/kernels/columns.h"
#include "gpu/cuda/ops/makers.h"
#include "gpu/cuda/ops/product.h"

namespace strata::cuda {
namespace {

/// Returns the sizes and strides of y = op(a) op(b), whose operands are row-major.
StrataMatmul rowMajorProduct(const Shape& a, const Shape& b, const Shape& y, bool transposeA,
                             bool transposeB) {
  const int64_t rows = y.dim(-2), columns = y.dim(-1), depth = transposeA ? a.dim(-2) : a.dim(-1);
  StrataMatmul matmul{};
  matmul.m = columns;
  matmul.n = rows;
  matmul.k = depth;
  matmul.batches = y.rank() == 3 ? y[0] : 1;
  matmul.transposeA = transposeB ? 1 : 0;
  matmul.transposeB = transposeA ? 1 : 0;
  matmul.lda = b.dim(-1);
  matmul.ldb = a.dim(-1);
  matmul.ldd = columns;
  matmul.strideA = depth * columns;
  matmul.strideB = rows * depth;
  matmul.strideD = rows * columns;
  matmul.alpha = 1;
  return matmul;
}

}  // namespace

std::unique_ptr<CudaKernel> makeMatmul(const CudaSetup& setup) {
  const bool transposeA = setup.flag("transpose_a"), transposeB = setup.flag("transpose_b");
  const Shape &a = setup.inputShape(0), &b = setup.inputShape(1), &out = setup.outputShape();
  const DType dtype = setup.inputType();
  if (dtype != DType::F32 && !isLowPrecision(dtype)) setup.refuse(dtype);
  const int64_t columns = out.dim(-1), depth = transposeA ? a.dim(-2) : a.dim(-1);
  const int32_t kind = activationNumber(setup, setup.text("activation"));
  const bool hasBias = setup.inputs.size() > 2;
  const int64_t count = out.numElements();
  const Function& tail = setup.typed("bias_activation", setup.outputType());
  const auto alpha = static_cast<float>(setup.real("alpha"));
  const auto finish = [=, &tail](Encoder& encoder, const Operands& operands, DeviceAddress bias) {
    encoder.launchElements(tail, count, operands.outputs[0], bias, count, columns, int64_t{1}, kind,
                           alpha);
  };
  // A product without elements, or of empty sums
  if (count == 0 || depth == 0)
    return makeKernel("empty product", [=, bytes = setup.outputs[0].bytes()](
                                           Encoder& encoder, const Operands& operands) {
      encoder.clear(operands.outputs[0], bytes);
      finish(encoder, operands, hasBias ? operands.inputs[2] : DeviceAddress());
    });
  StrataMatmul matmul = rowMajorProduct(a, b, out, transposeA, transposeB);
  matmul.operandType = static_cast<StrataType>(dtype);
  matmul.resultType = static_cast<StrataType>(setup.outputType());
  // The library adds the bias before it rounds. Its relu may turn a NaN into 0, so it applies one
  // only where another result shows the NaN.
  matmul.hasBias = hasBias ? 1 : 0;
  const bool isFusedRelu = setup.text("activation") == "relu" && setup.flag("shows_nan");
  if (isFusedRelu) matmul.activation = STRATA_ACTIVATION_RELU;
  const Product product = Product::plan(setup, matmul, setup.algorithm);
  const bool isActivated = kind == 0 || (isFusedRelu && product.doesRest());
  return makeKernel(
      product.implementation(),
      [=](Encoder& encoder, const Operands& operands) {
        const DeviceAddress bias = hasBias ? operands.inputs[2] : DeviceAddress();
        product.encode(encoder,
                       {operands.inputs[1], operands.inputs[0], operands.outputs[0], bias, {}, {}},
                       operands.workspace);
        const bool isBiasMissing = hasBias && !product.addsBias();
        if (!isActivated || isBiasMissing)
          finish(encoder, operands, isBiasMissing ? bias : DeviceAddress());
      },
      product.workspaceBytes(), product.callPlan(), product.implementation());
}

std::unique_ptr<CudaKernel> makeMatmulAdd(const CudaSetup& setup) {
  const Shape &a = setup.inputShape(0), &out = setup.outputShape();
  const DType dtype = setup.inputType();
  if (dtype != DType::F32 && !isLowPrecision(dtype)) setup.refuse(dtype);
  const bool transposeA = setup.flag("transpose_a"), hasBias = setup.inputs.size() > 3;
  const int64_t count = out.numElements(), columns = out.dim(-1),
                depth = transposeA ? a.dim(-2) : a.dim(-1);
  const Function& add = setup.typed("add_operands", dtype);
  // What the product leaves to do: `product` may be null
  const auto finish = [=, &add](Encoder& encoder, const Operands& operands, DeviceAddress product,
                                DeviceAddress bias) {
    encoder.launchElements(add, count, product, operands.inputs[2], bias, operands.outputs[0],
                           count, columns);
  };
  if (count == 0 || depth == 0)
    return makeKernel("empty product", [=](Encoder& encoder, const Operands& operands) {
      finish(encoder, operands, {}, hasBias ? operands.inputs[3] : DeviceAddress());
    });
  StrataMatmul matmul =
      rowMajorProduct(a, setup.inputShape(1), out, transposeA, setup.flag("transpose_b"));
  matmul.operandType = matmul.resultType = static_cast<StrataType>(dtype);
  matmul.hasBias = hasBias ? 1 : 0;
  matmul.hasAddend = 1;
  matmul.beta = 1;
  const Product product = Product::plan(setup, matmul, setup.algorithm);
  // If the library does not add, the product is in the workspace, because y may be in the memory of
  // the addend
  const size_t ownBytes =
      product.doesRest() ? 0
                         : roundUp<size_t>(setup.outputs[0].bytes(), STRATA_WORKSPACE_ALIGNMENT);
  return makeKernel(
      product.implementation(),
      [=](Encoder& encoder, const Operands& operands) {
        const DeviceAddress bias = hasBias ? operands.inputs[3] : DeviceAddress();
        const DeviceAddress result = product.doesRest() ? operands.outputs[0] : operands.workspace;
        product.encode(
            encoder, {operands.inputs[1], operands.inputs[0], result, bias, operands.inputs[2], {}},
            operands.workspace + ownBytes);
        if (!product.doesRest())
          finish(encoder, operands, result, product.addsBias() ? DeviceAddress() : bias);
      },
      ownBytes + product.workspaceBytes(), product.callPlan(), product.implementation());
}

std::unique_ptr<CudaKernel> makeMatmulBiasGradient(const CudaSetup& setup) {
  const Shape &x = setup.inputShape(0), &dy = setup.inputShape(1), &out = setup.outputShape();
  const DType dtype = setup.inputType();
  if (dtype != DType::F32 && !isLowPrecision(dtype)) setup.refuse(dtype);
  const ColumnParts parts = columnParts(dy[0], dy[1]);
  const Function& sums = setup.typed("column_sums", dtype);
  const size_t sumBytes = roundUp<size_t>(
      static_cast<size_t>(parts.parts * parts.columns) * sizeof(float), STRATA_WORKSPACE_ALIGNMENT);
  const auto sumRows = [=, &sums](Encoder& encoder, const Operands& operands) {
    encoder.launch(sums, {parts.columnBlocks(), parts.parts}, kColumnThreads, operands.inputs[1],
                   operands.outputs[1], operands.workspace, operands.counters, parts);
  };
  if (out.numElements() == 0 || dy[0] == 0)
    return makeKernel(
        "empty product",
        [=, bytes = setup.outputs[0].bytes()](Encoder& encoder, const Operands& operands) {
          encoder.clear(operands.outputs[0], bytes);
          sumRows(encoder, operands);
        },
        sumBytes);
  StrataMatmul matmul = rowMajorProduct(x, dy, out, true, false);
  matmul.operandType = static_cast<StrataType>(dtype);
  matmul.resultType = static_cast<StrataType>(setup.outputType());
  // The library gives the gradient of the bias in the type of the result
  matmul.sumsA = setup.outputType() == DType::F32 ? 1 : 0;
  const Product product = Product::plan(setup, matmul, setup.algorithm);
  const bool isFused = matmul.sumsA && product.doesRest();
  const size_t ownBytes = isFused ? 0 : sumBytes;
  return makeKernel(
      product.implementation(),
      [=](Encoder& encoder, const Operands& operands) {
        product.encode(encoder,
                       {operands.inputs[1],
                        operands.inputs[0],
                        operands.outputs[0],
                        {},
                        {},
                        operands.outputs[1]},
                       operands.workspace + ownBytes);
        if (!isFused) sumRows(encoder, operands);
      },
      ownBytes + product.workspaceBytes(), product.callPlan(), product.implementation());
}

}  // namespace strata::cuda
