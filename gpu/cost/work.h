// SPDX-License-Identifier: Apache-2.0
// What a kernel of the CPU backend has to do, as amounts whose price is measured (calibration.h):
// multiply-adds with the padding of vectors and tiles, elements copied, elements written. Amounts
// are those of the busiest worker, so that a bad split costs what it costs.
// Not here: prices, caches (predict.h). Thread: pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata {

constexpr size_t kAmounts = 5;
/// What the five mean depends on the family; those left out are 0, the last is 1: what each call
/// costs.
///   gemm                     multiply-adds; elements of the right operand; of the result; of the left operand
///   matmul_... (updates)     multiply-adds; weights; elements of both operands; rows
///   conv2d                   multiply-adds; elements of the input; of the result; of the weights (winograd: all in its tiles)
///   depthwise                multiply-adds; elements of the input as often as they are copied; of the result
///   pools                    elements under all windows; of the input; of the result
///   batch_norm               elements; rows; channels
///   recurrent                multiply-adds; elements of the gates; of the kernel
///   attention                multiply-adds; pairs of steps; elements of key and value as often as they are packed
///   softmax, cross entropy   elements; rows
///   reduce                   elements walked; elements of the result where each worker walks columns
///   step, updates, the rest  elements written
///   reference                elements written; elements read
using Amounts = std::array<double, kAmounts>;

/// One part of a kernel: a family of loops whose amounts are priced alike.
struct KernelWork {
  // "gemm nn", "conv2d winograd", "step exp"
  std::string family;
  Amounts amounts{};
};

/// The parts of a kernel, which run one after the other. `implementation` and `isSolo`: of the
/// kernel made from `setup`.
struct NodeWork {
  std::vector<KernelWork> parts;
  // Does little with each byte, so that memory decides its time
  bool streams = false;
  // Times it walks its operands from end to end
  int passes = 1;
};
NodeWork workOf(const cpu::KernelSetup& setup, const std::string& implementation, bool isSolo);

}  // namespace strata
