// SPDX-License-Identifier: Apache-2.0
// A pass of cards. It chooses for each convolution whether it reads and writes images [N,H,W,C] or
// [N,C,H,W]. Kernels of cuDNN need one of these orders, and copy images of the other one.
//
//   before:  x -> conv2d -> y -> batch_norm -> z -> reshape
//   after:   x -> transpose -> conv2d {layout="channels_first"} -> y
//            y -> batch_norm {layout="channels_first"} -> z -> transpose -> reshape
//
// Batch normalization, pooling and elementwise ops compute in either order and take the same time.
// Reductions over height and width, or over all axes but the channels, also compute in either
// order. Other ops need [N,H,W,C]. The choice has the least predicted time of all convolutions,
// reductions and transposes, so the step is predicted no slower than with either order throughout.
// It depends only on the graph, the card, the algorithms that a user has chosen, and the version of
// cuDNN. Weights and their gradients keep their order. The choice may need more memory, because
// both orders of an image may be kept for the backward pass.
// Thread: as CudaDevice.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "gpu/passes/pass.h"

namespace strata::cuda {

struct LayoutOptions {
  /// Returns the predicted time of a node, or nullopt if the card cannot compute it.
  std::function<std::optional<double>(const Graph&, NodeId)> seconds;
  /// The rate of the card's memory, for transposes
  double bytesPerSecond = 0;
  /// If not empty, convolutions have this order wherever they can.
  std::string forced = {};
};

void chooseLayouts(Graph& graph, const LayoutOptions& options, PassReport& report);

}  // namespace strata::cuda
