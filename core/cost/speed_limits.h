// SPDX-License-Identifier: Apache-2.0
// The limits of a device: how fast it computes and accesses memory at best. Views compare kernels
// with them (roofline model: Williams, Waterman and Patterson, 2009).
// Not here: measuring the processor (calibration_file.h), data sheets of cards (catalogue.h).
// Thread: the functions only read files.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/project/text.h"

namespace strata {

class Device;

struct SpeedLimits {
  // By precision, such as "float32" and "bfloat16"; a multiply-add counts twice. Empty if unknown
  std::vector<std::pair<std::string, double>> flopsPerSecond;
  // Of the memory of the device; 0 if unknown
  double bytesPerSecond = 0;
  // Where the figures are from, or why they are unknown, in English
  std::string source;
  bool areKnown() const { return !flopsPerSecond.empty() && bytesPerSecond > 0; }
  /// Returns the rate of a precision, or of float32 if that precision has no separate rate.
  double flopsOf(const std::string& precision) const;
};

/// Returns the translatable text of SpeedLimits::source and its arguments; nullopt if limitsOf()
/// did not write it.
std::optional<std::pair<Text, Arguments>> translatableSource(const std::string& source);

/// Returns the limits of a device: of a card, those of its data sheet; of the processor, those of
/// the stored calibration. Does not measure.
SpeedLimits limitsOf(Device& device);

}  // namespace strata
