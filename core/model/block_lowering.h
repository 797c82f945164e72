// SPDX-License-Identifier: Apache-2.0
// Lowers the contents of a Block: the first repeat layer by layer, later repeats as copies where
// their inputs are alike. Not here: the Block's schema (core/layers/block.cpp). Thread: pure.
#pragma once

#include "core/layers/layer.h"

namespace strata {

struct Layer;

/// LayerCall::lowerContents of a Block, which lowers all repeats; empty for other layers.
LowerContents contentsOf(const Layer& layer);

}  // namespace strata
