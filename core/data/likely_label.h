// SPDX-License-Identifier: Apache-2.0
// Guesses by the names of columns which one is the label. Not here: the default of a source, which
// is the last column whatever its name (csv_loader.cpp).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <vector>

namespace strata {

/// Returns the first column with a usual name of labels, such as "target" or "class_label". Returns
/// "" if no column or the last column has such a name.
std::string likelyLabel(const std::vector<std::string>& columns);

}  // namespace strata
