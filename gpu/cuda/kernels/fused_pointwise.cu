// SPDX-License-Identifier: Apache-2.0
// Runs the programs of fused_pointwise (gpu/ops/fused_pointwise.h) without compiling them: all
// threads of a card take the same steps. A thread computes four elements, so that it decodes each
// step once for them.
#include "gpu/cuda/kernels/activation.cuh"
#include "gpu/cuda/kernels/formulas.cuh"

namespace strata::cuda {

constexpr int kElements = 4;

/// Returns where element `i` of the result finds its element of an input.
__device__ inline int64_t placeOf(const PointwiseProgram& program, const ProgramInput& input,
                                  int64_t i) {
  switch (input.spread) {
    case InputSpread::Same: return i;
    case InputSpread::Single: return 0;
    case InputSpread::Repeated:
      return program.isSmall ? static_cast<uint32_t>(i) % static_cast<uint32_t>(input.size)
                             : i % input.size;
    case InputSpread::Stretched:
      return program.isSmall ? static_cast<uint32_t>(i) / static_cast<uint32_t>(input.size)
                             : i / input.size;
    default: break;
  }
  int64_t result = 0;
  for (int axis = program.rank - 1; axis >= 0; --axis) {
    const int64_t next = program.isSmall
                             ? static_cast<uint32_t>(i) / static_cast<uint32_t>(program.dims[axis])
                             : i / program.dims[axis];
    result += (i - next * program.dims[axis]) * input.strides[axis];
    i = next;
  }
  return result;
}

__device__ inline float loadFloat(AddressBits address, int32_t type, int64_t place) {
  if (type == kBf16) return toFloat(pointerOf<const bf16>(address)[place]);
  if (type == kF16) return toFloat(pointerOf<const f16>(address)[place]);
  return pointerOf<const float>(address)[place];
}

/// Computes a step for all elements of the thread.
__device__ inline void runStep(const ProgramStep& step, const float* a, const float* b, float* y) {
  const auto alpha = step.scale;
  switch (step.kind) {
    case StepKind::Unary:
      return visitUnary(static_cast<UnaryOp>(step.op), [&](auto formula) {
        for (int e = 0; e < kElements; ++e)
          y[e] = formula(a[e]);
      });
    case StepKind::Binary:
      return visitBinary(static_cast<BinaryOp>(step.op), [&](auto formula) {
        for (int e = 0; e < kElements; ++e)
          y[e] = formula(a[e], b[e]);
      });
    case StepKind::Affine:
      for (int e = 0; e < kElements; ++e)
        y[e] = scaleAndOffset(a[e], step.scale, step.offset);
      return;
    case StepKind::Activation:
      strata::visitActivation(static_cast<int>(step.op), [&](auto formula) {
        for (int e = 0; e < kElements; ++e)
          y[e] = decltype(formula)::forward(a[e], alpha);
      });
      return;
    default:
      strata::visitActivation(static_cast<int>(step.op), [&](auto formula) {
        for (int e = 0; e < kElements; ++e)
          y[e] = a[e] * decltype(formula)::derivative(b[e], alpha);
      });
  }
}

__device__ inline void runProgram(const PointwiseProgram& program, void* y, int64_t count) {
  float values[kMaxProgramInputs + kMaxProgramSteps][kElements];
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x * kElements + threadIdx.x;
  for (int n = 0; n < program.numInputs; ++n)
    for (int e = 0; e < kElements; ++e) {
      const int64_t i = first + static_cast<int64_t>(e) * blockDim.x;
      const ProgramInput& input = program.inputs[n];
      values[n][e] =
          i < count ? loadFloat(input.address, input.type, placeOf(program, input, i)) : 0.0f;
    }
  int place = program.numInputs;
  for (int s = 0; s < program.numSteps; ++s, ++place) {
    const ProgramStep& step = program.steps[s];
    runStep(step, values[step.first], values[step.second], values[place]);
  }
  for (int e = 0; e < kElements; ++e) {
    const int64_t i = first + static_cast<int64_t>(e) * blockDim.x;
    if (i >= count) continue;
    const float value = values[place - 1][e];
    if (program.type == kBf16)
      static_cast<bf16*>(y)[i] = fromFloat<bf16>(value);
    else if (program.type == kF16)
      static_cast<f16*>(y)[i] = fromFloat<f16>(value);
    else
      static_cast<float*>(y)[i] = value;
  }
}

}  // namespace strata::cuda

STRATA_GLOBAL fused_pointwise(strata::cuda::PointwiseProgram program, void* y, int64_t count) {
  strata::cuda::runProgram(program, y, count);
}
STRATA_KERNEL(fused_pointwise)
