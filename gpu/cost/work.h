// SPDX-License-Identifier: Apache-2.0
// The work of a CPU kernel, as amounts whose price is measured (calibration.h): multiply-adds
// including the padding of vectors and tiles, elements copied, elements written. The amounts are
// those of the busiest worker, so that an uneven split is counted.
// Not here: prices, caches (predict.h). Thread: pure.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata {

constexpr size_t kAmounts = 5;
/// The meaning of the five amounts depends on the family. Missing ones are 0; the last is always 1
/// and stands for the cost of a call.
///   gemm                     multiply-adds; elements of the right operand; of the result;
///                            of the left operand
///   matmul_... (updates)     multiply-adds; weights; elements of both operands; rows
///   conv2d                   multiply-adds; elements of the input; of the result;
///                            of the weights (winograd: all of these in its tiles)
///   depthwise                multiply-adds; elements of the input, as often as they are copied;
///                            of the result
///   pools                    elements under all windows; of the input; of the result
///   batch_norm               elements; rows; channels
///   recurrent                multiply-adds; elements of the gates; of the kernel
///   attention                multiply-adds; pairs of steps;
///                            elements of key and value, as often as they are packed
///   softmax, cross entropy   elements; rows
///   reduce                   elements read; elements of the result if workers split columns
///   step, updates, the rest  elements written
///   reference                elements written; elements read
using Amounts = std::array<double, kAmounts>;

/// One part of a kernel: a family of loops with common prices.
struct KernelWork {
  // "gemm nn", "conv2d winograd", "step exp"
  std::string family;
  Amounts amounts{};
};

/// The parts of a kernel, which run one after the other. `implementation` and `isSolo` describe the
/// kernel made from `setup`.
struct NodeWork {
  std::vector<KernelWork> parts;
  // Whether it does so little per byte that memory decides its time
  bool streams = false;
  // How often it passes over its operands
  int passes = 1;
};
NodeWork workOf(const cpu::KernelSetup& setup, const std::string& implementation, bool isSolo);

}  // namespace strata
