// SPDX-License-Identifier: Apache-2.0
// Compares the kernels of the CPU backend for one op with the reference. Thread: tests only.
#pragma once

#include <string>
#include <vector>

#include "gpu/graph/op.h"
#include "gpu/tensor/tensor.h"

namespace strata::test {

/// Uniform in [-1, 1) (or [low, high)), the same for the same seed.
Tensor randomTensor(Shape shape, uint64_t seed, float low = -1, float high = 1);
Tensor randomLabels(Shape shape, uint64_t seed, int32_t classes);

/// Runs the op for 1, 2 and 3 workers on every instruction set of this machine, twice each; checks
/// the same bits twice and closeness to the reference: |difference| <= tolerance * max(1, largest
/// |reference|). Each failure is a doctest failure that names set, workers and output. expectOwn:
/// the kernel must not be the reference's.
void checkKernel(const std::string& op, Attributes attributes, const std::vector<Tensor>& inputs,
                 double tolerance = 1e-5, bool expectOwn = true);

}  // namespace strata::test
