// SPDX-License-Identifier: Apache-2.0
// Attention as the chain of operations that cuDNN fuses into one kernel.
// Source: NVIDIA cuDNN documentation, "Fused flash attention" (forward and backward patterns), and
// for padding masks and versions cudnn-frontend, scaled_dot_product_flash_attention.h.
#include <limits>

#include "gpu/cuda/plugin/cudnn_graph.h"

namespace strata::plugin {
namespace {

// Up to this version, gradients need a padding mask unless whole tiles contain all keys
constexpr int64_t kLastPadding = 91500, kKeyTile = 128;
// From this version on, one mask suffices
constexpr int64_t kPadsOnce = 91000;
// The first of two versions whose gradients are wrong
constexpr int64_t kWrongGradients = 91000;

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
  void backward(int64_t version);

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
  /// Sets scores of queries and keys beyond the lengths to a very small number. Keeps x if there
  /// are no lengths.
  int64_t padded(int64_t x);
  int64_t index(int64_t x, int64_t axis) {
    const int64_t y = m_builder.temporary(m_scores, contiguous(m_scores), CUDNN_DATA_INT32);
    m_builder.index(x, axis, y);
    return y;
  }
  int64_t compared(cudnnPointwiseMode_t mode, int64_t a, int64_t b) {
    const int64_t y = m_builder.temporary(m_scores, contiguous(m_scores), CUDNN_DATA_BOOLEAN);
    m_builder.pointwise(mode, a, b, y, CUDNN_DATA_BOOLEAN);
    return y;
  }
  int64_t selected(int64_t isKept, int64_t x) {
    const int64_t y = scores();
    m_builder.select(isKept, x, m_builder.scalar(std::numeric_limits<float>::lowest()), y);
    return y;
  }
  /// Returns the transposed matrices of x in the type of the operands.
  int64_t transposedScores(int64_t x);

  GraphBuilder& m_builder;
  const StrataAttention& m_call;
  cudnnDataType_t m_type;
  Four m_q, m_k, m_v, m_o, m_scores, m_rows;
  // Tensors with the lengths of all samples, or 0
  int64_t m_queryLengths = 0, m_keyLengths = 0;
};

int64_t Attention::masked(int64_t x) {
  if (!m_call.isCausal) return x;
  const int64_t row = index(x, 2), column = index(x, 3);
  return selected(compared(CUDNN_POINTWISE_CMP_GE, row, column), x);
}

int64_t Attention::padded(int64_t x) {
  if (m_keyLengths == 0) return x;
  const int64_t row = index(x, 2), column = index(x, 3);
  const int64_t isQuery = compared(CUDNN_POINTWISE_CMP_LT, row, m_queryLengths),
                isKey = compared(CUDNN_POINTWISE_CMP_LT, column, m_keyLengths);
  return selected(compared(CUDNN_POINTWISE_LOGICAL_AND, isQuery, isKey), x);
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

void Attention::backward(int64_t version) {
  if (version == kWrongGradients || version == kWrongGradients + 1)
    throw CudnnFailure("cuDNN 9.10.0 and 9.10.1 compute wrong gradients of attention");
  if (m_call.queries == 1 && m_call.keys == 1)
    throw CudnnFailure("cuDNN has no gradient of attention for one query and one key");
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
  const int64_t querySums =
      m_call.hasQuerySums ? m_builder.operand(m_q, contiguous(m_q), CUDNN_DATA_FLOAT) : 0;
  const int64_t scale = m_builder.scalar(m_call.scale);
  if (version <= kLastPadding && m_call.keys % kKeyTile != 0) {
    m_queryLengths = m_builder.lengths(m_call.batch, m_call.queries);
    m_keyLengths = m_builder.lengths(m_call.batch, m_call.keys);
  }
  // Products of [queries,keys], [keys,queries] and [queries,keys] matrices with others
  const GraphBuilder::Lengths ofScores{m_queryLengths, m_keyLengths, 0},
      ofKeys{m_keyLengths, 0, m_queryLengths}, ofQueries{m_queryLengths, 0, m_keyLengths};

  // The sum of dO O of each query
  const int64_t product = m_builder.temporary(m_o, contiguous(m_o), CUDNN_DATA_FLOAT), sum = rows(),
                rowSum = m_builder.scratch(m_rows, contiguous(m_rows), CUDNN_DATA_FLOAT);
  m_builder.pointwise(CUDNN_POINTWISE_MUL, dO, o, product);
  m_builder.reduction(CUDNN_REDUCE_TENSOR_ADD, product, sum);
  m_builder.pointwise(CUDNN_POINTWISE_MUL, sum, m_builder.scalar(1), rowSum);

  // p = exp(scale q k^T - statistics), dV = p^T dO
  const int64_t products = scores();
  m_builder.matmul(q, k, products, ofScores);
  int64_t shifted = pointwise(CUDNN_POINTWISE_SUB,
                              padded(pointwise(CUDNN_POINTWISE_MUL, products, scale)), statistics);
  if (version < kPadsOnce) shifted = padded(shifted);
  const int64_t p = pointwise(CUDNN_POINTWISE_EXP, masked(shifted));
  m_builder.matmul(transposedScores(p), dO, dV, ofKeys);

  // dS = scale p (dO v^T - rowSum), dK = dS^T q, dQ = dS k
  const int64_t dP = scores();
  m_builder.matmul(dO, v, dP, ofScores);
  const int64_t dS = pointwise(
      CUDNN_POINTWISE_MUL,
      pointwise(CUDNN_POINTWISE_MUL, pointwise(CUDNN_POINTWISE_SUB, dP, rowSum), p), scale);
  m_builder.matmul(transposedScores(dS), q, dK, ofKeys);
  const int64_t plainK = m_builder.temporary(m_k, kStrides, m_type);
  m_builder.reshape(k, plainK);
  if (!m_call.hasQuerySums) {
    m_builder.matmul(dS, plainK, dQ, ofQueries);
    return;
  }
  m_builder.matmul(dS, plainK, querySums, ofQueries);
  m_builder.pointwise(CUDNN_POINTWISE_IDENTITY, querySums, dQ);
}

}  // namespace

void buildAttention(GraphBuilder& builder, const StrataAttention& call, int64_t version) {
  Attention attention(builder, call);
  if (call.isBackward)
    attention.backward(version);
  else
    attention.forward();
}

}  // namespace strata::plugin
