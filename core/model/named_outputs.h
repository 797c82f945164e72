// SPDX-License-Identifier: Apache-2.0
// Reads /model/outputs, the ordered outputs of the network. It is the equivalent of Keras's
// Model(outputs=[...]).
// Thread: a pure function, which any thread may call.
#pragma once

#include "core/model/model.h"

namespace strata {

/// Replaces the outputs of `model` by the layers that `part` (/model) lists. If the list is wrong,
/// reports problems and leaves the model unchanged.
void readNamedOutputs(const Json& part, Model& model, Diagnostics& diagnostics);

}  // namespace strata
