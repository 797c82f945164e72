// SPDX-License-Identifier: Apache-2.0
#include "gpu/simulated/host_calls.h"

#include <bit>
#include <cmath>
#include <cstring>

#include "gpu/simulated/gemm.h"
#include "gpu/tensor/dtype.h"

namespace strata::simulated {

namespace {

DType dtypeOfCall(StrataType type) { return static_cast<DType>(type); }

bool isOperandType(StrataType type) {
  const DType dtype = dtypeOfCall(type);
  return dtype == DType::F32 || dtype == DType::BF16 || dtype == DType::F16;
}

/// A column-major operand in float32. `copied` holds one that is converted.
struct Operand {
  std::vector<float> copied;
  const float* data = nullptr;
  int64_t ld = 0;
};

/// cublasLtMatmul() on the host.
class MatmulCall final : public HostCall {
 public:
  MatmulCall(const StrataMatmul& matmul, bool isTf32) : m_matmul(matmul), m_isTf32(isTf32) {}
  void run(const std::vector<std::byte*>& addresses, ThreadPool& pool) const override;

 private:
  void sumRows(const Operand& a, float* sums) const;
  StrataMatmul m_matmul;
  bool m_isTf32;
};

void load(Operand& operand, const std::byte* data, StrataType type, int64_t rows, int64_t columns,
          int64_t ld, bool isTf32, ThreadPool& pool) {
  if (dtypeOfCall(type) == DType::F32 && !isTf32) {
    operand.data = reinterpret_cast<const float*>(data);
    operand.ld = ld;
    return;
  }
  operand.copied.resize(static_cast<size_t>(rows * columns));
  operand.data = operand.copied.data();
  operand.ld = rows;
  pool.run([&](int worker) {
    for (int64_t j = columns * worker / pool.numWorkers();
         j < columns * (worker + 1) / pool.numWorkers(); ++j)
      for (int64_t i = 0; i < rows; ++i) {
        const float value = loadElement(data, type, j * ld + i);
        operand.copied[static_cast<size_t>(j * rows + i)] = isTf32 ? roundToTf32(value) : value;
      }
  });
}

void MatmulCall::run(const std::vector<std::byte*>& addresses, ThreadPool& pool) const {
  const StrataMatmul& call = m_matmul;
  const size_t in = elementBytes(call.operandType), out = elementBytes(call.resultType);
  const int64_t rowsA = call.transposeA ? call.k : call.m,
                columnsA = call.transposeA ? call.m : call.k;
  const int64_t rowsB = call.transposeB ? call.n : call.k,
                columnsB = call.transposeB ? call.k : call.n;
  std::vector<float> product(static_cast<size_t>(call.m * call.n));
  Operand a, b;
  for (int64_t batch = 0; batch < call.batches; ++batch) {
    load(a, addresses[0] + static_cast<size_t>(batch * call.strideA) * in, call.operandType, rowsA,
         columnsA, call.lda, m_isTf32, pool);
    load(b, addresses[1] + static_cast<size_t>(batch * call.strideB) * in, call.operandType, rowsB,
         columnsB, call.ldb, m_isTf32, pool);
    // The transposed product is row-major: D^T[n,m] = op(B)^T[n,k] op(A)^T[k,m]
    const MatrixView left{b.data, call.transposeB ? 1 : b.ld, call.transposeB ? b.ld : 1};
    const MatrixView right{a.data, call.transposeA ? 1 : a.ld, call.transposeA ? a.ld : 1};
    multiply(pool, call.n, call.m, call.k, left, right, product.data(), call.m, false);
    const size_t ofBatch = static_cast<size_t>(batch * call.strideD) * out;
    std::byte* d = addresses[2] + ofBatch;
    const std::byte* addend = call.hasAddend ? addresses[call.hasBias ? 4 : 3] + ofBatch : nullptr;
    pool.run([&](int worker) {
      for (int64_t j = call.n * worker / pool.numWorkers();
           j < call.n * (worker + 1) / pool.numWorkers(); ++j)
        for (int64_t i = 0; i < call.m; ++i) {
          float value = call.alpha * product[static_cast<size_t>(j * call.m + i)];
          if (call.beta != 0)
            value += call.beta *
                     loadElement(call.hasAddend ? addend : d, call.resultType, j * call.ldd + i);
          if (call.hasBias) value += loadElement(addresses[3], call.resultType, i);
          storeElement(d, call.resultType, j * call.ldd + i, activate(value, call.activation));
        }
    });
    const size_t sumsAt = 3 + (call.hasBias ? 1u : 0u) + (call.hasAddend ? 1u : 0u);
    if (call.sumsA) sumRows(a, reinterpret_cast<float*>(addresses[sumsAt]));
  }
}

/// Sums op(A) over k.
void MatmulCall::sumRows(const Operand& a, float* sums) const {
  for (int64_t i = 0; i < m_matmul.m; ++i) {
    float sum = 0;
    for (int64_t l = 0; l < m_matmul.k; ++l)
      sum += a.data[m_matmul.transposeA ? i * a.ld + l : l * a.ld + i];
    sums[i] = sum;
  }
}

}  // namespace

float loadElement(const std::byte* data, StrataType type, int64_t index) {
  const auto i = static_cast<size_t>(index);
  switch (dtypeOfCall(type)) {
    case DType::BF16: return toFloat(reinterpret_cast<const BFloat16*>(data)[i]);
    case DType::F16: return toFloat(reinterpret_cast<const Float16*>(data)[i]);
    default: return reinterpret_cast<const float*>(data)[i];
  }
}

void storeElement(std::byte* data, StrataType type, int64_t index, float value) {
  const auto i = static_cast<size_t>(index);
  switch (dtypeOfCall(type)) {
    case DType::BF16: reinterpret_cast<BFloat16*>(data)[i] = toBFloat16(value); return;
    case DType::F16: reinterpret_cast<Float16*>(data)[i] = toFloat16(value); return;
    default: reinterpret_cast<float*>(data)[i] = value;
  }
}

float roundToTf32(float value) {
  if (!std::isfinite(value)) return value;
  return std::bit_cast<float>((std::bit_cast<uint32_t>(value) + 0x1000u) & ~0x1fffu);
}

float activate(float value, int activation) {
  switch (activation) {
    // As in the libraries, NaN becomes 0
    case STRATA_ACTIVATION_RELU: return value > 0 ? value : 0.0f;
    case STRATA_ACTIVATION_GELU_TANH:
      return 0.5f * value *
             (1 + std::tanh(0.7978845608f * (value + 0.044715f * value * value * value)));
    default: return value;
  }
}

size_t elementBytes(StrataType type) { return dtypeOfCall(type) == DType::F32 ? 4 : 2; }

std::shared_ptr<const HostCall> makeMatmul(const StrataMatmul& call, int compute,
                                           std::string& problem) {
  const auto refuse = [&](const char* why) {
    problem = std::string("cublasLtMatmul: ") + why;
    return nullptr;
  };
  if (call.m < 1 || call.n < 1 || call.k < 1 || call.batches < 1)
    return refuse("a size is below 1");
  if (!isOperandType(call.operandType) || !isOperandType(call.resultType))
    return refuse("the type is not supported");
  if (call.resultType != call.operandType && dtypeOfCall(call.resultType) != DType::F32)
    return refuse("the result has neither the type of the operands nor f32");
  if (call.lda < (call.transposeA ? call.k : call.m) ||
      call.ldb < (call.transposeB ? call.n : call.k) || call.ldd < call.m)
    return refuse("a leading dimension is smaller than the matrix");
  if (call.hasAddend && call.beta != 1) return refuse("the addend needs beta 1");
  if (call.sumsA &&
      (call.hasBias || call.batches != 1 || dtypeOfCall(call.resultType) != DType::F32))
    return refuse("the gradient of a bias needs one product with a result of f32");
  return std::make_shared<MatmulCall>(
      call, compute == STRATA_COMPUTE_TF32 && dtypeOfCall(call.operandType) == DType::F32);
}

std::shared_ptr<const HostCall> makeHostCall(const StrataLibraryCall& call, std::string& problem) {
  switch (call.kind) {
    case STRATA_CALL_MATMUL: return makeMatmul(call.of.matmul, call.compute, problem);
    case STRATA_CALL_CONVOLUTION:
      return makeConvolution(call.of.convolution, call.compute, problem);
    case STRATA_CALL_ATTENTION: return makeAttention(call.of.attention, problem);
    default: problem = "the call is of an unknown kind"; return nullptr;
  }
}

}  // namespace strata::simulated
