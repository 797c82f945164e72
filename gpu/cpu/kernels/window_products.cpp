// SPDX-License-Identifier: Apache-2.0
// The kernels of conv2d and its gradients as matrix products of windows with the weights. The tiles
// of a product read the weights less often than the direct loops. This pays if the weights are
// larger than the nearest cache.
// - Forward: each row is an output pixel, and each worker computes its share of the rows.
// - Backward weights: each row is a channel of a tap. Each worker computes its share of the rows of
//   dw and sums over all pixels, so no partial sums are merged.
// - Backward data: input pixels with the same remainders of row and column modulo the strides are
//   read by the same taps. There is one product for each pair of remainders.
#include "gpu/cpu/kernels/window_products.h"

#include <cstring>

namespace strata::cpu {

namespace {

using reference::WindowGeometry;

/// Returns whether a product supports this convolution and is likely to be faster than the direct
/// loops. The product must have enough columns to pay for packing `depth` channels per tap.
bool isWorthwhile(const KernelSetup& setup, const WindowGeometry& g, int64_t depth,
                  int64_t columns) {
  const int64_t width = setup.loops->width, taps = g.window.h * g.window.w;
  return g.groups == 1 && g.n > 0 && width >= 8 && taps > 1 && taps <= WindowRows::kMaxTaps &&
         depth >= width && columns >= 4 * width;
}

/// Returns whether the images themselves are the left operand, because the windows are 1x1 with
/// stride 1 and no padding. There must also be enough channels for a product.
bool isPointwise(const KernelSetup& setup, const WindowGeometry& g) {
  return g.groups == 1 && g.n > 0 && setup.loops->width >= 8 &&
         g.window.h * g.window.w * g.stride.h * g.stride.w == 1 && g.padding.h == 0 &&
         g.padding.w == 0 && g.output.h == g.input.h && g.output.w == g.input.w &&
         g.channels >= 2 * setup.loops->width && g.outputChannels >= 2 * setup.loops->width;
}

/// Makes the kernel of dw for 1x1 windows. Each worker sums over its pixels (stage 0), then the
/// sums are added in the order of the workers (stage 1).
std::unique_ptr<HostKernel> makePointwiseWeights(const KernelSetup& setup,
                                                 const WindowGeometry& g) {
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  GemmArguments product;
  product.m = product.lda = g.channels, product.n = product.ldb = product.ldc = g.outputChannels;
  product.transposeA = true;
  const int64_t pixels = g.n * g.output.h * g.output.w, count = product.m * product.n;
  const size_t sums = alignedFloats(static_cast<size_t>(count)),
               scratch = alignedFloats(l->gemmScratchFloats(product.m, product.n, pixels)),
               each = sums + scratch;
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const workspace = reinterpret_cast<float*>(arguments.workspace);
    float* const dw = outputOf<float>(arguments);
    if (stage == 1) {
      const WorkRange range = shareAbove(1024, count, worker, workers, 16);
      for (int other = 1; other < workers; ++other)
        l->accumulate(dw + range.begin, workspace + each * static_cast<size_t>(other) + range.begin,
                      range.end - range.begin);
      return;
    }
    float* const own = workspace + each * static_cast<size_t>(worker);
    const WorkRange range = shareOf(pixels, worker, workers);
    GemmArguments part = product;
    part.k = range.end - range.begin;
    part.a = inputOf<float>(arguments, 0) + range.begin * g.channels;
    part.b = inputOf<float>(arguments, 1) + range.begin * g.outputChannels;
    part.c = worker == 0 ? dw : own;
    l->gemm(part, 0, part.m, 0, part.n, own + sums);
  };
  return makeKernel(setup, "gemm by pixels", body, workers > 1 ? 2 : 1,
                    each * static_cast<size_t>(workers) * sizeof(float));
}

WindowRows windowsOf(const WindowGeometry& g) {
  WindowRows w;
  w.height = g.input.h, w.width = g.input.w, w.run = g.channels;
  w.outHeight = g.output.h, w.outWidth = g.output.w, w.strideHeight = g.stride.h,
  w.strideWidth = g.stride.w;
  for (int64_t r = 0; r < g.window.h; ++r)
    for (int64_t s = 0; s < g.window.w; ++s, ++w.taps) {
      w.row[w.taps] = r * g.dilation.h - g.padding.h;
      w.column[w.taps] = s * g.dilation.w - g.padding.w;
    }
  return w;
}

}  // namespace

std::unique_ptr<HostKernel> makeWindowConv2d(const KernelSetup& setup, const WindowGeometry& g) {
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind || !isWorthwhile(setup, g, g.channels, g.outputChannels)) return nullptr;
  const bool activateAfter = activation != "linear" && activation != "relu",
             hasBias = setup.inputs.size() == 3;
  const float alpha = static_cast<float>(setup.real("alpha"));
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  GemmArguments product;
  product.m = g.n * g.output.h * g.output.w, product.n = g.outputChannels,
  product.k = g.window.h * g.window.w * g.channels;
  product.ldb = product.ldc = g.outputChannels;
  product.relu = activation == "relu";
  const size_t each = alignedFloats(l->gemmScratchFloats(product.m, product.n, product.k));
  const auto body = [=, windows = windowsOf(g)](const KernelArguments& arguments, int, int worker) {
    GemmArguments part = product;
    part.windows = &windows;
    part.a = inputOf<float>(arguments, 0);
    part.b = inputOf<float>(arguments, 1);
    part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
    part.c = outputOf<float>(arguments);
    const WorkRange rows = shareOf(product.m, worker, workers);
    l->gemm(part, rows.begin, rows.end, 0, product.n,
            reinterpret_cast<float*>(arguments.workspace) + each * static_cast<size_t>(worker));
    if (activateAfter)
      l->activateRows(*kind, part.c + rows.begin * part.ldc, rows.end - rows.begin, part.n,
                      part.ldc, alpha);
  };
  return makeKernel(setup, "gemm of windows", body, 1,
                    each * static_cast<size_t>(workers) * sizeof(float));
}

