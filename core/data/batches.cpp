// SPDX-License-Identifier: Apache-2.0
// Determines the order of samples in an epoch, and copies samples into batches.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/data/dataset.h"
#include "gpu/base/rng.h"

namespace strata {

namespace {

// These loops are compiled twice: for all processors, and for AVX2. Neither version uses fused
// multiply-add, so the results are bit-identical on every processor.
template <class From>
inline __attribute__((always_inline)) void scaleLoop(const From* from, float* to, int64_t count,
                                                     float scale, float offset) {
  for (int64_t i = 0; i < count; ++i)
    to[i] = static_cast<float>(from[i]) * scale + offset;
}

template <class From>
void scaleBaseline(const From* from, float* to, int64_t count, float scale, float offset) {
  scaleLoop(from, to, count, scale, offset);
}

#if defined(__x86_64__)
template <class From>
__attribute__((target("avx2"))) void scaleAvx2(const From* from, float* to, int64_t count,
                                               float scale, float offset) {
  scaleLoop(from, to, count, scale, offset);
}
const bool kHasAvx2 = __builtin_cpu_supports("avx2");
#endif

template <class From>
void scaleInto(const From* from, float* to, int64_t count, float scale, float offset) {
#if defined(__x86_64__)
  if (kHasAvx2) return scaleAvx2(from, to, count, scale, offset);
#endif
  scaleBaseline(from, to, count, scale, offset);
}

inline __attribute__((always_inline)) void affineLoop(float* sample, const float* shift,
                                                      const float* scale, int64_t count) {
  for (int64_t i = 0; i < count; ++i)
    sample[i] = (sample[i] - shift[i]) * scale[i];
}
inline __attribute__((always_inline)) void clipLoop(float* sample, float low, float high,
                                                    int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const float raised = sample[i] > low ? sample[i] : low;
    sample[i] = raised < high ? raised : high;
  }
}

void affineBaseline(float* sample, const float* shift, const float* scale, int64_t count) {
  affineLoop(sample, shift, scale, count);
}
void clipBaseline(float* sample, float low, float high, int64_t count) {
  clipLoop(sample, low, high, count);
}
#if defined(__x86_64__)
__attribute__((target("avx2"))) void affineAvx2(float* sample, const float* shift,
                                                const float* scale, int64_t count) {
  affineLoop(sample, shift, scale, count);
}
__attribute__((target("avx2"))) void clipAvx2(float* sample, float low, float high, int64_t count) {
  clipLoop(sample, low, high, count);
}
#endif

void affineSteps(float* sample, const float* shift, const float* scale, int64_t count) {
#if defined(__x86_64__)
  if (kHasAvx2) return affineAvx2(sample, shift, scale, count);
#endif
  affineBaseline(sample, shift, scale, count);
}

void clipSteps(float* sample, float low, float high, int64_t count) {
#if defined(__x86_64__)
  if (kHasAvx2) return clipAvx2(sample, low, high, count);
#endif
  clipBaseline(sample, low, high, count);
}

template <class From, class To>
void convertInto(const std::byte* from, std::byte* to, int64_t count,
                 const InputTransform& transform) {
  const From* source = reinterpret_cast<const From*>(from);
  To* target = reinterpret_cast<To*>(to);
  if constexpr (std::is_same_v<To, float>) {
    scaleInto(source, target, count, static_cast<float>(transform.scale),
              static_cast<float>(transform.offset));
  }
  else if constexpr (std::is_same_v<To, double>) {
    for (int64_t i = 0; i < count; ++i)
      target[i] = static_cast<double>(source[i]) * transform.scale + transform.offset;
  }
  else if (transform.scale == 1 && transform.offset == 0) {
    for (int64_t i = 0; i < count; ++i)
      target[i] = static_cast<To>(source[i]);
  }
  else {
    for (int64_t i = 0; i < count; ++i)
      target[i] =
          static_cast<To>(static_cast<double>(source[i]) * transform.scale + transform.offset);
  }
}

using Convert = void (*)(const std::byte*, std::byte*, int64_t, const InputTransform&);

template <class From>
Convert convertFrom(DType to) {
  switch (to) {
    case DType::F32: return convertInto<From, float>;
    case DType::F64: return convertInto<From, double>;
    case DType::I32: return convertInto<From, int32_t>;
    case DType::I64: return convertInto<From, int64_t>;
    case DType::U8: return convertInto<From, uint8_t>;
    // Samples and inputs of a step never have 16-bit floating-point types
    case DType::BF16:
    case DType::F16: break;
  }
  return nullptr;
}

Convert converter(DType from, DType to) {
  switch (from) {
    case DType::F32: return convertFrom<float>(to);
    case DType::F64: return convertFrom<double>(to);
    case DType::I32: return convertFrom<int32_t>(to);
    case DType::I64: return convertFrom<int64_t>(to);
    case DType::U8: return convertFrom<uint8_t>(to);
    case DType::BF16:
    case DType::F16: break;
  }
  return nullptr;
}

void gather(const Tensor& source, const InputTransform& transform, const int32_t* indices,
            int64_t begin, int64_t end, std::byte* batch, DType batchType,
            int64_t batchElements = 0) {
  const int64_t samples = source.shape().rank() > 0 ? source.shape()[0] : 0;
  if (samples == 0) return;
  const int64_t elements = source.numElements() / samples;
  const size_t sourceStride = static_cast<size_t>(elements) * dtypeBytes(source.dtype()),
               batchStride =
                   static_cast<size_t>(std::max(elements, batchElements)) * dtypeBytes(batchType);
  if (elements < batchElements)
    std::fill(batch + static_cast<size_t>(begin) * batchStride,
              batch + static_cast<size_t>(end) * batchStride, std::byte{0});
  const auto from = [&](int64_t i) {
    return source.data() + static_cast<size_t>(indices[i]) * sourceStride;
  };
  const auto to = [&](int64_t i) {
    return batch + static_cast<size_t>(i) * batchStride;
  };
  const Convert convert = converter(source.dtype(), transform.more ? DType::F32 : batchType);
  if (transform.isExact) {
    std::vector<double> sample(static_cast<size_t>(elements));
    const Convert first = converter(source.dtype(), DType::F64),
                  last = converter(DType::F64, batchType);
    for (int64_t i = begin; i < end; ++i) {
      first(from(i), reinterpret_cast<std::byte*>(sample.data()), elements, transform);
      if (transform.more) applySteps(*transform.more, sample.data(), elements);
      last(reinterpret_cast<const std::byte*>(sample.data()), to(i), elements, {});
    }
  }
  else if (!transform.more) {
    for (int64_t i = begin; i < end; ++i)
      convert(from(i), to(i), elements, transform);
  }
  else if (batchType == DType::F32) {
    for (int64_t i = begin; i < end; ++i) {
      convert(from(i), to(i), elements, transform);
      applySteps(*transform.more, reinterpret_cast<float*>(to(i)), elements);
    }
  }
  else {
    std::vector<float> sample(static_cast<size_t>(elements));
    const Convert last = converter(DType::F32, batchType);
    for (int64_t i = begin; i < end; ++i) {
      convert(from(i), reinterpret_cast<std::byte*>(sample.data()), elements, transform);
      applySteps(*transform.more, sample.data(), elements);
      last(reinterpret_cast<const std::byte*>(sample.data()), to(i), elements, {});
    }
  }
}

}  // namespace

