// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution (weights [R,S,C,M], output channel c*M+m) with optional bias and
// activation, and its two gradients.
#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"
#include "gpu/reference/kernels/window.h"

namespace strata::reference {

std::unique_ptr<HostKernel> makeDepthwise(const KernelSetup& setup) {
  const Shape& weights = setup.inputShape(1);
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.outputShape(), {weights[0], weights[1]});
  const int64_t multiplier = weights[3], k = g.outputChannels;
  const std::string kind = setup.attributes.getOr<std::string>("activation", "linear");
  const double alpha = setup.attributes.getOr<double>("alpha", 0);
  const auto activate = activationFormula(setup, kind).value;
  const bool hasBias = setup.inputs.size() > 2;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          const T* w = inputOf<T>(arguments, 1);
          T* y = outputOf<T>(arguments);
          const WorkRange range = shareOf(g.n * g.output.h * g.output.w, worker, workers);
          for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
            const int64_t image = pixel / (g.output.h * g.output.w),
                          p = pixel / g.output.w % g.output.h, q = pixel % g.output.w;
            for (int64_t i = 0; i < k; ++i) {
              double sum = hasBias ? static_cast<double>(inputOf<T>(arguments, 2)[i]) : 0;
              for (int64_t r = 0; r < g.window.h; ++r)
                for (int64_t s = 0; s < g.window.w; ++s) {
                  const int64_t h = g.row(p, r), column = g.column(q, s);
                  if (!g.isInside(h, column)) continue;
                  sum += static_cast<double>(
                             x[((image * g.input.h + h) * g.input.w + column) * g.channels +
                               i / multiplier]) *
                         static_cast<double>(w[(r * g.window.w + s) * k + i]);
                }
              y[pixel * k + i] = static_cast<T>(activate(sum, alpha));
            }
          }
        });
  });
}

std::unique_ptr<HostKernel> makeDepthwiseBackwardData(const KernelSetup& setup) {
  const Shape& weights = setup.inputShape(1);
  const WindowGeometry g =
      windowGeometry(setup, setup.outputShape(), setup.inputShape(0), {weights[0], weights[1]});
  const int64_t multiplier = weights[3], k = g.outputChannels;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const T* dy = inputOf<T>(arguments, 0);
      const T* w = inputOf<T>(arguments, 1);
      T* dx = outputOf<T>(arguments);
      const WorkRange range = shareOf(g.n * g.input.h * g.input.w, worker, workers);
      for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        const int64_t image = pixel / (g.input.h * g.input.w), h = pixel / g.input.w % g.input.h,
                      column = pixel % g.input.w;
        for (int64_t c = 0; c < g.channels; ++c) {
          double sum = 0;
          for (int64_t r = 0; r < g.window.h; ++r)
            for (int64_t s = 0; s < g.window.w; ++s) {
              const int64_t p = g.outputRow(h, r), q = g.outputColumn(column, s);
              if (p < 0 || q < 0) continue;
              for (int64_t i = c * multiplier; i < (c + 1) * multiplier; ++i)
                sum +=
                    static_cast<double>(dy[((image * g.output.h + p) * g.output.w + q) * k + i]) *
                    static_cast<double>(w[(r * g.window.w + s) * k + i]);
            }
          dx[pixel * g.channels + c] = static_cast<T>(sum);
        }
      }
    });
  });
}

std::unique_ptr<HostKernel> makeDepthwiseBackwardWeights(const KernelSetup& setup) {
  const Shape& weights = setup.outputShape();
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.inputShape(1), {weights[0], weights[1]});
  const int64_t multiplier = weights[3], k = g.outputChannels;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const T* x = inputOf<T>(arguments, 0);
      const T* dy = inputOf<T>(arguments, 1);
      T* dw = outputOf<T>(arguments);
      const WorkRange range = shareOf(g.window.h * g.window.w * k, worker, workers);
      for (int64_t tap = range.begin; tap < range.end; ++tap) {
        const int64_t r = tap / (g.window.w * k), s = tap / k % g.window.w, i = tap % k;
        double sum = 0;
        for (int64_t image = 0; image < g.n; ++image)
          for (int64_t p = 0; p < g.output.h; ++p)
            for (int64_t q = 0; q < g.output.w; ++q) {
              const int64_t h = g.row(p, r), column = g.column(q, s);
              if (!g.isInside(h, column)) continue;
              sum += static_cast<double>(
                         x[((image * g.input.h + h) * g.input.w + column) * g.channels +
                           i / multiplier]) *
                     static_cast<double>(dy[((image * g.output.h + p) * g.output.w + q) * k + i]);
            }
        dw[tap] = static_cast<T>(sum);
      }
    });
  });
}

}  // namespace strata::reference