std::unique_ptr<HostKernel> makeWindowBackwardWeights(const KernelSetup& setup,
                                                      const WindowGeometry& g) {
  if (isPointwise(setup, g)) return makePointwiseWeights(setup, g);
  if (!isWorthwhile(setup, g, g.channels, g.outputChannels)) return nullptr;
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  GemmArguments product;
  product.m = g.window.h * g.window.w * g.channels, product.n = g.outputChannels,
  product.k = g.n * g.output.h * g.output.w;
  product.transposeA = true;
  product.ldb = product.ldc = g.outputChannels;
  const size_t each = alignedFloats(l->gemmScratchFloats(product.m, product.n, product.k));
  const auto body = [=, windows = windowsOf(g)](const KernelArguments& arguments, int, int worker) {
    GemmArguments part = product;
    part.windows = &windows;
    part.a = inputOf<float>(arguments, 0);
    part.b = inputOf<float>(arguments, 1);
    part.c = outputOf<float>(arguments);
    const WorkRange rows = shareOf(product.m, worker, workers);
    l->gemm(part, rows.begin, rows.end, 0, product.n,
            reinterpret_cast<float*>(arguments.workspace) + each * static_cast<size_t>(worker));
  };
  return makeKernel(setup, "gemm of windows", body, 1,
                    each * static_cast<size_t>(workers) * sizeof(float));
}

std::unique_ptr<HostKernel> makeWindowBackwardData(const KernelSetup& setup,
                                                   const WindowGeometry& g) {
  // Fewer taps read the input pixels near the border. A product multiplies zeros for the missing
  // taps, and the direct loops skip them. So a product pays only if the outputs, spread by the
  // strides, cover at least 80 % of the input.
  const bool isDense =
      5 * g.output.h * g.stride.h * g.output.w * g.stride.w >= 4 * g.input.h * g.input.w;
  if (!isDense || !isWorthwhile(setup, g, g.outputChannels, g.channels)) return nullptr;
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  // The number of rows of a product that are computed at once and then copied to dx
  constexpr int64_t kRows = 420;
  const size_t scratch = alignedFloats(l->gemmScratchFloats(
                   kRows, g.channels, g.window.h * g.window.w * g.outputChannels)),
               each = scratch + alignedFloats(static_cast<size_t>(kRows * g.channels));
  const auto body = [=](const KernelArguments& arguments, int, int worker) {
    float *const own = reinterpret_cast<float*>(arguments.workspace) +
                       each * static_cast<size_t>(worker),
                 *const made = own + scratch;
    float* const dx = outputOf<float>(arguments);
    const WorkRange images = shareOf(g.n, worker, workers);
    for (int64_t top = 0; top < std::min(g.stride.h, g.input.h); ++top)
      for (int64_t left = 0; left < std::min(g.stride.w, g.input.w); ++left) {
        WindowRows w;
        w.height = g.output.h, w.width = g.output.w, w.run = g.outputChannels;
        w.outHeight = (g.input.h - top + g.stride.h - 1) / g.stride.h,
        w.outWidth = (g.input.w - left + g.stride.w - 1) / g.stride.w;
        for (int64_t r = 0; r < g.window.h; ++r)
          for (int64_t s = 0; s < g.window.w; ++s) {
            const int64_t h = top + g.padding.h - r * g.dilation.h,
                          v = left + g.padding.w - s * g.dilation.w;
            if (h % g.stride.h != 0 || v % g.stride.w != 0) continue;
            w.row[w.taps] = h / g.stride.h, w.column[w.taps] = v / g.stride.w;
            w.weights[w.taps++] = (r * g.window.w + s) * g.channels * g.outputChannels;
          }
        GemmArguments product;
        product.windows = &w;
        product.a = inputOf<float>(arguments, 0);
        product.b = inputOf<float>(arguments, 1);
        product.transposeB = true;
        product.ldb = g.outputChannels;
        product.n = product.ldc = g.channels;
        product.k = w.taps * g.outputChannels;
        const int64_t pixels = w.outHeight * w.outWidth;
        for (int64_t first = images.begin * pixels; first < images.end * pixels; first += kRows) {
          const int64_t last = std::min(first + kRows, images.end * pixels);
          w.first = first;
          product.m = last - first;
          product.c = made;
          l->gemm(product, 0, product.m, 0, g.channels, own);
          for (int64_t row = first; row < last; ++row) {
            const int64_t image = row / pixels, p = row / w.outWidth % w.outHeight,
                          q = row % w.outWidth;
            std::memcpy(dx + ((image * g.input.h + top + p * g.stride.h) * g.input.w + left +
                              q * g.stride.w) *
                                 g.channels,
                        made + (row - first) * g.channels,
                        static_cast<size_t>(g.channels) * sizeof(float));
          }
        }
      }
  };
  return makeKernel(setup, "gemm of windows", body, 1,
                    each * static_cast<size_t>(workers) * sizeof(float));
}

}  // namespace strata::cpu
