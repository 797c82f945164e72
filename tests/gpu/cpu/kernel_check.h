// SPDX-License-Identifier: Apache-2.0
// Compares the kernels of the CPU device for an op with the reference kernels. Only the thread of
// the test may call these functions.
#pragma once

#include <string>
#include <vector>

#include "gpu/graph/op.h"
#include "gpu/tensor/tensor.h"

namespace strata::test {

/// Returns uniform random values in [low, high), which depend only on the seed.
Tensor randomTensor(Shape shape, uint64_t seed, float low = -1, float high = 1);
Tensor randomLabels(Shape shape, uint64_t seed, int32_t classes);

/// Runs the op with 1, 2 and 3 workers on every instruction set of this machine. Two runs must give
/// the same bits. The difference from the reference must be at most tolerance * max(1, largest
/// |reference|). If expectOwn is set, the kernel must not be the reference kernel. A doctest
/// failure names the instruction set, the number of workers and the output.
void checkKernel(const std::string& op, Attributes attributes, const std::vector<Tensor>& inputs,
                 double tolerance = 1e-5, bool expectOwn = true);

}  // namespace strata::test
