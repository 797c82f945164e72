// SPDX-License-Identifier: Apache-2.0
// Measured ways of kernels on disk: those of this machine in the user's cache folder (beside the
// calibration; may be deleted at any time), and those that a run took, in its choices.json, by
// which it goes on. Not here: measuring and choosing (gpu/exec/kernel_choices.h).
// Thread: pure functions on the file system; several programs may write the same file, the last one
// wins.
#pragma once

#include <string>
#include <string_view>

#include "gpu/exec/kernel_choices.h"

namespace strata {

std::string kernelMeasurementsPath(int threads);
std::string printKernelMeasurements(const KernelMeasurements& measurements);
/// Fails: InvalidFile saying what is wrong.
KernelMeasurements parseKernelMeasurements(std::string_view text, const std::string& file);
/// What is known of this processor with this many threads; nothing where the file is damaged or of
/// another version.
KernelMeasurements keptKernelMeasurements(int threads);
/// Adds to what is kept. A file that cannot be written is a line in the log.
void keepKernelMeasurements(int threads, const KernelMeasurements& measurements);

/// Of DIR/choices.json: what its first programs were made with. Where the file is absent or damaged
/// `problem` says so ("is lost"), and nothing is known: kernels are then timed anew.
KernelWays readKernelWays(const std::string& runDirectory, std::string& problem);

}  // namespace strata
