// SPDX-License-Identifier: Apache-2.0
// Kernel choices on disk: times of kernel variants on this machine, in the user's cache folder
// (next to the calibration; deleting them is always safe), and the variants that a run uses, in its
// choices.json, which a continued run keeps. Not here: timing and choosing
// (gpu/exec/kernel_choices.h).
// Thread: pure functions on the file system; several programs may write the same file, the last one
// wins.
#pragma once

#include <string>
#include <string_view>

#include "gpu/exec/kernel_choices.h"

namespace strata {

std::string kernelMeasurementsPath(int threads);
std::string printKernelMeasurements(const KernelMeasurements& measurements);
/// Fails: InvalidFile with what is wrong.
KernelMeasurements parseKernelMeasurements(std::string_view text, const std::string& file);
/// The stored times for this processor and number of threads; empty if the file is damaged or of
/// another version.
KernelMeasurements keptKernelMeasurements(int threads);
/// Adds to the stored times. A file that cannot be written is a line in the log.
void keepKernelMeasurements(int threads, const KernelMeasurements& measurements);

/// The variants that the first programs of a run use, from DIR/choices.json. If the file is missing
/// or damaged, `problem` says so ("is missing"), and the result is empty.
KernelVariants readKernelVariants(const std::string& runDirectory, std::string& problem);

}  // namespace strata
