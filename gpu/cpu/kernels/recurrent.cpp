// SPDX-License-Identifier: Apache-2.0
// The kernels of recurrent and its gradient. Each worker runs its samples through all steps, so
// that no worker waits for another between steps.
#include "gpu/ops/recurrent.h"
#include "gpu/cpu/cpu_kernel.h"
#include "gpu/ops/activation_kinds.h"

namespace strata::cpu {
namespace {

/// Returns the arguments except for the addresses of operands, or nullopt if an element type or
/// activation is not supported.
std::optional<RecurrentArguments> describe(const KernelSetup& setup, const RecurrentForm& form) {
  if (!allF32(setup)) return std::nullopt;
  const auto act = activationKindOf(setup.text("activation")),
             gate = activationKindOf(setup.text("recurrent_activation"));
  if (!act || !gate) return std::nullopt;
  RecurrentArguments r{};
  switch (form.cell) {
    case RecurrentCell::Simple: r.cell = RecurrentArguments::Cell::Simple; break;
    case RecurrentCell::Lstm: r.cell = RecurrentArguments::Cell::Lstm; break;
    case RecurrentCell::Gru: r.cell = RecurrentArguments::Cell::Gru; break;
    case RecurrentCell::GruResetBefore: r.cell = RecurrentArguments::Cell::GruResetBefore; break;
  }
  r.activation = *act;
  r.recurrentActivation = *gate;
  r.alpha = static_cast<float>(setup.real("alpha"));
  r.recurrentAlpha = static_cast<float>(setup.real("recurrent_alpha"));
  r.savesOutput = activationSaves(setup.text("activation")) == Saved::Output;
  r.recurrentSavesOutput = activationSaves(setup.text("recurrent_activation")) == Saved::Output;
  r.isBackwards = form.isBackwards;
  r.steps = setup.inputShape()[1];
  r.units = setup.inputShape(1)[0];
  return r;
}

const float* operand(const KernelArguments& arguments, int place) {
  return place < 0 ? nullptr : inputOf<float>(arguments, static_cast<size_t>(place));
}
float* result(const KernelArguments& arguments, int place) {
  return place < 0 ? nullptr : outputOf<float>(arguments, static_cast<size_t>(place));
}

void addShared(RecurrentArguments& r, const RecurrentForm& form, const KernelArguments& arguments) {
  r.kernel = operand(arguments, form.kernel);
  r.state = operand(arguments, form.state);
  r.cellState = operand(arguments, form.cellState);
  r.factors = operand(arguments, form.factors);
  r.mask = operand(arguments, form.mask);
}

/// Returns the largest number of samples that a worker gets.
int64_t maxSamples(const KernelSetup& setup) {
  return (setup.inputShape()[0] + setup.numWorkers - 1) / setup.numWorkers;
}

}  // namespace

std::unique_ptr<HostKernel> makeRecurrent(const KernelSetup& setup) {
  const RecurrentForm form = recurrentForm(setup.attributes);
  const std::optional<RecurrentArguments> described = describe(setup, form);
  if (!described) return nullptr;
  const Loops* const l = setup.loops;
  const size_t scratch =
      alignedFloats(static_cast<size_t>(l->recurrentScratchFloats(*described, maxSamples(setup))));
  const auto body = [=, samples = setup.inputShape()[0], workers = setup.numWorkers](
                        const KernelArguments& arguments, int, int worker) {
    const WorkRange range = shareOf(samples, worker, workers);
    if (range.begin >= range.end) return;
    RecurrentArguments r = *described;
    addShared(r, form, arguments);
    r.projection = operand(arguments, 0);
    r.bias = operand(arguments, form.bias);
    r.sequence = result(arguments, 0);
    r.last = result(arguments, form.last);
    r.lastCell = result(arguments, form.lastCell);
    r.gates = result(arguments, form.gatesOut);
    r.inner = result(arguments, form.innerOut);
    l->recurrentForward(
        r, range.begin, range.end,
        reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker));
  };
  return makeKernel(setup, "recurrent by samples", body, 1,
                    scratch * sizeof(float) * static_cast<size_t>(setup.numWorkers));
}

std::unique_ptr<HostKernel> makeRecurrentBackward(const KernelSetup& setup) {
  const RecurrentForm form = recurrentBackwardForm(setup.attributes);
  const std::optional<RecurrentArguments> described = describe(setup, form);
  if (!described) return nullptr;
  const Loops* const l = setup.loops;
  const size_t scratch = alignedFloats(
      static_cast<size_t>(l->recurrentBackwardScratchFloats(*described, maxSamples(setup))));
  const auto body = [=, samples = setup.inputShape()[0], workers = setup.numWorkers](
                        const KernelArguments& arguments, int, int worker) {
    const WorkRange range = shareOf(samples, worker, workers);
    if (range.begin >= range.end) return;
    RecurrentArguments r = *described;
    addShared(r, form, arguments);
    r.savedGates = operand(arguments, 0);
    r.savedSequence = operand(arguments, form.sequence);
    r.savedInner = operand(arguments, form.inner);
    r.sequenceGradient = operand(arguments, form.sequenceGradient);
    r.lastGradient = operand(arguments, form.lastGradient);
    r.lastCellGradient = operand(arguments, form.lastCellGradient);
    r.projectionGradient = result(arguments, 0);
    r.previous = result(arguments, form.previous);
    r.recurrentGradient = result(arguments, form.recurrentGradient);
    r.stateGradient = result(arguments, form.stateGradient);
    r.cellStateGradient = result(arguments, form.cellStateGradient);
    l->recurrentBackward(
        r, range.begin, range.end,
        reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker));
  };
  return makeKernel(setup, "recurrent by samples", body, 1,
                    scratch * sizeof(float) * static_cast<size_t>(setup.numWorkers));
}

}  // namespace strata::cpu
