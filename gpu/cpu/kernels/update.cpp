// SPDX-License-Identifier: Apache-2.0
// The kernels of optimizer updates. Each makes one pass over weights and state, in place.
// matmul_sgd_update and matmul_adam_update compute the gradient as a product. They use each block
// of the gradient while it is in the cache.
#include <algorithm>
#include <array>
#include <cmath>

#include "gpu/cpu/cpu_kernel.h"

namespace strata::cpu {

namespace {

constexpr int64_t kMinUpdatedElements = 2048;

/// Returns a state array, which is updated in place: each output has the same storage as its input.
float* state(const KernelArguments& arguments, size_t output) {
  return outputOf<float>(arguments, output);
}

/// Makes a kernel that calls body(arguments, range) for the elements of each worker.
template <class Body>
std::unique_ptr<HostKernel> makeUpdate(const KernelSetup& setup, Body body) {
  const int64_t count = setup.outputShape().numElements();
  return makeKernel(
      setup, "fused",
      [=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
        const WorkRange range = shareAbove(kMinUpdatedElements, count, worker, workers, 16);
        if (range.begin < range.end) body(arguments, range);
      },
      1, 0, isAlone(kMinUpdatedElements, count));
}

/// Returns whether inputs 0 and 1 are f32.
bool isPlain(const KernelSetup& setup) {
  return setup.inputType(0) == DType::F32 && setup.inputType(1) == DType::F32;
}

}  // namespace

namespace {

/// Adam's hyperparameters and its loop. `gradients` is the number of operands between the weights
/// and the moments: the gradient, or two factors of a product.
class Adam {
 public:
  Adam(const KernelSetup& setup, size_t gradients)
      : m_beta1(setup.real("beta_1")),
        m_beta2(setup.real("beta_2")),
        m_epsilon(setup.real("epsilon")),
        m_decay(setup.real("weight_decay")),
        m_rateInput(gradients + 3),
        m_rateType(setup.inputType(m_rateInput)),
        m_stepType(setup.inputType(m_rateInput + 1)),
        m_update(setup.loops->adamUpdate) {}

  UpdateArguments numbers(const KernelArguments& arguments) const {
    const double rate = readScalar(arguments.inputs[m_rateInput], m_rateType),
                 step = readScalar(arguments.inputs[m_rateInput + 1], m_stepType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate * std::sqrt(1 - std::pow(m_beta2, step)) /
                                (1 - std::pow(m_beta1, step)));
    u.decayRate = static_cast<float>(m_decay * rate);
    u.a = static_cast<float>(1 - m_beta1);
    u.b = static_cast<float>(1 - m_beta2);
    u.epsilon = static_cast<float>(m_epsilon);
    return u;
  }
  /// Updates `count` elements of weights and state, from `first` on.
  void run(const UpdateArguments& u, float* const* states, int64_t first, const float* gradient,
           int64_t count) const {
    m_update(u, states[0] + first, gradient, states[1] + first, states[2] + first,
             states[3] ? states[3] + first : nullptr, count);
  }

 private:
  double m_beta1, m_beta2, m_epsilon, m_decay;
  size_t m_rateInput;
  DType m_rateType, m_stepType;
  decltype(Loops::adamUpdate) m_update;
};

/// SGD's hyperparameters and its loop. `gradients` is the number of operands between the weights
/// and the rate: the gradient, or two factors of a product.
class Sgd {
 public:
  Sgd(const KernelSetup& setup, size_t gradients)
      : m_momentum(setup.real("momentum")),
        m_decay(setup.real("weight_decay")),
        m_isNesterov(setup.flag("nesterov")),
        m_rateInput(gradients + 1),
        m_rateType(setup.inputType(m_rateInput)),
        m_update(setup.loops->sgdUpdate) {}

  UpdateArguments numbers(const KernelArguments& arguments) const {
    const double rate = readScalar(arguments.inputs[m_rateInput], m_rateType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate);
    u.decayRate = static_cast<float>(m_decay * rate);
    u.a = static_cast<float>(m_momentum);
    u.flag = m_isNesterov;
    return u;
  }
  void run(const UpdateArguments& u, float* const* states, int64_t first, const float* gradient,
           int64_t count) const {
    m_update(u, states[0] + first, gradient, states[1] ? states[1] + first : nullptr, count);
  }

