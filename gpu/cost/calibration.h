// SPDX-License-Identifier: Apache-2.0
// Measures what work costs on this processor with a given number of threads, by running kernels on
// artificial operands for about two seconds: the peak multiply-add rate, the speed of each level of
// memory, and prices for each family of loops (work.h).
// Not here: the file of a calibration (core/cost), predictions (predict.h).
// Thread: calibrate() uses the given pool; otherwise a value.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/cost/machine_limits.h"
#include "gpu/cost/work.h"

namespace strata {

/// Increase this whenever kernels or families change, so that older calibrations are measured
/// again.
constexpr int kCalibrationVersion = 9;

/// The time of a kernel is the sum of amounts times prices. No price is negative.
struct FamilyPrice {
  Amounts seconds{};
  // Typical operand bytes of the measured kernels, which shows how close their operands were in the
  // caches
  double footprintBytes = 0;
  // The share of the time for distant operands that arithmetic does not hide; below 0: not measured
  double exposed = -1;
  // Root mean square of the relative errors on the measured kernels
  double error = 0;
};

struct Calibration {
  int version = kCalibrationVersion, threads = 0;
  std::string processor, instructions;
  // Peak rate of all workers, in registers; a multiply-add counts twice
  double flopsPerSecond = 0;
  // Time to start all workers and wait for them
  double stepSeconds = 0;
  // Time of one barrier
  double meetingSeconds = 0;
  // Median / shortest of repeated measurements
  double disturbance = 1;
  // The share of the time that workers waited for a core
  double waiting = 0;
  // By increasing bytes
  std::vector<MemorySpeed> memory;
  std::map<std::string, FamilyPrice, std::less<>> families;

  /// Did other programs use so much of the processor that the prices are too high?
  bool isDisturbed() const { return disturbance > 1.5 || waiting > 0.1; }
  /// Seconds to access a byte if that many bytes were accessed since its last access.
  double secondsPerByte(double distanceBytes) const;
};

/// The extra seconds of a pass over `readBytes` and `writtenBytes` if `distanceBytes` were accessed
/// since they were last used. Written cache lines are also fetched first.
double farSeconds(const Calibration& calibration, double readBytes, double writtenBytes,
                  double distanceBytes, double warmBytes);

/// A kernel to measure.
struct ReferenceKernel {
  std::string op;
  Attributes attributes;
  std::vector<TensorType> inputs;
};
/// The kernels that calibrate() runs: small examples of every kind.
std::vector<ReferenceKernel> referenceKernels(int numWorkers);

/// One example of a family: its amounts of work and its time.
struct PricedExample {
  Amounts amounts{};
  double seconds = 0;
};
/// The non-negative prices with the smallest squared relative error; the first is at least `least`.
/// The same examples give the same prices.
/// Requires: positive seconds.
FamilyPrice fitPrices(const std::vector<PricedExample>& examples, double least = 0);

/// A measured kernel, for judging the quality of the prices.
struct MeasuredKernel {
  // Op, shapes, implementation
  std::string name;
  KernelWork work;
  double seconds = 0;
};

/// Takes about two seconds. `measured`: receives each kernel, unless it is null. Examples that need
/// more than an eighth of the free memory are left out. Fails: OutOfMemory.
Calibration calibrate(ThreadPool& pool, std::vector<MeasuredKernel>* measured = nullptr);

}  // namespace strata
