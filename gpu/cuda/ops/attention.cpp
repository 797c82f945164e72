// SPDX-License-Identifier: Apache-2.0
// Attention by cuDNN's fused kernels for 16-bit types, and by own kernels for everything else: f32,
// masks, dropout, groups of heads, and cards or shapes that cuDNN does not support. The log-sum-exp
// of forward is the same for both, so the gradient may use the other one.
#include "gpu/ops/attention.h"

#include <algorithm>

#include "gpu/base/rng.h"
#include "gpu/cuda/kernels/attention.h"
#include "gpu/cuda/ops/makers.h"

namespace strata::cuda {
namespace {

AttentionSizes sizesOf(const CudaSetup& setup, const AttentionForm& form) {
  const Shape &q = setup.inputShape(0), &k = setup.inputShape(1);
  AttentionSizes a;
  a.samples = q[0];
  a.steps = q[1];
  a.heads = q[2];
  a.size = q[3];
  a.keySteps = k[1];
  a.keyHeads = k[2];
  a.valueSize = setup.inputShape(2)[3];
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

/// The strides of a tensor [B,H,T,D] whose memory order is [B,T,H,D].
void setStrides(int64_t (&strides)[4], int64_t steps, int64_t heads, int64_t size) {
  const int64_t values[] = {steps * heads * size, size, heads * size, 1};
  std::copy_n(values, 4, strides);
}

/// Plans fused attention. Returns null if own kernels must compute it.
std::shared_ptr<const LibraryPlan> planFused(const CudaSetup& setup, const AttentionForm& form,
                                             const AttentionSizes& a, bool isBackward) {
  const DType dtype = setup.inputType();
  if (!isLowPrecision(dtype) || setup.card->data().major < kFusedAttentionMajor) return nullptr;
  if (form.mask >= 0 || form.seed >= 0 || a.heads != a.keyHeads) return nullptr;
  if (a.samples == 0 || a.steps == 0 || a.size == 0 || a.valueSize == 0) return nullptr;
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
  setStrides(attention.qStrides, a.steps, a.heads, a.size);
  setStrides(attention.kStrides, a.keySteps, a.heads, a.size);
  setStrides(attention.vStrides, a.keySteps, a.heads, a.valueSize);
  setStrides(attention.oStrides, a.steps, a.heads, a.valueSize);
  attention.type = static_cast<StrataType>(dtype);
  attention.scale = a.scale;
  return setup.card->tryPlan(call);
}

/// Returns how many blocks compute the columns of a result.
int64_t columnBlocks(int64_t columns) {
  return std::max<int64_t>(1, Encoder::blocksFor(columns, kAttentionColumns));
}

}  // namespace

std::unique_ptr<CudaKernel> makeAttention(const CudaSetup& setup) {
  const Function& function = setup.typed("attention", setup.inputType());
  const AttentionForm form = attentionForm(setup.attributes, false);
  const AttentionSizes a = sizesOf(setup, form);
  if (const std::shared_ptr<const LibraryPlan> plan = planFused(setup, form, a, false))
    return makeKernel(
        std::string("cuDNN ") + plan->algorithm(),
        [plan](Encoder& encoder, const Operands& operands) {
          const std::vector<DeviceAddress>&in = operands.inputs, &out = operands.outputs;
          encoder.call(*plan, {in[0], in[1], in[2], out[0], out[1]}, operands.workspace);
        },
        plan->workspaceBytes());
  return makeKernel("attention", [=, &function](Encoder& encoder, const Operands& operands) {
    const OptionalOperands optional(operands, form);
    encoder.launch(function, {a.samples * a.heads * a.queryTiles(), columnBlocks(a.valueSize)},
                   kAttentionThreads, operands.inputs[0], operands.inputs[1], operands.inputs[2],
                   optional.mask, optional.seed, optional.step, optional.firstSample,
                   operands.outputs[0], operands.outputs[1], a);
  });
}

std::unique_ptr<CudaKernel> makeAttentionBackward(const CudaSetup& setup) {
  const DType dtype = setup.inputType();
  const Function& deltas = setup.typed("attention_deltas", dtype);
  const Function& query = setup.typed("attention_query_gradient", dtype);
  const Function& key = setup.typed("attention_key_gradients", dtype);
  const AttentionForm form = attentionForm(setup.attributes, true);
  const AttentionSizes a = sizesOf(setup, form);
  if (const std::shared_ptr<const LibraryPlan> plan = planFused(setup, form, a, true))
    return makeKernel(
        std::string("cuDNN ") + plan->algorithm(),
        [plan](Encoder& encoder, const Operands& operands) {
          const std::vector<DeviceAddress>&in = operands.inputs, &out = operands.outputs;
          encoder.call(*plan, {in[0], in[1], in[2], in[3], in[5], in[4], out[0], out[1], out[2]},
                       operands.workspace);
        },
        plan->workspaceBytes());
  const int64_t rows = a.samples * a.steps * a.heads;
  return makeKernel(
      "attention_backward",
      [=, &deltas, &query, &key](Encoder& encoder, const Operands& operands) {
        const OptionalOperands optional(operands, form);
        const std::vector<DeviceAddress>& in = operands.inputs;
        const DeviceAddress delta = operands.workspace;
        encoder.launch(deltas, {Encoder::blocksFor(rows, kBlock / 32)}, kBlock, in[3], in[5], delta,
                       a);
        encoder.launch(query, {a.samples * a.heads * a.queryTiles(), columnBlocks(a.size)},
                       kAttentionThreads, in[0], in[1], in[2], in[4], in[5], delta, optional.mask,
                       optional.seed, optional.step, optional.firstSample, operands.outputs[0], a);
        encoder.launch(
            key,
            {a.samples * a.keyHeads * a.keyTiles(), columnBlocks(std::max(a.size, a.valueSize))},
            kAttentionThreads, in[0], in[1], in[2], in[4], in[5], delta, optional.mask,
            optional.seed, optional.step, optional.firstSample, operands.outputs[1],
            operands.outputs[2], a);
      },
      static_cast<size_t>(rows) * sizeof(float));
}

}  // namespace strata::cuda
