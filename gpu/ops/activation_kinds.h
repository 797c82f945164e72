// SPDX-License-Identifier: Apache-2.0
// The names, defaults and scalar formulas of the activations of Keras 3. Shape rules, kernels and
// tests use them. Each kind is a struct with `forward(x, alpha)` and `derivative(saved, alpha)`.
// visitActivation() finds the struct by name, so that a kernel's inner loop is compiled once per
// kind.
// Thread: all functions are pure.
#pragma once

#include <cmath>
#include <string_view>
#include <utility>

// Formulas are compiled for GPUs, too
#if defined(__CUDACC__)
#define STRATA_FORMULA __host__ __device__
#else
#define STRATA_FORMULA
#endif

namespace strata {

/// The value that the derivative reads. It is the output if the derivative can be computed from it,
/// so that the input may be overwritten. Otherwise it is the input.
enum class Saved : unsigned char { Output, Input };

namespace activations {

template <class T>
STRATA_FORMULA T sigmoidOf(T x) {
  return x >= 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x));
}
template <class T>
STRATA_FORMULA T softplusOf(T x) {
  return (x > 0 ? x : T(0)) + std::log1p(std::exp(-std::abs(x)));
}

struct Linear {
  static constexpr std::string_view kName = "linear";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T, T) {
    return 1;
  }
};

struct Relu {
  static constexpr std::string_view kName = "relu";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x < 0 ? T(0) : x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T) {
    return y > 0 ? T(1) : T(0);
  }
};

struct Relu6 {
  static constexpr std::string_view kName = "relu6";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    if (x < 0) return T(0);
    return x > 6 ? T(6) : x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T) {
    return y > 0 && y < 6 ? T(1) : T(0);
  }
};

/// The leaky relu: x if x > 0, otherwise alpha * x.
/// Requires: alpha > 0, so that the output has the input's sign. Elu and Celu require the same.
struct LeakyRelu {
  static constexpr std::string_view kName = "leaky_relu";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0.2;
  template <class T>
  STRATA_FORMULA static T forward(T x, T alpha) {
    return x > 0 ? x : alpha * x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T alpha) {
    return y > 0 ? T(1) : alpha;
  }
};

struct Elu {
  static constexpr std::string_view kName = "elu";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 1;
  template <class T>
  STRATA_FORMULA static T forward(T x, T alpha) {
    return x > 0 ? x : alpha * std::expm1(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T alpha) {
    return y < 0 ? y + alpha : T(1);
  }
};

struct Selu {
  static constexpr std::string_view kName = "selu";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  static constexpr double kScale = 1.0507009873554804934193349852946;
  static constexpr double kInner = 1.6732632423543772848170429916717;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x > 0 ? T(kScale) * x : T(kScale * kInner) * std::expm1(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T) {
    return y < 0 ? y + T(kScale * kInner) : T(kScale);
  }
};

struct Gelu {
  static constexpr std::string_view kName = "gelu";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return T(0.5) * x * std::erfc(x * T(-0.70710678118654752440));
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return T(0.5) * std::erfc(x * T(-0.70710678118654752440)) +
           x * T(0.39894228040143267794) * std::exp(T(-0.5) * x * x);
  }
};

struct GeluTanh {
  static constexpr std::string_view kName = "gelu_tanh";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  static constexpr double kRoot = 0.79788456080286535588, kCube = 0.044715;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return T(0.5) * x * (1 + std::tanh(T(kRoot) * (x + T(kCube) * x * x * x)));
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    const T t = std::tanh(T(kRoot) * (x + T(kCube) * x * x * x));
    return T(0.5) * (1 + t) + T(0.5) * x * (1 - t * t) * T(kRoot) * (1 + T(3 * kCube) * x * x);
  }
};

struct Tanh {
  static constexpr std::string_view kName = "tanh";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return std::tanh(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T) {
    return 1 - y * y;
  }
};

struct Sigmoid {
  static constexpr std::string_view kName = "sigmoid";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return sigmoidOf(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T) {
    return y * (1 - y);
  }
};

struct HardSigmoid {
  static constexpr std::string_view kName = "hard_sigmoid";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    if (x <= -3) return T(0);
    return x >= 3 ? T(1) : (x + 3) / 6;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return x > -3 && x < 3 ? T(1) / 6 : T(0);
  }
};

struct Silu {
  static constexpr std::string_view kName = "silu";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x * sigmoidOf(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    const T s = sigmoidOf(x);
    return s * (1 + x * (1 - s));
  }
};

struct HardSilu {
  static constexpr std::string_view kName = "hard_silu";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x * HardSigmoid::forward(x, T(0));
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return HardSigmoid::forward(x, T(0)) + x * HardSigmoid::derivative(x, T(0));
  }
};

struct Mish {
  static constexpr std::string_view kName = "mish";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x * std::tanh(softplusOf(x));
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    const T t = std::tanh(softplusOf(x));
    return t + x * (1 - t * t) * sigmoidOf(x);
  }
};

struct Softplus {
  static constexpr std::string_view kName = "softplus";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return softplusOf(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return sigmoidOf(x);
  }
};

struct Softsign {
  static constexpr std::string_view kName = "softsign";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x / (1 + std::abs(x));
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    const T d = 1 + std::abs(x);
    return 1 / (d * d);
  }
};

struct Exponential {
  static constexpr std::string_view kName = "exponential";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return std::exp(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T) {
    return y;
  }
};

struct Celu {
  static constexpr std::string_view kName = "celu";
  static constexpr Saved kSaved = Saved::Output;
  static constexpr double kAlpha = 1;
  template <class T>
  STRATA_FORMULA static T forward(T x, T alpha) {
    return x > 0 ? x : alpha * std::expm1(x / alpha);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T y, T alpha) {
    return y < 0 ? y / alpha + 1 : T(1);
  }
};

