// SPDX-License-Identifier: Apache-2.0
// A pass of cards. It chooses for each convolution whether it reads and writes images [N,H,W,C] or
// [N,C,H,W]. Kernels of cuDNN need one of these orders, and copy images of the other one.
//
//   before:  x -> conv2d -> y -> batch_norm -> z -> reshape
//   after:   x -> transpose -> conv2d {layout="channels_first"} -> y
//            y -> batch_norm {layout="channels_first"} -> z -> transpose -> reshape
//
// Batch normalization, pooling and elementwise ops compute in either order and take the same time.
// Other ops need [N,H,W,C]. The choice is the one with the least predicted time of all convolutions
// and transposes, so the step is predicted no slower than with either order throughout. It depends
// only on the graph, the card and the version of cuDNN. Weights keep their order.
// Thread: as CudaDevice.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gpu/passes/pass.h"

namespace strata::cuda {

struct LayoutOptions {
  /// Returns the predicted time of a convolution in the order of its attribute `layout`, or nullopt
  /// if it cannot have this order.
  std::function<std::optional<double>(const Graph&, NodeId)> seconds;
  /// The rate of the card's memory, for transposes
  double bytesPerSecond = 0;
  /// If not empty, convolutions have this order wherever they can.
  std::string forced = {};
};

void chooseLayouts(Graph& graph, const LayoutOptions& options, PassReport& report);

}  // namespace strata::cuda