void applySteps(const std::vector<MapStep>& steps, float* sample, int64_t elements) {
  for (const MapStep& step : steps)
    switch (step.kind) {
      case MapStep::Kind::Affine:
        if (static_cast<int64_t>(step.shift.size()) == elements)
          affineSteps(sample, step.shift.data(), step.scale.data(), elements);
        break;
      case MapStep::Kind::Clip:
        clipSteps(sample, static_cast<float>(step.low), static_cast<float>(step.high), elements);
        break;
      case MapStep::Kind::Log1p:
        for (int64_t i = 0; i < elements; ++i)
          sample[i] = std::copysign(std::log1p(std::abs(sample[i])), sample[i]);
        break;
    }
}

void applySteps(const std::vector<MapStep>& steps, double* sample, int64_t elements) {
  for (const MapStep& step : steps)
    for (int64_t i = 0; i < elements; ++i) {
      double& value = sample[i];
      const auto at = static_cast<size_t>(i);
      switch (step.kind) {
        case MapStep::Kind::Affine:
          if (at < step.exactShift.size())
            value = (value - step.exactShift[at]) * step.exactScale[at];
          break;
        case MapStep::Kind::Clip: value = std::min(std::max(value, step.low), step.high); break;
        case MapStep::Kind::Log1p: value = std::copysign(std::log1p(std::abs(value)), value); break;
      }
    }
}

