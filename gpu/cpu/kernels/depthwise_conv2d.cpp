// SPDX-License-Identifier: Apache-2.0
// The kernels of depthwise convolution and its gradients, with vectors of channels. The work is
// split by images. If the multiplier is above 1, each channel is repeated in a copy of the image,
// so that the loops handle one output per channel. The gradients of the copies are added at the
// end.
#include <algorithm>
#include <cstring>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/cpu/kernels/border.h"

namespace strata::cpu {

namespace {

/// Repeats each channel `multiplier` times: to[pixel][c * multiplier + m] = from[pixel][c].
void repeatChannels(const float* from, int64_t pixels, int64_t channels, int64_t multiplier,
                    float* to) {
  for (int64_t i = 0; i < pixels * channels; ++i)
    for (int64_t m = 0; m < multiplier; ++m)
      *to++ = from[i];
}

ConvArguments depthwiseArguments(const WindowGeometry& g, const Border& border) {
  ConvArguments c;
  const int64_t k = g.outputChannels;
  c.outHeight = g.output.h;
  c.outWidth = g.output.w;
  c.outChannels = c.outChannelStride = k;
  c.outRowStep = g.output.w * k;
  c.rowStep = g.stride.h * border.to.w * k;
  c.columnStep = g.stride.w * k;
  c.outerTaps = g.window.h;
  c.innerTaps = g.window.w;
  c.outerStride = g.dilation.h * border.to.w * k;
  c.innerStride = g.dilation.w * k;
  return c;
}

/// Provides images with repeated channels and a border, one after the other. `own` has room for the
/// repeated copy, then for the padded one.
class PaddedImages {
 public:
  PaddedImages(const WindowGeometry& g, const Border& border, float* own)
      : m_g(g), m_border(border), m_own(own), m_padded(own + repeatedFloats(g)) {
    m_border.clear(m_padded);
  }
  static size_t floats(const WindowGeometry& g, const Border& border) {
    return repeatedFloats(g) + alignedFloats(static_cast<size_t>(border.floats()));
  }
  const float* next(const float* image) const {
    const int64_t multiplier = m_g.outputChannels / m_g.channels;
    if (multiplier > 1) {
      repeatChannels(image, m_border.from.h * m_border.from.w, m_g.channels, multiplier, m_own);
      image = m_own;
    }
    if (!m_border.isNeeded) return image;
    m_border.fill(image, m_padded);
    return m_padded;
  }

 private:
  static size_t repeatedFloats(const WindowGeometry& g) {
    return g.outputChannels == g.channels
               ? 0
               : alignedFloats(static_cast<size_t>(g.input.h * g.input.w * g.outputChannels));
  }
  const WindowGeometry& m_g;
  const Border& m_border;
  float *const m_own, *const m_padded;
};

/// The pixels of dx along one axis that use the same taps: every stride-th pixel from `first`. They
/// are a convolution of stride 1 over the padded dy, from `offset` on. Tap t of this convolution is
/// tap last - t * stride of the window.
struct Phase {
  int64_t first = 0, count = 0, taps = 0, last = 0, offset = 0;
};

/// Returns the phases of one axis. Sets `before` and `after` to the border of dy that all phases
/// need.
std::vector<Phase> phasesOf(int64_t input, int64_t output, int64_t window, int64_t stride,
                            int64_t padding, int64_t& before, int64_t& after) {
  std::vector<Phase> phases;
  before = after = 0;
  for (int64_t first = 0; first < std::min(stride, input); ++first) {
    Phase phase{first, (input - first + stride - 1) / stride, 0, 0, 0};
    const int64_t tap = (first + padding) % stride;
    phase.taps = tap < window ? (window - tap + stride - 1) / stride : 0;
    phase.last = tap + stride * (phase.taps - 1);
    phase.offset = (first + padding - tap) / stride - (phase.taps - 1);
    before = std::max(before, -phase.offset);
    after = std::max(after, phase.offset + phase.count - 1 + phase.taps - 1 - (output - 1));
    phases.push_back(phase);
  }
  for (Phase& phase : phases)
    phase.offset += before;
  return phases;
}

}  // namespace

std::unique_ptr<HostKernel> makeDepthwise(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Shape& weights = setup.inputShape(1);
  const std::string& activation = setup.text("activation");
  const std::optional<ActivationKind> kind = activationKindOf(activation);
  if (!kind) return nullptr;
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.outputShape(), {weights[0], weights[1]});
  Border border = inputBorder(g);
  border.channels = g.outputChannels;
  ConvArguments c = depthwiseArguments(g, border);
  c.relu = activation == "relu";
  const bool hasBias = setup.inputs.size() == 3,
             activateAfter = activation != "relu" && activation != "linear";
  const int64_t inFloats = g.input.h * g.input.w * g.channels,
                outFloats = g.output.h * g.output.w * g.outputChannels;
  const size_t each = PaddedImages::floats(g, border);
  return makeKernel(
      setup, "depthwise",
      [=, alpha = static_cast<float>(setup.real("alpha")), l = setup.loops,
       workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        float* const own =
            reinterpret_cast<float*>(arguments.workspace) + each * static_cast<size_t>(worker);
        const WorkRange images = shareOf(g.n, worker, workers);
        const PaddedImages padded(g, border, own);
        ConvArguments part = c;
        part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
        for (int64_t n = images.begin; n < images.end; ++n) {
          float* const y = outputOf<float>(arguments) + n * outFloats;
          l->depthwiseImage(part, padded.next(inputOf<float>(arguments, 0) + n * inFloats),
                            inputOf<float>(arguments, 1), y);
          if (activateAfter) l->activation(*kind, y, y, outFloats, alpha);
        }
      },
      1, each * static_cast<size_t>(setup.numWorkers) * sizeof(float));
}

