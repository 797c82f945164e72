// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution and its gradients, channels in vectors, by images. A multiplier above 1 repeats each channel in a copy of the image first
// (and adds the copies of the gradient up last), so that the loops know one output a channel only.
#include <cstring>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/cpu/kernels/border.h"

namespace strata::cpu {

namespace {

/// to[pixel][c * multiplier + m] = from[pixel][c].
void repeatChannels(const float* from, int64_t pixels, int64_t channels, int64_t multiplier, float* to) {
  for (int64_t i = 0; i < pixels * channels; ++i)
    for (int64_t m = 0; m < multiplier; ++m) *to++ = from[i];
}

ConvArguments depthwiseArguments(const WindowGeometry& g, const Border& border) {
  ConvArguments c;
  const int64_t k = g.outputChannels;
  c.outHeight = g.output.h;
  c.outWidth = g.output.w;
  c.outChannels = c.outChannelStride = k;
  c.rowStep = g.stride.h * border.to.w * k;
  c.columnStep = g.stride.w * k;
  c.outerTaps = g.window.h;
  c.innerTaps = g.window.w;
  c.outerStride = g.dilation.h * border.to.w * k;
  c.innerStride = g.dilation.w * k;
  return c;
}

/// The image with its channels repeated and its border: own[0..) holds the repeated copy, then the padded one.
const float* prepare(const float* image, const WindowGeometry& g, const Border& border, float* own) {
  const int64_t pixels = border.from.h * border.from.w, multiplier = g.outputChannels / g.channels;
  if (multiplier > 1) {
    repeatChannels(image, pixels, g.channels, multiplier, own);
    image = own;
    own += alignedFloats(static_cast<size_t>(pixels * g.outputChannels));
  }
  if (!border.isNeeded) return image;
  border.copy(image, own);
  return own;
}

}  // namespace

std::unique_ptr<Kernel> makeDepthwise(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Shape& weights = setup.inputShape(1);
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind) return nullptr;
  const WindowGeometry g = windowGeometry(setup, setup.inputShape(0), setup.outputShape(), {weights[0], weights[1]});
  Border border = inputBorder(g);
  border.channels = g.outputChannels;
  ConvArguments c = depthwiseArguments(g, border);
  c.relu = activation == "relu";
  const bool hasBias = setup.inputs.size() == 3, activateAfter = activation != "relu" && activation != "linear";
  const int64_t inFloats = g.input.h * g.input.w * g.channels, outFloats = g.output.h * g.output.w * g.outputChannels;
  const size_t each =
      alignedFloats(static_cast<size_t>(g.input.h * g.input.w * g.outputChannels)) + alignedFloats(static_cast<size_t>(border.floats()));
  return makeKernel(
      setup, "depthwise",
      [=, alpha = static_cast<float>(setup.real("alpha")), l = setup.loops, workers = setup.numWorkers](const KernelArguments& arguments,
                                                                                                        int, int worker) {
        float* const own = reinterpret_cast<float*>(arguments.workspace) + each * static_cast<size_t>(worker);
        const WorkRange images = shareOf(g.n, worker, workers);
        ConvArguments part = c;
        part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
        for (int64_t n = images.begin; n < images.end; ++n) {
          float* const y = outputOf<float>(arguments) + n * outFloats;
          l->depthwiseImage(part, prepare(inputOf<float>(arguments, 0) + n * inFloats, g, border, own), inputOf<float>(arguments, 1), y);
          if (activateAfter) l->activation(*kind, y, y, outFloats, alpha);
        }
      },
      1, each * static_cast<size_t>(setup.numWorkers) * sizeof(float));
}

