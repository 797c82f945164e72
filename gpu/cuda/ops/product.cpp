// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda/ops/product.h"

#include "gpu/base/error.h"

namespace strata::cuda {
namespace {

MatmulShape shapeOf(const StrataMatmul& matmul) {
  MatmulShape shape;
  shape.m = matmul.m;
  shape.n = matmul.n;
  shape.k = matmul.k;
  shape.batches = matmul.batches;
  shape.lda = matmul.lda;
  shape.ldb = matmul.ldb;
  shape.ldd = matmul.ldd;
  shape.strideA = matmul.strideA;
  shape.strideB = matmul.strideB;
  shape.strideD = matmul.strideD;
  shape.transposeA = matmul.transposeA;
  shape.transposeB = matmul.transposeB;
  return shape;
}

}  // namespace

Product Product::plan(const CudaSetup& setup, const StrataMatmul& matmul,
                      const std::string& algorithm) {
  require(matmul.alpha == 1 && matmul.beta == 0 && matmul.activation == STRATA_ACTIVATION_NONE,
          "a product is neither scaled nor added to its result");
  StrataLibraryCall call{};
  call.kind = STRATA_CALL_MATMUL;
  call.compute = setup.isTf32 ? STRATA_COMPUTE_TF32 : STRATA_COMPUTE_F32;
  call.isDeterministic = 1;
  call.of.matmul = matmul;
  Product product;
  Card& card = *setup.card;
  int status = 0;
  product.m_library = card.tryPlan(call, algorithm, Card::kWorkspaceLimit, &status);
  if (product.m_library) return product;
  const std::string reason = card.libraries().lastError(card.libraries().self);
  if (status == STRATA_STATUS_UNSUPPORTED && matmul.hasBias) {
    call.of.matmul.hasBias = 0;
    product.m_library = card.tryPlan(call, algorithm, Card::kWorkspaceLimit, &status);
    product.m_addsBias = false;
    if (product.m_library) return product;
  }
  if (status != STRATA_STATUS_UNSUPPORTED || !algorithm.empty())
    throw Error(ErrorCode::UnsupportedOp, setup.layer.empty() ? card.name() : setup.layer,
                reason + " on " + card.name() +
                    (algorithm.empty() ? ". Use another device." : ". Use another algorithm."));
  const auto nameOf = [](StrataType type) {
    return std::string(dtypeName(static_cast<DType>(type)));
  };
  product.m_own =
      &setup.function("matmul_" + nameOf(matmul.operandType) + "_" + nameOf(matmul.resultType));
  product.m_shape = shapeOf(matmul);
  product.m_addsBias = true;
  return product;
}

void Product::encode(Encoder& encoder, DeviceAddress a, DeviceAddress b, DeviceAddress d,
                     DeviceAddress bias, DeviceAddress workspace) const {
  if (m_own) {
    const int64_t tiles =
        Encoder::blocksFor(m_shape.m, kMatmulTile) * Encoder::blocksFor(m_shape.n, kMatmulTile);
    encoder.launch(*m_own, {tiles * m_shape.batches}, kMatmulThreads, a, b, d, bias, m_shape);
    return;
  }
  if (m_library->call().of.matmul.hasBias)
    encoder.call(*m_library, {a, b, d, bias}, workspace);
  else
    encoder.call(*m_library, {a, b, d}, workspace);
}

std::string Product::implementation() const {
  return m_library ? std::string("cublasLt ") + m_library->algorithm() : "matmul";
}

}  // namespace strata::cuda
