// SPDX-License-Identifier: Apache-2.0
// The kernels of conv2d and its gradients with Winograd tiles. They are used if the tiles are well
// filled and need fewer multiply-adds than the direct loops.
// - Forward and backward data: the weights are transformed (stage 0), then each worker computes its
//   share of all tiles (stage 1).
// - Backward weights: each worker sums the gradient of the transformed weights over its tiles
//   (stage 0). These sums are added and transformed back (stage 1).
// - Few tiles with many channels: the tiles are transformed (stage 0), then each worker computes
//   its share of the output channels, or of dw (stage 1).
//
// Transformed data needs memory. A kernel needs less memory if it works in slices, one after the
// other, each with the two stages:
// - Many tiles: the slices are output channels (backward data: input channels). Each slice
//   transforms the inputs again.
// - Few tiles: the slices are tiles. Each slice transforms the weights again.
// - Few tiles, dw: the slices are input and output channels. Each slice transforms the gradients
//   again.
//
// Slices do not change any sum, so the results have the same bits.
#include "gpu/cpu/kernels/winograd.h"
#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

/// Returns whether Winograd tiles support this convolution and are likely to be faster than the
/// direct loops. `made` is the size of the result, which is divided into tiles. The transforms cost
/// about as much as the products of 24 to 32 channels. With fewer channels, the gain is too small
/// for the larger rounding errors. A tile always takes its full time, even if it extends beyond the
/// result. In backward data without padding, it also multiplies zeros around dy. So the outputs of
/// the convolution must fill at least 45 % of the tiles.
bool isWorthwhile(const KernelSetup& setup, const WindowGeometry& g, Extent made) {
  const bool isPlain = g.window.h == 3 && g.window.w == 3 && g.stride.h == 1 && g.stride.w == 1 &&
                       g.dilation.h == 1 && g.dilation.w == 1 && g.groups == 1;
  const int64_t fewest = setup.loops->width >= 16 ? 32 : 24;
  if (!isPlain || g.n == 0 || setup.loops->width < 8 || g.channels < fewest ||
      g.outputChannels < fewest)
    return false;
  const int64_t tiles = (made.h + 3) / 4 * ((made.w + 3) / 4);
  return 20 * g.output.h * g.output.w >= 9 * 16 * tiles;
}

WinogradArguments argumentsFor(Extent input, int64_t channels, Extent output, int64_t outChannels,
                               Extent padding) {
  WinogradArguments w;
  w.height = input.h, w.width = input.w, w.channels = channels;
  w.outHeight = output.h, w.outWidth = output.w, w.outChannels = outChannels;
  w.padHeight = padding.h, w.padWidth = padding.w;
  w.inStride = channels;
  w.outStride = outChannels;
  w.tileRows = (output.h + 3) / 4, w.tileColumns = (output.w + 3) / 4;
  return w;
}

size_t floatsOf(int64_t count) { return alignedFloats(static_cast<size_t>(count)); }

/// Divides channels or tiles into `count` slices of size `width`. The last slice may be smaller.
struct Slices {
  int64_t width = 0, count = 1;
  int64_t begin(int64_t slice) const { return slice * width; }
  int64_t size(int64_t slice, int64_t all) const { return std::min(width, all - slice * width); }
};
Slices slicesOf(int64_t all, int64_t wanted, int64_t unit) {
  const int64_t each = (all + wanted - 1) / wanted, width = (each + unit - 1) / unit * unit;
  return {width, (all + width - 1) / width};
}

std::string nameOf(std::string name, const Slices& slices) {
  return slices.count == 1 ? name : name + " in " + std::to_string(slices.count) + " slices";
}

/// Lists the smaller workspaces that slices of `all` channels or tiles allow. bytesOf(n) returns
/// the number of bytes with n slices. Each additional slice transforms the other operand again,
/// which takes about as long as the products of `columns` channels or tiles.
template <class BytesOf>
std::vector<SmallerWorkspace> smallerWorkspaces(int64_t all, int64_t unit, double columns,
                                                BytesOf&& bytesOf) {
  std::vector<SmallerWorkspace> result;
  size_t smallest = bytesOf(1);
  for (int64_t wanted = 2; wanted * unit <= all; wanted *= 2) {
    const Slices slices = slicesOf(all, wanted, unit);
    const size_t bytes = bytesOf(wanted);
    if (bytes >= smallest) continue;
    smallest = bytes;
    result.push_back(
        {wanted, bytes,
         1 + columns * static_cast<double>(slices.count - 1) / static_cast<double>(all)});
  }
  return result;
}

