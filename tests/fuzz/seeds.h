// SPDX-License-Identifier: Apache-2.0
// Seed files that several targets share. Thread: pure.
#pragma once

#include "tests/fuzz/target.h"

namespace strata::fuzz {

std::vector<Seed> npySeeds();
std::vector<Seed> npzSeeds();
/// A .npz with x (4 samples of 2 by 2), y, x_test and y_test.
std::string trainingArchive();

}  // namespace strata::fuzz
