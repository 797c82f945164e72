// SPDX-License-Identifier: Apache-2.0
// Facts about ops of which only the name is known, because it comes from a file of a run.
// Thread: any.
#pragma once

#include <string_view>

namespace strata {

/// Returns OpDef::isCollective of the op with this name, or false if there is no such op.
bool isCommunication(std::string_view opName);

}  // namespace strata
