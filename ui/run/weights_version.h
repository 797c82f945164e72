// SPDX-License-Identifier: GPL-3.0-or-later
// Tells whether a network that was loaded from a run is still that of the run, which may have
// trained further meanwhile. Thread: any.
#pragma once

#include <string>

namespace strata::ui {

/// Returns a text that differs for other runs and for other weights of the same run. Without
/// weights it depends on the run alone.
std::string weightsVersion(const std::string& runDirectory);

}  // namespace strata::ui
