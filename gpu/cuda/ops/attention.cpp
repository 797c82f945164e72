// SPDX-License-Identifier: Apache-2.0
// Attention by cuDNN's fused kernels for 16-bit types, and by own kernels for everything else: f32,
// masks, dropout, groups of heads, and cards or shapes that cuDNN does not support. The log-sum-exp
// of forward is the same for both, so the gradient may use the other one.
#include "gpu/ops/attention.h"

#include <algorithm>

#include "gpu/base/bytes.h"
#include "gpu/base/rng.h"
#include "gpu/cuda/kernels/attention.h"
#include "gpu/cuda/ops/fused_attention.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

AttentionSizes sizesOf(const CudaSetup& setup, const AttentionForm& form) {
  const Shape q = form.isJoined ? partOfJoined(setup.inputs[0]).shape : setup.inputShape(0),
              k = form.isJoined ? q : setup.inputShape(1),
              v = form.isJoined ? q : setup.inputShape(2);
  AttentionSizes a;
  a.samples = q[0];
  a.steps = q[1];
  a.heads = q[2];
  a.size = q[3];
  a.keySteps = k[1];
  a.keyHeads = k[2];
  a.valueSize = v[3];
  a.queryPitch = setup.inputShape(0)[2] * a.size;
  a.keyPitch = form.isJoined ? a.queryPitch : a.keyHeads * a.size;
  a.valuePitch = form.isJoined ? a.queryPitch : a.keyHeads * a.valueSize;
  if (form.mask >= 0) a.maskSteps = setup.inputShape(static_cast<size_t>(form.mask))[1];
  const double rate = setup.real("rate");
  a.scale = static_cast<float>(setup.real("scale"));
  a.rate = static_cast<float>(rate);
  a.keptScale = static_cast<float>(1 / (1 - rate));
  a.isCausal = setup.flag("causal") ? 1 : 0;
  a.dropsHidden = setup.flag("drops_hidden") ? 1 : 0;
  a.stream = streamOf(setup.text("stream"));
  return a;
}

/// The mask and the numbers of the random key, or null addresses.
struct OptionalOperands {
  DeviceAddress mask, seed, step, firstSample;

  OptionalOperands(const Operands& operands, const AttentionForm& form) {
    if (form.mask >= 0) mask = operands.inputs[static_cast<size_t>(form.mask)];
    if (form.seed < 0) return;
    const auto at = static_cast<size_t>(form.seed);
    seed = operands.inputs[at];
    step = operands.inputs[at + 1];
    firstSample = operands.inputs[at + 2];
  }
};

/// Compute capability of the first cards with fused attention.
constexpr int kFusedAttentionMajor = 8;

/// Returns query, key and value, or their gradients. If they are one operand, they are the first,
/// second and third part of each step.
std::vector<DeviceAddress> partsOf(const std::vector<DeviceAddress>& operands,
                                   const AttentionForm& form, const AttentionSizes& a,
                                   DType dtype) {
  if (!form.isJoined) return {operands[0], operands[1], operands[2]};
  const size_t bytes = static_cast<size_t>(a.heads * a.size) * dtypeBytes(dtype);
  return {operands[0], operands[0] + bytes, operands[0] + 2 * bytes};
}

/// The strides of a tensor [B,H,T,D] whose memory order is [B,T,H,D], with `pitch` elements from a
/// step to the next one.
void setStrides(int64_t (&strides)[4], int64_t steps, int64_t pitch, int64_t size) {
  const int64_t values[] = {steps * pitch, size, pitch, 1};
  std::copy_n(values, 4, strides);
}

/// Says that own kernels compute attention, and why.
KernelPath ownPath(Text reason, std::vector<std::string> arguments = {}) {
  return {STRATA_TEXT("kernel", "own kernel"), {}, reason, std::move(arguments)};
}

/// Returns why cuDNN is not asked, or no text.
Text reasonForOwnKernels(const CudaSetup& setup, const AttentionForm& form,
                         const AttentionSizes& a) {
  if (!isLowPrecision(setup.inputType()))
    return STRATA_TEXT("kernel", "cuDNN has no attention in float32");
  if (setup.card->data().major < kFusedAttentionMajor)
    return STRATA_TEXT("kernel", "the compute capability of the card is below 8.0");
  if (form.mask >= 0) return STRATA_TEXT("kernel", "the layer has a mask");
  if (form.seed >= 0) return STRATA_TEXT("kernel", "the layer has dropout");
  if (a.heads != a.keyHeads) return STRATA_TEXT("kernel", "the layer has groups of heads");
  if (a.samples == 0 || a.steps == 0 || a.keySteps == 0 || a.size == 0 || a.valueSize == 0)
    return STRATA_TEXT("kernel", "an operand is empty");
  return {};
}

