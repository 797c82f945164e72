// SPDX-License-Identifier: Apache-2.0
#include "core/runs/step_advice.h"

#include <algorithm>
#include <cmath>

#include "core/runs/events.h"

namespace strata {

namespace {

// A smaller part of a step is not worth a change
constexpr double kWorthwhile = 0.1;
// Launching a kernel takes about 2 us (gpu/cost/card_clock.h), so shorter kernels are mostly launch
constexpr double kShortNanoseconds = 5000;
constexpr double kManyShort = 0.3;
// A kernel at more than this part of the speed of memory is limited by it
constexpr double kNearLimit = 0.6;
constexpr double kMuchMemory = 0.4;
// A kernel that takes this part of a step is worth a look at how well it fills the card
constexpr double kLargeKernel = 0.2;
constexpr double kLowOccupancy = 0.25;

class Adviser {
 public:
  Adviser(const ProfileSnapshot& profile, int64_t batchSize, int processors)
      : m_profile(profile),
        m_breakdown(breakdownOf(profile)),
        m_batchSize(batchSize),
        m_processors(processors) {}
  std::vector<StepAdvice> run();

 private:
  void add(const Text& text, Arguments arguments, double share, std::optional<Fix> fix = {});
  Fix largerBatch() const { return setFix("/training/batch_size", 2 * m_batchSize); }
  void adviseOnData();
  void adviseOnPart(StepPart part, const Text& text);
  void adviseOnKernels();
  void adviseOnShortKernels(double total);
  void adviseOnMemory(double total);
  void adviseOnOccupancy(double total);

  const ProfileSnapshot& m_profile;
  const StepBreakdown m_breakdown;
  const int64_t m_batchSize;
  const int m_processors;
  std::vector<StepAdvice> m_advice;
};

std::string percent(double share) { return std::to_string(std::lround(100 * share)) + "%"; }

void Adviser::add(const Text& text, Arguments arguments, double share, std::optional<Fix> fix) {
  arguments.insert(arguments.begin(), Argument(percent(share)));
  m_advice.push_back({{text, std::move(arguments)}, share, std::move(fix)});
}

void Adviser::adviseOnData() {
  const double share = m_breakdown.shareOf(StepPart::Waiting);
  const int threads = m_profile.loaderThreads;
  // Without a loader, samples are only copied
  if (share < kWorthwhile || threads == 0) return;
  // Loading takes the whole step now, and must take the rest of it
  const double needed = threads / std::max(0.05, 1 - share);
  const int most = std::max(0, m_processors - threads);
  const int more = std::min(most, static_cast<int>(std::ceil(needed)) - threads);
  if (more >= 1)
    add(STRATA_TEXT("StepAdvice",
                    "Waiting for data is %1 of a step, with %2 loader threads. Use %3 more."),
        {std::to_string(threads), std::to_string(more)}, share,
        setFix("/execution/loader_threads", threads + more));
  else
    add(STRATA_TEXT("StepAdvice",
                    "Waiting for data is %1 of a step, although %2 threads load it on %3 cores. "
                    "Store samples that need no decoding, such as npy files, or smaller images."),
        {std::to_string(threads), std::to_string(m_processors)}, share);
}

void Adviser::adviseOnPart(StepPart part, const Text& text) {
  if (const double share = m_breakdown.shareOf(part); share >= kWorthwhile)
    add(text, {}, share, largerBatch());
}

/// Many kernels are so short that starting them takes most of their time.
void Adviser::adviseOnShortKernels(double total) {
  double sum = 0;
  int count = 0;
  for (const KernelRow& row : m_profile.kernels->rows) {
    const double mean = static_cast<double>(row.total.count()) /
                        static_cast<double>(std::max<int64_t>(1, row.calls));
    if (mean >= kShortNanoseconds) continue;
    sum += static_cast<double>(row.total.count());
    ++count;
  }
  if (sum >= kManyShort * total)
    add(STRATA_TEXT("StepAdvice",
                    "%2 short kernels take %1 of the time of all kernels, and mostly wait for "
                    "their start. A larger batch makes them longer."),
        {std::to_string(count)}, sum / total, largerBatch());
}

void Adviser::adviseOnMemory(double total) {
  const KernelProfile& kernels = *m_profile.kernels;
  const double limit = kernels.limits.bytesPerSecond;
  const bool hasBfloat16 = std::ranges::any_of(
      kernels.limits.flopsPerSecond, [](const auto& rate) { return rate.first == "bfloat16"; });
  if (limit <= 0 || !hasBfloat16 || kernels.precision == "bfloat16" ||
      kernels.precision == "float16")
    return;
  double sum = 0;
  for (const KernelRow& row : kernels.rows)
    if (row.record.instruction >= 0 && kernels.isMain(row) &&
        row.bytesPerSecond() >= kNearLimit * limit)
      sum += static_cast<double>(row.total.count());
  if (sum >= kMuchMemory * total)
    add(STRATA_TEXT("StepAdvice",
                    "Kernels that the memory of the card limits take %1 of the time. bfloat16 "
                    "halves the bytes of activations."),
        {}, sum / total, setFix("/execution/precision", "bfloat16"));
}

void Adviser::adviseOnOccupancy(double total) {
  for (const KernelRow& row : m_profile.kernels->rows) {
    const double share = static_cast<double>(row.total.count()) / total;
    if (share < kLargeKernel || row.record.theoreticalOccupancy <= 0 ||
        row.record.occupancy >= kLowOccupancy)
      continue;
    add(STRATA_TEXT("StepAdvice",
                    "The kernel %2 of %3 takes %1 of the time and fills %4 of the card. A larger "
                    "batch fills more."),
        {excerpt(row.record.name, 60), row.record.layer.empty() ? row.record.op : row.record.layer,
         percent(row.record.occupancy)},
        share, largerBatch());
  }
}

void Adviser::adviseOnKernels() {
  if (!m_profile.kernels || m_profile.kernels->source == StepRecords::Source::HostClock) return;
  double total = 0;
  for (const KernelRow& row : m_profile.kernels->rows)
    total += static_cast<double>(row.total.count());
  if (total <= 0) return;
  adviseOnShortKernels(total);
  adviseOnMemory(total);
  adviseOnOccupancy(total);
}

std::vector<StepAdvice> Adviser::run() {
  adviseOnData();
  adviseOnPart(StepPart::Copies,
               STRATA_TEXT("StepAdvice",
                           "Copies to the device and back are %1 of a step. A larger batch needs "
                           "fewer of them."));
  adviseOnPart(StepPart::Communication,
               STRATA_TEXT("StepAdvice",
                           "Communication that computing does not hide is %1 of a step. With a "
                           "larger batch, the devices communicate less often."));
  adviseOnPart(StepPart::Host,
               STRATA_TEXT("StepAdvice",
                           "Work between the steps is %1 of a step. With a larger batch, there are "
                           "fewer steps."));
  adviseOnKernels();
  if (m_profile.observationFraction >= kWorthwhile)
    add(STRATA_TEXT("StepAdvice",
                    "Profiling takes %1 of the time. Stop it when you have seen "
                    "enough."),
        {}, m_profile.observationFraction);
  std::ranges::stable_sort(m_advice, std::ranges::greater(), &StepAdvice::share);
  return std::move(m_advice);
}

}  // namespace

std::vector<StepAdvice> adviceOn(const ProfileSnapshot& profile, int64_t batchSize,
                                 int processors) {
  if (profile.stepMicroseconds <= 0) return {};
  return Adviser(profile, batchSize, processors).run();
}

}  // namespace strata
