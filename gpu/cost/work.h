// SPDX-License-Identifier: Apache-2.0
// Describes the work of a CPU kernel by amounts, such as multiply-adds, elements copied and
// elements written. calibration.h measures their prices. Multiply-adds include the padding of
// vectors and tiles. The amounts are those of the worker with the most work.
// Not here: prices, caches (predict.h). Thread: any.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "gpu/cpu/cpu_kernel.h"

namespace strata {

constexpr size_t kAmounts = 5;
/// The amounts of work of a kernel. The meaning of the five amounts depends on the family. The last
/// amount is the number of calls, which is always 1. Amounts that are not listed are 0.
///   gemm                     multiply-adds; elements of the right operand; of the result;
///                            of the left operand
///   matmul_... (updates)     multiply-adds; weights; elements of both operands; rows
///   conv2d                   multiply-adds; elements of the input (windows: as often as they are
///                            copied); of the result; of the weights
///                            (winograd: all of these in its tiles)
///   depthwise                multiply-adds; elements of the input, as often as they are copied;
///                            of the result
///   pools                    elements under all windows; of the input; of the result
///   batch_norm               elements; rows; channels
///   layer_norm               elements; rows; elements of a row, for the sums over rows
///   recurrent                multiply-adds; elements of the gates; of the kernel
///   attention                multiply-adds; pairs of steps;
///                            elements of key and value, as often as they are packed
///   softmax, cross entropy   elements; rows
///   reduce                   elements read; elements of the result if one worker sums all
///                            columns or if workers add partial sums
///   step, updates, others    elements written
///   reference                elements written; elements read
using Amounts = std::array<double, kAmounts>;

/// The work of one part of a kernel. All loops of a family have the same prices.
struct KernelWork {
  // Such as "gemm nn", "conv2d winograd" or "step exp"
  std::string family;
  Amounts amounts{};
  // Whether the first amount is the multiply-adds of a matrix product or a convolution, whose price
  // is at least that of the processor's peak rate
  bool hasProducts = false;
};

/// The work of a kernel. Its parts run one after another.
struct NodeWork {
  std::vector<KernelWork> parts;
  // Whether the kernel computes so little per byte that its time depends on memory
  bool streams = false;
  // How often the kernel reads its operands
  int passes = 1;
};
/// Returns the work of the kernel that was created from `setup`. `implementation` and `isSolo` are
/// the results of the kernel's functions with these names.
NodeWork workOf(const cpu::KernelSetup& setup, const std::string& implementation, bool isSolo);

}  // namespace strata
