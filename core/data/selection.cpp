// SPDX-License-Identifier: Apache-2.0
#include "core/data/selection.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "core/data/dataset.h"
#include "core/data/parallel.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"

namespace strata {

int64_t Selection::sliced(int64_t count) const {
  const int64_t left = std::max<int64_t>(0, count - skip);
  return take ? std::min(*take, left) : left;
}

int64_t trainingShare(int64_t samples, double validationSplit) {
  return static_cast<int64_t>(std::floor(static_cast<double>(samples) * (1.0 - validationSplit)));
}

SplitCounts countSplits(const Selection& selection, int64_t count) {
  SplitCounts counts;
  const int64_t rest = trainingShare(count, selection.testSplit);
  counts.test = count - rest;
  counts.train = trainingShare(rest, selection.validationSplit);
  counts.validation = rest - counts.train;
  return counts;
}

namespace {

/// Distributes `total` samples over classes in proportion to their sizes, by largest remainders. A
/// class keeps one sample for the other part if possible.
std::vector<int64_t> sharesOf(const std::vector<int64_t>& sizes, int64_t total) {
  const auto all = static_cast<double>(std::accumulate(sizes.begin(), sizes.end(), int64_t{0}));
  std::vector<int64_t> shares(sizes.size(), 0);
  std::vector<std::pair<double, size_t>> remainders;
  int64_t left = total;
  for (size_t i = 0; i < sizes.size(); ++i) {
    const double share =
        all > 0 ? static_cast<double>(sizes[i]) * static_cast<double>(total) / all : 0;
    shares[i] = static_cast<int64_t>(std::floor(share));
    left -= shares[i];
    remainders.emplace_back(static_cast<double>(shares[i]) - share, i);
  }
  std::stable_sort(remainders.begin(), remainders.end());
  for (const int64_t kept : {1, 0})
    for (const auto& [remainder, i] : remainders)
      if (left > 0 && shares[i] < sizes[i] - kept) {
        ++shares[i];
        --left;
      }
  return shares;
}

/// Splits the samples in `order`. Each part takes the last samples of each class.
SplitPlan stratifiedPlan(const std::vector<int32_t>& order, const SplitCounts& counts,
                         std::span<const int32_t> classes) {
  std::map<int32_t, size_t> places;
  for (const int32_t sample : order)
    places.emplace(classes[static_cast<size_t>(sample)], places.size());
  const auto placeOf = [&](int32_t sample) {
    return places.at(classes[static_cast<size_t>(sample)]);
  };
  std::vector<int64_t> sizes(places.size(), 0);
  for (const int32_t sample : order)
    ++sizes[placeOf(sample)];
  std::vector<int64_t> test = sharesOf(sizes, counts.test);
  for (size_t i = 0; i < sizes.size(); ++i)
    sizes[i] -= test[i];
  std::vector<int64_t> validation = sharesOf(sizes, counts.validation);
  SplitPlan plan;
  std::vector<int32_t> train;
  for (auto sample = order.rbegin(); sample != order.rend(); ++sample) {
    const size_t place = placeOf(*sample);
    if (test[place]-- > 0)
      plan.test.push_back(*sample);
    else if (validation[place]-- > 0)
      plan.train.push_back(*sample);
    else
      train.push_back(*sample);
  }
  plan.trainCount = static_cast<int64_t>(train.size());
  // The samples are in reverse order, and those for validation follow those for training.
  plan.train.insert(plan.train.end(), train.begin(), train.end());
  std::reverse(plan.train.begin(), plan.train.end());
  std::reverse(plan.test.begin(), plan.test.end());
  return plan;
}

}  // namespace

SplitPlan planSplits(const Selection& selection, int64_t count, bool isSliced,
                     std::span<const int32_t> classes) {
  const int64_t first = isSliced ? 0 : std::min(selection.skip, count),
                number = isSliced ? count : selection.sliced(count);
  std::vector<int32_t> order(static_cast<size_t>(number));
  std::iota(order.begin(), order.end(), static_cast<int32_t>(first));
  if (selection.splitSeed) {
    RandomStream random(*selection.splitSeed, streamOf("split"));
    for (size_t i = order.size(); i > 1; --i)
      std::swap(order[i - 1], order[random.below(static_cast<uint32_t>(i))]);
  }
  const SplitCounts counts = countSplits(selection, number);
  if (selection.isStratified) {
    require(static_cast<int64_t>(classes.size()) >= count, "a stratified split knows all classes");
    return stratifiedPlan(order, counts, classes);
  }
  SplitPlan plan;
  plan.trainCount = counts.train;
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(counts.train + counts.validation);
  plan.train.assign(order.begin(), end);
  plan.test.assign(end, order.end());
  return plan;
}

namespace {

Tensor rowsOf(const Tensor& tensor, std::span<const int32_t> indices) {
  Shape shape = tensor.shape();
  shape.set(0, static_cast<int64_t>(indices.size()));
  Tensor result(tensor.dtype(), shape);
  const int64_t samples = tensor.shape()[0];
  const size_t row = samples > 0 ? tensor.bytes() / static_cast<size_t>(samples) : 0;
  for (size_t i = 0; i < indices.size(); ++i)
    std::memcpy(result.data() + i * row, tensor.data() + static_cast<size_t>(indices[i]) * row,
                row);
  return result;
}

std::vector<Tensor> weightsOf(const Samples& samples, std::span<const int32_t> indices) {
  std::vector<Tensor> result;
  for (const Tensor& array : samples.weights)
    result.push_back(array.numElements() > 0 ? rowsOf(array, indices) : Tensor());
  return result;
}

}  // namespace

std::vector<int32_t> classLabels(const Samples& samples, size_t target) {
  const Tensor& y = samples.y[target];
  const int64_t count = y.shape().rank() > 0 ? y.shape()[0] : 0;
  if (count == 0) return {};
  const auto width = static_cast<size_t>(y.numElements() / count);
  if (y.dtype() == DType::I32 && width == 1)
    return {y.as<int32_t>().begin(), y.as<int32_t>().end()};
  if (y.dtype() != DType::F32 || y.shape().rank() > 2) return {};
  const auto values = y.as<float>();
  // Targets of one value are classes if each is 0 or 1, or each is -1 or 1. Several values are if
  // one of them is 1 and the others are 0.
  const float no = width == 1 && std::ranges::find(values, -1.0f) != values.end() ? -1.0f : 0.0f;
  std::vector<int32_t> classes;
  for (size_t at = 0; at < values.size(); at += width) {
    const auto row = values.subspan(at, width);
    const auto ones = std::count(row.begin(), row.end(), 1.0f),
               zeros = std::count(row.begin(), row.end(), no);
    if (ones + zeros != std::ssize(row) || (width > 1 && ones != 1)) return {};
    const auto one = std::find(row.begin(), row.end(), 1.0f) - row.begin();
    classes.push_back(static_cast<int32_t>(width == 1 ? ones : one));
  }
  return classes;
}

std::vector<Tensor> sampleOf(const Samples& samples, int64_t index) {
  std::vector<Tensor> arrays;
  for (const Tensor& array : samples.x) {
    Tensor one(array.dtype(), array.shape().without(0));
    if (samples.decode)
      samples.decode(index, one.data());
    else
      std::copy_n(array.data() + static_cast<size_t>(index) * one.bytes(), one.bytes(), one.data());
    arrays.push_back(std::move(one));
  }
  return arrays;
}

Samples samplesInMemory(const Samples& samples, std::span<const int32_t> indices) {
  // Number of samples that a thread decodes at a time
  constexpr int64_t kDecodedAtOnce = 4;
  Samples result;
  result.x.clear();
  result.y.clear();
  for (const Tensor& array : samples.y)
    result.y.push_back(rowsOf(array, indices));
  result.weights = weightsOf(samples, indices);
  if (!samples.decode) {
    for (const Tensor& array : samples.x)
      result.x.push_back(rowsOf(array, indices));
    return result;
  }
  const auto count = static_cast<int64_t>(indices.size());
  Shape shape = samples.x[0].shape();
  shape.set(0, count);
  Tensor decoded(samples.x[0].dtype(), shape);
  const size_t row = count > 0 ? decoded.bytes() / indices.size() : 0;
  forAllInParallel(count, kDecodedAtOnce, [&](int64_t i) {
    const auto at = static_cast<size_t>(i);
    samples.decode(indices[at], decoded.data() + at * row);
  });
  result.x.push_back(std::move(decoded));
  return result;
}

std::shared_ptr<const Samples> selectSamples(const std::shared_ptr<const Samples>& samples,
                                             const std::vector<int32_t>& indices) {
  auto result = std::make_shared<Samples>();
  if (samples->decode) {
    result->x = samples->x;
    result->decode = [decode = samples->decode, indices](int64_t i, std::byte* row) {
      decode(indices.at(static_cast<size_t>(i)), row);
    };
  }
  else {
    result->x.resize(samples->x.size());
    for (size_t i = 0; i < samples->x.size(); ++i)
      result->x[i] = rowsOf(samples->x[i], indices);
  }
  result->y.resize(samples->y.size());
  for (size_t i = 0; i < samples->y.size(); ++i)
    result->y[i] = rowsOf(samples->y[i], indices);
  result->weights = weightsOf(*samples, indices);
  if (samples->origin)
    result->origin = [origin = samples->origin, indices](int64_t i) {
      return origin(indices.at(static_cast<size_t>(i)));
    };
  if (samples->targetOrigin)
    result->targetOrigin = [origin = samples->targetOrigin, indices](int64_t i, size_t target) {
      return origin(indices.at(static_cast<size_t>(i)), target);
    };
  return result;
}

std::shared_ptr<const Samples> withoutDamaged(
    const std::shared_ptr<const Samples>& samples, int64_t there, bool replaces,
    const std::function<std::optional<DamagedSample>(int64_t)>& problemOf,
    std::vector<DamagedSample>& damaged) {
  std::vector<int32_t> kept;
  const size_t before = damaged.size();
  // Number of damaged samples before the first good one
  size_t early = 0;
  for (int64_t i = 0; i < there; ++i) {
    const std::optional<DamagedSample> problem = problemOf(i);
    if (!problem) {
      kept.insert(kept.end(), 1 + (replaces ? early : 0), static_cast<int32_t>(i));
      early = 0;
      continue;
    }
    damaged.push_back({problem->file, "sample " + std::to_string(i) + " " + problem->reason});
    if (kept.empty())
      ++early;
    else if (replaces)
      kept.push_back(kept.back());
  }
  if (damaged.size() == before && there == samples->count()) return samples;
  if (kept.empty())
    throw Error(ErrorCode::InvalidFile, damaged[before].file,
                "has no undamaged sample. " + damaged[before].reason);
  if (replaces) kept.resize(static_cast<size_t>(samples->count()), kept.back());
  return selectSamples(samples, kept);
}

}  // namespace strata