struct HardTanh {
  static constexpr std::string_view kName = "hard_tanh";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    if (x < -1) return T(-1);
    return x > 1 ? T(1) : x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return x >= -1 && x <= 1 ? T(1) : T(0);
  }
};

struct TanhShrink {
  static constexpr std::string_view kName = "tanh_shrink";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return x - std::tanh(x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    const T t = std::tanh(x);
    return t * t;
  }
};

struct SoftShrink {
  static constexpr std::string_view kName = "soft_shrink";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0.5;
  template <class T>
  STRATA_FORMULA static T forward(T x, T alpha) {
    if (x > alpha) return x - alpha;
    return x < -alpha ? x + alpha : T(0);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T alpha) {
    return x > alpha || x < -alpha ? T(1) : T(0);
  }
};

struct HardShrink {
  static constexpr std::string_view kName = "hard_shrink";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0.5;
  template <class T>
  STRATA_FORMULA static T forward(T x, T alpha) {
    return x > alpha || x < -alpha ? x : T(0);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T alpha) {
    return x > alpha || x < -alpha ? T(1) : T(0);
  }
};

struct LogSigmoid {
  static constexpr std::string_view kName = "log_sigmoid";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    return -softplusOf(-x);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return sigmoidOf(-x);
  }
};

struct Squareplus {
  static constexpr std::string_view kName = "squareplus";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 4;
  // For negative x, the sum x + root would lose precision.
  template <class T>
  STRATA_FORMULA static T forward(T x, T alpha) {
    const T root = std::sqrt(x * x + alpha);
    return x < 0 ? T(0.5) * alpha / (root - x) : T(0.5) * (x + root);
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T alpha) {
    const T root = std::sqrt(x * x + alpha);
    return x < 0 ? T(0.5) * alpha / (root * (root - x)) : T(0.5) * (1 + x / root);
  }
};

struct SparsePlus {
  static constexpr std::string_view kName = "sparse_plus";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    if (x <= -1) return T(0);
    return x < 1 ? T(0.25) * (x + 1) * (x + 1) : x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    if (x <= -1) return T(0);
    return x < 1 ? T(0.5) * (x + 1) : T(1);
  }
};

struct SparseSigmoid {
  static constexpr std::string_view kName = "sparse_sigmoid";
  static constexpr Saved kSaved = Saved::Input;
  static constexpr double kAlpha = 0;
  template <class T>
  STRATA_FORMULA static T forward(T x, T) {
    if (x <= -1) return T(0);
    if (x < 1) return T(0.5) * (x + 1);
    // A NaN stays a NaN.
    return x >= 1 ? T(1) : x;
  }
  template <class T>
  STRATA_FORMULA static T derivative(T x, T) {
    return x > -1 && x < 1 ? T(0.5) : T(0);
  }
};

}  // namespace activations

template <class... Kinds>
struct ActivationList {
  template <class Visitor>
  static bool visit(std::string_view name, Visitor&& visitor) {
    return ((name == Kinds::kName && (visitor(Kinds{}), true)) || ...);
  }
  template <class Visitor>
  STRATA_FORMULA static bool visit(int number, Visitor&& visitor) {
    int i = 0;
    return ((number == i++ && (visitor(Kinds{}), true)) || ...);
  }
};

using AllActivations = ActivationList<
    activations::Linear, activations::Relu, activations::Relu6, activations::LeakyRelu,
    activations::Elu, activations::Selu, activations::Gelu, activations::GeluTanh,
    activations::Tanh, activations::Sigmoid, activations::HardSigmoid, activations::Silu,
    activations::HardSilu, activations::Mish, activations::Softplus, activations::Softsign,
    activations::Exponential, activations::Celu, activations::HardTanh, activations::TanhShrink,
    activations::SoftShrink, activations::HardShrink, activations::LogSigmoid,
    activations::Squareplus, activations::SparsePlus, activations::SparseSigmoid>;

/// Calls visitor(Kind{}) with the struct of this name. Returns false if the name is unknown. Users
/// see the kinds in the order of AllActivations.
template <class Visitor>
bool visitActivation(std::string_view name, Visitor&& visitor) {
  return AllActivations::visit(name, std::forward<Visitor>(visitor));
}
/// Calls visitor(Kind{}) with the struct of this number in AllActivations.
template <class Visitor>
STRATA_FORMULA bool visitActivation(int number, Visitor&& visitor) {
  return AllActivations::visit(number, std::forward<Visitor>(visitor));
}

/// The names in the order of AllActivations, for messages and tests.
constexpr std::string_view kActivationNames[] = {
    "linear",      "relu",          "relu6",       "leaky_relu",  "elu",          "selu",
    "gelu",        "gelu_tanh",     "tanh",        "sigmoid",     "hard_sigmoid", "silu",
    "hard_silu",   "mish",          "softplus",    "softsign",    "exponential",  "celu",
    "hard_tanh",   "tanh_shrink",   "soft_shrink", "hard_shrink", "log_sigmoid",  "squareplus",
    "sparse_plus", "sparse_sigmoid"};

/// Returns whether the kind is cheap because it needs no exponential.
inline bool isPiecewiseLinear(std::string_view kind) {
  return kind == "linear" || kind == "relu" || kind == "relu6" || kind == "leaky_relu" ||
         kind.starts_with("hard_") || kind == "soft_shrink" || kind == "softsign" ||
         kind == "squareplus" || kind.starts_with("sparse_");
}

/// Returns what the derivative of a kind reads. Requires: the kind is known.
inline Saved activationSaves(std::string_view kind) {
  Saved result = Saved::Input;
  visitActivation(kind, [&](auto k) { result = decltype(k)::kSaved; });
  return result;
}

}  // namespace strata
