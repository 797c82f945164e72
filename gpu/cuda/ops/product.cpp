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
  require(matmul.alpha == 1, "a product is not scaled");
  StrataLibraryCall call{};
  call.kind = STRATA_CALL_MATMUL;
  call.compute = setup.isTf32 ? STRATA_COMPUTE_TF32 : STRATA_COMPUTE_F32;
  call.isDeterministic = 1;
  call.of.matmul = matmul;
  Product product;
  Card& card = *setup.card;
  PlanFailure failure;
  std::string reason;
  const auto tryCall = [&](const std::string& name) {
    product.m_library = card.tryPlan(call, name, Card::kWorkspaceLimit, &failure);
    if (!product.m_library && reason.empty())
      reason = card.libraries().lastError(card.libraries().self);
    return product.m_library != nullptr;
  };
  const bool hasRest =
      matmul.activation != STRATA_ACTIVATION_NONE || matmul.hasAddend || matmul.sumsA;
  // The form does not depend on the name of an algorithm, so a name belongs to one form
  bool isPlanned = tryCall("");
  if (!isPlanned && failure.status == STRATA_STATUS_UNSUPPORTED && hasRest) {
    call.of.matmul.activation = STRATA_ACTIVATION_NONE;
    call.of.matmul.hasAddend = call.of.matmul.sumsA = 0;
    call.of.matmul.beta = 0;
    product.m_doesRest = false;
    isPlanned = tryCall("");
  }
  if (!isPlanned && failure.status == STRATA_STATUS_UNSUPPORTED && matmul.hasBias) {
    call.of.matmul.hasBias = 0;
    product.m_addsBias = false;
    isPlanned = tryCall("");
  }
  const bool isRefused = !isPlanned && failure.status == STRATA_STATUS_UNSUPPORTED;
  if (isPlanned && !algorithm.empty()) {
    reason.clear();
    isPlanned = tryCall(algorithm);
  }
  if (isPlanned) return product;
  if (!isRefused || !algorithm.empty())
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
  product.m_doesRest = !hasRest;
  return product;
}

void Product::encode(Encoder& encoder, const ProductOperands& operands,
                     DeviceAddress workspace) const {
  const ProductOperands& p = operands;
  if (m_own) {
    const int64_t tiles =
        Encoder::blocksFor(m_shape.m, kMatmulTile) * Encoder::blocksFor(m_shape.n, kMatmulTile);
    encoder.launch(*m_own, {tiles * m_shape.batches}, kMatmulThreads, p.a, p.b, p.d, p.bias,
                   m_shape);
    return;
  }
  const StrataMatmul& matmul = m_library->call().of.matmul;
  std::vector<DeviceAddress> addresses{p.a, p.b, p.d};
  if (matmul.hasBias) addresses.push_back(p.bias);
  if (matmul.hasAddend) addresses.push_back(p.addend);
  if (matmul.sumsA) addresses.push_back(p.biasGradient);
  encoder.call(*m_library, addresses, workspace);
}

std::string Product::implementation() const {
  return m_library ? std::string("cublasLt ") + m_library->algorithm() : "matmul";
}

}  // namespace strata::cuda
