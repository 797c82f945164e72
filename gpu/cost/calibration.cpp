// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/calibration.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>

#include "gpu/base/clock.h"
#include "gpu/base/machine.h"
#include "gpu/cost/machine_limits.h"
#include "gpu/cost/trial.h"
#include "gpu/cost/waiting.h"
#include "gpu/graph/op.h"

namespace strata {
namespace {

cpu::KernelSetup setupOf(const ReferenceKernel& wanted, int numWorkers) {
  const OpDef& op = opNamed(wanted.op);
  cpu::KernelSetup setup;
  setup.op = wanted.op;
  setup.inputs = wanted.inputs;
  setup.attributes = wanted.attributes;
  for (const AttributeSpec& spec : op.attributes)
    if (!setup.attributes.has(spec.name)) setup.attributes.set(spec.name, spec.defaultValue);
  setup.outputs = op.infer(ShapeContext{op, wanted.inputs, setup.attributes});
  setup.numWorkers = numWorkers;
  setup.loops = &loops();
  return setup;
}

/// Parts without work. Measures the time of all but the first one, to which workers may come late.
class EmptyParts final : public PartedWork {
 public:
  static constexpr int kCount = 32;
  Part nextPart() noexcept override {
    if (m_numBegun == 1) m_start = Clock::now();
    if (m_numBegun == kCount + 1) m_seconds = secondsSince(m_start);
    return m_numBegun++ <= kCount ? Part::Shared : Part::None;
  }
  void runShare(int) noexcept override {}
  double seconds() const { return m_seconds; }