constexpr double kColumnsOfForward = 16, kColumnsOfWeights = 20;

/// Makes the forward kernel for few tiles with many channels, in slices of tiles.
std::unique_ptr<HostKernel> makeDeepForward(const KernelSetup& setup, const WinogradArguments& w,
                                            int64_t n, bool isTurned, bool hasBias,
                                            std::optional<ActivationKind> after, float alpha) {
  constexpr int64_t kFewestTiles = 8;
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t tiles = n * w.tileRows * w.tileColumns;
  const auto sharedOf = [=](const Slices& of) {
    return floatsOf(l->winogradTileFloats(w.channels, of.width));
  };
  // A last slice with fewer tiles may use more columns at once and need more memory for them.
  const auto eachOf = [=](const Slices& of) {
    return floatsOf(std::max(l->winogradDeepScratchFloats(w, of.width),
                             l->winogradDeepScratchFloats(w, of.size(of.count - 1, tiles))));
  };
  const auto bytesOf = [=](int64_t wanted) {
    const Slices of = slicesOf(tiles, wanted, 1);
    return (sharedOf(of) + eachOf(of) * static_cast<size_t>(workers)) * sizeof(float);
  };
  const int64_t wanted = setup.slices;
  const Slices slices = slicesOf(tiles, wanted, 1);
  const size_t shared = sharedOf(slices), each = eachOf(slices);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const v = reinterpret_cast<float*>(arguments.workspace);
    const int64_t slice = stage / 2, first = slices.begin(slice), count = slices.size(slice, tiles);
    if (stage % 2 == 0) {
      const WorkRange own = shareOf(count, worker, workers);
      return l->winogradInputs(w, inputOf<float>(arguments, 0), first + own.begin,
                               own.end - own.begin, count, v + own.begin * l->width);
    }
    WinogradArguments part = w;
    part.bias = hasBias ? inputOf<float>(arguments, 2) : nullptr;
    const WorkRange range = shareOf(w.outChannels, worker, workers, 2 * l->width);
    float* const y = outputOf<float>(arguments);
    l->winogradDeepForward(part, inputOf<float>(arguments, 0), v, inputOf<float>(arguments, 1),
                           isTurned, y, first, count, range.begin, range.end,
                           v + shared + each * static_cast<size_t>(worker));
    if (after && slice + 1 == slices.count)
      l->activateRows(*after, y + range.begin, n * w.outHeight * w.outWidth,
                      range.end - range.begin, w.outChannels, alpha);
  };
  return makeKernel(setup, nameOf("winograd by channels", slices), body,
                    static_cast<int>(2 * slices.count), bytesOf(wanted), false,
                    smallerWorkspaces(tiles, kFewestTiles, kColumnsOfForward, bytesOf));
}

/// Makes the backward weights kernel for few tiles with many channels, in slices of input and
/// output channels. The workspace holds the transformed inputs V of one slice of input channels,
/// and the transformed gradients Z of one slice of output channels.
std::unique_ptr<HostKernel> makeDeepWeights(const KernelSetup& setup, const WinogradArguments& w,
                                            int64_t n) {
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t tiles = n * w.tileRows * w.tileColumns, unit = 2 * l->width;
  const auto partOf = [=](const Slices& in, int64_t i, const Slices& out, int64_t k) {
    WinogradArguments part = w;
    part.channels = in.size(i, w.channels);
    part.outChannels = out.size(k, w.outChannels);
    return part;
  };
  const auto tileFloats = [=](const Slices& of) {
    return floatsOf(l->winogradTileFloats(of.width, tiles));
  };
  const auto eachOf = [=](const Slices& in, const Slices& out) {
    return floatsOf(l->winogradDeepScratchFloats(partOf(in, 0, out, 0), tiles));
  };
  const auto bytesOf = [=](int64_t wanted) {
    const Slices in = slicesOf(w.channels, wanted, unit),
                 out = slicesOf(w.outChannels, wanted, unit);
    return (tileFloats(in) + tileFloats(out) + eachOf(in, out) * static_cast<size_t>(workers)) *
           sizeof(float);
  };
  const int64_t wanted = setup.slices;
  const Slices in = slicesOf(w.channels, wanted, unit), out = slicesOf(w.outChannels, wanted, unit);
  const size_t inputs = tileFloats(in), shared = inputs + tileFloats(out), each = eachOf(in, out);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float *const v = reinterpret_cast<float*>(arguments.workspace), *const z = v + inputs;
    const int64_t i = stage / 2 / out.count, k = stage / 2 % out.count;
    const WinogradArguments part = partOf(in, i, out, k);
    if (stage % 2 == 0) {
      const WorkRange own = shareOf(tiles, worker, workers);
      if (k == 0)
        l->winogradInputs(part, inputOf<float>(arguments, 0) + in.begin(i), own.begin,
                          own.end - own.begin, tiles, v + own.begin * l->width);
      if (i == 0 || out.count > 1)
        l->winogradGradients(part, inputOf<float>(arguments, 1) + out.begin(k), own.begin,
                             own.end - own.begin, tiles, z + own.begin * 2 * l->width);
      return;
    }
    const WorkRange range = shareOf(part.outChannels, worker, workers, unit);
    l->winogradDeepWeights(part, v, z, tiles, range.begin, range.end,
                           outputOf<float>(arguments) + in.begin(i) * w.outStride + out.begin(k),
                           v + shared + each * static_cast<size_t>(worker));
  };
  return makeKernel(setup, nameOf("winograd by channels", {0, in.count}), body,
                    static_cast<int>(2 * in.count * out.count), bytesOf(wanted), false,
                    smallerWorkspaces(std::min(w.channels, w.outChannels), unit * workers,
                                      kColumnsOfWeights, bytesOf));
}