namespace {

/// Describes how dx is computed from dy. There is one window for each pair of a phase of rows and a
/// phase of columns. With dilation there is only one window, over dy with zeros between its pixels.
struct GradientWindows {
  struct Window {
    ConvArguments arguments;
    // Offset of the window's taps in the copied weights, in floats
    size_t weights = 0;
    // Taps of the forward window, in the order of this window
    std::vector<int64_t> taps;
    // Offsets of the window's first pixel in the padded dy and in dx, in floats
    int64_t from = 0, to = 0;
  };
  Border border;
  std::vector<Window> windows;
  size_t weightFloats = 0;
};

GradientWindows gradientWindows(const WindowGeometry& g) {
  GradientWindows result;
  Border& border = result.border;
  const int64_t k = g.outputChannels;
  const bool isDilated = g.dilation.h > 1 || g.dilation.w > 1;
  const Extent stride = isDilated ? Extent{1, 1} : g.stride, taps = g.window;
  std::vector<Phase> rows{{0, g.input.h, taps.h, taps.h - 1, 0}},
      columns{{0, g.input.w, taps.w, taps.w - 1, 0}};
  border = gradientBorder(g);
  if (!isDilated) {
    Extent after;
    rows = phasesOf(g.input.h, g.output.h, taps.h, stride.h, g.padding.h, border.before.h, after.h);
    columns =
        phasesOf(g.input.w, g.output.w, taps.w, stride.w, g.padding.w, border.before.w, after.w);
    border.spread = {1, 1};
    border.to = {border.before.h + g.output.h + after.h, border.before.w + g.output.w + after.w};
    border.isNeeded = border.to.h != g.output.h || border.to.w != g.output.w;
  }
  for (const Phase& row : rows)
    for (const Phase& column : columns) {
      GradientWindows::Window window;
      ConvArguments& c = window.arguments;
      c.outHeight = row.count;
      c.outWidth = column.count;
      c.outChannels = k;
      c.outChannelStride = stride.w * k;
      c.outRowStep = stride.h * g.input.w * k;
      c.rowStep = border.to.w * k;
      c.columnStep = k;
      c.outerTaps = row.taps;
      c.innerTaps = column.taps;
      c.outerStride = g.dilation.h * border.to.w * k;
      c.innerStride = g.dilation.w * k;
      for (int64_t r = 0; r < row.taps; ++r)
        for (int64_t s = 0; s < column.taps; ++s)
          window.taps.push_back((row.last - r * stride.h) * taps.w + column.last - s * stride.w);
      window.weights = result.weightFloats;
      window.from = (row.offset * border.to.w + column.offset) * k;
      window.to = (row.first * g.input.w + column.first) * k;
      result.weightFloats += alignedFloats(window.taps.size() * static_cast<size_t>(k));
      result.windows.push_back(std::move(window));
    }
  return result;
}

}  // namespace

