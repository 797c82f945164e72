// SPDX-License-Identifier: Apache-2.0
// The kernels of conv2d and its gradients on channels-last images. Each worker takes a share of the
// batch. In the forward pass and for the weights, an image that needs a border is copied to the
// worker's workspace. The loops then handle windows, dilation, strides and groups by offsets alone.
// - Forward: the workers pack the weights in panels (stage 0). Then they compute register tiles of
//   pixels x channels (stage 1).
// - Backward data: the workers pack the transposed weights in panels (stage 0). Then each tap adds
//   its products to the elements of dx under it (stage 1).
// - Backward weights: each worker sums its images into its own array (stage 0). Then the arrays are
//   added in the order of the workers (stage 1).
#include <cstring>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/cpu/kernels/border.h"
#include "gpu/cpu/kernels/few_channels.h"
#include "gpu/cpu/kernels/window_products.h"
#include "gpu/cpu/kernels/winograd.h"
#if defined(STRATA_HAS_ONEDNN)
#include "gpu/cpu/onednn/convolution.h"
#endif

namespace strata::cpu {

namespace {

/// Returns the arguments of the loops for one group of channels over images with this border.
ConvArguments argumentsFor(const WindowGeometry& g, const Border& border) {
  ConvArguments c;
  const int64_t width = border.to.w;
  c.outHeight = g.output.h;
  c.outWidth = g.output.w;
  c.outChannels = g.outputChannels / g.groups;
  c.outChannelStride = g.outputChannels;
  c.rowStep = g.stride.h * width * g.channels;
  c.columnStep = g.stride.w * g.channels;
  c.outerTaps = g.window.h;
  c.outerStride = g.dilation.h * width * g.channels;
  // Each row of the window is one run of floats
  if (g.groups == 1 && g.dilation.w == 1) {
    c.innerTaps = 1;
    c.run = g.window.w * g.channels;
  }
  else {
    c.innerTaps = g.window.w;
    c.innerStride = g.dilation.w * g.channels;
    c.run = g.channels / g.groups;
  }
  return c;
}

std::unique_ptr<HostKernel> makeLibraryConvolution([[maybe_unused]] const KernelSetup& setup) {
#if defined(STRATA_HAS_ONEDNN)
  return makeOnednnConvolution(setup);
#else
  return nullptr;
#endif
}

/// Returns whether these kernels compute the node. Weights in the order of cuDNN are left to the
/// reference kernels.
bool isUsualConvolution(const KernelSetup& setup) {
  return allF32(setup) && setup.text("weights") == "rsck";
}

size_t bytesOf(size_t shared, size_t each, int workers) {
  return (shared + each * static_cast<size_t>(workers)) * sizeof(float);
}

}  // namespace

std::unique_ptr<HostKernel> makeConv2d(const KernelSetup& setup) {
  if (!isUsualConvolution(setup)) return nullptr;
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind) return nullptr;
  // The tiles apply relu, so only other activations are applied afterwards
  const bool activateAfter = activation != "linear" && activation != "relu";
  const float alpha = static_cast<float>(setup.real("alpha"));
  const Shape& weights = setup.inputShape(1);
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.outputShape(), {weights[0], weights[1]});
  if (auto tiles = makeWinogradConv2d(setup, g)) return tiles;
  if (auto few = makeFewChannelsConv2d(setup, g)) return few;
  if (auto better = makeLibraryConvolution(setup)) return better;
  if (auto windows = makeWindowConv2d(setup, g)) return windows;
  const Border border = inputBorder(g);
  ConvArguments c = argumentsFor(g, border);
  c.relu = activation == "relu";
  const bool hasBias = setup.inputs.size() == 3;
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t depth = g.window.h * g.window.w * (g.channels / g.groups),
                groupChannels = g.channels / g.groups;
  const size_t packed = alignedFloats(l->convPackedFloats(depth, c.outChannels));
  const size_t shared = packed * static_cast<size_t>(g.groups),
               each = alignedFloats(static_cast<size_t>(border.floats()));
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const panels = reinterpret_cast<float*>(arguments.workspace);
    if (stage == 0) {
      const WorkRange range = shareOf(depth, worker, workers, 8);
      for (int64_t group = 0; group < g.groups; ++group)
        l->convPack(inputOf<float>(arguments, 1) + group * c.outChannels, g.outputChannels, depth,
                    c.outChannels, panels + packed * static_cast<size_t>(group), range.begin,
                    range.end);
      return;
    }
    float* const own = panels + shared + each * static_cast<size_t>(worker);
    const WorkRange images = shareOf(g.n, worker, workers);
    const int64_t inFloats = g.input.h * g.input.w * g.channels,
                  outFloats = g.output.h * g.output.w * g.outputChannels;
    border.clear(own);
    for (int64_t n = images.begin; n < images.end; ++n) {
      const float* x = inputOf<float>(arguments, 0) + n * inFloats;
      if (border.isNeeded) {
        border.fill(x, own);
        x = own;
      }
      for (int64_t group = 0; group < g.groups; ++group) {
        ConvArguments part = c;
        part.bias = hasBias ? inputOf<float>(arguments, 2) + group * c.outChannels : nullptr;
        l->convImage(part, x + group * groupChannels, panels + packed * static_cast<size_t>(group),
                     outputOf<float>(arguments) + n * outFloats + group * c.outChannels);
      }
      if (activateAfter)
        l->activateRows(*kind, outputOf<float>(arguments) + n * outFloats, 1, outFloats, outFloats,
                        alpha);
    }
  };
  return makeKernel(setup, "direct", body, 2, bytesOf(shared, each, workers));
}

