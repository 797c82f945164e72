// SPDX-License-Identifier: Apache-2.0
// What a step's dearest kernels take right now over what the calibration says. The speed of a
// machine moves with heat, with other programs and, in a virtual machine, with its neighbours; and
// a shape may suit a kernel better or worse than the examples of its family.
// Not here: the step itself, which never runs for this. Thread: the caller of the backend's pool.
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "gpu/cost/predict.h"

namespace strata {

/// Factors on the seconds of a calibration. The default changes nothing.
struct PresentSpeed {
  // Of kernels that were run, by workName()
  std::map<std::string, double, std::less<>> byWork;
  // Of their families
  std::map<std::string, double, std::less<>> byFamily;
  double all = 1;
  double secondsSpent = 0;
  // Of the step's predicted time that the kernels which were run stand for
  double share = 0;

  double factorOf(const NodeWork& work) const;
};

/// The same for kernels of one family with the same amounts.
std::string workName(const NodeWork& work);

/// Runs the dearest kernels of a step on made-up operands, each twice at least, until about
/// `budgetSeconds` are spent or a stop is asked for. Kernels that need more than an eighth of the
/// available memory are left out. Requires and fails: as predictStep; OutOfMemory.
PresentSpeed measureSpeed(const Graph& graph, const MemoryPlan& plan, Backend& backend,
                          const Calibration& calibration, double budgetSeconds = 0.15,
                          const std::stop_token& stop = {});

}  // namespace strata