/// Says why cuDNN has no plan.
KernelPath pathAfter(const PlanFailure& failure, size_t limit) {
  const auto bytes = [](size_t count) {
    return bytesText(static_cast<double>(count));
  };
  if (failure.neededBytes > 0)
    return ownPath(STRATA_TEXT("kernel", "a workspace of %1 exceeds the limit of %2"),
                   {bytes(failure.neededBytes), bytes(limit)});
  if (failure.status == STRATA_STATUS_MISSING_LIBRARY)
    return ownPath(STRATA_TEXT("kernel", "cuDNN is not installed"));
  return ownPath(STRATA_TEXT("kernel", "cuDNN has no engine for this shape"));
}

KernelPath pathOf(const FusedAttention& fused, bool isDeterministic) {
  KernelPath path;
  path.isDeterministic = isDeterministic;
  if (fused.numParts() == 1) {
    path.name = isDeterministic ? STRATA_TEXT("kernel", "cuDNN fused")
                                : STRATA_TEXT("kernel", "cuDNN fused, not deterministic");
    return path;
  }
  path.name = isDeterministic ? STRATA_TEXT("kernel", "cuDNN fused in %1 parts")
                              : STRATA_TEXT("kernel", "cuDNN fused in %1 parts, not deterministic");
  path.nameArguments = {std::to_string(fused.numParts())};
  return path;
}

StrataLibraryCall callOf(const CudaSetup& setup, const AttentionSizes& a, bool isBackward) {
  StrataLibraryCall call{};
  call.kind = STRATA_CALL_ATTENTION;
  call.isDeterministic = 1;
  StrataAttention& attention = call.of.attention;
  attention.isBackward = isBackward ? 1 : 0;
  attention.isCausal = a.isCausal;
  attention.batch = a.samples;
  attention.heads = a.heads;
  attention.queries = a.steps;
  attention.keys = a.keySteps;
  attention.headSize = a.size;
  attention.valueSize = a.valueSize;
  setStrides(attention.qStrides, a.steps, a.queryPitch, a.size);
  setStrides(attention.kStrides, a.keySteps, a.keyPitch, a.size);
  setStrides(attention.vStrides, a.keySteps, a.valuePitch, a.valueSize);
  setStrides(attention.oStrides, a.steps, a.heads * a.valueSize, a.valueSize);
  attention.type = static_cast<StrataType>(setup.inputType());
  attention.scale = a.scale;
  return call;
}

/// Plans fused attention. Returns null if own kernels must compute it. `path` says which and why.
/// Fails: UnsupportedOp if somebody has chosen an algorithm that cuDNN does not have.
std::shared_ptr<const FusedAttention> planFused(const CudaSetup& setup, const AttentionForm& form,
                                                const AttentionSizes& a, bool isBackward,
                                                KernelPath& path) {
  if (const Text reason = reasonForOwnKernels(setup, form, a); !reason.isEmpty()) {
    path = ownPath(reason);
    return nullptr;
  }
  StrataLibraryCall call = callOf(setup, a, isBackward);
  PlanFailure failure;
  const auto plan = [&](bool isDeterministic) {
    call.isDeterministic = isDeterministic ? 1 : 0;
    call.of.attention.hasQuerySums = isDeterministic ? 0 : 1;
    auto fused =
        FusedAttention::plan(*setup.card, call, setup.algorithm, setup.attentionLimit, failure);
    path = fused ? pathOf(*fused, isDeterministic) : pathAfter(failure, setup.attentionLimit);
    return fused;
  };
  if (isBackward && setup.addsInAnyOrder)
    if (auto fused = plan(false)) return fused;
  auto fused = plan(true);
  // An algorithm that somebody has chosen must not be ignored
  if (!fused && !setup.algorithm.empty()) setup.card->failPlan(setup.layer);
  return fused;
}

/// Makes the kernel of fused attention. `operandsOf` returns the operands in the order of
/// StrataAttention.
template <class OperandsOf>
std::unique_ptr<CudaKernel> fusedKernel(const std::shared_ptr<const FusedAttention>& fused,
                                        const KernelPath& path, OperandsOf operandsOf) {
  std::string name = std::string("cuDNN ") + fused->largest()->algorithm();
  if (fused->numParts() > 1) name += " in " + std::to_string(fused->numParts()) + " parts";
  if (!path.isDeterministic) name += ", not deterministic";
  return makeKernel(
      name,
      [fused, operandsOf](Encoder& encoder, const Operands& operands) {
        fused->encode(encoder, operandsOf(operands), operands.workspace);
      },
      fused->workspaceBytes(), fused->largest());
}

