// SPDX-License-Identifier: Apache-2.0
// Grouped 2-D convolution (cross-correlation, NHWC, weights [R,S,C/groups,K] or [K,R,S,C/groups])
// and its two gradients, as direct loops with sums in double.
#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"
#include "gpu/reference/kernels/window.h"

namespace strata::reference {
namespace {

/// The sizes of weights, and the elements from one to the next along each axis.
struct Weights {
  Extent window;
  int64_t toR, toS, toC, toK;

  Weights(const KernelSetup& setup, const Shape& w) {
    if (setup.text("weights") == "krsc") {
      window = {w[1], w[2]};
      toC = 1;
      toS = w[3];
      toR = w[2] * toS;
      toK = w[1] * toR;
    }
    else {
      window = {w[0], w[1]};
      toK = 1;
      toC = w[3];
      toS = w[2] * toC;
      toR = w[1] * toS;
    }
  }
};

}  // namespace

std::unique_ptr<HostKernel> makeConv2d(const KernelSetup& setup) {
  const Weights weights(setup, setup.inputShape(1));
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.outputShape(), weights.window);
  const double alpha = setup.real("alpha");
  const auto activate = activationFormula(setup, setup.text("activation")).value;
  const bool isLinear = setup.text("activation") == "linear", hasBias = setup.inputs.size() > 2;
  const int64_t k = g.outputChannels, groupIn = g.channels / g.groups, groupOut = k / g.groups;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          const T* w = inputOf<T>(arguments, 1);
          double* sums = reinterpret_cast<double*>(arguments.workspace) + worker * k;
          const WorkRange range = shareOf(g.n * g.output.h * g.output.w, worker, workers);
          for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
            const int64_t image = pixel / (g.output.h * g.output.w),
                          p = pixel / g.output.w % g.output.h, q = pixel % g.output.w;
            std::fill(sums, sums + k, 0.0);
            for (int64_t r = 0; r < g.window.h; ++r)
              for (int64_t s = 0; s < g.window.w; ++s) {
                const int64_t h = g.row(p, r), column = g.column(q, s);
                if (!g.isInside(h, column)) continue;
                const T* from = x + ((image * g.input.h + h) * g.input.w + column) * g.channels;
                const T* taps = w + r * weights.toR + s * weights.toS;
                for (int64_t group = 0; group < g.groups; ++group)
                  for (int64_t c = 0; c < groupIn; ++c) {
                    const double factor = static_cast<double>(from[group * groupIn + c]);
                    const T* row = taps + c * weights.toC + group * groupOut * weights.toK;
                    double* target = sums + group * groupOut;
                    for (int64_t i = 0; i < groupOut; ++i)
                      target[i] += factor * static_cast<double>(row[i * weights.toK]);
                  }
              }
            if (hasBias)
              for (int64_t i = 0; i < k; ++i)
                sums[i] += static_cast<double>(inputOf<T>(arguments, 2)[i]);
            T* y = outputOf<T>(arguments) + pixel * k;
            for (int64_t i = 0; i < k; ++i)
              y[i] = static_cast<T>(isLinear ? sums[i] : activate(sums[i], alpha));
          }
        },
        1, static_cast<size_t>(setup.numWorkers * k) * sizeof(double));
  });
}

std::unique_ptr<HostKernel> makeConv2dBackwardData(const KernelSetup& setup) {
  const Weights weights(setup, setup.inputShape(1));
  const WindowGeometry g =
      windowGeometry(setup, setup.outputShape(), setup.inputShape(0), weights.window);
  const int64_t k = g.outputChannels, groupIn = g.channels / g.groups, groupOut = k / g.groups;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* dy = inputOf<T>(arguments, 0);
          const T* w = inputOf<T>(arguments, 1);
          double* sums = reinterpret_cast<double*>(arguments.workspace) + worker * g.channels;
          const WorkRange range = shareOf(g.n * g.input.h * g.input.w, worker, workers);
          for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
            const int64_t image = pixel / (g.input.h * g.input.w),
                          h = pixel / g.input.w % g.input.h, column = pixel % g.input.w;
            std::fill(sums, sums + g.channels, 0.0);
            for (int64_t r = 0; r < g.window.h; ++r)
              for (int64_t s = 0; s < g.window.w; ++s) {
                const int64_t p = g.outputRow(h, r), q = g.outputColumn(column, s);
                if (p < 0 || q < 0) continue;
                const T* gradient = dy + ((image * g.output.h + p) * g.output.w + q) * k;
                const T* taps = w + r * weights.toR + s * weights.toS;
                for (int64_t c = 0; c < g.channels; ++c) {
                  const int64_t group = c / groupIn;
                  const T* row = taps + c % groupIn * weights.toC + group * groupOut * weights.toK;
                  double sum = 0;
                  for (int64_t i = 0; i < groupOut; ++i)
                    sum += static_cast<double>(gradient[group * groupOut + i]) *
                           static_cast<double>(row[i * weights.toK]);
                  sums[c] += sum;
                }
              }
            T* dx = outputOf<T>(arguments) + pixel * g.channels;
            for (int64_t c = 0; c < g.channels; ++c)
              dx[c] = static_cast<T>(sums[c]);
          }
        },
        1, static_cast<size_t>(setup.numWorkers * g.channels) * sizeof(double));
  });
}

std::unique_ptr<HostKernel> makeConv2dBackwardWeights(const KernelSetup& setup) {
  const Weights weights(setup, setup.outputShape());
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.inputShape(1), weights.window);
  const int64_t k = g.outputChannels, groupIn = g.channels / g.groups, groupOut = k / g.groups;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* x = inputOf<T>(arguments, 0);
          const T* dy = inputOf<T>(arguments, 1);
          double* sums = reinterpret_cast<double*>(arguments.workspace) + worker * k;
          // Each worker computes its own rows of K weights, one row for each (r, s, c), so that no
          // partial sums are merged.
          const WorkRange range = shareOf(g.window.h * g.window.w * groupIn, worker, workers);
          for (int64_t tap = range.begin; tap < range.end; ++tap) {
            const int64_t r = tap / (g.window.w * groupIn), s = tap / groupIn % g.window.w,
                          c = tap % groupIn;
            std::fill(sums, sums + k, 0.0);
            for (int64_t image = 0; image < g.n; ++image)
              for (int64_t p = 0; p < g.output.h; ++p)
                for (int64_t q = 0; q < g.output.w; ++q) {
                  const int64_t h = g.row(p, r), column = g.column(q, s);
                  if (!g.isInside(h, column)) continue;
                  const T* from = x + ((image * g.input.h + h) * g.input.w + column) * g.channels;
                  const T* gradient = dy + ((image * g.output.h + p) * g.output.w + q) * k;
                  for (int64_t group = 0; group < g.groups; ++group) {
                    const double factor = static_cast<double>(from[group * groupIn + c]);
                    for (int64_t i = group * groupOut; i < (group + 1) * groupOut; ++i)
                      sums[i] += factor * static_cast<double>(gradient[i]);
                  }
                }
            T* dw = outputOf<T>(arguments) + r * weights.toR + s * weights.toS + c * weights.toC;
            for (int64_t i = 0; i < k; ++i)
              dw[i * weights.toK] = static_cast<T>(sums[i]);
          }
        },
        1, static_cast<size_t>(setup.numWorkers * k) * sizeof(double));
  });
}

}  // namespace strata::reference
