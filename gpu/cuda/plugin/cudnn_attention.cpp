// SPDX-License-Identifier: Apache-2.0
// Attention as the chain of operations that cuDNN fuses into one kernel.
// Source: NVIDIA cuDNN documentation, "Fused flash attention" (forward and backward patterns).
#include <limits>

#include "gpu/cuda/plugin/cudnn_graph.h"

namespace strata::plugin {
namespace {

Four fourOf(const int64_t (&values)[4]) { return {values[0], values[1], values[2], values[3]}; }
/// Swaps the last two axes.
Four transposed(Four values) {
  std::swap(values[2], values[3]);
  return values;
}
Four contiguous(const Four& dims) {
  return {dims[1] * dims[2] * dims[3], dims[2] * dims[3], dims[3], 1};
}

/// The shapes of a call, and the part of the chain that forward and backward share.
class Attention {
 public:
  Attention(GraphBuilder& builder, const StrataAttention& call)
      : m_builder(builder),
        m_call(call),
        m_type(cudnnTypeOf(call.type)),
        m_q{call.batch, call.heads, call.queries, call.headSize},
        m_k{call.batch, call.heads, call.keys, call.headSize},
        m_v{call.batch, call.heads, call.keys, call.valueSize},
        m_o{call.batch, call.heads, call.queries, call.valueSize},
        m_scores{call.batch, call.heads, call.queries, call.keys},
        m_rows{call.batch, call.heads, call.queries, 1} {
    if (m_type == CUDNN_DATA_FLOAT)
      throw CudnnFailure("cuDNN: fused attention needs a 16-bit type");
  }
  void forward();
  void backward(bool isDeterministic);

 private:
  int64_t scores() { return m_builder.temporary(m_scores, contiguous(m_scores), CUDNN_DATA_FLOAT); }
  int64_t rows() { return m_builder.temporary(m_rows, contiguous(m_rows), CUDNN_DATA_FLOAT); }
  int64_t pointwise(cudnnPointwiseMode_t mode, int64_t x, int64_t b) {
    const int64_t y = scores();
    m_builder.pointwise(mode, x, b, y);
    return y;
  }
  int64_t pointwise(cudnnPointwiseMode_t mode, int64_t x) {
    const int64_t y = scores();
    m_builder.pointwise(mode, x, y);
    return y;
  }
  /// Sets scores of keys after the query to a very small number.
  int64_t masked(int64_t x);
  /// Returns the transposed matrices of x in the type of the operands.
  int64_t transposedScores(int64_t x);

