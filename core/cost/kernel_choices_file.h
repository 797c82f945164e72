// SPDX-License-Identifier: Apache-2.0
// Stores kernel times and kernel choices. The times of this machine are in the user's cache folder
// next to the calibration, and deleting them is always safe. The kernel variants that a run uses
// are in its choices.json. A run that continues it uses the same variants. Not here: timing and
// choosing kernels (gpu/exec/kernel_choices.h).
// Thread: the functions only access the file system. If several programs write the same file, the
// last one wins.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "gpu/exec/kernel_choices.h"

namespace strata {

std::string kernelMeasurementsPath(int threads);
std::string printKernelMeasurements(const KernelMeasurements& measurements);
/// Parses kernel times. `file` is the file name for error messages. Fails: InvalidFile naming the
/// problem.
KernelMeasurements parseKernelMeasurements(std::string_view text, const std::string& file);
/// Returns the stored times for this processor and number of threads. They are empty if the file is
/// missing, damaged or has another version.
KernelMeasurements keptKernelMeasurements(int threads);
/// Adds measurements to the stored times. If the file cannot be written, logs the problem.
void keepKernelMeasurements(int threads, const KernelMeasurements& measurements);

/// The kernel that a run uses for a node.
struct UsedKernel {
  std::string op, layer, implementation;
};
/// Returns the text of choices.json.
std::string printChoices(const KernelVariants& variants, const std::vector<UsedKernel>& kernels);
/// Reads DIR/choices.json, which contains the kernel variants that a run uses. If the file is
/// missing or damaged, sets `problem` (such as "is missing") and returns an empty result.
KernelVariants readKernelVariants(const std::string& runDirectory, std::string& problem);

}  // namespace strata
