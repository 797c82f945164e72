// SPDX-License-Identifier: Apache-2.0
// The kernels of attention and its gradient. The forward pass is split by blocks of query steps.
// The backward pass is split by key heads, because the gradient of a key head is a sum over query
// heads and steps. The results have the same bits for any number of workers.
#include "gpu/ops/attention.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/ops/dropout_mask.h"

namespace strata::cpu {
namespace {

struct AttentionSetup {
  AttentionArguments arguments;
  AttentionForm form;
  int64_t samples = 0, heads = 0, keyHeads = 0, maskSteps = 0;
  uint64_t stream = 0;

  explicit AttentionSetup(const KernelSetup& setup)
      : form(attentionForm(setup.op, setup.attributes)) {
    const Shape &q = setup.inputShape(0), &k = setup.inputShape(1), &v = setup.inputShape(2);
    samples = q[0];
    heads = q[2];
    keyHeads = k[2];
    AttentionArguments& a = arguments;
    a.steps = q[1];
    a.keySteps = k[1];
    a.size = q[3];
    a.valueSize = v[3];
    a.queryStride = heads * a.size;
    a.keyStride = keyHeads * a.size;
    a.valueStride = keyHeads * a.valueSize;
    a.resultStride = heads * a.valueSize;
    a.scale = static_cast<float>(setup.real("scale"));
    a.isCausal = setup.flag("causal");
    a.dropsHidden = setup.flag("drops_hidden");
    a.rate = static_cast<float>(setup.real("rate"));
    stream = streamOf(setup.text("stream"));
    if (form.mask < 0) return;
    maskSteps = setup.inputShape(static_cast<size_t>(form.mask))[1];
    a.maskStride = maskSteps == 1 ? 0 : a.keySteps;
  }

  /// Returns the arguments for sample n and head h.
  AttentionArguments at(const KernelArguments& arguments_, int64_t n, int64_t h) const {
    AttentionArguments a = arguments;
    const int64_t g = h / (heads / keyHeads);
    a.query = inputOf<float>(arguments_, 0) + n * a.steps * a.queryStride + h * a.size;
    a.key = inputOf<float>(arguments_, 1) + n * a.keySteps * a.keyStride + g * a.size;
    a.value = inputOf<float>(arguments_, 2) + n * a.keySteps * a.valueStride + g * a.valueSize;
    if (form.mask >= 0)
      a.mask =
          inputOf<float>(arguments_, static_cast<size_t>(form.mask)) + n * maskSteps * a.keySteps;
    if (form.seed < 0) return a;
    const auto number = [&](int i) {
      return readInteger(arguments_.inputs[static_cast<size_t>(form.seed + i)], DType::I64);
    };
    a.seed = static_cast<uint64_t>(number(0));
    a.stream = dropoutStream(stream, number(1));
    a.firstElement = ((number(2) + n) * heads + h) * a.steps * a.keySteps;
    return a;
  }
  int64_t resultAt(int64_t n, int64_t h) const {
    return n * arguments.steps * arguments.resultStride + h * arguments.valueSize;
  }
  int64_t sumsAt(int64_t n, int64_t h) const { return (n * heads + h) * arguments.steps; }
  /// Returns the number of query steps below which splitting them between workers costs more than
  /// it saves.
  int64_t fewSteps() const {
    return std::max<int64_t>(
        1, kFewMultiplyAdds /
               std::max<int64_t>(1, arguments.keySteps * (arguments.size + arguments.valueSize)));
  }
};

}  // namespace

std::unique_ptr<HostKernel> makeAttention(const KernelSetup& setup) {
  const AttentionForm form = attentionForm(setup.op, setup.attributes);
  if (form.isJoined) return nullptr;
  for (int i = 0; i < 3; ++i)
    if (!isF32(setup.inputs[static_cast<size_t>(i)])) return nullptr;
  if (form.mask >= 0 && !isF32(setup.inputs[static_cast<size_t>(form.mask)])) return nullptr;
  const AttentionSetup own(setup);
  const Loops* const l = setup.loops;
  const size_t scratch =
      alignedFloats(static_cast<size_t>(l->attentionScratchFloats(own.arguments, false)));
  // Workers get whole blocks, so that sums are split in the same way for any number of workers.
  const int64_t most = l->attentionRows(own.arguments),
                blocks = (own.arguments.steps + most - 1) / std::max<int64_t>(1, most),
                all = own.samples * own.heads * blocks,
                few = own.fewSteps() / std::max<int64_t>(1, most) + 1;
  const auto body = [=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                    int worker) {
    const WorkRange range = shareAbove(few, all, worker, workers);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t head = i / blocks, n = head / own.heads, h = head % own.heads,
                    first = i % blocks * most;
      AttentionArguments a = own.at(arguments, n, h);
      a.result = outputOf<float>(arguments) + own.resultAt(n, h);
      a.logSums = outputOf<float>(arguments, 1) + own.sumsAt(n, h);
      l->attentionForward(
          a, first, std::min(first + most, a.steps),
          reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker));
    }
  };
  return makeKernel(setup, "attention by heads", body, 1,
                    scratch * sizeof(float) * static_cast<size_t>(setup.numWorkers),
                    isAlone(few, all));
}

std::unique_ptr<HostKernel> makeAttentionBackward(const KernelSetup& setup) {
  const AttentionForm form = attentionForm(setup.op, setup.attributes);
  if (form.isJoined) return nullptr;
  for (int i = 0; i < 6; ++i)
    if (!isF32(setup.inputs[static_cast<size_t>(i)])) return nullptr;
  if (form.mask >= 0 && !isF32(setup.inputs[static_cast<size_t>(form.mask)])) return nullptr;
  const AttentionSetup own(setup);
  const Loops* const l = setup.loops;
  const size_t scratch =
      alignedFloats(static_cast<size_t>(l->attentionScratchFloats(own.arguments, true)));
  const int64_t shared = own.samples * own.keyHeads, group = own.heads / own.keyHeads,
                few = std::max<int64_t>(
                    1, own.fewSteps() / std::max<int64_t>(1, group * own.arguments.steps));
  const auto body = [=, workers = setup.numWorkers](const KernelArguments& arguments, int,
                                                    int worker) {
    const WorkRange range = shareAbove(few, shared, worker, workers);
    for (int64_t i = range.begin; i < range.end; ++i) {
      const int64_t n = i / own.keyHeads, g = i % own.keyHeads;
      for (int64_t h = g * group; h < (g + 1) * group; ++h) {
        AttentionArguments a = own.at(arguments, n, h);
        a.saved = inputOf<float>(arguments, 3) + own.resultAt(n, h);
        a.savedLogSums = inputOf<float>(arguments, 4) + own.sumsAt(n, h);
        a.change = inputOf<float>(arguments, 5) + own.resultAt(n, h);
        a.queryGradient = outputOf<float>(arguments) + n * a.steps * a.queryStride + h * a.size;
        a.keyGradient = outputOf<float>(arguments, 1) + n * a.keySteps * a.keyStride + g * a.size;
        a.valueGradient =
            outputOf<float>(arguments, 2) + n * a.keySteps * a.valueStride + g * a.valueSize;
        l->attentionBackward(
            a, h > g * group,
            reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker));
      }
    }
  };
  return makeKernel(setup, "attention by heads", body, 1,
                    scratch * sizeof(float) * static_cast<size_t>(setup.numWorkers),
                    isAlone(few, shared));
}

}  // namespace strata::cpu
