// SPDX-License-Identifier: Apache-2.0
// Stores the times of library algorithms on a card, as JSON that a person can read, in the user's
// cache folder: CACHE/strata/algorithms/<card>.json. Deleting a file is always safe.
// Not here: timing and choosing (gpu/exec/kernel_choices.h), times of this machine's processor
// (kernel_choices_file.h).
// Thread: the functions only access the file system. If several programs write the same file, the
// last one wins.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/exec/kernel_choices.h"

namespace strata {

/// The card, its driver and its libraries (Device::versions()).
using DeviceVersions = std::vector<std::pair<std::string, std::string>>;

std::string algorithmsPath(const DeviceVersions& versions);
std::string printAlgorithms(const DeviceVersions& versions, const KernelMeasurements& measurements);
/// Parses a file of algorithms. `file` is its name for error messages.
/// Fails: InvalidFile naming the problem, also if the versions differ.
KernelMeasurements parseAlgorithms(std::string_view text, const std::string& file,
                                   const DeviceVersions& versions);
/// Returns the stored times for these versions. If the file is damaged or outdated, logs that it is
/// ignored, and returns nothing.
KernelMeasurements keptAlgorithms(const DeviceVersions& versions);
/// Adds measurements to the stored ones. If the file cannot be written, logs the problem.
void keepAlgorithms(const DeviceVersions& versions, const KernelMeasurements& measurements);

/// Returns the stored times of a device: those of its algorithms, or of this machine's kernels.
/// The variants of a card are only algorithms of libraries (Device::variantsAreAlike()).
KernelMeasurements keptTimes(const Device& device);
/// Adds measurements to the stored times of a device.
void keepTimes(const Device& device, const KernelMeasurements& measurements);

}  // namespace strata
