// SPDX-License-Identifier: Apache-2.0
// The stages slice, mix and split: which samples of a source train, validate and test. Not here:
// the order of an epoch (dataset.h). Thread: pure functions.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace strata {

struct Samples;
struct DamagedSample;

struct Selection {
  // Samples at the beginning that are left out
  int64_t skip = 0;
  // Of the rest, this many; absent: all
  std::optional<int64_t> take;
  // Samples are mixed by it before they are split; absent: they stay in order
  std::optional<uint64_t> splitSeed;
  // The last fraction tests
  double testSplit = 0;
  // The last fraction of the others validates
  double validationSplit = 0;
  bool isSlice() const { return skip > 0 || take.has_value(); }
  /// Of `count` samples, those that are left after skip and take.
  int64_t sliced(int64_t count) const;
};

struct SplitPlan {
  // trainCount that train, then those that validate
  std::vector<int32_t> train;
  int64_t trainCount = 0;
  std::vector<int32_t> test;
};

/// The share that trains: the rest validates.
int64_t trainingShare(int64_t samples, double validationSplit);
/// Numbers alone, for a description. count: after the slice.
struct SplitCounts {
  int64_t train = 0, validation = 0, test = 0;
};
SplitCounts countSplits(const Selection& selection, int64_t count);
/// isSliced: skip and take are done already.
SplitPlan planSplits(const Selection& selection, int64_t count, bool isSliced = false);
/// A copy of these samples in this order.
std::shared_ptr<const Samples> selectSamples(const std::shared_ptr<const Samples>& samples,
                                             const std::vector<int32_t>& indices);
/// The first `there` of these samples without those that have a problem, which are added to
/// `damaged`; with `replaces` as many as before: the good one before it stands in for each, else
/// the first behind. problemOf: what is wrong with a sample and the file that has it, nothing of a
/// good one. Fails: InvalidFile where none is good.
std::shared_ptr<const Samples> withoutDamaged(
    const std::shared_ptr<const Samples>& samples, int64_t there, bool replaces,
    const std::function<std::optional<DamagedSample>(int64_t)>& problemOf,
    std::vector<DamagedSample>& damaged);

}  // namespace strata
