// SPDX-License-Identifier: Apache-2.0
#include "core/data/selection.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

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

SplitPlan planSplits(const Selection& selection, int64_t count, bool isSliced) {
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