 private:
  int m_numBegun = 0;
  Clock::time_point m_start{};
  double m_seconds = 0;
};

void measureStart(ThreadPool& pool, Calibration& result) {
  Tries empty, meeting;
  for (int i = 0; i < 200; ++i) {
    const auto start = Clock::now();
    pool.run([](int) {});
    empty.add(secondsSince(start));
    EmptyParts parts;
    pool.run(parts);
    meeting.add(parts.seconds() / EmptyParts::kCount);
  }
  result.stepSeconds = empty.typical();
  result.barrierSeconds = meeting.typical();
}

using Trials = std::vector<std::pair<std::unique_ptr<Trial>, Tries>>;

/// Returns whether the operands are larger than usual caches. These examples determine
/// FamilyPrice::exposed, and all others determine the prices.
bool isFar(const Trial& trial) {
  constexpr double kFarBytes = 12 << 20;
  return trial.readBytes() + trial.writtenBytes() > kFarBytes;
}

void fitFamilies(const Trials& trials, Calibration& result, std::vector<MeasuredKernel>* measured) {
  struct Family {
    std::vector<PricedExample> examples;
    double logBytes = 0;
    bool hasProducts = false;
    std::vector<const Trials::value_type*> far;
  };
  std::map<std::string, Family> families;
  for (const auto& entry : trials) {
    const auto& [trial, tries] = entry;
    const KernelWork& part = trial->work().parts[0];
    if (measured != nullptr) measured->push_back({trial->name(), part, tries.typical()});
    Family& family = families[part.family];
    family.hasProducts = part.hasProducts;
    if (isFar(*trial)) {
      family.far.push_back(&entry);
      continue;
    }
    family.examples.push_back({part.amounts, tries.typical()});
    family.logBytes +=
        std::log(trial->readBytes() + trial->writtenBytes() + trial->workspaceBytes());
  }
  for (const auto& [name, family] : families) {
    if (family.examples.empty()) continue;
    // The amounts of the examples are correlated, so the fit could give multiply-adds too low a
    // price. Their price is therefore at least 95% of the time at the processor's peak rate.
    constexpr double kFastest = 0.95;
    FamilyPrice price =
        fitPrices(family.examples,
                  family.hasProducts ? kFastest * 2 * result.threads / result.flopsPerSecond : 0);
    price.footprintBytes = std::exp(family.logBytes / static_cast<double>(family.examples.size()));
    double exposedShare = 0;
    for (const auto* entry : family.far) {
      const auto& [trial, tries] = *entry;
      const Amounts& amounts = trial->work().parts[0].amounts;
      double warm = 0;
      for (size_t i = 0; i < kAmounts; ++i)
        warm += amounts[i] * price.seconds[i];
      const double own = trial->readBytes() + trial->writtenBytes();
      const double far = farSeconds(result, trial->readBytes() * trial->work().passes,
                                    trial->writtenBytes(), own, price.footprintBytes);
      constexpr double kMaxExposed = 2;
      exposedShare +=
          std::clamp((tries.typical() - warm) / std::max(far, 1e-12), 0.0, kMaxExposed) /
          static_cast<double>(family.far.size());
    }
    if (!family.far.empty()) price.exposed = exposedShare;
    result.families[name] = price;
  }
}

}  // namespace

double farSeconds(const Calibration& calibration, double readBytes, double writtenBytes,
                  double distanceBytes, double warmBytes) {
  const double each =
      calibration.secondsPerByte(distanceBytes) - calibration.secondsPerByte(warmBytes);
  return std::max(0.0, each) * (readBytes + 2 * writtenBytes);
}

double Calibration::secondsPerByte(double distanceBytes) const {
  if (memory.empty()) return 0;
  if (distanceBytes <= memory.front().bytes) return 1 / memory.front().bytesPerSecond;
  for (size_t i = 1; i < memory.size(); ++i) {
    const MemorySpeed &low = memory[i - 1], &high = memory[i];
    if (distanceBytes > high.bytes) continue;
    const double place = std::log(distanceBytes / low.bytes) / std::log(high.bytes / low.bytes);
    return (1 - place) / low.bytesPerSecond + place / high.bytesPerSecond;
  }
  return 1 / memory.back().bytesPerSecond;
}

FamilyPrice fitPrices(const std::vector<PricedExample>& examples, double minFirst) {
  FamilyPrice result;
  // Each amount is divided by the time, and then by its maximum over all examples. Large and small
  // amounts then have equal weight. Coordinate descent keeps all prices non-negative.
  std::array<double, kAmounts> scale{};
  for (const PricedExample& example : examples)
    for (size_t i = 0; i < kAmounts; ++i)
      scale[i] = std::max(scale[i], example.amounts[i] / example.seconds);
  std::array<double, kAmounts> share{};
  constexpr int kRounds = 4000;
  // Regularization, which moves prices towards 0 if the examples do not determine them
  constexpr double kRegularization = 1e-4;
  std::vector<double> rest(examples.size(), 1.0);
  for (int round = 0; round < kRounds; ++round) {
    double moved = 0;
    for (size_t i = 0; i < kAmounts; ++i) {
      if (scale[i] <= 0) continue;
      double along = 0, square = kRegularization;
      for (size_t e = 0; e < examples.size(); ++e) {
        const double x = examples[e].amounts[i] / examples[e].seconds / scale[i];
        along += x * rest[e];
        square += x * x;
      }
      const double next = std::max(i == 0 ? minFirst * scale[0] : 0.0,
                                   share[i] + (along - kRegularization * share[i]) / square),
                   change = next - share[i];
      if (change == 0) continue;
      for (size_t e = 0; e < examples.size(); ++e)
        rest[e] -= change * examples[e].amounts[i] / examples[e].seconds / scale[i];
      share[i] = next;
      moved += std::abs(change);
    }
    if (moved < 1e-9) break;
  }
  double squares = 0;
  for (const double r : rest)
    squares += r * r;
  for (size_t i = 0; i < kAmounts; ++i)
    result.seconds[i] = scale[i] > 0 ? share[i] / scale[i] : 0;
  result.error = examples.empty() ? 0 : std::sqrt(squares / static_cast<double>(examples.size()));
  return result;
}

Calibration calibrate(ThreadPool& pool, std::vector<MeasuredKernel>* measured) {
  const auto start = Clock::now();
  const double waited = secondsWaitedForCores();
  Calibration result;
  result.threads = pool.numWorkers();
  result.processor = processorTitle();
  result.instructions = loops().name;
  result.flopsPerSecond = measurePeakFlops(pool);
  measureStart(pool, result);
  constexpr size_t kSmallest = size_t{64} << 10, kLargest = size_t{128} << 20;
  Room room(std::max(kSmallest, std::min(kLargest, availableMemoryBytes() / 8)));
  for (size_t bytes = kSmallest; bytes <= room.size(); bytes *= 2)
    result.memory.push_back(measureMemory(pool, room.data(), bytes));

  // Measure in several rounds, so that a disturbance rarely affects all measurements of a kernel
  std::vector<std::pair<std::unique_ptr<Trial>, Tries>> trials;
  for (const ReferenceKernel& kernel : referenceKernels(pool.numWorkers())) {
    auto trial = std::make_unique<Trial>(setupOf(kernel, pool.numWorkers()), pool);
    if (trial->bytes() <= room.size() && trial->work().parts.size() == 1)
      trials.emplace_back(std::move(trial), Tries());
  }
  constexpr int kRounds = 3;
  constexpr double kSeconds = 0.0004;
  for (int round = 0; round < kRounds; ++round)
    for (auto& [trial, tries] : trials)
      trial->run(room, kSeconds, tries);
  fitFamilies(trials, result, measured);
  std::vector<double> disturbances;
  for (const auto& [trial, tries] : trials)
    disturbances.push_back(tries.disturbance());
  std::sort(disturbances.begin(), disturbances.end());
  if (!disturbances.empty()) result.disturbance = disturbances[disturbances.size() / 2];
  result.waiting =
      std::max(0.0, secondsWaitedForCores() - waited) / secondsSince(start) / result.threads;
  return result;
}

}  // namespace strata
