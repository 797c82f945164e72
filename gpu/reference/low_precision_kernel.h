// SPDX-License-Identifier: Apache-2.0
// Kernels for bf16 and f16 operands. Processors compute in f32, so these kernels convert their
// operands to f32 in the workspace, run the kernel for f32, and round its results.
// Not here: the conversions (gpu/tensor/low_precision.h).
// Thread: all functions are pure. Kernels run on all workers at once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "gpu/reference/reference_kernel.h"

namespace strata::reference {

/// The implementation() of a kernel from makeWidened() starts with this prefix. The name of the
/// kernel for f32 follows.
constexpr const char* kConvertedPrefix = "converted: ";

/// Returns whether an input or output is bf16 or f16.
bool usesLowPrecision(const KernelSetup& setup);
/// Replaces bf16 and f16 by f32 in the types, and in the attribute `dtype` of ops that have it.
void widen(KernelSetup& setup);
/// Returns a kernel that converts its bf16 and f16 operands to f32, runs `kernel`, and rounds the
/// results. `kernel` is the kernel for the setup after widen().
std::unique_ptr<HostKernel> makeWidened(const KernelSetup& setup,
                                        std::unique_ptr<HostKernel> kernel);
/// How an op can be computed for a few samples after the other, so that their copies in f32 need
/// little workspace. A sample is an index of the first dimension.
struct SampleSplit {
  // For each operand and each result, whether its first dimension is that of the samples
  std::vector<char> inputs, outputs;
  int64_t samples = 0;
  // The number of samples that a worker computes at once
  int64_t atOnce = 1;
};
/// Returns the split of an op, or nullopt if it cannot be split or is too small. A result without
/// samples is the sum over all samples.
std::optional<SampleSplit> sampleSplitOf(const KernelSetup& setup);
/// Changes a setup to that of `count` samples on one worker.
void takeSamples(KernelSetup& setup, const SampleSplit& split, int64_t count);
/// Like makeWidened(), but each worker converts, computes and rounds a few samples after the other.
/// make(count) returns the kernel for the setup after widen() and takeSamples().
std::unique_ptr<HostKernel> makeWidenedBySamples(
    const KernelSetup& setup, const SampleSplit& split,
    const std::function<std::unique_ptr<HostKernel>(int64_t count)>& make);
/// Returns a kernel that needs no such copy of its operands: a cast between f32, bf16 and f16, or
/// an op that only moves elements. Returns null for other ops.
std::unique_ptr<HostKernel> makeLowPrecisionCopy(const KernelSetup& setup);
/// Creates the reference kernel for a setup with any types.
/// Fails: UnsupportedOp if the op has no reference kernel.
std::unique_ptr<HostKernel> createKernel(const KernelSetup& setup);

/// These functions convert `count` elements of a tensor, from element `begin` on, to f32 or back.
/// The type of the tensor is f32, bf16 or f16.
void loadFloats(DType dtype, const std::byte* from, int64_t begin, int64_t count, float* to);
void storeFloats(DType dtype, const float* from, std::byte* to, int64_t begin, int64_t count);

}  // namespace strata::reference