std::unique_ptr<Kernel> makeDepthwiseBackwardData(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Shape& weights = setup.inputShape(1);
  const WindowGeometry g = windowGeometry(setup, setup.outputShape(), setup.inputShape(0), {weights[0], weights[1]});
  WindowGeometry flipped = g;
  flipped.channels = g.outputChannels;
  flipped.output = g.input;
  flipped.stride = {1, 1};
  const Border border = gradientBorder(g);
  const ConvArguments c = depthwiseArguments(flipped, border);
  const int64_t k = g.outputChannels, multiplier = k / g.channels, taps = g.window.h * g.window.w, pixels = g.input.h * g.input.w;
  const int64_t inFloats = pixels * g.channels, outFloats = g.output.h * g.output.w * k;
  const size_t flippedFloats = alignedFloats(static_cast<size_t>(taps * k)), padded = alignedFloats(static_cast<size_t>(border.floats()));
  const size_t each = flippedFloats + padded + (multiplier > 1 ? alignedFloats(static_cast<size_t>(pixels * k)) : 0);
  return makeKernel(
      setup, "depthwise",
      [=, l = setup.loops, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange images = shareOf(g.n, worker, workers);
        if (images.begin == images.end) return;
        float* const w = reinterpret_cast<float*>(arguments.workspace) + each * static_cast<size_t>(worker);
        for (int64_t tap = 0; tap < taps; ++tap)
          std::memcpy(w + tap * k, inputOf<float>(arguments, 1) + (taps - 1 - tap) * k, static_cast<size_t>(k) * sizeof(float));
        float *const own = w + flippedFloats, *const sums = own + padded;
        for (int64_t n = images.begin; n < images.end; ++n) {
          const float* dy = inputOf<float>(arguments, 0) + n * outFloats;
          if (border.isNeeded) {
            border.copy(dy, own);
            dy = own;
          }
          float* const dx = outputOf<float>(arguments) + n * inFloats;
          l->depthwiseImage(c, dy, w, multiplier > 1 ? sums : dx);
          if (multiplier == 1) continue;
          for (int64_t i = 0; i < inFloats; ++i) {
            float sum = 0;
            for (int64_t m = 0; m < multiplier; ++m) sum += sums[i * multiplier + m];
            dx[i] = sum;
          }
        }
      },
      1, each * static_cast<size_t>(setup.numWorkers) * sizeof(float));
}

std::unique_ptr<Kernel> makeDepthwiseBackwardWeights(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Shape& weights = setup.outputShape();
  const WindowGeometry g = windowGeometry(setup, setup.inputShape(0), setup.inputShape(1), {weights[0], weights[1]});
  Border border = inputBorder(g);
  border.channels = g.outputChannels;
  const ConvArguments c = depthwiseArguments(g, border);
  const int workers = setup.numWorkers;
  const int64_t count = weights.numElements(), inFloats = g.input.h * g.input.w * g.channels,
                outFloats = g.output.h * g.output.w * g.outputChannels;
  const size_t sums = alignedFloats(static_cast<size_t>(count));
  const size_t each =
      alignedFloats(static_cast<size_t>(g.input.h * g.input.w * g.outputChannels)) + alignedFloats(static_cast<size_t>(border.floats()));
  const size_t shared = sums * static_cast<size_t>(workers - 1);
  return makeKernel(
      setup, "depthwise",
      [=, l = setup.loops](const KernelArguments& arguments, int stage, int worker) {
        float* const partial = reinterpret_cast<float*>(arguments.workspace);
        if (stage == 1) {
          if (worker != 0) return;
          for (int other = 1; other < workers; ++other)
            l->accumulate(outputOf<float>(arguments), partial + sums * static_cast<size_t>(other - 1), count);
          return;
        }
        float* const own = partial + shared + each * static_cast<size_t>(worker);
        float* const dw = worker == 0 ? outputOf<float>(arguments) : partial + sums * static_cast<size_t>(worker - 1);
        std::memset(dw, 0, static_cast<size_t>(count) * sizeof(float));
        const WorkRange images = shareOf(g.n, worker, workers);
        for (int64_t n = images.begin; n < images.end; ++n)
          l->depthwiseWeights(c, prepare(inputOf<float>(arguments, 0) + n * inFloats, g, border, own),
                              inputOf<float>(arguments, 1) + n * outFloats, dw);
      },
      workers > 1 ? 2 : 1, (shared + each * static_cast<size_t>(workers)) * sizeof(float));
}

}  // namespace strata::cpu