std::unique_ptr<HostKernel> makeDepthwiseBackwardData(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Shape& weights = setup.inputShape(1);
  const WindowGeometry g =
      windowGeometry(setup, setup.outputShape(), setup.inputShape(0), {weights[0], weights[1]});
  const GradientWindows gradient = gradientWindows(g);
  const int64_t k = g.outputChannels, multiplier = k / g.channels, pixels = g.input.h * g.input.w;
  const int64_t inFloats = pixels * g.channels, outFloats = g.output.h * g.output.w * k;
  const size_t padded = alignedFloats(static_cast<size_t>(gradient.border.floats()));
  const size_t each = gradient.weightFloats + padded +
                      (multiplier > 1 ? alignedFloats(static_cast<size_t>(pixels * k)) : 0);
  return makeKernel(
      setup, "depthwise",
      [=, l = setup.loops, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                       int worker) {
        const WorkRange images = shareOf(g.n, worker, workers);
        if (images.begin == images.end) return;
        float* const w =
            reinterpret_cast<float*>(arguments.workspace) + each * static_cast<size_t>(worker);
        for (const GradientWindows::Window& window : gradient.windows)
          for (size_t tap = 0; tap < window.taps.size(); ++tap)
            std::memcpy(w + window.weights + tap * static_cast<size_t>(k),
                        inputOf<float>(arguments, 1) + window.taps[tap] * k,
                        static_cast<size_t>(k) * sizeof(float));
        float *const own = w + gradient.weightFloats, *const sums = own + padded;
        gradient.border.clear(own);
        for (int64_t n = images.begin; n < images.end; ++n) {
          const float* dy = inputOf<float>(arguments, 0) + n * outFloats;
          if (gradient.border.isNeeded) {
            gradient.border.fill(dy, own);
            dy = own;
          }
          float* const dx = outputOf<float>(arguments) + n * inFloats;
          for (const GradientWindows::Window& window : gradient.windows)
            l->depthwiseImage(window.arguments, dy + window.from, w + window.weights,
                              (multiplier > 1 ? sums : dx) + window.to);
          if (multiplier == 1) continue;
          for (int64_t i = 0; i < inFloats; ++i) {
            float sum = 0;
            for (int64_t m = 0; m < multiplier; ++m)
              sum += sums[i * multiplier + m];
            dx[i] = sum;
          }
        }
      },
      1, each * static_cast<size_t>(setup.numWorkers) * sizeof(float));
}

std::unique_ptr<HostKernel> makeDepthwiseBackwardWeights(const KernelSetup& setup) {
  if (!allF32(setup)) return nullptr;
  const Shape& weights = setup.outputShape();
  const WindowGeometry g =
      windowGeometry(setup, setup.inputShape(0), setup.inputShape(1), {weights[0], weights[1]});
  Border border = inputBorder(g);
  border.channels = g.outputChannels;
  const ConvArguments c = depthwiseArguments(g, border);
  const int workers = setup.numWorkers;
  const int64_t count = weights.numElements(), inFloats = g.input.h * g.input.w * g.channels,
                outFloats = g.output.h * g.output.w * g.outputChannels;
  const size_t sums = alignedFloats(static_cast<size_t>(count));
  const size_t each = PaddedImages::floats(g, border);
  const size_t shared = sums * static_cast<size_t>(workers - 1);
  return makeKernel(
      setup, "depthwise",
      [=, l = setup.loops](const KernelArguments& arguments, int stage, int worker) {
        float* const partial = reinterpret_cast<float*>(arguments.workspace);
        if (stage == 1) {
          if (worker != 0) return;
          for (int other = 1; other < workers; ++other)
            l->accumulate(outputOf<float>(arguments),
                          partial + sums * static_cast<size_t>(other - 1), count);
          return;
        }
        float* const own = partial + shared + each * static_cast<size_t>(worker);
        float* const dw = worker == 0 ? outputOf<float>(arguments)
                                      : partial + sums * static_cast<size_t>(worker - 1);
        std::memset(dw, 0, static_cast<size_t>(count) * sizeof(float));
        const WorkRange images = shareOf(g.n, worker, workers);
        const PaddedImages padded(g, border, own);
        for (int64_t n = images.begin; n < images.end; ++n)
          l->depthwiseWeights(c, padded.next(inputOf<float>(arguments, 0) + n * inFloats),
                              inputOf<float>(arguments, 1) + n * outFloats, dw);
      },
      workers > 1 ? 2 : 1, (shared + each * static_cast<size_t>(workers)) * sizeof(float));
}

}  // namespace strata::cpu
