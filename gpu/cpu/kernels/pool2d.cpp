// SPDX-License-Identifier: Apache-2.0
// The kernels of max pooling with its one-byte index, of average pooling, and of their gradients.
// The work is split by images.
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/reference/kernels/window.h"

namespace strata::cpu {

namespace {

struct Plan {
  PoolArguments pool;
  int64_t images = 0, inFloats = 0, outFloats = 0;
  bool isValid = false;
};

Plan planOf(const KernelSetup& setup, const Shape& input, const Shape& output) {
  const auto g = reference::windowGeometry(
      setup, input, output, {setup.list("pool_size")[0], setup.list("pool_size")[1]});
  Plan plan;
  plan.pool = {g.input.h,  g.input.w,  g.channels, g.output.h,  g.output.w, g.window.h,
               g.window.w, g.stride.h, g.stride.w, g.padding.h, g.padding.w};
  plan.images = g.n;
  plan.inFloats = g.input.h * g.input.w * g.channels;
  plan.outFloats = g.output.h * g.output.w * g.channels;
  plan.isValid = setup.inputType() == DType::F32 && g.dilation.h == 1 && g.dilation.w == 1;
  return plan;
}

}  // namespace

std::unique_ptr<HostKernel> makeMaxPool(const KernelSetup& setup) {
  const Plan p = planOf(setup, setup.inputShape(), setup.outputShape());
  const auto kind = activationKindOf(setup.text("activation"));
  if (!p.isValid || !kind) return nullptr;
  return makeKernel(
      setup, "by images",
      [p, kind = *kind, alpha = static_cast<float>(setup.real("alpha")), l = setup.loops,
       workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareOf(p.images, worker, workers);
        for (int64_t n = range.begin; n < range.end; ++n) {
          float* y = outputOf<float>(arguments, 0) + n * p.outFloats;
          l->maxPoolImage(p.pool, inputOf<float>(arguments, 0) + n * p.inFloats, y,
                          outputOf<uint8_t>(arguments, 1) + n * p.outFloats);
          if (kind != ActivationKind::Linear) l->activation(kind, y, y, p.outFloats, alpha);
        }
      });
}

std::unique_ptr<HostKernel> makeMaxPoolBackward(const KernelSetup& setup) {
  const Plan p = planOf(setup, setup.outputShape(), setup.inputShape(0));
  if (!p.isValid) return nullptr;
  return makeKernel(setup, "by images",
                    [p, l = setup.loops, workers = setup.numWorkers](
                        const KernelArguments& arguments, int, int worker) {
                      const WorkRange range = shareOf(p.images, worker, workers);
                      for (int64_t n = range.begin; n < range.end; ++n)
                        l->maxPoolBackwardImage(p.pool,
                                                inputOf<float>(arguments, 0) + n * p.outFloats,
                                                inputOf<uint8_t>(arguments, 1) + n * p.outFloats,
                                                outputOf<float>(arguments) + n * p.inFloats);
                    });
}

std::unique_ptr<HostKernel> makeAvgPool(const KernelSetup& setup) {
  const Plan p = planOf(setup, setup.inputShape(), setup.outputShape());
  if (!p.isValid) return nullptr;
  return makeKernel(setup, "by images",
                    [p, l = setup.loops, workers = setup.numWorkers](
                        const KernelArguments& arguments, int, int worker) {
                      const WorkRange range = shareOf(p.images, worker, workers);
                      for (int64_t n = range.begin; n < range.end; ++n)
                        l->avgPoolImage(p.pool, inputOf<float>(arguments, 0) + n * p.inFloats,
                                        outputOf<float>(arguments) + n * p.outFloats);
                    });
}

std::unique_ptr<HostKernel> makeAvgPoolBackward(const KernelSetup& setup) {
  const Plan p = planOf(setup, setup.outputShape(), setup.inputShape(0));
  if (!p.isValid) return nullptr;
  return makeKernel(setup, "by images",
                    [p, l = setup.loops, workers = setup.numWorkers](
                        const KernelArguments& arguments, int, int worker) {
                      const WorkRange range = shareOf(p.images, worker, workers);
                      for (int64_t n = range.begin; n < range.end; ++n)
                        l->avgPoolBackwardImage(p.pool,
                                                inputOf<float>(arguments, 0) + n * p.outFloats,
                                                outputOf<float>(arguments) + n * p.inFloats);
                    });
}

}  // namespace strata::cpu
