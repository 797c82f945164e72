// SPDX-License-Identifier: Apache-2.0
// The stages slice, shuffle and split select the samples of a source that are used for training,
// validation and test. Not here: the order of an epoch (dataset.h).
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace strata {

struct Samples;
struct DamagedSample;

struct Selection {
  // Number of samples to skip at the beginning
  int64_t skip = 0;
  // Number of samples to use after the skipped ones; absent to use all
  std::optional<int64_t> take;
  // Seed for shuffling before the split; absent to keep the order
  std::optional<uint64_t> splitSeed;
  // Fraction at the end that is used for the test
  double testSplit = 0;
  // Fraction at the end of the other samples that is used for validation
  double validationSplit = 0;
  // Whether each part has the same shares of the classes
  bool isStratified = false;
  bool isSlice() const { return skip > 0 || take.has_value(); }
  /// Returns how many of `count` samples remain after skip and take.
  int64_t sliced(int64_t count) const;
};

struct SplitPlan {
  // Indices of trainCount training samples, followed by the indices of the validation samples
  std::vector<int32_t> train;
  int64_t trainCount = 0;
  std::vector<int32_t> test;
};

/// Returns the number of training samples among `samples` samples. The others are for validation.
int64_t trainingShare(int64_t samples, double validationSplit);
/// The numbers of samples in a split.
struct SplitCounts {
  int64_t train = 0, validation = 0, test = 0;
};
/// Returns the numbers of samples in each part of a split, for a description. `count` is the number
/// of samples after skip and take.
SplitCounts countSplits(const Selection& selection, int64_t count);
/// Plans the split of `count` samples. `isSliced` means that skip and take have already been
/// applied. `classes` has the class of each sample, and is used if the split is stratified: each
/// part then takes its share of each class, rounded so that its size is that of another split.
SplitPlan planSplits(const Selection& selection, int64_t count, bool isSliced = false,
                     std::span<const int32_t> classes = {});
/// Returns a copy of the samples with these indices, in this order.
std::shared_ptr<const Samples> selectSamples(const std::shared_ptr<const Samples>& samples,
                                             const std::vector<int32_t>& indices);
/// Returns the samples without damaged and missing ones. Only the first `there` samples exist; the
/// others are missing because their file is truncated. Damaged samples are added to `damaged`. With
/// `replaces`, each damaged or missing sample is replaced by the last good one before it, or by the
/// first one after it. `problemOf` returns the file and problem of a damaged sample, and nullopt
/// for a good one. Fails: InvalidFile if no sample is good.
std::shared_ptr<const Samples> withoutDamaged(
    const std::shared_ptr<const Samples>& samples, int64_t there, bool replaces,
    const std::function<std::optional<DamagedSample>(int64_t)>& problemOf,
    std::vector<DamagedSample>& damaged);

}  // namespace strata
