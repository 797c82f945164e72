// SPDX-License-Identifier: Apache-2.0
// Convolutions of cuDNN on the host. Those of one group are matrix products of unfolded images;
// those of several groups are plain loops.
#include <algorithm>
#include <array>
#include <vector>

#include "gpu/simulated/gemm.h"
#include "gpu/simulated/host_calls.h"
#include "gpu/tensor/dtype.h"

namespace strata::simulated {
namespace {

// The rows of unfolded images that are multiplied at once
constexpr int64_t kRowsAtOnce = 4096;

class ConvolutionCall final : public HostCall {
 public:
  ConvolutionCall(const StrataConvolution& call, bool isTf32) : m_call(call), m_isTf32(isTf32) {}
  void run(const std::vector<std::byte*>& addresses, ThreadPool& pool) const override;

 private:
  int64_t images() const { return m_call.xDims[0]; }
  int64_t channels() const { return m_call.xDims[1]; }
  int64_t filters() const { return m_call.wDims[0]; }
  int64_t groupChannels() const { return m_call.wDims[1]; }
  int64_t windowR() const { return m_call.wDims[2]; }
  int64_t windowS() const { return m_call.wDims[3]; }
  int64_t outP() const { return m_call.yDims[2]; }
  int64_t outQ() const { return m_call.yDims[3]; }
  /// The row of the input for an output row and a window row, and the same for columns. They may
  /// lie in the padding.
  int64_t inputRow(int64_t p, int64_t r) const {
    return p * m_call.stride[0] - m_call.paddingBefore[0] + r * m_call.dilation[0];
  }
  int64_t inputColumn(int64_t q, int64_t s) const {
    return q * m_call.stride[1] - m_call.paddingBefore[1] + s * m_call.dilation[1];
  }
  bool isInside(int64_t h, int64_t w) const {
    return h >= 0 && h < m_call.xDims[2] && w >= 0 && w < m_call.xDims[3];
  }
  /// Returns a tensor as floats in the order of its dimensions with the last first: [0][2][3][1].
  std::vector<float> load(const std::byte* data, const int64_t (&dims)[4],
                          const int64_t (&strides)[4], ThreadPool& pool) const;
  void store(const std::vector<float>& values, std::byte* data, const int64_t (&dims)[4],
             const int64_t (&strides)[4], StrataType type, ThreadPool& pool) const;
  void unfold(const float* x, int64_t firstRow, int64_t rows, float* unfolded,
              ThreadPool& pool) const;
  void fold(const float* unfolded, int64_t firstRow, int64_t rows, float* x) const;
  template <class Visit>
  void visitGroups(ThreadPool& pool, int64_t parts, const Visit& visit) const;

