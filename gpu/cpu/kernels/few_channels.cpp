// SPDX-License-Identifier: Apache-2.0
// Convolutions of images with so few channels that vectors of channels would be mostly empty. The
// work is split by images, as in conv2d.cpp.
// - Forward and backward weights with few output channels: each worker copies an image to planes
//   with a border, and vectors run along rows.
// - Backward data with few input channels: each output pixel adds runs of floats, one per window
//   row, to an image with a border. The gradient is the part inside the border.
#include "gpu/cpu/kernels/few_channels.h"

#include <algorithm>
#include <cstring>

namespace strata::cpu {

namespace {

/// Returns whether vectors along rows support this convolution and are likely to be faster than
/// vectors of channels. With AVX-512 they must need at most two thirds as many vectors, with AVX2
/// at most as many. With many input channels, copying to planes costs more than it saves.
bool isPlanar(const KernelSetup& setup, const WindowGeometry& g) {
  const int64_t width = setup.loops->width, vectors = (g.output.w + width - 1) / width;
  const int64_t ofChannels = (g.outputChannels + width - 1) / width * g.output.w;
  return g.groups == 1 && g.stride.w == 1 && g.channels <= 4 &&
         g.outputChannels <= setup.loops->planarChannels && width >= 8 &&
         3 * vectors * g.outputChannels <= (width >= 16 ? 2 : 3) * ofChannels;
}

struct Planes {
  Border border;
  PlanarArguments arguments;
  explicit Planes(const KernelSetup& setup, const WindowGeometry& g) : border(inputBorder(g)) {
    PlanarArguments& a = arguments;
    a.channels = g.channels, a.outChannels = g.outputChannels;
    a.outHeight = g.output.h, a.outWidth = g.output.w, a.strideHeight = g.stride.h;
    a.windowHeight = g.window.h, a.windowWidth = g.window.w, a.dilationHeight = g.dilation.h,
    a.dilationWidth = g.dilation.w;
    a.rowFloats = border.to.w + setup.loops->width;
    a.planeFloats = border.to.h * a.rowFloats;
  }
  size_t floats() const {
    return alignedFloats(static_cast<size_t>(arguments.channels * arguments.planeFloats));
  }

  /// Copies an image into planes whose border is already zero.
  void copy(const float* image, float* planes) const {
    const int64_t rows = std::min(border.from.h, border.to.h - border.before.h),
                  columns = std::min(border.from.w, border.to.w - border.before.w);
    for (int64_t h = 0; h < rows; ++h)
      for (int64_t c = 0; c < arguments.channels; ++c) {
        const float* const from = image + h * border.from.w * arguments.channels + c;
        float* const to = planes + c * arguments.planeFloats +
                          (border.before.h + h) * arguments.rowFloats + border.before.w;
        for (int64_t w = 0; w < columns; ++w)
          to[w] = from[w * arguments.channels];
      }
  }
};

}  // namespace

std::unique_ptr<HostKernel> makeFewChannelsConv2d(const KernelSetup& setup,
                                                  const WindowGeometry& g) {
  if (!isPlanar(setup, g)) return nullptr;
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind) return nullptr;
  const bool activateAfter = activation != "linear" && activation != "relu";
  const float alpha = static_cast<float>(setup.real("alpha"));
  Planes planes(setup, g);
  planes.arguments.relu = activation == "relu";
  const bool hasBias = setup.inputs.size() == 3;
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const auto body = [=](const KernelArguments& arguments, int, int worker) {
    float* const own = reinterpret_cast<float*>(arguments.workspace) +
                       planes.floats() * static_cast<size_t>(worker);
    std::memset(own, 0, planes.floats() * sizeof(float));
    PlanarArguments part = planes.arguments;
    part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
    const WorkRange images = shareOf(g.n, worker, workers);
    const int64_t inFloats = g.input.h * g.input.w * g.channels,
                  outFloats = g.output.h * g.output.w * g.outputChannels;
    for (int64_t n = images.begin; n < images.end; ++n) {
      planes.copy(inputOf<float>(arguments, 0) + n * inFloats, own);
      float* const y = outputOf<float>(arguments) + n * outFloats;
      l->convPlanarImage(part, own, inputOf<float>(arguments, 1), y);
      if (activateAfter) l->activateRows(*kind, y, 1, outFloats, outFloats, alpha);
    }
  };
  return makeKernel(setup, "direct by planes", body, 1,
                    planes.floats() * sizeof(float) * static_cast<size_t>(workers));
}

