// SPDX-License-Identifier: Apache-2.0
// Lowers the contents of a Block. The first repeat is lowered layer by layer. Later repeats are
// copies of the first one if their inputs have the same types. Not here: the Block's schema
// (core/layers/block.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include "core/layers/layer.h"

namespace strata {

struct Layer;

/// Returns the LayerCall::lowerContents of a Block, which lowers all repeats. Returns an empty
/// function for other layers.
LowerContents contentsOf(const Layer& layer);

}  // namespace strata