  StrataConvolution m_call;
  bool m_isTf32;
};

std::vector<float> ConvolutionCall::load(const std::byte* data, const int64_t (&dims)[4],
                                         const int64_t (&strides)[4], ThreadPool& pool) const {
  std::vector<float> result(static_cast<size_t>(dims[0] * dims[1] * dims[2] * dims[3]));
  pool.run([&](int worker) {
    const int64_t first = dims[0] * worker / pool.numWorkers(),
                  end = dims[0] * (worker + 1) / pool.numWorkers();
    size_t at = static_cast<size_t>(first * dims[1] * dims[2] * dims[3]);
    for (int64_t a = first; a < end; ++a)
      for (int64_t c = 0; c < dims[2]; ++c)
        for (int64_t d = 0; d < dims[3]; ++d)
          for (int64_t b = 0; b < dims[1]; ++b) {
            const float value =
                loadElement(data, m_call.type,
                            a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3]);
            result[at++] = m_isTf32 ? roundToTf32(value) : value;
          }
  });
  return result;
}

void ConvolutionCall::store(const std::vector<float>& values, std::byte* data,
                            const int64_t (&dims)[4], const int64_t (&strides)[4], StrataType type,
                            ThreadPool& pool) const {
  pool.run([&](int worker) {
    const int64_t first = dims[0] * worker / pool.numWorkers(),
                  end = dims[0] * (worker + 1) / pool.numWorkers();
    size_t at = static_cast<size_t>(first * dims[1] * dims[2] * dims[3]);
    for (int64_t a = first; a < end; ++a)
      for (int64_t c = 0; c < dims[2]; ++c)
        for (int64_t d = 0; d < dims[3]; ++d)
          for (int64_t b = 0; b < dims[1]; ++b)
            storeElement(data, type,
                         a * strides[0] + b * strides[1] + c * strides[2] + d * strides[3],
                         values[at++]);
  });
}

/// Writes the window of each output position as a row [R,S,C].
void ConvolutionCall::unfold(const float* x, int64_t firstRow, int64_t rows, float* unfolded,
                             ThreadPool& pool) const {
  const int64_t depth = windowR() * windowS() * channels();
  pool.run([&](int worker) {
    const int64_t first = rows * worker / pool.numWorkers(),
                  end = rows * (worker + 1) / pool.numWorkers();
    for (int64_t row = first; row < end; ++row) {
      const int64_t position = firstRow + row, image = position / (outP() * outQ()),
                    p = position / outQ() % outP(), q = position % outQ();
      float* to = unfolded + row * depth;
      for (int64_t r = 0; r < windowR(); ++r)
        for (int64_t s = 0; s < windowS(); ++s, to += channels()) {
          const int64_t h = inputRow(p, r), w = inputColumn(q, s);
          if (isInside(h, w))
            std::copy_n(x + ((image * m_call.xDims[2] + h) * m_call.xDims[3] + w) * channels(),
                        channels(), to);
          else
            std::fill_n(to, channels(), 0.0f);
        }
    }
  });
}

/// Adds the rows of unfold() to the images that they come from.
void ConvolutionCall::fold(const float* unfolded, int64_t firstRow, int64_t rows, float* x) const {
  const int64_t depth = windowR() * windowS() * channels();
  for (int64_t row = 0; row < rows; ++row) {
    const int64_t position = firstRow + row, image = position / (outP() * outQ()),
                  p = position / outQ() % outP(), q = position % outQ();
    const float* from = unfolded + row * depth;
    for (int64_t r = 0; r < windowR(); ++r)
      for (int64_t s = 0; s < windowS(); ++s, from += channels()) {
        const int64_t h = inputRow(p, r), w = inputColumn(q, s);
        if (!isInside(h, w)) continue;
        float* to = x + ((image * m_call.xDims[2] + h) * m_call.xDims[3] + w) * channels();
        for (int64_t c = 0; c < channels(); ++c)
          to[c] += from[c];
      }
  }
}

/// Calls visit(image, filter, p, q) for all outputs of the filters of each part, parts in parallel.
template <class Visit>
void ConvolutionCall::visitGroups(ThreadPool& pool, int64_t parts, const Visit& visit) const {
  pool.run([&](int worker) {
    for (int64_t part = parts * worker / pool.numWorkers();
         part < parts * (worker + 1) / pool.numWorkers(); ++part)
      visit(part);
  });
}

void ConvolutionCall::run(const std::vector<std::byte*>& addresses, ThreadPool& pool) const {
  const StrataConvolution& call = m_call;
  const int64_t positions = images() * outP() * outQ(), depth = windowR() * windowS() * channels();
  const auto w = [&](size_t i) {
    return load(addresses[i], call.wDims, call.wStrides, pool);
  };
  const auto x = [&](size_t i) {
    return load(addresses[i], call.xDims, call.xStrides, pool);
  };
  const auto y = [&](size_t i) {
    return load(addresses[i], call.yDims, call.yStrides, pool);
  };
  const int64_t perGroup = filters() / call.groups;
  const auto weightAt = [&](int64_t k, int64_t r, int64_t s, int64_t c) {
    return static_cast<size_t>(((k * windowR() + r) * windowS() + s) * groupChannels() + c);
  };
  const auto xAt = [&](int64_t image, int64_t h, int64_t column, int64_t c) {
    return static_cast<size_t>(((image * call.xDims[2] + h) * call.xDims[3] + column) * channels() +
                               c);
  };
  // Calls visit(output index, x index, weight index) for all products of one image and one group
  const auto products = [&](int64_t image, int64_t group, const auto& visit) {
    for (int64_t p = 0; p < outP(); ++p)
      for (int64_t q = 0; q < outQ(); ++q)
        for (int64_t r = 0; r < windowR(); ++r)
          for (int64_t s = 0; s < windowS(); ++s) {
            const int64_t h = inputRow(p, r), column = inputColumn(q, s);
            if (!isInside(h, column)) continue;
            for (int64_t k = group * perGroup; k < (group + 1) * perGroup; ++k)
              for (int64_t c = 0; c < groupChannels(); ++c)
                visit(static_cast<size_t>(((image * outP() + p) * outQ() + q) * filters() + k),
                      xAt(image, h, column, group * groupChannels() + c), weightAt(k, r, s, c));
          }
  };
  const int64_t atOnce = std::max<int64_t>(1, std::min(positions, kRowsAtOnce));
  std::vector<float> unfolded;
  if (call.groups == 1) unfolded.resize(static_cast<size_t>(atOnce * depth));

  switch (call.direction) {
    case STRATA_CONVOLUTION_FORWARD: {
      const std::vector<float> image = x(0), weights = w(1);
      std::vector<float> result(static_cast<size_t>(positions * filters()), 0.0f);
      if (call.groups == 1)
        for (int64_t row = 0; row < positions; row += atOnce) {
          const int64_t rows = std::min(atOnce, positions - row);
          unfold(image.data(), row, rows, unfolded.data(), pool);
          multiply(pool, rows, filters(), depth, {unfolded.data(), depth, 1},
                   {weights.data(), 1, depth}, result.data() + row * filters(), filters(), false);
        }
      else
        visitGroups(pool, images(), [&](int64_t n) {
          for (int64_t group = 0; group < call.groups; ++group)
            products(n, group, [&](size_t out, size_t in, size_t weight) {
              result[out] += image[in] * weights[weight];
            });
        });
      for (size_t i = 0; i < result.size(); ++i) {
        if (call.hasBias)
          result[i] += loadElement(addresses[3], call.type, static_cast<int64_t>(i) % filters());
        result[i] = activate(result[i], call.activation);
      }
      store(result, addresses[2], call.yDims, call.yStrides, call.type, pool);
      return;
    }
    case STRATA_CONVOLUTION_BACKWARD_DATA: {
      const std::vector<float> gradient = y(0), weights = w(1);
      std::vector<float> result(
          static_cast<size_t>(images() * channels() * call.xDims[2] * call.xDims[3]), 0.0f);
      if (call.groups == 1)
        for (int64_t row = 0; row < positions; row += atOnce) {
          const int64_t rows = std::min(atOnce, positions - row);
          multiply(pool, rows, depth, filters(), {gradient.data() + row * filters(), filters(), 1},
                   {weights.data(), depth, 1}, unfolded.data(), depth, false);
          fold(unfolded.data(), row, rows, result.data());
        }
      else
        visitGroups(pool, images(), [&](int64_t n) {
          for (int64_t group = 0; group < call.groups; ++group)
            products(n, group, [&](size_t out, size_t in, size_t weight) {
              result[in] += gradient[out] * weights[weight];
            });
        });
      store(result, addresses[2], call.xDims, call.xStrides, call.type, pool);
      return;
    }
    default: {
      const std::vector<float> image = x(0), gradient = y(1);
      std::vector<float> result(
          static_cast<size_t>(filters() * windowR() * windowS() * groupChannels()), 0.0f);
      if (call.groups == 1)
        for (int64_t row = 0; row < positions; row += atOnce) {
          const int64_t rows = std::min(atOnce, positions - row);
          unfold(image.data(), row, rows, unfolded.data(), pool);
          multiply(pool, filters(), depth, rows, {gradient.data() + row * filters(), 1, filters()},
                   {unfolded.data(), depth, 1}, result.data(), depth, row > 0);
        }
      else
        visitGroups(pool, call.groups, [&](int64_t group) {
          for (int64_t n = 0; n < images(); ++n)
            products(n, group, [&](size_t out, size_t in, size_t weight) {
              result[weight] += gradient[out] * image[in];
            });
        });
      store(result, addresses[2], call.wDims, call.wStrides, call.weightGradientType, pool);
    }
  }
}

}  // namespace

std::shared_ptr<const HostCall> makeConvolution(const StrataConvolution& call, int compute,
                                                std::string& problem) {
  const auto refuse = [&](const char* why) {
    problem = std::string("cuDNN convolution: ") + why;
    return nullptr;
  };
  if (call.groups < 1 || call.wDims[1] * call.groups != call.xDims[1] ||
      call.wDims[0] % call.groups != 0)
    return refuse("the groups do not match the channels");
  if (call.yDims[0] != call.xDims[0] || call.yDims[1] != call.wDims[0])
    return refuse("the output has the wrong shape");
  for (int axis = 0; axis < 2; ++axis) {
    const int64_t window = (call.wDims[2 + axis] - 1) * call.dilation[axis] + 1;
    const int64_t expected =
        (call.xDims[2 + axis] + call.paddingBefore[axis] + call.paddingAfter[axis] - window) /
            call.stride[axis] +
        1;
    if (call.yDims[2 + axis] != expected) return refuse("the output has the wrong size");
  }
  return std::make_shared<ConvolutionCall>(
      call, compute == STRATA_COMPUTE_TF32 && static_cast<DType>(call.type) == DType::F32);
}

}  // namespace strata::simulated
