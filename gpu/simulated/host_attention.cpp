// SPDX-License-Identifier: Apache-2.0
// Attention on the host. The probabilities are rounded to the type of the operands before the
// product with v, as in cuDNN's fused kernels.
#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/simulated/host_calls.h"
#include "gpu/tensor/dtype.h"

namespace strata::simulated {
namespace {

/// A matrix of one head as floats.
struct Matrix {
  int64_t rows = 0, columns = 0;
  std::vector<float> values;
  Matrix(int64_t r, int64_t c) : rows(r), columns(c), values(static_cast<size_t>(r * c), 0.0f) {}
  float* row(int64_t r) { return values.data() + r * columns; }
  const float* row(int64_t r) const { return values.data() + r * columns; }
};

float dot(const float* a, const float* b, int64_t count) {
  float sum = 0;
  for (int64_t i = 0; i < count; ++i)
    sum += a[i] * b[i];
  return sum;
}

void addScaled(float factor, const float* from, float* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    to[i] += factor * from[i];
}

class AttentionCall final : public HostCall {
 public:
  explicit AttentionCall(const StrataAttention& call) : m_call(call) {}
  void run(const std::vector<std::byte*>& addresses, ThreadPool& pool) const override {
    const int64_t heads = m_call.batch * m_call.heads;
    pool.run([&](int worker) {
      for (int64_t i = heads * worker / pool.numWorkers();
           i < heads * (worker + 1) / pool.numWorkers(); ++i) {
        if (m_call.isBackward)
          backward(addresses, i / m_call.heads, i % m_call.heads);
        else
          forward(addresses, i / m_call.heads, i % m_call.heads);
      }
    });
  }

 private:
  Matrix load(const std::byte* data, const int64_t (&strides)[4], int64_t batch, int64_t head,
              int64_t rows, int64_t columns) const {
    Matrix result(rows, columns);
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        result.row(r)[c] =
            loadElement(data, m_call.type,
                        batch * strides[0] + head * strides[1] + r * strides[2] + c * strides[3]);
    return result;
  }
  void store(const Matrix& matrix, std::byte* data, const int64_t (&strides)[4], int64_t batch,
             int64_t head) const {
    for (int64_t r = 0; r < matrix.rows; ++r)
      for (int64_t c = 0; c < matrix.columns; ++c)
        storeElement(data, m_call.type,
                     batch * strides[0] + head * strides[1] + r * strides[2] + c * strides[3],
                     matrix.row(r)[c]);
  }
  float rounded(float value) const {
    std::byte bytes[4];
    storeElement(bytes, m_call.type, 0, value);
    return loadElement(bytes, m_call.type, 0);
  }
  float* statisticsOf(std::byte* data, int64_t batch, int64_t head) const {
    return reinterpret_cast<float*>(data) + (batch * m_call.heads + head) * m_call.queries;
  }
  /// The keys that a query sees
  int64_t visible(int64_t query) const {
    return m_call.isCausal ? std::min(m_call.keys, query + 1) : m_call.keys;
  }
  void forward(const std::vector<std::byte*>& addresses, int64_t batch, int64_t head) const;
  void backward(const std::vector<std::byte*>& addresses, int64_t batch, int64_t head) const;

