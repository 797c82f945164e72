// SPDX-License-Identifier: Apache-2.0
// /model/outputs: what the network ends in, and in which order, as in Keras's Model(outputs=[...]).
// Thread: pure.
#pragma once

#include "core/model/model.h"

namespace strata {

/// Puts the outputs that `part` (the project's model) lists in the place of those that no layer
/// uses; wrong ones are problems and nothing else.
void readNamedOutputs(const Json& part, Model& model, Diagnostics& diagnostics);

}  // namespace strata
