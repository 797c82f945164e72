// SPDX-License-Identifier: Apache-2.0
// What work costs on this processor with some number of threads, measured in about a second by
// running kernels on made-up operands: the limit of multiply-adds, the speed of each level of
// memory, and a price for each family of loops (work.h).
// Not here: the file it is kept in (core/cost), predictions (predict.h). Thread: calibrate() uses
// the pool it is given; a value otherwise.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/cost/machine_limits.h"
#include "gpu/cost/work.h"

namespace strata {

/// To be raised whenever kernels or families change: older calibrations are then made again.
constexpr int kCalibrationVersion = 9;

/// Seconds are the sum of amounts times prices; none is negative.
struct FamilyPrice {
  Amounts seconds{};
  // Of the kernels it was measured on: how warm its operands were
  double footprintBytes = 0;
  // Of the time that far operands take, the share that the work does not hide; below 0: not
  // measured
  double exposed = -1;
  // Root mean square of the relative errors on those
  double error = 0;
};

struct Calibration {
  int version = kCalibrationVersion, threads = 0;
  std::string processor, instructions;
  // multiply-adds in registers, counted twice, of all workers
  double flopsPerSecond = 0;
  // Starting all workers and waiting for them
  double stepSeconds = 0;
  // A barrier
  double meetingSeconds = 0;
  // Median / shortest of repeated measurements
  double disturbance = 1;
  // Of the time, the share that a worker stood in line for a core
  double waiting = 0;
  // By rising bytes
  std::vector<MemorySpeed> memory;
  std::map<std::string, FamilyPrice, std::less<>> families;

  /// Did other programs take so much of the processor that prices are too high?
  bool isDisturbed() const { return disturbance > 1.5 || waiting > 0.1; }
  /// Seconds to touch a byte whose last touch lies so many bytes back.
  double secondsPerByte(double distanceBytes) const;
};

/// Seconds that one walk of `readBytes` and `writtenBytes` takes beyond what it takes warm, where
/// their last touch lies `distanceBytes` back. Lines that are written are fetched before and
/// written back.
double farSeconds(const Calibration& calibration, double readBytes, double writtenBytes,
                  double distanceBytes, double warmBytes);

/// A kernel to be measured.
struct ReferenceKernel {
  std::string op;
  Attributes attributes;
  std::vector<TensorType> inputs;
};
/// What calibrate() runs: small examples of every kind of kernel.
std::vector<ReferenceKernel> referenceKernels(int numWorkers);

/// One example of a family: what it had to do and how long it took.
struct PricedExample {
  Amounts amounts{};
  double seconds = 0;
};
/// Prices with the smallest squared relative error, none negative, the first at least `least`. The
/// same examples give the same prices.
/// Requires: positive seconds.
FamilyPrice fitPrices(const std::vector<PricedExample>& examples, double least = 0);

/// What was measured, for whoever looks at how good the prices are.
struct MeasuredKernel {
  // Op, shapes, implementation
  std::string name;
  KernelWork work;
  double seconds = 0;
};

/// About two seconds. `measured`: gets each kernel, where it is not null. Fails: OutOfMemory;
/// examples that do not fit in an eighth of what is free are left out.
Calibration calibrate(ThreadPool& pool, std::vector<MeasuredKernel>* measured = nullptr);

}  // namespace strata
