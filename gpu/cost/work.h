// SPDX-License-Identifier: Apache-2.0
// What a kernel of the CPU backend has to do, as amounts whose price is measured (calibration.h): multiply-adds with the padding of vectors and tiles,
// elements copied, elements written. Amounts are those of the busiest worker, so that a bad split costs what it costs.
// Not here: prices, caches (predict.h). Thread: pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata {

constexpr size_t kAmounts = 5;
using Amounts = std::array<double, kAmounts>;  // the last is 1: what each call costs

/// One part of a kernel: a family of loops whose amounts are priced alike.
struct KernelWork {
  std::string family;  // "gemm nn", "conv2d winograd", "step exp"
  Amounts amounts{};
};

/// The parts of a kernel, which run one after the other. `implementation` and `isSolo`: of the kernel made from `setup`.
struct NodeWork {
  std::vector<KernelWork> parts;
  bool streams = false;  // does little with each byte, so that memory decides its time
  int passes = 1;        // times it walks its operands from end to end
};
NodeWork workOf(const cpu::KernelSetup& setup, const std::string& implementation, bool isSolo);

}  // namespace strata
