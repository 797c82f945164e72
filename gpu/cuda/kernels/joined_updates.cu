// SPDX-License-Identifier: Apache-2.0
// Updates of several variables in one launch (gpu/ops/joined_updates.cpp). A block updates a part
// of one variable. Where `apply` is 0, nothing is written.
#include "gpu/cuda/kernels/update_list.h"
#include "gpu/cuda/kernels/update_rules.cuh"

namespace strata::cuda {

/// Four neighbours, which a thread loads at once.
struct alignas(16) FourFloats {
  float values[kUpdatedPerThread];
};
struct alignas(8) FourHalves {
  uint16_t values[kUpdatedPerThread];
};

__device__ inline uint16_t roundedBits(float value, int32_t type) {
  return type == kBf16 ? fromFloat<bf16>(value).bits : fromFloat<f16>(value).bits;
}

/// Returns where element i of the variable is in a matrix of which it has some columns.
__device__ inline int64_t columnsAt(int64_t i, int32_t width, int32_t pitch) {
  if (width == pitch) return i;
  const int64_t row = quotient(i, width);
  return row * pitch + i - row * width;
}

__device__ inline float gradientAt(const UpdateMember& member, int64_t element) {
  const int64_t i = columnsAt(element, member.width, member.gradientPitch);
  if (member.gradientType == kBf16) return toFloat(pointerOf<const bf16>(member.gradient)[i]);
  if (member.gradientType == kF16) return toFloat(pointerOf<const f16>(member.gradient)[i]);
  return pointerOf<const float>(member.gradient)[i];
}

/// Loads the gradients of elements [i, i + 4).
__device__ inline FourFloats fourGradients(const UpdateMember& member, int64_t element) {
  const int64_t i = columnsAt(element, member.width, member.gradientPitch);
  if (member.gradientType == kF32)
    return *reinterpret_cast<const FourFloats*>(pointerOf<const float>(member.gradient) + i);
  const FourHalves bits =
      *reinterpret_cast<const FourHalves*>(pointerOf<const uint16_t>(member.gradient) + i);
  FourFloats result;
#pragma unroll
  for (int k = 0; k < kUpdatedPerThread; ++k)
    result.values[k] =
        member.gradientType == kBf16 ? toFloat(bf16{bits.values[k]}) : toFloat(f16{bits.values[k]});
  return result;
}

template <int N>
__device__ const UpdateMember& memberOf(const UpdateList<N>& list, int32_t block) {
  int32_t low = 0, high = list.count;
  while (high - low > 1) {
    const int32_t middle = (low + high) / 2;
    (list.members[middle].firstBlock <= block ? low : high) = middle;
  }
  return list.members[low];
}

/// Updates one element.
template <class Rule>
__device__ void updateOne(const UpdateMember& member, int32_t numStates, const Rule& rule,
                          int64_t i) {
  float states[Rule::kMaxStates] = {};
  for (int s = 0; s < Rule::kMaxStates; ++s)
    if (s < numStates) states[s] = pointerOf<const float>(member.states[s])[i];
  rule.update(states, gradientAt(member, i));
  for (int s = 0; s < Rule::kMaxStates; ++s)
    if (s < numStates) pointerOf<float>(member.states[s])[i] = states[s];
  if (member.copy.bits != 0)
    pointerOf<uint16_t>(member.copy)[columnsAt(i, member.width, member.copyPitch)] =
        roundedBits(states[0], member.copyType);
}

/// Updates elements [i, i + 4), whose addresses are multiples of 16 bytes.
template <class Rule>
__device__ void updateFour(const UpdateMember& member, int32_t numStates, const Rule& rule,
                           int64_t i) {
  FourFloats states[Rule::kMaxStates] = {};
#pragma unroll
  for (int s = 0; s < Rule::kMaxStates; ++s)
    if (s < numStates)
      states[s] =
          *reinterpret_cast<const FourFloats*>(pointerOf<const float>(member.states[s]) + i);
  const FourFloats gradient = fourGradients(member, i);
  FourHalves copy;
#pragma unroll
  for (int k = 0; k < kUpdatedPerThread; ++k) {
    float own[Rule::kMaxStates];
#pragma unroll
    for (int s = 0; s < Rule::kMaxStates; ++s)
      own[s] = s < numStates ? states[s].values[k] : 0.0f;
    rule.update(own, gradient.values[k]);
#pragma unroll
    for (int s = 0; s < Rule::kMaxStates; ++s)
      states[s].values[k] = own[s];
    copy.values[k] = roundedBits(own[0], member.copyType);
  }
#pragma unroll
  for (int s = 0; s < Rule::kMaxStates; ++s)
    if (s < numStates)
      *reinterpret_cast<FourFloats*>(pointerOf<float>(member.states[s]) + i) = states[s];
  if (member.copy.bits != 0)
    *reinterpret_cast<FourHalves*>(pointerOf<uint16_t>(member.copy) +
                                   columnsAt(i, member.width, member.copyPitch)) = copy;
}

template <int N, class Rule>
__device__ void updateMembers(const UpdateList<N>& list, const UpdateScalars& scalars, Rule rule) {
  if (!applies(pointerOf<const float>(scalars.apply))) return;
  const auto block = static_cast<int32_t>(blockIdx.x);
  const UpdateMember& member = memberOf(list, block);
  const int64_t first =
      (static_cast<int64_t>(block - member.firstBlock) * blockDim.x + threadIdx.x) *
      kUpdatedPerThread;
  if (first >= member.elements) return;
  rule.begin(scalars.rate.bits == 0
                 ? 0.0f
                 : scalarAt(pointerOf<const void>(scalars.rate), scalars.rateType));
  // Four neighbours are aligned and in one row
  const bool isRegular =
      (member.width == member.gradientPitch && member.width == member.copyPitch) ||
      (member.width % kUpdatedPerThread == 0 && member.gradientPitch % kUpdatedPerThread == 0 &&
       member.copyPitch % kUpdatedPerThread == 0);
  if (isRegular && first + kUpdatedPerThread <= member.elements) {
    updateFour(member, list.numStates, rule, first);
    return;
  }
  for (int64_t i = first; i < member.elements && i < first + kUpdatedPerThread; ++i)
    updateOne(member, list.numStates, rule, i);
}

}  // namespace strata::cuda

