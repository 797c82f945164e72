// SPDX-License-Identifier: Apache-2.0
// The stages slice, shuffle and split: which samples of a source are used for training, validation
// and test. Not here: the order of an epoch (dataset.h).
// Thread: pure functions.
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
  // Number of samples to skip at the beginning
  int64_t skip = 0;
  // Number of samples to use of the rest; absent: all
  std::optional<int64_t> take;
  // Seed for shuffling before the split; absent: samples keep their order
  std::optional<uint64_t> splitSeed;
  // Fraction at the end for the test
  double testSplit = 0;
  // Fraction at the end of the others for validation
  double validationSplit = 0;
  bool isSlice() const { return skip > 0 || take.has_value(); }
  /// The number of samples left of `count` after skip and take.
  int64_t sliced(int64_t count) const;
};

struct SplitPlan {
  // trainCount training samples, followed by the validation samples
  std::vector<int32_t> train;
  int64_t trainCount = 0;
  std::vector<int32_t> test;
};

/// The number of training samples; the rest is for validation.
int64_t trainingShare(int64_t samples, double validationSplit);
/// Only the counts, for a description. count: samples after the slice.
struct SplitCounts {
  int64_t train = 0, validation = 0, test = 0;
};
SplitCounts countSplits(const Selection& selection, int64_t count);
/// isSliced: skip and take have already been applied.
SplitPlan planSplits(const Selection& selection, int64_t count, bool isSliced = false);
/// A copy of these samples in this order.
std::shared_ptr<const Samples> selectSamples(const std::shared_ptr<const Samples>& samples,
                                             const std::vector<int32_t>& indices);
/// The first `there` samples without the damaged ones, which are added to `damaged`. With
/// `replaces` each damaged sample is replaced by the good one before it, or the first one after it.
/// problemOf: the file and problem of a damaged sample, nothing for a good one. Fails: InvalidFile
/// if no sample is good.
std::shared_ptr<const Samples> withoutDamaged(
    const std::shared_ptr<const Samples>& samples, int64_t there, bool replaces,
    const std::function<std::optional<DamagedSample>(int64_t)>& problemOf,
    std::vector<DamagedSample>& damaged);

}  // namespace strata