std::unique_ptr<HostKernel> makeConv2dBackwardData(const KernelSetup& setup) {
  if (!isUsualConvolution(setup)) return nullptr;
  const Shape& weights = setup.inputShape(1);
  const WindowGeometry g =
      windowGeometry(setup, setup.outputShape(), setup.inputShape(0), {weights[0], weights[1]});
  if (auto tiles = makeWinogradBackwardData(setup, g)) return tiles;
  if (auto few = makeFewChannelsBackwardData(setup, g)) return few;
  if (auto better = makeLibraryConvolution(setup)) return better;
  if (auto windows = makeWindowBackwardData(setup, g)) return windows;
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t taps = g.window.h * g.window.w, groupIn = g.channels / g.groups,
                groupOut = g.outputChannels / g.groups;
  const ScatterArguments c{g.input.h,    g.input.w,    groupIn,     g.channels,
                           g.output.h,   g.output.w,   groupOut,    g.outputChannels,
                           g.window.h,   g.window.w,   g.stride.h,  g.stride.w,
                           g.dilation.h, g.dilation.w, g.padding.h, g.padding.w};
  const size_t packed = alignedFloats(l->convPackedFloats(taps * groupOut, groupIn));
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const panels = reinterpret_cast<float*>(arguments.workspace);
    if (stage == 0) {
      const WorkRange range = shareOf(taps, worker, workers);
      for (int64_t group = 0; group < g.groups; ++group)
        l->convPackTransposed(inputOf<float>(arguments, 1) + group * groupOut, taps, groupIn,
                              g.outputChannels, groupOut,
                              panels + packed * static_cast<size_t>(group), range.begin, range.end);
      return;
    }
    const WorkRange images = shareOf(g.n, worker, workers);
    const int64_t inFloats = g.input.h * g.input.w * g.channels,
                  outFloats = g.output.h * g.output.w * g.outputChannels;
    for (int64_t n = images.begin; n < images.end; ++n) {
      float* const dx = outputOf<float>(arguments) + n * inFloats;
      std::memset(dx, 0, static_cast<size_t>(inFloats) * sizeof(float));
      for (int64_t group = 0; group < g.groups; ++group)
        l->convScatterImage(c, inputOf<float>(arguments, 0) + n * outFloats + group * groupOut,
                            panels + packed * static_cast<size_t>(group), dx + group * groupIn);
    }
  };
  return makeKernel(setup, "direct", body, 2,
                    packed * static_cast<size_t>(g.groups) * sizeof(float));
}

std::unique_ptr<HostKernel> makeConv2dBackwardWeights(const KernelSetup& setup) {
  if (!isUsualConvolution(setup)) return nullptr;
  const Shape& weights = setup.outputShape();
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.inputShape(1), {weights[0], weights[1]});
  if (auto tiles = makeWinogradBackwardWeights(setup, g)) return tiles;
  if (auto few = makeFewChannelsBackwardWeights(setup, g)) return few;
  if (auto better = makeLibraryConvolution(setup)) return better;
  if (auto windows = makeWindowBackwardWeights(setup, g)) return windows;
  const Border border = inputBorder(g);
  const ConvArguments c = argumentsFor(g, border);
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t count = weights.numElements(), groupChannels = g.channels / g.groups;
  const size_t sums = alignedFloats(static_cast<size_t>(count)),
               each = alignedFloats(static_cast<size_t>(border.floats()));
  const size_t shared = sums * static_cast<size_t>(workers - 1);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const partial = reinterpret_cast<float*>(arguments.workspace);
    if (stage == 1) {
      const WorkRange range = shareAbove(1024, count, worker, workers, 16);
      float* dw = outputOf<float>(arguments);
      for (int other = 1; other < workers; ++other)
        l->accumulate(dw + range.begin,
                      partial + sums * static_cast<size_t>(other - 1) + range.begin,
                      range.end - range.begin);
      return;
    }
    float* const own = partial + shared + each * static_cast<size_t>(worker);
    float* const dw =
        worker == 0 ? outputOf<float>(arguments) : partial + sums * static_cast<size_t>(worker - 1);
    std::memset(dw, 0, static_cast<size_t>(count) * sizeof(float));
    const WorkRange images = shareOf(g.n, worker, workers);
    const int64_t inFloats = g.input.h * g.input.w * g.channels,
                  outFloats = g.output.h * g.output.w * g.outputChannels;
    border.clear(own);
    for (int64_t n = images.begin; n < images.end; ++n) {
      const float* x = inputOf<float>(arguments, 0) + n * inFloats;
      if (border.isNeeded) {
        border.fill(x, own);
        x = own;
      }
      for (int64_t group = 0; group < g.groups; ++group)
        l->convWeights(c, x + group * groupChannels,
                       inputOf<float>(arguments, 1) + n * outFloats + group * c.outChannels,
                       dw + group * c.outChannels, g.outputChannels);
    }
  };
  return makeKernel(setup, "direct", body, workers > 1 ? 2 : 1, bytesOf(shared, each, workers));
}

}  // namespace strata::cpu
