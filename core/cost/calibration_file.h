// SPDX-License-Identifier: Apache-2.0
// Where a calibration is kept: a file for each processor, instruction set and number of threads in
// the user's cache folder (XDG_CACHE_HOME/strata/calibration, else ~/.cache/strata/calibration). It
// may be deleted at any time.
// Thread: one at a time; several programs may write the same file, the last one wins.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "gpu/cost/calibration.h"

namespace strata {

std::string printCalibration(const Calibration& calibration);
/// Fails: InvalidFile saying what is wrong.
Calibration parseCalibration(std::string_view text, const std::string& file);

/// Where what was measured is kept for this processor, its instructions and this many threads:
/// CACHE/strata/<kind>/<processor>-<instructions>-<threads>.json.
std::string measuredFilePath(const std::string& kind, int threads);
std::string calibrationPath(int threads);

/// What is kept for this processor, if it can be used; nothing is measured.
std::optional<Calibration> keptCalibration(int threads);
/// What is kept for this processor and pool; where nothing is, or it is damaged, of another
/// version, or was measured while much else ran some time ago, it is measured (about two seconds)
/// and kept. A file that cannot be written is a line in the log.
Calibration calibrationFor(ThreadPool& pool);

}  // namespace strata
