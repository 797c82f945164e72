// SPDX-License-Identifier: Apache-2.0
// Max pooling with its one-byte index, average pooling over the elements inside the input, and
// their gradients.
#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"
#include "gpu/reference/kernels/window.h"

namespace strata::reference {

namespace {

Extent poolSize(const KernelSetup& setup) {
  return {setup.list("pool_size")[0], setup.list("pool_size")[1]};
}

/// Returns how many window elements of output pixel (p, q) lie inside the input.
int64_t elementsInside(const WindowGeometry& g, int64_t p, int64_t q) {
  int64_t rows = 0, columns = 0;
  for (int64_t r = 0; r < g.window.h; ++r)
    rows += g.row(p, r) >= 0 && g.row(p, r) < g.input.h;
  for (int64_t s = 0; s < g.window.w; ++s)
    columns += g.column(q, s) >= 0 && g.column(q, s) < g.input.w;
  return rows * columns;
}

}  // namespace

std::unique_ptr<HostKernel> makeMaxPool(const KernelSetup& setup) {
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(), setup.outputShape(), poolSize(setup));
  const auto value = activationFormula(setup, setup.text("activation")).value;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([g, value, alpha = setup.real("alpha"), workers = setup.numWorkers](
                          const KernelArguments& arguments, int, int worker) {
      const T* x = inputOf<T>(arguments, 0);
      T* y = outputOf<T>(arguments, 0);
      uint8_t* index = outputOf<uint8_t>(arguments, 1);
      const WorkRange range = shareOf(g.n * g.output.h * g.output.w, worker, workers);
      for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        const int64_t image = pixel / (g.output.h * g.output.w),
                      p = pixel / g.output.w % g.output.h, q = pixel % g.output.w;
        for (int64_t c = 0; c < g.channels; ++c) {
          T best{};
          int64_t bestElement = -1;
          for (int64_t r = 0; r < g.window.h; ++r)
            for (int64_t s = 0; s < g.window.w; ++s) {
              const int64_t h = g.row(p, r), column = g.column(q, s);
              if (!g.isInside(h, column)) continue;
              const T element = x[((image * g.input.h + h) * g.input.w + column) * g.channels + c];
              // NaN counts as larger than any number, so that it is noticed.
              if (bestElement < 0 || element > best || (element != element && best == best)) {
                best = element;
                bestElement = r * g.window.w + s;
              }
            }
          y[pixel * g.channels + c] = static_cast<T>(value(static_cast<double>(best), alpha));
          index[pixel * g.channels + c] = static_cast<uint8_t>(std::max<int64_t>(bestElement, 0));
        }
      }
    });
  });
}

std::unique_ptr<HostKernel> makeMaxPoolBackward(const KernelSetup& setup) {
  const WindowGeometry g =
      windowGeometry(setup, setup.outputShape(), setup.inputShape(0), poolSize(setup));
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [g, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* dy = inputOf<T>(arguments, 0);
          const uint8_t* index = inputOf<uint8_t>(arguments, 1);
          T* dx = outputOf<T>(arguments);
          // The work is split by input pixels, so that overlapping windows of two workers never
          // write the same element.
          const WorkRange range = shareOf(g.n * g.input.h * g.input.w, worker, workers);
          for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
            const int64_t image = pixel / (g.input.h * g.input.w),
                          h = pixel / g.input.w % g.input.h, column = pixel % g.input.w;
            for (int64_t c = 0; c < g.channels; ++c) {
              double sum = 0;
              for (int64_t r = 0; r < g.window.h; ++r)
                for (int64_t s = 0; s < g.window.w; ++s) {
                  const int64_t p = g.outputRow(h, r), q = g.outputColumn(column, s);
                  if (p < 0 || q < 0) continue;
                  const int64_t at = ((image * g.output.h + p) * g.output.w + q) * g.channels + c;
                  if (index[at] == r * g.window.w + s) sum += static_cast<double>(dy[at]);
                }
              dx[pixel * g.channels + c] = static_cast<T>(sum);
            }
          }
        });
  });
}

std::unique_ptr<HostKernel> makeAvgPool(const KernelSetup& setup) {
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(), setup.outputShape(), poolSize(setup));
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([g, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                      int worker) {
      const T* x = inputOf<T>(arguments, 0);
      T* y = outputOf<T>(arguments);
      const WorkRange range = shareOf(g.n * g.output.h * g.output.w, worker, workers);
      for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
        const int64_t image = pixel / (g.output.h * g.output.w),
                      p = pixel / g.output.w % g.output.h, q = pixel % g.output.w;
        const double elements = static_cast<double>(std::max<int64_t>(elementsInside(g, p, q), 1));
        for (int64_t c = 0; c < g.channels; ++c) {
          double sum = 0;
          for (int64_t r = 0; r < g.window.h; ++r)
            for (int64_t s = 0; s < g.window.w; ++s) {
              const int64_t h = g.row(p, r), column = g.column(q, s);
              if (g.isInside(h, column))
                sum += static_cast<double>(
                    x[((image * g.input.h + h) * g.input.w + column) * g.channels + c]);
            }
          y[pixel * g.channels + c] = static_cast<T>(sum / elements);
        }
      }
    });
  });
}

std::unique_ptr<HostKernel> makeAvgPoolBackward(const KernelSetup& setup) {
  const WindowGeometry g =
      windowGeometry(setup, setup.outputShape(), setup.inputShape(0), poolSize(setup));
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel(
        [g, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
          const T* dy = inputOf<T>(arguments, 0);
          T* dx = outputOf<T>(arguments);
          const WorkRange range = shareOf(g.n * g.input.h * g.input.w, worker, workers);
          for (int64_t pixel = range.begin; pixel < range.end; ++pixel) {
            const int64_t image = pixel / (g.input.h * g.input.w),
                          h = pixel / g.input.w % g.input.h, column = pixel % g.input.w;
            for (int64_t c = 0; c < g.channels; ++c) {
              double sum = 0;
              for (int64_t r = 0; r < g.window.h; ++r)
                for (int64_t s = 0; s < g.window.w; ++s) {
                  const int64_t p = g.outputRow(h, r), q = g.outputColumn(column, s);
                  if (p < 0 || q < 0) continue;
                  sum += static_cast<double>(
                             dy[((image * g.output.h + p) * g.output.w + q) * g.channels + c]) /
                         static_cast<double>(elementsInside(g, p, q));
                }
              dx[pixel * g.channels + c] = static_cast<T>(sum);
            }
          }
        });
  });
}

}  // namespace strata::reference
