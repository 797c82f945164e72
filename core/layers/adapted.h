// SPDX-License-Identifier: Apache-2.0
// Layers that take numbers from the training data before the first step (core/train/adaptation.h
// does it). Thread: edit the given graph only.
#pragma once

#include "core/layers/layer.h"

namespace strata {

/// A variable that is not trained, with a value from the data. Fails: not_adaptable where the
/// layer's input is not the network's.
ValueId adaptedVariable(LayerContext& context, const char* path, const Shape& shape,
                        Adaptation adaptation);

}  // namespace strata