#define STRATA_KERNELS(suffix, N)                                                                \
  STRATA_GLOBAL assigns_##suffix(STRATA_PARAMETER(strata::cuda::UpdateList<N>) list,             \
                                 strata::cuda::UpdateScalars scalars) {                          \
    strata::cuda::updateMembers(list, scalars, strata::cuda::AssignRule{});                      \
  }                                                                                              \
  STRATA_KERNEL(assigns_##suffix)                                                                \
  STRATA_GLOBAL sgd_updates_##suffix(STRATA_PARAMETER(strata::cuda::UpdateList<N>) list,         \
                                     strata::cuda::UpdateScalars scalars,                        \
                                     strata::cuda::SgdNumbers numbers) {                         \
    strata::cuda::updateMembers(                                                                 \
        list, scalars, strata::cuda::SgdRule{numbers, scalars.weightDecay, list.numStates > 1}); \
  }                                                                                              \
  STRATA_KERNEL(sgd_updates_##suffix)                                                            \
  STRATA_GLOBAL adam_updates_##suffix(STRATA_PARAMETER(strata::cuda::UpdateList<N>) list,        \
                                      strata::cuda::UpdateScalars scalars,                       \
                                      strata::cuda::AdamNumbers numbers, const int64_t* step) {  \
    strata::cuda::updateMembers(                                                                 \
        list, scalars,                                                                           \
        strata::cuda::AdamRule{numbers, scalars.weightDecay, list.numStates > 3, step});         \
  }                                                                                              \
  STRATA_KERNEL(adam_updates_##suffix)                                                           \
  STRATA_GLOBAL rmsprop_updates_##suffix(                                                        \
      STRATA_PARAMETER(strata::cuda::UpdateList<N>) list, strata::cuda::UpdateScalars scalars,   \
      strata::cuda::RmspropNumbers numbers, int32_t hasMomentum, int32_t isCentered) {           \
    strata::cuda::updateMembers(list, scalars,                                                   \
                                strata::cuda::RmspropRule{numbers, scalars.weightDecay,          \
                                                          hasMomentum != 0, isCentered != 0});   \
  }                                                                                              \
  STRATA_KERNEL(rmsprop_updates_##suffix)                                                        \
  STRATA_GLOBAL adagrad_updates_##suffix(STRATA_PARAMETER(strata::cuda::UpdateList<N>) list,     \
                                         strata::cuda::UpdateScalars scalars, float epsilon) {   \
    strata::cuda::updateMembers(list, scalars,                                                   \
                                strata::cuda::AdagradRule{epsilon, scalars.weightDecay});        \
  }                                                                                              \
  STRATA_KERNEL(adagrad_updates_##suffix)
STRATA_KERNELS(few, strata::cuda::kFewMembers)
STRATA_KERNELS(many, strata::cuda::kManyMembers)
#undef STRATA_KERNELS
