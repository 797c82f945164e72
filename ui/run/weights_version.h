// SPDX-License-Identifier: GPL-3.0-or-later
// Whether the weights of a run have changed since a network was loaded from it, because the run has
// trained further. Thread: any.
#pragma once

#include <string>

namespace strata::ui {

/// Returns a text that differs for other runs and for other weights of the same run. Without
/// weights it depends on the run alone.
std::string weightsVersion(const std::string& runDirectory);

}  // namespace strata::ui
