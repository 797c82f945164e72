// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/lens.h"

#include "ui/lenses/devices.h"
#include "ui/lenses/kernels.h"
#include "ui/lenses/overview.h"

namespace strata::ui {

std::span<const LensEntry> allLenses() {
  static const LensEntry kLenses[] = {
      {"overview", STRATA_TEXT("Lens", "Overview"),
       STRATA_TEXT("Lens", "Loss, accuracy, memory and time appear here when a run starts."),
       makeOverviewLens},
      {"kernels", STRATA_TEXT("Lens", "Kernels"),
       STRATA_TEXT("Lens", "Kernels appear here when a run is profiled."), makeKernelsLens},
      {"devices", STRATA_TEXT("Lens", "Devices"),
       STRATA_TEXT("Lens", "The states of the devices appear here when a run trains."),
       makeDevicesLens},
  };
  return kLenses;
}

}  // namespace strata::ui