/// Returns the arguments of one slice of output channels.
WinogradArguments sliceOf(WinogradArguments w, const Slices& slices, int64_t slice) {
  w.outChannels = slices.size(slice, w.outStride);
  return w;
}

// The number of tiles that backward weights processes at once if it works in slices
constexpr int64_t kTilesOfSlices = 32;

/// Makes the forward kernel. If isTurned, it computes backward data, for which `w` describes the
/// convolution from dy to dx.
std::unique_ptr<HostKernel> makeForward(const KernelSetup& setup, const WinogradArguments& w,
                                        int64_t n, bool isTurned, bool hasBias,
                                        std::optional<ActivationKind> after, float alpha) {
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  if (l->winogradIsDeep(w, n * w.tileRows * w.tileColumns, workers))
    return makeDeepForward(setup, w, n, isTurned, hasBias, after, alpha);
  const Slices slices = slicesOf(w.outStride, setup.slices, 2 * l->width);
  const auto sharedFloats = [=](const Slices& of) {
    return floatsOf(l->winogradWeightFloats(w.channels, of.width));
  };
  // A narrower last slice may use more tiles at once and need more memory for them.
  const auto eachFloats = [=](const Slices& of) {
    return floatsOf(std::max(l->winogradScratchFloats(sliceOf(w, of, 0)),
                             l->winogradScratchFloats(sliceOf(w, of, of.count - 1))));
  };
  const auto bytesOf = [=](const Slices& of) {
    return (sharedFloats(of) + eachFloats(of) * static_cast<size_t>(workers)) * sizeof(float);
  };
  const size_t shared = sharedFloats(slices), each = eachFloats(slices);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const u = reinterpret_cast<float*>(arguments.workspace);
    const int64_t slice = stage / 2, first = slices.begin(slice);
    WinogradArguments part = sliceOf(w, slices, slice);
    if (stage % 2 == 0) {
      const WorkRange blocks = shareOf((w.channels + l->width - 1) / l->width, worker, workers);
      l->winogradWeights(inputOf<float>(arguments, 1), isTurned ? w.outStride : w.channels,
                         isTurned ? w.channels : w.outStride, isTurned, first, part.outChannels,
                         blocks.begin, blocks.end, u);
      return;
    }
    part.bias = hasBias ? inputOf<float>(arguments, 2) + first : nullptr;
    const WorkRange images = shareOf(n, worker, workers);
    const int64_t tiles = w.tileRows * w.tileColumns,
                  outFloats = w.outHeight * w.outWidth * w.outStride;
    float* const y = outputOf<float>(arguments);
    l->winogradForward(part, inputOf<float>(arguments, 0), u, y + first, images.begin * tiles,
                       images.end * tiles, u + shared + each * static_cast<size_t>(worker));
    if (after && slice + 1 == slices.count)
      l->activateRows(*after, y + images.begin * outFloats, 1,
                      (images.end - images.begin) * outFloats, outFloats, alpha);
  };
  return makeKernel(
      setup, nameOf("winograd", slices), body, static_cast<int>(2 * slices.count), bytesOf(slices),
      false, smallerWorkspaces(w.outStride, 2 * l->width, kColumnsOfForward, [&](int64_t wanted) {
        return bytesOf(slicesOf(w.outStride, wanted, 2 * l->width));
      }));
}

}  // namespace

