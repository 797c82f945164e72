// SPDX-License-Identifier: Apache-2.0
// Creates the variables of layers such as Normalization, which get their values from the training
// data before the first step.
// Not here: computing their values (core/train/adaptation.h).
// Thread: any thread may call these functions. They edit only the given graph.
#pragma once

#include "core/layers/layer.h"

namespace strata {

/// Creates the variable `<layer>/<path>`, which is not trained. Before the first step, it gets its
/// value from the training data, as `adaptation` describes.
/// Fails: not_adaptable if the layer's input is not an Input layer of the network.
ValueId adaptedVariable(LayerContext& context, const char* path, const Shape& shape,
                        Adaptation adaptation);

}  // namespace strata