  GraphBuilder& m_builder;
  const StrataAttention& m_call;
  cudnnDataType_t m_type;
  Four m_q, m_k, m_v, m_o, m_scores, m_rows;
};

int64_t Attention::masked(int64_t x) {
  if (!m_call.isCausal) return x;
  const auto temporary = [&](cudnnDataType_t type) {
    return m_builder.temporary(m_scores, contiguous(m_scores), type);
  };
  const int64_t row = temporary(CUDNN_DATA_INT32), column = temporary(CUDNN_DATA_INT32),
                isVisible = temporary(CUDNN_DATA_BOOLEAN), result = scores();
  m_builder.index(x, 2, row);
  m_builder.index(x, 3, column);
  m_builder.pointwise(CUDNN_POINTWISE_CMP_GE, row, column, isVisible, CUDNN_DATA_BOOLEAN);
  m_builder.select(isVisible, x, m_builder.scalar(std::numeric_limits<float>::lowest()), result);
  return result;
}

int64_t Attention::transposedScores(int64_t x) {
  const Four dims = transposed(m_scores);
  const int64_t y = m_builder.temporary(dims, transposed(contiguous(m_scores)), m_type);
  m_builder.reshape(x, y);
  return y;
}

void Attention::forward() {
  const int64_t q = m_builder.operand(m_q, fourOf(m_call.qStrides), m_type),
                k = m_builder.operand(transposed(m_k), transposed(fourOf(m_call.kStrides)), m_type),
                v = m_builder.operand(m_v, fourOf(m_call.vStrides), m_type),
                o = m_builder.operand(m_o, fourOf(m_call.oStrides), m_type),
                statistics = m_builder.operand(m_rows, contiguous(m_rows), CUDNN_DATA_FLOAT);
  const int64_t products = scores();
  m_builder.matmul(q, k, products);
  const int64_t s =
      masked(pointwise(CUDNN_POINTWISE_MUL, products, m_builder.scalar(m_call.scale)));
  const int64_t maximum = rows(), sum = rows(), logarithm = rows();
  m_builder.reduction(CUDNN_REDUCE_TENSOR_MAX, s, maximum);
  const int64_t e = pointwise(CUDNN_POINTWISE_EXP, pointwise(CUDNN_POINTWISE_SUB, s, maximum));
  m_builder.reduction(CUDNN_REDUCE_TENSOR_ADD, e, sum);
  m_builder.pointwise(CUDNN_POINTWISE_LOG, sum, logarithm);
  m_builder.pointwise(CUDNN_POINTWISE_ADD, maximum, logarithm, statistics);
  const int64_t p = m_builder.temporary(m_scores, contiguous(m_scores), m_type);
  m_builder.pointwise(CUDNN_POINTWISE_DIV, e, sum, p);
  m_builder.matmul(p, v, o);
}

void Attention::backward(bool isDeterministic) {
  const Four kStrides = fourOf(m_call.kStrides);
  const int64_t q = m_builder.operand(m_q, fourOf(m_call.qStrides), m_type),
                k = m_builder.operand(transposed(m_k), transposed(kStrides), m_type),
                v = m_builder.operand(transposed(m_v), transposed(fourOf(m_call.vStrides)), m_type),
                o = m_builder.operand(m_o, fourOf(m_call.oStrides), m_type),
                dO = m_builder.operand(m_o, fourOf(m_call.oStrides), m_type),
                statistics = m_builder.operand(m_rows, contiguous(m_rows), CUDNN_DATA_FLOAT),
                dQ = m_builder.operand(m_q, fourOf(m_call.qStrides), m_type),
                dK = m_builder.operand(m_k, kStrides, m_type),
                dV = m_builder.operand(m_v, fourOf(m_call.vStrides), m_type);
  const int64_t scale = m_builder.scalar(m_call.scale);

  // The sum of dO O of each query
  const int64_t product = m_builder.temporary(m_o, contiguous(m_o), CUDNN_DATA_FLOAT), sum = rows(),
                rowSum = m_builder.scratch(m_rows, contiguous(m_rows), CUDNN_DATA_FLOAT);
  m_builder.pointwise(CUDNN_POINTWISE_MUL, dO, o, product);
  m_builder.reduction(CUDNN_REDUCE_TENSOR_ADD, product, sum);
  m_builder.pointwise(CUDNN_POINTWISE_MUL, sum, m_builder.scalar(1), rowSum);

  // p = exp(scale q k^T - statistics), dV = p^T dO
  const int64_t products = scores();
  m_builder.matmul(q, k, products);
  const int64_t shifted =
      pointwise(CUDNN_POINTWISE_SUB, pointwise(CUDNN_POINTWISE_MUL, products, scale), statistics);
  const int64_t p = pointwise(CUDNN_POINTWISE_EXP, masked(shifted));
  m_builder.matmul(transposedScores(p), dO, dV);

  // dS = scale p (dO v^T - rowSum), dK = dS^T q, dQ = dS k
  const int64_t dP = scores();
  m_builder.matmul(dO, v, dP);
  const int64_t dS = pointwise(
      CUDNN_POINTWISE_MUL,
      pointwise(CUDNN_POINTWISE_MUL, pointwise(CUDNN_POINTWISE_SUB, dP, rowSum), p), scale);
  m_builder.matmul(transposedScores(dS), q, dK);
  const int64_t plainK = m_builder.temporary(m_k, kStrides, m_type);
  m_builder.reshape(k, plainK);
  if (isDeterministic) {
    m_builder.matmul(dS, plainK, dQ);
    return;
  }
  // Blocks add to this sum in any order
  const int64_t dQSum = m_builder.scratch(m_q, contiguous(m_q), CUDNN_DATA_FLOAT);
  m_builder.matmul(dS, plainK, dQSum);
  m_builder.pointwise(CUDNN_POINTWISE_IDENTITY, dQSum, dQ);
}

}  // namespace

void buildAttention(GraphBuilder& builder, const StrataAttention& call, bool isDeterministic) {
  Attention attention(builder, call);
  if (call.isBackward)
    attention.backward(isDeterministic);
  else
    attention.forward();
}

}  // namespace strata::plugin
