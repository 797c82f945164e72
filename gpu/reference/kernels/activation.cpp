// SPDX-License-Identifier: Apache-2.0
// Activations and their derivatives, softmax and log-softmax. Formulas: gpu/ops/activation.cpp; all in double, rounded once.
#include <cmath>
#include <numbers>

#include "gpu/reference/kernels/activation.h"
#include "gpu/reference/kernels/kernels.h"

namespace strata::reference {

namespace {

constexpr double kSeluScale = 1.0507009873554804934193349852946;
constexpr double kSeluAlpha = 1.6732632423543772848170429916717;
constexpr double kGeluTanhCubic = 0.044715;

double sigmoid(double x) { return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
double softplus(double x) { return std::fmax(x, 0.0) + std::log1p(std::exp(-std::fabs(x))); }
double hardSigmoid(double x) { return x <= -3 ? 0.0 : x >= 3 ? 1.0 : (x + 3) / 6; }
double hardSigmoidSlope(double x) { return x > -3 && x < 3 ? 1.0 / 6 : 0.0; }
double geluTanhInner(double x) { return std::sqrt(2 / std::numbers::pi) * (x + kGeluTanhCubic * x * x * x); }

struct Formula {
  std::string_view kind;
  ActivationFormula formula;
};

// Comparisons are written so that NaN passes through.
const Formula kFormulas[] = {
    {"linear", {[](double x, double) { return x; }, [](double, double) { return 1.0; }}},
    {"relu", {[](double x, double) { return x <= 0 ? 0.0 : x; }, [](double y, double) { return y > 0 ? 1.0 : 0.0; }}},
    {"relu6", {[](double x, double) { return x <= 0 ? 0.0 : x >= 6 ? 6.0 : x; }, [](double y, double) { return y > 0 && y < 6 ? 1.0 : 0.0; }}},
    {"leaky_relu", {[](double x, double a) { return x > 0 ? x : a * x; }, [](double y, double a) { return y > 0 ? 1.0 : a; }}},
    {"elu", {[](double x, double a) { return x > 0 ? x : a * std::expm1(x); }, [](double y, double a) { return y > 0 ? 1.0 : y + a; }}},
    {"selu", {[](double x, double) { return x > 0 ? kSeluScale * x : kSeluScale * kSeluAlpha * std::expm1(x); },
              [](double y, double) { return y > 0 ? kSeluScale : y + kSeluScale * kSeluAlpha; }}},
    {"celu", {[](double x, double a) { return x > 0 ? x : a * std::expm1(x / a); }, [](double y, double a) { return y > 0 ? 1.0 : y / a + 1; }}},
    {"tanh", {[](double x, double) { return std::tanh(x); }, [](double y, double) { return 1 - y * y; }}},
    {"sigmoid", {[](double x, double) { return sigmoid(x); }, [](double y, double) { return y * (1 - y); }}},
    {"exponential", {[](double x, double) { return std::exp(x); }, [](double y, double) { return y; }}},
    {"gelu", {[](double x, double) { return 0.5 * x * (1 + std::erf(x * std::numbers::sqrt2 / 2)); },
              [](double x, double) {
                return 0.5 * (1 + std::erf(x * std::numbers::sqrt2 / 2)) + x * std::exp(-0.5 * x * x) * std::numbers::inv_sqrtpi / std::numbers::sqrt2;
              }}},
    {"gelu_tanh", {[](double x, double) { return 0.5 * x * (1 + std::tanh(geluTanhInner(x))); },
                   [](double x, double) {
                     const double t = std::tanh(geluTanhInner(x));
                     return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * std::sqrt(2 / std::numbers::pi) * (1 + 3 * kGeluTanhCubic * x * x);
                   }}},
    {"hard_sigmoid", {[](double x, double) { return hardSigmoid(x); }, [](double x, double) { return hardSigmoidSlope(x); }}},
    {"silu", {[](double x, double) { return x * sigmoid(x); },
              [](double x, double) { const double s = sigmoid(x); return s * (1 + x * (1 - s)); }}},
    {"hard_silu", {[](double x, double) { return x * hardSigmoid(x); }, [](double x, double) { return hardSigmoid(x) + x * hardSigmoidSlope(x); }}},
    {"mish", {[](double x, double) { return x * std::tanh(softplus(x)); },
              [](double x, double) { const double t = std::tanh(softplus(x)); return t + x * (1 - t * t) * sigmoid(x); }}},
    {"softplus", {[](double x, double) { return softplus(x); }, [](double x, double) { return sigmoid(x); }}},
    {"softsign", {[](double x, double) { return x / (1 + std::fabs(x)); },
                  [](double x, double) { const double d = 1 + std::fabs(x); return 1 / (d * d); }}},
    {"hard_tanh", {[](double x, double) { return x <= -1 ? -1.0 : x >= 1 ? 1.0 : x; }, [](double x, double) { return x >= -1 && x <= 1 ? 1.0 : 0.0; }}},
    {"tanh_shrink", {[](double x, double) { return x - std::tanh(x); }, [](double x, double) { const double t = std::tanh(x); return t * t; }}},
    {"soft_shrink", {[](double x, double a) { return x > a ? x - a : x < -a ? x + a : x != x ? x : 0.0; },
                     [](double x, double a) { return x > a || x < -a ? 1.0 : 0.0; }}},
    {"hard_shrink", {[](double x, double a) { return x >= -a && x <= a ? 0.0 : x; }, [](double x, double a) { return x > a || x < -a ? 1.0 : 0.0; }}},
    {"log_sigmoid", {[](double x, double) { return -softplus(-x); }, [](double x, double) { return sigmoid(-x); }}},
};

}  // namespace

ActivationFormula activationFormula(const KernelSetup& setup, std::string_view kind) {
  for (const Formula& row : kFormulas)
    if (row.kind == kind) return row.formula;
  throw Error(ErrorCode::UnsupportedOp, setup.layer, "activation \"" + std::string(kind) + "\" has no reference kernel. Choose another one.");
}

std::unique_ptr<Kernel> makeActivation(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  const double alpha = setup.real("alpha");
  const auto value = activationFormula(setup, setup.text("kind")).value;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
      const T* x = inputOf<T>(arguments, 0);
      T* y = outputOf<T>(arguments);
      const WorkRange range = shareOf(count, worker, workers);
      for (int64_t i = range.begin; i < range.end; ++i) y[i] = static_cast<T>(value(static_cast<double>(x[i]), alpha));
    });
  });
}

