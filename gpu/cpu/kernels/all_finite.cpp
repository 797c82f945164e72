// SPDX-License-Identifier: Apache-2.0
// Looks for elements that are not finite. The magnitudes of floats are ordered like their bits as
// integers, so one maximum finds infinities, NaNs and the largest finite element.
#include <array>
#include <bit>

#include "gpu/cpu/cpu_kernel.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::cpu {
namespace {

constexpr int64_t kLeastElements = 4096;

/// Returns the bits of the largest magnitude.
template <int kLanes>
[[gnu::always_inline]] inline int32_t largestOf(const float* values, int64_t begin, int64_t end) {
  std::array<int32_t, kLanes> largest{};
  const auto bitsOf = [&](int64_t i) {
    return std::bit_cast<int32_t>(values[i]) & 0x7fffffff;
  };
  int64_t at = begin;
  for (; at + kLanes <= end; at += kLanes)
    for (int i = 0; i < kLanes; ++i) {
      int32_t& lane = largest[static_cast<size_t>(i)];
      const int32_t bits = bitsOf(at + i);
      lane = bits > lane ? bits : lane;
    }
  for (; at < end; ++at)
    largest[0] = std::max(largest[0], bitsOf(at));
  return *std::ranges::max_element(largest);
}

int32_t largestPlain(const float* values, int64_t begin, int64_t end) {
  return largestOf<16>(values, begin, end);
}

#if defined(__x86_64__)
// Processors without AVX2 have no instruction for the maximum of packed integers
[[gnu::target("avx2")]] int32_t largestAvx2(const float* values, int64_t begin, int64_t end) {
  return largestOf<32>(values, begin, end);
}
#else
constexpr auto largestAvx2 = largestPlain;
#endif

}  // namespace

std::unique_ptr<HostKernel> makeAllFinite(const KernelSetup& setup) {
  for (const TensorType& type : setup.inputs)
    if (!isF32(type)) return nullptr;
  const std::vector<TensorType> types = setup.inputs;
  const int workers = setup.numWorkers;
  const bool isChained = setup.flag("chained");
  const size_t count = types.size(),
               firstPaired = count - 2 * static_cast<size_t>(setup.integer("pairs")),
               stride = alignedFloats(count);
  int64_t elements = 0;
  for (const TensorType& type : types)
    elements += type.shape.numElements();
  const auto largestBits = setup.loops->width >= 8 ? largestAvx2 : largestPlain;
  const bool isSolo = isAlone(kLeastElements, elements);
  const auto body = [=](const KernelArguments& arguments, int stage, int worker) {
    auto* largest = reinterpret_cast<int32_t*>(arguments.workspace);
    if (stage == 0) {
      if (isSolo && worker != 0) return;
      for (size_t i = 0; i < count; ++i) {
        const WorkRange range = shareOrAll(isSolo, types[i].shape.numElements(), worker, workers);
        largest[static_cast<size_t>(worker) * stride + i] =
            largestBits(inputOf<float>(arguments, i), range.begin, range.end);
      }
    }
    if (worker != 0 || stage != (isSolo ? 0 : 1)) return;
    for (size_t i = 0; i < count; ++i)
      for (int other = 1; other < (isSolo ? 1 : workers); ++other)
        largest[i] = std::max(largest[i], largest[static_cast<size_t>(other) * stride + i]);
    const int32_t all = *std::max_element(largest, largest + count);
    bool isFinite = all < std::bit_cast<int32_t>(std::numeric_limits<float>::infinity()) &&
                    !(isChained && largest[0] == 0);
    const auto magnitude = [&](size_t i) {
      return static_cast<double>(std::bit_cast<float>(largest[i]));
    };
    for (size_t i = firstPaired; isFinite && i < count; i += 2)
      isFinite = reference::isPairFinite(types[i], types[i + 1], arguments.inputs[i],
                                         arguments.inputs[i + 1], magnitude(i), magnitude(i + 1));
    *outputOf<float>(arguments) = isFinite ? 1.0f : 0.0f;
  };
  return makeKernel(setup, "largest magnitude", body, isSolo ? 1 : 2,
                    static_cast<size_t>(isSolo ? 1 : workers) * stride * sizeof(int32_t), isSolo);
}

}  // namespace strata::cpu
