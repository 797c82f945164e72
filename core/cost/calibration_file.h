// SPDX-License-Identifier: Apache-2.0
// Stores calibrations in the user's cache folder: XDG_CACHE_HOME/strata/calibration or
// ~/.cache/strata/calibration. Each processor, instruction set and number of threads has its own
// file. Deleting a file is always safe. Not here: calibrating (gpu/cost).
// Thread: only one thread at a time may call these functions. If several programs write the same
// file, the last one wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/cost/calibration.h"
#include "gpu/exec/device.h"
#include "gpu/memory/recompute.h"

namespace strata {

std::string printCalibration(const Calibration& calibration);
/// Parses a calibration. `file` is the file name for error messages. Fails: InvalidFile naming the
/// problem.
Calibration parseCalibration(std::string_view text, const std::string& file);

/// Returns a text as a part of a file name: letters, digits and single hyphens.
std::string fileNameOf(std::string_view text);
/// Returns the name of a file with measurements for this processor, its instruction set and this
/// number of threads: <processor>-<instructions>-<threads>.json.
std::string measuredFileName(int threads);
/// Returns the path of the calibration for this number of threads.
std::string calibrationPath(int threads);

/// Returns the stored calibration for this processor, or nullopt if calibrationFor() would
/// calibrate. Does not measure.
std::optional<Calibration> keptCalibration(int threads);
/// Returns the stored calibration for this processor and pool. Calibrates for a few seconds and
/// stores the result if the file is missing, damaged or from another version, or if it was made on
/// a busy machine more than ten minutes ago. If the file cannot be written, logs the problem.
Calibration calibrationFor(ThreadPool& pool);

/// Returns a function that predicts the time of a node on the device, for estimates: by the stored
/// calibration on the CPU, by the card's clock on a simulated card. Otherwise, and without a stored
/// calibration, the function is empty. The device must outlive the function.
NodeSeconds nodeSecondsOf(Device& device);

}  // namespace strata
