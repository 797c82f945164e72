// SPDX-License-Identifier: Apache-2.0
// Attention and its gradient, one query step at a time, with sums in double; also with query, key
// and value in one operand. The formulas are in gpu/ops/attention.cpp. The forward pass is split by
// samples and heads, the backward pass by samples and key heads.
#include "gpu/ops/attention.h"

#include <array>
#include <cmath>
#include <limits>

#include "gpu/ops/dropout_mask.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {
namespace {

struct AttentionSizes {
  AttentionForm form;
  int64_t samples, steps, heads, size, keySteps, keyHeads, valueSize, maskSteps = 0;
  // The heads of a step in the memory of the query, and in that of key and value
  int64_t queryRow, keyRow;
  double scale, rate;
  bool isCausal, dropsHidden;
  uint64_t stream;

  explicit AttentionSizes(const KernelSetup& setup)
      : form(attentionForm(setup.op, setup.attributes)),
        scale(setup.real("scale")),
        rate(setup.real("rate")),
        isCausal(setup.flag("causal")),
        dropsHidden(setup.flag("drops_hidden")),
        stream(streamOf(setup.text("stream"))) {
    const TensorType& first = setup.inputs[0];
    const Shape q = form.isJoined ? partOfJoined(first).shape : first.shape,
                k = form.isJoined ? q : setup.inputShape(1),
                v = form.isJoined ? q : setup.inputShape(2);
    samples = q[0];
    steps = q[1];
    heads = q[2];
    size = q[3];
    keySteps = k[1];
    keyHeads = k[2];
    valueSize = v[3];
    queryRow = first.shape[2];
    keyRow = form.isJoined ? queryRow : keyHeads;
    if (form.mask >= 0) maskSteps = setup.inputShape(static_cast<size_t>(form.mask))[1];
  }
  int64_t group() const { return heads / keyHeads; }
  /// Returns where query, key and value begin.
  template <class T>
  std::array<const T*, 3> parts(const KernelArguments& arguments) const {
    if (!form.isJoined)
      return {inputOf<T>(arguments, 0), inputOf<T>(arguments, 1), inputOf<T>(arguments, 2)};
    const T* const joined = inputOf<T>(arguments, 0);
    return {joined, joined + heads * size, joined + 2 * heads * size};
  }
  template <class T>
  std::array<T*, 3> gradients(const KernelArguments& arguments) const {
    if (!form.isJoined)
      return {outputOf<T>(arguments, 0), outputOf<T>(arguments, 1), outputOf<T>(arguments, 2)};
    T* const joined = outputOf<T>(arguments);
    return {joined, joined + heads * size, joined + 2 * heads * size};
  }
};

/// Describes one query step of a sample and head: which key steps are visible, and which weights
/// dropout keeps.
template <class T>
class AttentionRow {
 public:
  AttentionRow(const AttentionSizes& a, const KernelArguments& arguments) : m_a(a) {
    if (a.form.mask >= 0) m_mask = inputOf<T>(arguments, static_cast<size_t>(a.form.mask));
    if (a.form.seed < 0) return;
    const auto number = [&](int i) {
      return readInteger(arguments.inputs[static_cast<size_t>(a.form.seed + i)], DType::I64);
    };
    m_seed = static_cast<uint64_t>(number(0));
    m_stream = dropoutStream(a.stream, number(1));
    m_first = number(2);
  }
  void at(int64_t sample, int64_t head, int64_t step) {
    m_sample = sample;
    m_step = step;
    m_element = (((m_first + sample) * m_a.heads + head) * m_a.steps + step) * m_a.keySteps;
  }
  bool sees(int64_t s) const {
    if (m_a.isCausal && s > m_step) return false;
    return !m_mask ||
           m_mask[(m_sample * m_a.maskSteps + (m_a.maskSteps == 1 ? 0 : m_step)) * m_a.keySteps +
                  s] != T{0};
  }
  /// Returns the factor by which dropout multiplies the weight of key step s.
  double factor(int64_t s) const {
    if (m_a.form.seed < 0) return 1;
    const int64_t element = m_element + s;
    const uint32_t word =
        dropoutWords(m_seed, m_stream, element / 4)[static_cast<size_t>(element % 4)];
    return dropoutKeeps(word, static_cast<float>(m_a.rate)) ? 1 / (1 - m_a.rate) : 0;
  }