 private:
  double m_momentum, m_decay;
  bool m_isNesterov;
  size_t m_rateInput;
  DType m_rateType;
  decltype(Loops::sgdUpdate) m_update;
};

constexpr size_t kMaxStates = 4;

/// Returns the weights and their state, followed by null pointers.
std::array<float*, kMaxStates> statesOf(const KernelArguments& arguments) {
  std::array<float*, kMaxStates> states{};
  for (size_t i = 0; i < arguments.outputs.size(); ++i)
    states[i] = state(arguments, i);
  return states;
}

template <class Rule>
std::unique_ptr<HostKernel> makeRuled(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  return makeUpdate(setup,
                    [rule = Rule(setup, 1)](const KernelArguments& arguments, WorkRange range) {
                      rule.run(rule.numbers(arguments), statesOf(arguments).data(), range.begin,
                               inputOf<float>(arguments, 1) + range.begin, range.end - range.begin);
                    });
}

/// Makes a kernel that computes the gradient a^T b block by block, and updates the weights with
/// each block.
template <class Rule>
std::unique_ptr<HostKernel> makeMatmulRuled(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  GemmArguments g;
  g.transposeA = true;
  g.k = setup.inputShape(1)[0];
  g.m = g.lda = setup.inputShape(1)[1];
  g.n = g.ldb = setup.inputShape(2)[1];
  const Loops* const l = setup.loops;
  const int workers = setup.numWorkers;
  const size_t scratch = alignedFloats(l->gemmConsumedScratchFloats(g.m, g.n, g.k));
  const bool isSolo = g.m * g.n * g.k <= kFewMultiplyAdds,
             byRows = g.m >= 4 * workers || g.m >= g.n;
  const char* how = byRows ? "gemm and update by rows" : "gemm and update by columns";
  if (isSolo) how = "gemm and update alone";
  return makeKernel(
      setup, how,
      [=, rule = Rule(setup, 2)](const KernelArguments& arguments, int, int worker) {
        WorkRange rows{0, g.m}, columns{0, g.n};
        if (isSolo && worker != 0) return;
        if (!isSolo && byRows) rows = shareOf(g.m, worker, workers);
        if (!isSolo && !byRows) columns = shareOf(g.n, worker, workers, l->width);
        struct Context {
          const Rule* rule;
          UpdateArguments numbers;
          std::array<float*, kMaxStates> states;
          int64_t ld;
        } const context{&rule, rule.numbers(arguments), statesOf(arguments), g.n};
        GemmConsumer consumer;
        consumer.context = &context;
        consumer.run = [](const void* to, int64_t row, int64_t numRows, int64_t column,
                          int64_t numColumns, const float* c, int64_t ldc) {
          const Context& its = *static_cast<const Context*>(to);
          if (numColumns == its.ld && ldc == its.ld)
            return its.rule->run(its.numbers, its.states.data(), row * its.ld, c,
                                 numRows * numColumns);
          for (int64_t i = 0; i < numRows; ++i)
            its.rule->run(its.numbers, its.states.data(), (row + i) * its.ld + column, c + i * ldc,
                          numColumns);
        };
        GemmArguments part = g;
        part.a = inputOf<float>(arguments, 1);
        part.b = inputOf<float>(arguments, 2);
        l->gemmConsumed(
            part, consumer, rows.begin, rows.end, columns.begin, columns.end,
            reinterpret_cast<float*>(arguments.workspace) + scratch * static_cast<size_t>(worker));
      },
      1, scratch * sizeof(float) * static_cast<size_t>(workers), isSolo);
}

}  // namespace

std::unique_ptr<HostKernel> makeAdamUpdate(const KernelSetup& setup) {
  return makeRuled<Adam>(setup);
}
std::unique_ptr<HostKernel> makeSgdUpdate(const KernelSetup& setup) {
  return makeRuled<Sgd>(setup);
}
std::unique_ptr<HostKernel> makeMatmulAdamUpdate(const KernelSetup& setup) {
  return makeMatmulRuled<Adam>(setup);
}
std::unique_ptr<HostKernel> makeMatmulSgdUpdate(const KernelSetup& setup) {
  return makeMatmulRuled<Sgd>(setup);
}

std::unique_ptr<HostKernel> makeRmspropUpdate(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  const double rho = setup.real("rho"), epsilon = setup.real("epsilon"),
               momentum = setup.real("momentum"), decay = setup.real("weight_decay");
  const bool hasMomentum = momentum != 0, isCentered = setup.flag("centered");
  // The outputs are w and v, then `momentum` and `average` if present.
  return makeUpdate(setup, [=, rateType = setup.inputType(3), l = setup.loops](
                               const KernelArguments& arguments, WorkRange range) {
    const double rate = readScalar(arguments.inputs[3], rateType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate);
    u.decayRate = static_cast<float>(decay * rate);
    u.a = static_cast<float>(rho);
    u.b = static_cast<float>(momentum);
    u.epsilon = static_cast<float>(epsilon);
    const size_t average = hasMomentum ? 3 : 2;
    l->rmspropUpdate(u, state(arguments, 0) + range.begin,
                     inputOf<float>(arguments, 1) + range.begin, state(arguments, 1) + range.begin,
                     hasMomentum ? state(arguments, 2) + range.begin : nullptr,
                     isCentered ? state(arguments, average) + range.begin : nullptr,
                     range.end - range.begin);
  });
}

std::unique_ptr<HostKernel> makeAdagradUpdate(const KernelSetup& setup) {
  if (!isPlain(setup)) return nullptr;
  const double epsilon = setup.real("epsilon"), decay = setup.real("weight_decay");
  return makeUpdate(setup, [=, rateType = setup.inputType(3), l = setup.loops](
                               const KernelArguments& arguments, WorkRange range) {
    const double rate = readScalar(arguments.inputs[3], rateType);
    UpdateArguments u;
    u.rate = static_cast<float>(rate);
    u.decayRate = static_cast<float>(decay * rate);
    u.epsilon = static_cast<float>(epsilon);
    l->adagradUpdate(u, state(arguments, 0) + range.begin,
                     inputOf<float>(arguments, 1) + range.begin, state(arguments, 1) + range.begin,
                     range.end - range.begin);
  });
}

}  // namespace strata::cpu