  StrataAttention m_call;
};

void AttentionCall::forward(const std::vector<std::byte*>& addresses, int64_t batch,
                            int64_t head) const {
  const StrataAttention& call = m_call;
  const Matrix q = load(addresses[0], call.qStrides, batch, head, call.queries, call.headSize),
               k = load(addresses[1], call.kStrides, batch, head, call.keys, call.headSize),
               v = load(addresses[2], call.vStrides, batch, head, call.keys, call.valueSize);
  Matrix o(call.queries, call.valueSize);
  std::vector<float> scores(static_cast<size_t>(call.keys));
  for (int64_t i = 0; i < call.queries; ++i) {
    const int64_t count = visible(i);
    float maximum = -std::numeric_limits<float>::infinity(), sum = 0;
    for (int64_t j = 0; j < count; ++j) {
      const float score = call.scale * dot(q.row(i), k.row(j), call.headSize);
      scores[static_cast<size_t>(j)] = score;
      maximum = std::max(maximum, score);
    }
    for (int64_t j = 0; j < count; ++j) {
      float& score = scores[static_cast<size_t>(j)];
      score = std::exp(score - maximum);
      sum += score;
    }
    for (int64_t j = 0; j < count; ++j)
      addScaled(rounded(scores[static_cast<size_t>(j)] / sum), v.row(j), o.row(i), call.valueSize);
    statisticsOf(addresses[4], batch, head)[i] = maximum + std::log(sum);
  }
  store(o, addresses[3], call.oStrides, batch, head);
}

void AttentionCall::backward(const std::vector<std::byte*>& addresses, int64_t batch,
                             int64_t head) const {
  const StrataAttention& call = m_call;
  const Matrix q = load(addresses[0], call.qStrides, batch, head, call.queries, call.headSize),
               k = load(addresses[1], call.kStrides, batch, head, call.keys, call.headSize),
               v = load(addresses[2], call.vStrides, batch, head, call.keys, call.valueSize),
               o = load(addresses[3], call.oStrides, batch, head, call.queries, call.valueSize),
               dO = load(addresses[4], call.oStrides, batch, head, call.queries, call.valueSize);
  const float* statistics = statisticsOf(addresses[5], batch, head);
  // cuDNN keeps the sums in the workspace, the last address
  float* rowSums = addresses.back() ? statisticsOf(addresses.back(), batch, head) : nullptr;
  Matrix dQ(call.queries, call.headSize), dK(call.keys, call.headSize),
      dV(call.keys, call.valueSize);
  for (int64_t i = 0; i < call.queries; ++i) {
    const float rowSum = dot(dO.row(i), o.row(i), call.valueSize);
    if (rowSums) rowSums[i] = rowSum;
    for (int64_t j = 0; j < visible(i); ++j) {
      const float p = std::exp(call.scale * dot(q.row(i), k.row(j), call.headSize) - statistics[i]);
      addScaled(rounded(p), dO.row(i), dV.row(j), call.valueSize);
      const float dS =
          rounded(call.scale * p * (dot(dO.row(i), v.row(j), call.valueSize) - rowSum));
      addScaled(dS, k.row(j), dQ.row(i), call.headSize);
      addScaled(dS, q.row(i), dK.row(j), call.headSize);
    }
  }
  if (call.hasQuerySums) {
    float* sums = reinterpret_cast<float*>(addresses[9]) +
                  (batch * call.heads + head) * call.queries * call.headSize;
    for (size_t i = 0; i < dQ.values.size(); ++i)
      dQ.values[i] = sums[i] += dQ.values[i];
  }
  store(dQ, addresses[6], call.qStrides, batch, head);
  store(dK, addresses[7], call.kStrides, batch, head);
  store(dV, addresses[8], call.vStrides, batch, head);
}

}  // namespace

std::shared_ptr<const HostCall> makeAttention(const StrataAttention& call, std::string& problem) {
  const auto refuse = [&](const char* why) {
    problem = std::string("cuDNN attention: ") + why;
    return nullptr;
  };
  const auto type = static_cast<DType>(call.type);
  if (type != DType::BF16 && type != DType::F16) return refuse("the type is not a 16-bit type");
  if (call.batch < 1 || call.heads < 1 || call.queries < 1 || call.keys < 1)
    return refuse("a size is below 1");
  if (call.headSize % 8 != 0 || call.valueSize % 8 != 0 || call.headSize > 256 ||
      call.valueSize > 256 || call.headSize < 8 || call.valueSize < 8)
    return refuse("the size of a head is not a multiple of 8 up to 256");
  if (call.qStrides[3] != 1 || call.kStrides[3] != 1 || call.vStrides[3] != 1 ||
      call.oStrides[3] != 1)
    return refuse("the elements of a head are not contiguous");
  return std::make_shared<AttentionCall>(call);
}

}  // namespace strata::simulated