 private:
  const AttentionSizes& m_a;
  const T* m_mask = nullptr;
  uint64_t m_seed = 0, m_stream = 0;
  int64_t m_first = 0, m_sample = 0, m_step = 0, m_element = 0;
};

template <class T>
double dot(const T* a, const T* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

}  // namespace

std::unique_ptr<HostKernel> makeAttention(const KernelSetup& setup) {
  const AttentionSizes a(setup);
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [a, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const auto [q, k, v] = a.parts<T>(arguments);
          T *y = outputOf<T>(arguments), *sums = outputOf<T>(arguments, 1);
          double* const weights =
              reinterpret_cast<double*>(arguments.workspace) + worker * a.keySteps;
          AttentionRow<T> row(a, arguments);
          const WorkRange range = shareOf(a.samples * a.heads, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i) {
            const int64_t n = i / a.heads, h = i % a.heads, g = h / a.group();
            for (int64_t t = 0; t < a.steps; ++t) {
              row.at(n, h, t);
              const int64_t at = (n * a.steps + t) * a.heads + h;
              const T* const query = q + ((n * a.steps + t) * a.queryRow + h) * a.size;
              const auto keyAt = [&](int64_t s) {
                return (n * a.keySteps + s) * a.keyRow + g;
              };
              double largest = -std::numeric_limits<double>::infinity(), sum = 0;
              bool seesAny = false;
              for (int64_t s = 0; s < a.keySteps; ++s) {
                if (!row.sees(s)) continue;
                weights[s] = a.scale * dot(query, k + keyAt(s) * a.size, a.size);
                largest = std::isnan(weights[s]) ? weights[s] : std::max(largest, weights[s]);
                seesAny = true;
              }
              for (int64_t s = 0; s < a.keySteps; ++s) {
                if (!seesAny)
                  weights[s] = a.dropsHidden ? 0.0 : 1.0;
                else
                  weights[s] = row.sees(s) ? std::exp(weights[s] - largest) : 0.0;
                sum += weights[s];
              }
              sums[i * a.steps + t] = static_cast<T>(
                  seesAny ? largest + std::log(sum) : std::numeric_limits<double>::infinity());
              if (!seesAny) sum = static_cast<double>(a.keySteps);
              for (int64_t s = 0; s < a.keySteps; ++s)
                weights[s] *= row.factor(s) / sum;
              for (int64_t e = 0; e < a.valueSize; ++e) {
                double mean = 0;
                for (int64_t s = 0; s < a.keySteps; ++s)
                  mean += weights[s] * static_cast<double>(v[keyAt(s) * a.valueSize + e]);
                y[at * a.valueSize + e] = static_cast<T>(mean);
              }
            }
          }
        },
        1, static_cast<size_t>(setup.numWorkers * a.keySteps) * sizeof(double));
  });
}

std::unique_ptr<HostKernel> makeAttentionBackward(const KernelSetup& setup) {
  const AttentionSizes a(setup);
  const int64_t keyFloats = a.keySteps * a.size, valueFloats = a.keySteps * a.valueSize,
                scratch = keyFloats + valueFloats + a.size;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const auto [q, k, v] = a.parts<T>(arguments);
          const auto [dq, dk, dv] = a.gradients<T>(arguments);
          const auto operand = [&](int i) {
            return inputOf<T>(arguments, static_cast<size_t>(i));
          };
          const T *y = operand(a.form.result), *sums = operand(a.form.logSums),
                  *dy = operand(a.form.gradient);
          double* const ownKey = reinterpret_cast<double*>(arguments.workspace) + worker * scratch;
          double *const ownValue = ownKey + keyFloats, *const ownQuery = ownValue + valueFloats;
          AttentionRow<T> row(a, arguments);
          const WorkRange range = shareOf(a.samples * a.keyHeads, worker, workers);
          for (int64_t i = range.begin; i < range.end; ++i) {
            const int64_t n = i / a.keyHeads, g = i % a.keyHeads;
            const auto keyAt = [&](int64_t s) {
              return (n * a.keySteps + s) * a.keyRow + g;
            };
            std::fill(ownKey, ownQuery, 0.0);
            for (int64_t h = g * a.group(); h < (g + 1) * a.group(); ++h) {
              for (int64_t t = 0; t < a.steps; ++t) {
                row.at(n, h, t);
                const int64_t at = (n * a.steps + t) * a.heads + h,
                              queryAt = ((n * a.steps + t) * a.queryRow + h) * a.size;
                const double logSum = static_cast<double>(sums[(n * a.heads + h) * a.steps + t]);
                const T* const change = dy + at * a.valueSize;
                const double mean = dot(change, y + at * a.valueSize, a.valueSize);
                std::fill(ownQuery, ownQuery + a.size, 0.0);
                const bool seesNone = std::isinf(logSum) && logSum > 0;
                for (int64_t s = 0; s < a.keySteps; ++s) {
                  double weight = 0;
                  if (seesNone)
                    weight = a.dropsHidden ? 0 : 1 / static_cast<double>(a.keySteps);
                  else if (row.sees(s))
                    weight = std::exp(a.scale * dot(q + queryAt, k + keyAt(s) * a.size, a.size) -
                                      logSum);
                  else
                    continue;
                  const double factor = row.factor(s);
                  for (int64_t e = 0; e < a.valueSize; ++e)
                    ownValue[s * a.valueSize + e] +=
                        weight * factor * static_cast<double>(change[e]);
                  if (seesNone) continue;
                  const double own =
                      a.scale * weight *
                      (factor * dot(change, v + keyAt(s) * a.valueSize, a.valueSize) - mean);
                  for (int64_t d = 0; d < a.size; ++d) {
                    ownKey[s * a.size + d] += own * static_cast<double>(q[queryAt + d]);
                    ownQuery[d] += own * static_cast<double>(k[keyAt(s) * a.size + d]);
                  }
                }
                for (int64_t d = 0; d < a.size; ++d)
                  dq[queryAt + d] = static_cast<T>(ownQuery[d]);
              }
            }
            for (int64_t s = 0; s < a.keySteps; ++s) {
              for (int64_t d = 0; d < a.size; ++d)
                dk[keyAt(s) * a.size + d] = static_cast<T>(ownKey[s * a.size + d]);
              for (int64_t e = 0; e < a.valueSize; ++e)
                dv[keyAt(s) * a.valueSize + e] = static_cast<T>(ownValue[s * a.valueSize + e]);
            }
          }
        },
        1, static_cast<size_t>(setup.numWorkers * scratch) * sizeof(double));
  });
}

}  // namespace strata::reference
