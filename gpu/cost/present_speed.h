// SPDX-License-Identifier: Apache-2.0
// Compares the present time of a step's most expensive kernels with the calibration. The speed of a
// machine changes with its temperature, other programs and other virtual machines. In addition,
// some shapes are faster or slower than the examples of their family. Only kernels run for this,
// not the step. Thread: only the thread that may use the device.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "gpu/cost/predict.h"

namespace strata {

/// Factors by which calibrated times are multiplied.
struct PresentSpeed {
  // The factors of the measured kernels, by workName()
  std::map<std::string, double, std::less<>> byWork;
  // The factors of the families of these kernels
  std::map<std::string, double, std::less<>> byFamily;
  // The factor of all other kernels
  double all = 1;
  double secondsSpent = 0;
  // The part of the step's predicted time that the measured kernels take
  double share = 0;

  double factorOf(const NodeWork& work) const;
};

/// Returns a key that is equal for kernels of one family with the same amounts of work. It is not
/// meant for display.
std::string workName(const NodeWork& work);

/// Runs the most expensive kernels of a step on artificial operands, each at least twice. Ends
/// after about `budgetSeconds` or at a stop request. Kernels that need more than 256 MiB or an
/// eighth of the available memory are skipped.
/// Requires: the same as predictStep(). Fails: as predictStep(), or OutOfMemory.
PresentSpeed measureSpeed(const Graph& graph, const MemoryPlan& plan, Device& device,
                          const Calibration& calibration, double budgetSeconds = 0.15,
                          const std::stop_token& stop = {});

}  // namespace strata