std::unique_ptr<HostKernel> makeFewChannelsBackwardData(const KernelSetup& setup,
                                                        const WindowGeometry& g) {
  if (g.groups != 1 || g.dilation.w != 1) return nullptr;
  const Loops* const l = setup.loops;
  const ScatterArguments c{g.input.h,    g.input.w,    g.channels,       g.channels,
                           g.output.h,   g.output.w,   g.outputChannels, g.outputChannels,
                           g.window.h,   g.window.w,   g.stride.h,       g.stride.w,
                           g.dilation.h, g.dilation.w, g.padding.h,      g.padding.w};
  const int64_t byTaps = g.window.h * g.window.w * ((g.channels + l->width - 1) / l->width);
  if (l->width >= 16 ? 4 * l->scatterRunVectors(c) > 3 * byTaps
                     : 10 * l->scatterRunVectors(c) > 9 * byTaps)
    return nullptr;
  const int workers = setup.numWorkers;
  const Border border = inputBorder(g);
  const int64_t rowFloats = border.to.w * g.channels, floats = border.to.h * rowFloats;
  const size_t packed =
      alignedFloats(static_cast<size_t>(l->scatterRunVectors(c) * l->width * g.outputChannels));
  const size_t each = alignedFloats(static_cast<size_t>(floats + l->width));
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const panels = reinterpret_cast<float*>(arguments.workspace);
    if (stage == 0) {
      const WorkRange chunks = shareOf(l->scatterRunChunks(c), worker, workers);
      return l->packScatterRuns(c, inputOf<float>(arguments, 1), chunks.begin, chunks.end, panels);
    }
    float* const padded = panels + packed + each * static_cast<size_t>(worker);
    const WorkRange images = shareOf(g.n, worker, workers);
    // Input pixels that no window covers get gradient 0.
    const int64_t columns = std::max<int64_t>(0, std::min(g.input.w, border.to.w - g.padding.w));
    for (int64_t n = images.begin; n < images.end; ++n) {
      std::memset(padded, 0, static_cast<size_t>(floats) * sizeof(float));
      l->convScatterRuns(
          c, inputOf<float>(arguments, 0) + n * g.output.h * g.output.w * g.outputChannels, panels,
          padded, rowFloats);
      for (int64_t h = 0; h < g.input.h; ++h) {
        float* const to = outputOf<float>(arguments) + (n * g.input.h + h) * g.input.w * g.channels;
        const bool isReached = h + g.padding.h < border.to.h;
        const int64_t copied = isReached ? columns * g.channels : 0;
        if (isReached)
          std::memcpy(to, padded + (h + g.padding.h) * rowFloats + g.padding.w * g.channels,
                      static_cast<size_t>(copied) * sizeof(float));
        std::memset(to + copied, 0,
                    static_cast<size_t>(g.input.w * g.channels - copied) * sizeof(float));
      }
    }
  };
  return makeKernel(setup, "direct by runs", body, 2,
                    (packed + each * static_cast<size_t>(workers)) * sizeof(float));
}

std::unique_ptr<HostKernel> makeFewChannelsBackwardWeights(const KernelSetup& setup,
                                                           const WindowGeometry& g) {
  if (!isPlanar(setup, g)) return nullptr;
  const Planes planes(setup, g);
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t count = setup.outputShape().numElements(),
                vectors = (g.output.w + l->width - 1) / l->width;
  const size_t sums = static_cast<size_t>(count * l->width),
               gradient = static_cast<size_t>(g.outputChannels * g.output.h * vectors * l->width);
  const size_t each = planes.floats() + alignedFloats(gradient);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const all = reinterpret_cast<float*>(arguments.workspace);
    if (stage == 1) {
      const WorkRange range = shareAbove(256, count, worker, workers, 16);
      return l->convPlanarFinish(all, static_cast<int64_t>(sums), workers, range.begin, range.end,
                                 outputOf<float>(arguments));
    }
    float* const own = all + sums * static_cast<size_t>(worker);
    float* const image =
        all + sums * static_cast<size_t>(workers) + each * static_cast<size_t>(worker);
    std::memset(own, 0, sums * sizeof(float));
    std::memset(image, 0, planes.floats() * sizeof(float));
    const WorkRange images = shareOf(g.n, worker, workers);
    for (int64_t n = images.begin; n < images.end; ++n) {
      planes.copy(inputOf<float>(arguments, 0) + n * g.input.h * g.input.w * g.channels, image);
      l->convPlanarWeights(
          planes.arguments, image,
          inputOf<float>(arguments, 1) + n * g.output.h * g.output.w * g.outputChannels,
          image + planes.floats(), own);
    }
  };
  return makeKernel(setup, "direct by planes", body, 2,
                    (sums + each) * sizeof(float) * static_cast<size_t>(workers));
}

}  // namespace strata::cpu
