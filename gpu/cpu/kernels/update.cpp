// SPDX-License-Identifier: Apache-2.0
// Optimizer updates: one pass over weights and state, in place.
#include <cmath>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

constexpr int64_t kLeast = 2048;

/// The state operands are written in place: outputs name the same storage as their inputs.
float* state(const KernelArguments& arguments, size_t output) { return outputOf<float>(arguments, output); }

/// body(arguments, range): the elements of one worker.
template <class Body>
std::unique_ptr<Kernel> makeUpdate(const KernelSetup& setup, Body body) {
  const int64_t count = setup.outputShape().numElements();
  return makeKernel(
      setup, "fused",
      [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareAbove(kLeast, count, worker, workers, 16);
        if (range.begin < range.end) body(arguments, range);
      },
      1, 0, isAlone(kLeast, count));
}

/// Weights and gradient are f32.
bool isPlain(const KernelSetup& setup) { return setup.inputType(0) == DType::F32 && setup.inputType(1) == DType::F32; }

}  // namespace

std::unique_ptr<Kernel> makeAdamUpdate(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  const double beta1 = setup.real("beta_1"), beta2 = setup.real("beta_2"), epsilon = setup.real("epsilon"),
               decay = setup.real("weight_decay");
  const bool isAmsgrad = setup.flag("amsgrad");
  const DType rateType = setup.inputType(4), stepType = setup.inputType(5);
  return makeUpdate(setup, [=, l = setup.loops](const KernelArguments& arguments, WorkRange range) {
    const double rate = readScalar(arguments.inputs[4], rateType), step = readScalar(arguments.inputs[5], stepType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate * std::sqrt(1 - std::pow(beta2, step)) / (1 - std::pow(beta1, step)));
    u.decayRate = static_cast<float>(decay * rate);
    u.a = static_cast<float>(1 - beta1);
    u.b = static_cast<float>(1 - beta2);
    u.epsilon = static_cast<float>(epsilon);
    l->adamUpdate(u, state(arguments, 0) + range.begin, inputOf<float>(arguments, 1) + range.begin, state(arguments, 1) + range.begin,
                  state(arguments, 2) + range.begin, isAmsgrad ? state(arguments, 3) + range.begin : nullptr, range.end - range.begin);
  });
}

std::unique_ptr<Kernel> makeSgdUpdate(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  const double momentum = setup.real("momentum"), decay = setup.real("weight_decay");
  const bool isNesterov = setup.flag("nesterov"), hasVelocity = setup.inputs.size() > 3;
  return makeUpdate(setup, [=, rateType = setup.inputType(2), l = setup.loops](const KernelArguments& arguments, WorkRange range) {
    const double rate = readScalar(arguments.inputs[2], rateType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate);
    u.decayRate = static_cast<float>(decay * rate);
    u.a = static_cast<float>(momentum);
    u.flag = isNesterov;
    l->sgdUpdate(u, state(arguments, 0) + range.begin, inputOf<float>(arguments, 1) + range.begin,
                 hasVelocity ? state(arguments, 1) + range.begin : nullptr, range.end - range.begin);
  });
}

std::unique_ptr<Kernel> makeRmspropUpdate(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  const double rho = setup.real("rho"), epsilon = setup.real("epsilon"), momentum = setup.real("momentum"),
               decay = setup.real("weight_decay");
  const bool hasMomentum = momentum > 0, isCentered = setup.flag("centered");
  // Outputs: w, v, then momentum and average as present.
  return makeUpdate(setup, [=, rateType = setup.inputType(3), l = setup.loops](const KernelArguments& arguments, WorkRange range) {
    const double rate = readScalar(arguments.inputs[3], rateType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate);
    u.decayRate = static_cast<float>(decay * rate);
    u.a = static_cast<float>(rho);
    u.b = static_cast<float>(momentum);
    u.epsilon = static_cast<float>(epsilon);
    l->rmspropUpdate(u, state(arguments, 0) + range.begin, inputOf<float>(arguments, 1) + range.begin, state(arguments, 1) + range.begin,
                     hasMomentum ? state(arguments, 2) + range.begin : nullptr,
                     isCentered ? state(arguments, hasMomentum ? 3 : 2) + range.begin : nullptr, range.end - range.begin);
  });
}

std::unique_ptr<Kernel> makeAdagradUpdate(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  const double epsilon = setup.real("epsilon"), decay = setup.real("weight_decay");
  return makeUpdate(setup, [=, rateType = setup.inputType(3), l = setup.loops](const KernelArguments& arguments, WorkRange range) {
    const double rate = readScalar(arguments.inputs[3], rateType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate);
    u.decayRate = static_cast<float>(decay * rate);
    u.epsilon = static_cast<float>(epsilon);
    l->adagradUpdate(u, state(arguments, 0) + range.begin, inputOf<float>(arguments, 1) + range.begin, state(arguments, 1) + range.begin,
                     range.end - range.begin);
  });
}

}  // namespace strata::cpu
