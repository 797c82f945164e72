// SPDX-License-Identifier: Apache-2.0
// Stores calibrations: one file for each processor, instruction set and number of threads in the
// user's cache folder (XDG_CACHE_HOME/strata/calibration or ~/.cache/strata/calibration). Deleting
// a file is always safe. Not here: calibrating (gpu/cost).
// Thread: one at a time; several programs may write the same file, the last one wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/cost/calibration.h"

namespace strata {

std::string printCalibration(const Calibration& calibration);
/// Fails: InvalidFile with what is wrong.
Calibration parseCalibration(std::string_view text, const std::string& file);

/// The path of a file of measurements for this processor, its instruction set and this many
/// threads: CACHE/strata/<kind>/<processor>-<instructions>-<threads>.json.
std::string measuredFilePath(const std::string& kind, int threads);
std::string calibrationPath(int threads);

/// The stored calibration for this processor, if it is usable; measures nothing.
std::optional<Calibration> keptCalibration(int threads);
/// The stored calibration for this processor and pool. If it is missing, damaged, of another
/// version, or an old one from a busy machine, calibrates (a few seconds) and stores the result. A
/// file that cannot be written is a line in the log.
Calibration calibrationFor(ThreadPool& pool);

}  // namespace strata