std::unique_ptr<Kernel> makeActivationBackward(const KernelSetup& setup) {
  const int64_t count = setup.outputShape().numElements();
  const double alpha = setup.real("alpha");
  const auto slope = activationFormula(setup, setup.text("kind")).slope;
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
      const T* dy = inputOf<T>(arguments, 0);
      const T* saved = inputOf<T>(arguments, 1);
      T* dx = outputOf<T>(arguments);
      const WorkRange range = shareOf(count, worker, workers);
      for (int64_t i = range.begin; i < range.end; ++i)
        dx[i] = static_cast<T>(static_cast<double>(dy[i]) * slope(static_cast<double>(saved[i]), alpha));
    });
  });
}

std::unique_ptr<Kernel> makeSoftmax(const KernelSetup& setup) {
  const bool isLog = setup.op == "log_softmax";
  const AxisSplit split = splitAtAxis(setup.inputShape(), static_cast<int>(setup.integer("axis")));
  return forFloating(setup, setup.inputType(), [&](auto type) {
    using T = decltype(type);
    return makeKernel([=, workers = setup.numWorkers](const KernelArguments& arguments, int, int worker) {
      const WorkRange range = shareOf(split.outer * split.inner, worker, workers);
      for (int64_t row = range.begin; row < range.end; ++row) {
        const int64_t start = row / split.inner * split.length * split.inner + row % split.inner;
        const T* x = inputOf<T>(arguments, 0) + start;
        T* y = outputOf<T>(arguments) + start;
        double largest = -std::numeric_limits<double>::infinity(), sum = 0;
        for (int64_t i = 0; i < split.length; ++i) largest = std::fmax(largest, static_cast<double>(x[i * split.inner]));
        for (int64_t i = 0; i < split.length; ++i) sum += std::exp(static_cast<double>(x[i * split.inner]) - largest);
        const double logSum = std::log(sum);
        for (int64_t i = 0; i < split.length; ++i) {
          const double shifted = static_cast<double>(x[i * split.inner]) - largest;
          y[i * split.inner] = static_cast<T>(isLog ? shifted - logSum : std::exp(shifted) / sum);
        }
      }
    });
  });
}

}  // namespace strata::reference
