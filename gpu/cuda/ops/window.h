// SPDX-License-Identifier: Apache-2.0
// Reads the windows of pooling and convolutions from the attributes of a node.
// Thread: pure functions.
#pragma once

#include "gpu/base/error.h"
#include "gpu/cuda/cuda_kernel.h"
#include "gpu/cuda/kernels/window.h"
#include "gpu/ops/layout.h"
#include "gpu/reference/kernels/window.h"

namespace strata::cuda {

/// `input` and `output` are those of the forward op, in the order of the node.
/// Fails: UnsupportedOp if an axis has more than 2^31 - 1 elements.
inline Window windowOf(const CudaSetup& setup, const Shape& input, const Shape& output,
                       int64_t windowH, int64_t windowW) {
  const reference::WindowGeometry g =
      reference::windowGeometry(setup, asChannelsLast(setup.attributes, input),
                                asChannelsLast(setup.attributes, output), {windowH, windowW});
  const auto small = [&](int64_t size) {
    if (size > INT32_MAX)
      throw Error(ErrorCode::UnsupportedOp, setup.layer,
                  "an axis has " + std::to_string(size) +
                      " elements (expected at most 2147483647). Use --device cpu.");
    return static_cast<int32_t>(size);
  };
  Window window;
  window.n = small(g.n);
  window.channels = small(g.channels);
  window.outputChannels = small(g.outputChannels);
  window.inputH = small(g.input.h);
  window.inputW = small(g.input.w);
  window.outputH = small(g.output.h);
  window.outputW = small(g.output.w);
  window.windowH = small(windowH);
  window.windowW = small(windowW);
  window.strideH = small(g.stride.h);
  window.strideW = small(g.stride.w);
  window.dilationH = small(g.dilation.h);
  window.dilationW = small(g.dilation.w);
  window.paddingH = small(g.padding.h);
  window.paddingW = small(g.padding.w);
  window.isChannelsFirst = isChannelsFirst(setup.attributes) ? 1 : 0;
  return window;
}

}  // namespace strata::cuda
