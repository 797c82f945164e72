// SPDX-License-Identifier: Apache-2.0
// An entry of a layer's `inputs`, which names a layer or one of its outputs. "encoder" and
// "encoder:0" name the first output of a layer. "encoder:1" names the second one, such as the state
// of a recurrent layer with return_state. Names of layers cannot contain ':'. Thread: value types
// without shared state.
#pragma once

#include <string>

namespace strata {

struct InputRef {
  std::string layer;
  int output = 0;
  std::string text() const { return output == 0 ? layer : layer + ":" + std::to_string(output); }
};

/// Parses an entry. Without a number of one to three digits after the last ':', the whole entry is
/// the name.
InputRef inputRefOf(const std::string& entry);

}  // namespace strata
