// SPDX-License-Identifier: Apache-2.0
// What an entry of a layer's `inputs` names: a layer, or one of several outputs of it. "encoder"
// and "encoder:0" are its output, "encoder:1" is the second, such as the state of a recurrent layer
// with return_state. Names of layers hold no ':'. Thread: values.
#pragma once

#include <string>

namespace strata {

struct InputRef {
  std::string layer;
  int output = 0;
  std::string text() const { return output == 0 ? layer : layer + ":" + std::to_string(output); }
};

/// What is no number behind the last ':' belongs to the name.
InputRef inputRefOf(const std::string& entry);

}  // namespace strata