std::vector<int32_t> samplesFrom(int64_t first, int64_t count) {
  std::vector<int32_t> indices(static_cast<size_t>(count));
  std::iota(indices.begin(), indices.end(), static_cast<int32_t>(first));
  return indices;
}

std::vector<int32_t> epochOrder(uint64_t seed, int64_t epoch, int64_t count, bool isShuffled) {
  std::vector<int32_t> order = samplesFrom(0, count);
  if (!isShuffled) return order;
  RandomStream random(seed, streamOf("shuffle") + static_cast<uint64_t>(epoch));
  for (size_t i = order.size(); i > 1; --i)
    std::swap(order[i - 1], order[random.below(static_cast<uint32_t>(i))]);
  return order;
}

void gatherInputs(const Tensor& array, const InputTransform& transform, const int32_t* indices,
                  int64_t begin, int64_t end, std::byte* batch, DType batchType) {
  gather(array, transform, indices, begin, end, batch, batchType);
}

void gatherTargets(const Tensor& array, const int32_t* indices, int64_t begin, int64_t end,
                   std::byte* batch, DType batchType, int64_t elements) {
  gather(array, {}, indices, begin, end, batch, batchType, elements);
}

void gatherWeights(const Samples& samples, size_t output, const int32_t* indices, int64_t begin,
                   int64_t end, float* batch) {
  const bool hasWeights =
      output < samples.weights.size() && samples.weights[output].numElements() > 0;
  const float* const weights = hasWeights ? samples.weights[output].as<float>().data() : nullptr;
  for (int64_t i = begin; i < end; ++i)
    batch[i] = hasWeights ? weights[indices[i]] : 1.0f;
}

namespace {

/// Implements forEachSample() and forEachExactSample(). T is the type of `batchType`.
template <class T>
void forEachOf(const Samples& samples, size_t input, const InputTransform& transform, int64_t count,
               DType batchType, const std::function<void(int64_t, std::span<const T>)>& take) {
  constexpr int64_t kMaxNumbers = int64_t{1} << 24;
  const auto elements = static_cast<size_t>(samples.x[input].shape().without(0).numElements());
  // The size of the samples that are converted at once is limited, because large images may take
  // much memory.
  const int64_t atOnce = std::clamp<int64_t>(
      kMaxNumbers / std::max<int64_t>(1, static_cast<int64_t>(elements)), 1, 256);
  std::vector<T> values(static_cast<size_t>(std::min(atOnce, count)) * elements);
  for (int64_t begin = 0; begin < count; begin += atOnce) {
    const int64_t some = std::min(atOnce, count - begin);
    const std::vector<int32_t> indices = samplesFrom(begin, some), inOrder = samplesFrom(0, some);
    Samples decoded;
    if (samples.decode) decoded = samplesInMemory(samples, indices);
    gatherInputs((samples.decode ? decoded : samples).x[input], transform,
                 (samples.decode ? inOrder : indices).data(), 0, some,
                 reinterpret_cast<std::byte*>(values.data()), batchType);
    for (int64_t i = 0; i < some; ++i)
      take(begin + i,
           std::span<const T>(values).subspan(static_cast<size_t>(i) * elements, elements));
  }
}

}  // namespace

void forEachSample(const Samples& samples, size_t input, const InputTransform& transform,
                   int64_t count,
                   const std::function<void(int64_t, std::span<const float>)>& take) {
  forEachOf<float>(samples, input, transform, count, DType::F32, take);
}

void forEachExactSample(const Samples& samples, size_t input, const InputTransform& transform,
                        int64_t count,
                        const std::function<void(int64_t, std::span<const double>)>& take) {
  if (transform.isExact) {
    forEachOf<double>(samples, input, transform, count, DType::F64, take);
    return;
  }
  std::vector<double> values;
  forEachSample(samples, input, transform, count,
                [&](int64_t sample, std::span<const float> rounded) {
                  values.assign(rounded.begin(), rounded.end());
                  take(sample, values);
                });
}

}  // namespace strata