std::unique_ptr<CudaKernel> withPath(std::unique_ptr<CudaKernel> kernel, const KernelPath& path) {
  kernel->setPath(path);
  return kernel;
}

/// Returns how many blocks compute the columns of a result.
int64_t columnBlocks(int64_t columns) {
  return std::max<int64_t>(1, Encoder::blocksFor(columns, kAttentionColumns));
}

}  // namespace

std::unique_ptr<CudaKernel> makeAttention(const CudaSetup& setup) {
  const Function& function = setup.typed("attention", setup.inputType());
  const AttentionForm form = attentionForm(setup.op, setup.attributes);
  const AttentionSizes a = sizesOf(setup, form);
  const auto partsOfInput = [form, a, dtype = setup.inputType()](const Operands& operands) {
    return partsOf(operands.inputs, form, a, dtype);
  };
  KernelPath path;
  if (const auto fused = planFused(setup, form, a, false, path))
    return withPath(
        fusedKernel(fused, path,
                    [partsOfInput](const Operands& operands) {
                      std::vector<DeviceAddress> result = partsOfInput(operands);
                      result.insert(result.end(), {operands.outputs[0], operands.outputs[1]});
                      return result;
                    }),
        path);
  auto own = makeKernel("attention", [=, &function](Encoder& encoder, const Operands& operands) {
    const OptionalOperands optional(operands, form);
    const std::vector<DeviceAddress> parts = partsOfInput(operands);
    encoder.launch(function, {a.samples * a.heads * a.queryTiles(), columnBlocks(a.valueSize)},
                   kAttentionThreads, parts[0], parts[1], parts[2], optional.mask, optional.seed,
                   optional.step, optional.firstSample, operands.outputs[0], operands.outputs[1],
                   a);
  });
  return withPath(std::move(own), path);
}

std::unique_ptr<CudaKernel> makeAttentionBackward(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& deltas = setup.typed("attention_deltas", dtype);
  const Function& query = setup.typed("attention_query_gradient", dtype);
  const Function& key = setup.typed("attention_key_gradients", dtype);
  const AttentionForm form = attentionForm(setup.op, setup.attributes);
  const AttentionSizes a = sizesOf(setup, form);
  /// The operands of the kernels by their meaning.
  struct Bound {
    std::vector<DeviceAddress> parts, gradients;
    DeviceAddress result, logSums, change;
  };
  const auto bind = [form, a, dtype](const Operands& operands) {
    const auto at = [&](int i) {
      return operands.inputs[static_cast<size_t>(i)];
    };
    return Bound{partsOf(operands.inputs, form, a, dtype),
                 partsOf(operands.outputs, form, a, dtype), at(form.result), at(form.logSums),
                 at(form.gradient)};
  };
  KernelPath path;
  if (const auto fused = planFused(setup, form, a, true, path))
    return withPath(fusedKernel(fused, path,
                                [bind](const Operands& operands) -> std::vector<DeviceAddress> {
                                  const Bound b = bind(operands);
                                  return {b.parts[0],     b.parts[1],     b.parts[2],
                                          b.result,       b.change,       b.logSums,
                                          b.gradients[0], b.gradients[1], b.gradients[2]};
                                }),
                    path);
  const int64_t rows = a.samples * a.steps * a.heads;
  auto own = makeKernel(
      "attention_backward",
      [=, &deltas, &query, &key](Encoder& encoder, const Operands& operands) {
        const OptionalOperands optional(operands, form);
        const Bound b = bind(operands);
        const DeviceAddress delta = operands.workspace;
        encoder.launch(deltas, {Encoder::blocksFor(rows, kBlock / 32)}, kBlock, b.result, b.change,
                       delta, a);
        const auto launch = [&](const Function& function, const Grid& grid,
                                const auto&... gradients) {
          encoder.launch(function, grid, kAttentionThreads, b.parts[0], b.parts[1], b.parts[2],
                         b.logSums, b.change, delta, optional.mask, optional.seed, optional.step,
                         optional.firstSample, gradients..., a);
        };
        launch(query, {a.samples * a.heads * a.queryTiles(), columnBlocks(a.size)}, b.gradients[0]);
        launch(key,
               {a.samples * a.keyHeads * a.keyTiles(), columnBlocks(std::max(a.size, a.valueSize))},
               b.gradients[1], b.gradients[2]);
      },
      static_cast<size_t>(rows) * sizeof(float));
  return withPath(std::move(own), path);
}

}  // namespace strata::cuda
