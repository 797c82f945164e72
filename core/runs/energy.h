// SPDX-License-Identifier: Apache-2.0
// The energy that the devices of a run took while it trained, from the power that they report.
// Thread: plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/project/diagnostic.h"
#include "core/runs/device_samples.h"
#include "core/runs/events.h"

namespace strata {

struct RunEnergy {
  // Empty if the energy is known, otherwise the reason why not, as the rest of a sentence
  Phrase problem;
  // Of all devices, over `seconds` of training
  double joules = 0, seconds = 0;
  // nullopt if no samples were trained
  std::optional<double> joulesPerSample;
  bool isKnown() const { return problem.text.isEmpty(); }
};

/// Returns the energy of the devices of a run. `start` is its last start. `trainedSamples` are the
/// samples that they trained in this time. It is unknown for a continued run, whose last part alone
/// has states, and for a run of several processes, whose states are those of the first one.
RunEnergy energyOf(const RunStart& start, std::span<const DeviceSummary> devices,
                   int64_t trainedSamples);

}  // namespace strata
