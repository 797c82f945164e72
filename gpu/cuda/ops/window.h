// SPDX-License-Identifier: Apache-2.0
// Reads the windows of pooling and convolutions from the attributes of a node.
// Thread: pure functions.
#pragma once

#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/kernels/window.h"
#include "gpu/reference/kernels/window.h"

namespace strata::cuda {

/// `input` and `output` are those of the forward op.
inline Window windowOf(const CudaSetup& setup, const Shape& input, const Shape& output,
                       int64_t windowH, int64_t windowW) {
  const reference::WindowGeometry g =
      reference::windowGeometry(setup, input, output, {windowH, windowW});
  Window window;
  window.n = g.n;
  window.channels = g.channels;
  window.outputChannels = g.outputChannels;
  window.inputH = g.input.h;
  window.inputW = g.input.w;
  window.outputH = g.output.h;
  window.outputW = g.output.w;
  window.windowH = windowH;
  window.windowW = windowW;
  window.strideH = g.stride.h;
  window.strideW = g.stride.w;
  window.dilationH = g.dilation.h;
  window.dilationW = g.dilation.w;
  window.paddingH = g.padding.h;
  window.paddingW = g.padding.w;
  return window;
}

}  // namespace strata::cuda
