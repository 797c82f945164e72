// SPDX-License-Identifier: Apache-2.0
// Compares the present time of a step's most expensive kernels with the calibration. A machine's
// speed changes with heat, other programs and other virtual machines. A shape may also suit a
// kernel better or worse than the examples of its family.
// Not here: the step itself, which does not run for this. Thread: the caller of the backend's pool.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "gpu/cost/predict.h"

namespace strata {

/// Factors for calibrated times. The default changes nothing.
struct PresentSpeed {
  // For the kernels that were run, by workName()
  std::map<std::string, double, std::less<>> byWork;
  // For the families of these kernels
  std::map<std::string, double, std::less<>> byFamily;
  double all = 1;
  double secondsSpent = 0;
  // The share of the step's predicted time that the measured kernels represent
  double share = 0;

  double factorOf(const NodeWork& work) const;
};

/// A name that is the same for kernels of one family with the same amounts of work.
std::string workName(const NodeWork& work);

/// Runs the most expensive kernels of a step on artificial operands, each at least twice, for about
/// `budgetSeconds` or until a stop request. Kernels that need more than an eighth of the available
/// memory are left out. Requires and fails: as predictStep(); OutOfMemory.
PresentSpeed measureSpeed(const Graph& graph, const MemoryPlan& plan, Backend& backend,
                          const Calibration& calibration, double budgetSeconds = 0.15,
                          const std::stop_token& stop = {});

}  // namespace strata
