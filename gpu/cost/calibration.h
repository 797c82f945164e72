// SPDX-License-Identifier: Apache-2.0
// Measures the speed of this processor with a given number of threads. It runs kernels on
// artificial operands for about two seconds. The results are the peak multiply-add rate, the speed
// of each level of memory, and prices for each family of loops (work.h).
// Not here: the file of a calibration (core/cost), predictions (predict.h).
// Thread: only the thread that may use the pool calls calibrate(). Any thread may call the rest.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "gpu/cost/machine_limits.h"
#include "gpu/cost/work.h"

namespace strata {

/// The version of calibrations. Increase it when kernels or families change, so that older
/// calibrations are replaced.
constexpr int kCalibrationVersion = 10;

/// The prices of one family of loops. The time of a kernel is the sum of its amounts times these
/// prices.
struct FamilyPrice {
  // Seconds per unit of each amount, 0 or more
  Amounts seconds{};
  // The typical operand size of the measured kernels. It determines from which level of memory they
  // read, so the prices include the access time of this level.
  double footprintBytes = 0;
  // The part of farSeconds() that arithmetic does not hide, or a negative number if it was not
  // measured
  double exposed = -1;
  // The root mean square of the relative errors for the measured kernels
  double error = 0;
};

struct Calibration {
  int version = kCalibrationVersion, threads = 0;
  std::string processor, instructions;
  // The peak rate of all workers together, with operands in registers; a multiply-add counts twice
  double flopsPerSecond = 0;
  // The time to start all workers and wait for them
  double stepSeconds = 0;
  // The time of one barrier
  double barrierSeconds = 0;
  // The median over all kernels of their median time divided by their shortest time
  double disturbance = 1;
  // The part of the time during which workers waited for a core
  double waiting = 0;
  // Sorted by increasing bytes
  std::vector<MemorySpeed> memory;
  std::map<std::string, FamilyPrice, std::less<>> families;

  /// Returns whether other programs used so much of the processor that the prices are too high.
  bool isDisturbed() const { return disturbance > 1.5 || waiting > 0.1; }
  /// Returns the seconds to access a byte if `distanceBytes` bytes were accessed since its last
  /// access.
  double secondsPerByte(double distanceBytes) const;
};

/// Returns the extra seconds that a kernel needs because its operands are in a farther level of
/// memory than in the calibration. `distanceBytes` bytes were accessed since their last use; in the
/// calibration, it was `warmBytes` bytes. Written bytes count twice, because the processor loads a
/// cache line before it writes to it.
double farSeconds(const Calibration& calibration, double readBytes, double writtenBytes,
                  double distanceBytes, double warmBytes);

/// A kernel to measure.
struct ReferenceKernel {
  std::string op;
  Attributes attributes;
  std::vector<TensorType> inputs;
};
/// Returns the kernels that calibrate() runs: examples of all families.
std::vector<ReferenceKernel> referenceKernels(int numWorkers);

/// One example of a family: its amounts of work and its time.
struct PricedExample {
  Amounts amounts{};
  double seconds = 0;
};
/// Returns the non-negative prices with the smallest squared relative error. The first price is at
/// least `minFirst`. The result is deterministic.
/// Requires: positive seconds.
FamilyPrice fitPrices(const std::vector<PricedExample>& examples, double minFirst = 0);

/// A measured kernel, to check how well the prices predict its time.
struct MeasuredKernel {
  // Contains op, shapes and implementation
  std::string name;
  KernelWork work;
  double seconds = 0;
};

/// Calibrates this processor in about two seconds. `measured` receives all measured kernels, unless
/// it is null. Kernels that need more than an eighth of the free memory are skipped. Fails:
/// OutOfMemory.
Calibration calibrate(ThreadPool& pool, std::vector<MeasuredKernel>* measured = nullptr);

}  // namespace strata
