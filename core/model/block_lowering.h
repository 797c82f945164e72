// SPDX-License-Identifier: Apache-2.0
// What the layers in a Block become: those of the first repeat lowered, the others copied where
// they read alike. Not here: the Block's schema (core/layers/block.cpp). Thread: pure.
#pragma once

#include "core/layers/layer.h"

namespace strata {

struct Layer;

/// For LayerCall: lowers all repeats of a Block; empty for other layers.
LowerContents contentsOf(const Layer& layer);

}  // namespace strata