std::unique_ptr<HostKernel> makeWinogradConv2d(const KernelSetup& setup, const WindowGeometry& g) {
  if (!isWorthwhile(setup, g, g.output)) return nullptr;
  WinogradArguments w = argumentsFor(g.input, g.channels, g.output, g.outputChannels, g.padding);
  const std::string& activation = setup.text("activation");
  w.relu = activation == "relu";
  const std::optional<ActivationKind> after =
      w.relu || activation == "linear" ? std::nullopt : activationKindOf(activation);
  return makeForward(setup, w, g.n, false, setup.inputs.size() == 3, after,
                     static_cast<float>(setup.real("alpha")));
}

std::unique_ptr<HostKernel> makeWinogradBackwardData(const KernelSetup& setup,
                                                     const WindowGeometry& g) {
  if (!isWorthwhile(setup, g, g.input)) return nullptr;
  const WinogradArguments w = argumentsFor(g.output, g.outputChannels, g.input, g.channels,
                                           {2 - g.padding.h, 2 - g.padding.w});
  return makeForward(setup, w, g.n, true, false, std::nullopt, 0);
}

std::unique_ptr<HostKernel> makeWinogradBackwardWeights(const KernelSetup& setup,
                                                        const WindowGeometry& g) {
  if (!isWorthwhile(setup, g, g.output)) return nullptr;
  const WinogradArguments w =
      argumentsFor(g.input, g.channels, g.output, g.outputChannels, g.padding);
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const int64_t n = g.n;
  if (l->winogradIsDeep(w, n * w.tileRows * w.tileColumns, workers))
    return makeDeepWeights(setup, w, n);
  const Slices slices = slicesOf(w.outStride, setup.slices, 2 * l->width);
  const auto sliced = [=](const Slices& of, int64_t slice) {
    WinogradArguments part = sliceOf(w, of, slice);
    if (of.count > 1) part.maxTiles = kTilesOfSlices;
    return part;
  };
  const auto sumsOf = [=](const Slices& of) {
    return static_cast<size_t>(l->winogradWeightFloats(w.channels, of.width));
  };
  const auto bytesOf = [=](const Slices& of) {
    return (alignedFloats(sumsOf(of) * static_cast<size_t>(workers)) +
            floatsOf(l->winogradWeightScratchFloats(sliced(of, 0))) *
                static_cast<size_t>(workers)) *
           sizeof(float);
  };
  const size_t shared = alignedFloats(sumsOf(slices) * static_cast<size_t>(workers)),
               each = floatsOf(l->winogradWeightScratchFloats(sliced(slices, 0)));
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    float* const du = reinterpret_cast<float*>(arguments.workspace);
    const int64_t slice = stage / 2, first = slices.begin(slice);
    const WinogradArguments part = sliced(slices, slice);
    // The workers' sums are stored without gaps, so they are closer together if the last slice is
    // narrower.
    const size_t own =
        static_cast<size_t>(l->winogradWeightFloats(part.channels, part.outChannels));
    if (stage % 2 == 1) {
      const WorkRange channels = shareOf(w.channels, worker, workers);
      l->winogradFinishWeights(w.channels, part.outChannels, w.outStride, du, workers,
                               channels.begin, channels.end, outputOf<float>(arguments) + first);
      return;
    }
    const WorkRange images = shareOf(n, worker, workers);
    const int64_t tiles = w.tileRows * w.tileColumns;
    l->winogradBackwardWeights(part, inputOf<float>(arguments, 0),
                               inputOf<float>(arguments, 1) + first, images.begin * tiles,
                               images.end * tiles, du + own * static_cast<size_t>(worker),
                               du + shared + each * static_cast<size_t>(worker));
  };
  return makeKernel(
      setup, nameOf("winograd", slices), body, static_cast<int>(2 * slices.count), bytesOf(slices),
      false, smallerWorkspaces(w.outStride, 2 * l->width, kColumnsOfWeights, [&](int64_t wanted) {
        return bytesOf(slicesOf(w.outStride, wanted, 2 * l->width));
      }));
}

}  // namespace strata::cpu
