// SPDX-License-Identifier: Apache-2.0
// Seed files that several targets use. Any thread may call these functions.
#pragma once

#include "tests/fuzz/target.h"

namespace strata::fuzz {

std::vector<Seed> npySeeds();
std::vector<Seed> npzSeeds();
/// Returns a .npz file with x (4 samples of shape [2, 2]), y, x_test and y_test.
std::string trainingArchive();

}  // namespace strata::fuzz
