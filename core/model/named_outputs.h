// SPDX-License-Identifier: Apache-2.0
// Reads /model/outputs, the ordered outputs of the network, as in Keras's Model(outputs=[...]).
// Thread: pure.
#pragma once

#include "core/model/model.h"

namespace strata {

/// Replaces the outputs of `model` by those that `part` (/model) lists. Where they are wrong,
/// reports problems and leaves the model unchanged.
void readNamedOutputs(const Json& part, Model& model, Diagnostics& diagnostics);

}  // namespace strata
