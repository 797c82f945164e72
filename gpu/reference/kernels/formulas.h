// SPDX-License-Identifier: Apache-2.0
// Scalar formulas of the unary and binary ops by name, for the kernels of these ops and for
// fused_pointwise.
// Thread: all functions are pure.
#pragma once

#include <cmath>
#include <string_view>
#include <type_traits>

namespace strata::reference {

/// Calls visitor(formula, takesIntegers) and returns its result, or a default value if the op does
/// not exist. Formulas that do not take integers are computed in double, the others in the
/// operand's type.
template <class Visitor>
auto visitUnary(std::string_view op, Visitor&& visitor) {
  constexpr std::true_type any{};
  constexpr std::false_type real{};
  using Answer = decltype(visitor([](double x) { return x; }, real));
  if (op == "negate") return visitor([](auto x) { return -x; }, any);
  if (op == "abs")
    return visitor(
        [](auto x) { return x == 0  ? decltype(x){0}
                            : x < 0 ? static_cast<decltype(x)>(-x)
                                    : x; },
        any);
  if (op == "sign")
    return visitor(
        [](auto x) { return x > 0   ? decltype(x){1}
                            : x < 0 ? static_cast<decltype(x)>(-1)
                                    : x; },
        any);
  if (op == "exp") return visitor([](double x) { return std::exp(x); }, real);
  if (op == "expm1") return visitor([](double x) { return std::expm1(x); }, real);
  if (op == "log") return visitor([](double x) { return std::log(x); }, real);
  if (op == "log1p") return visitor([](double x) { return std::log1p(x); }, real);
  if (op == "sqrt") return visitor([](double x) { return std::sqrt(x); }, real);
  if (op == "rsqrt") return visitor([](double x) { return 1.0 / std::sqrt(x); }, real);
  if (op == "square") return visitor([](auto x) { return x * x; }, any);
  if (op == "reciprocal") return visitor([](double x) { return 1.0 / x; }, real);
  if (op == "sin") return visitor([](double x) { return std::sin(x); }, real);
  if (op == "cos") return visitor([](double x) { return std::cos(x); }, real);
  if (op == "erf") return visitor([](double x) { return std::erf(x); }, real);
  if (op == "floor") return visitor([](double x) { return std::floor(x); }, real);
  if (op == "is_finite")
    return visitor([](double x) { return std::isfinite(x) ? 1.0 : 0.0; }, real);
  return Answer{};
}

/// Calls visitor(formula) for a binary op and returns its result, or a default value if the op does
/// not exist. Both operands of the formula have the same type.
template <class Visitor>
auto visitBinary(std::string_view op, Visitor&& visitor) {
  using Answer = decltype(visitor([](auto a, auto) { return a; }));
  if (op == "add") return visitor([](auto a, auto b) { return a + b; });
  if (op == "subtract") return visitor([](auto a, auto b) { return a - b; });
  if (op == "multiply") return visitor([](auto a, auto b) { return a * b; });
  if (op == "divide")
    return visitor([](auto a, auto b) {
      // Integer division by zero would crash, so the result is 0.
      if constexpr (std::is_integral_v<decltype(b)>)
        return b == 0 ? decltype(b){0} : static_cast<decltype(b)>(a / b);
      else
        return a / b;
    });
  // A NaN operand gives NaN, so that it is noticed.
  if (op == "maximum") return visitor([](auto a, auto b) { return a > b || a != a ? a : b; });
  if (op == "minimum") return visitor([](auto a, auto b) { return a < b || a != a ? a : b; });
  if (op == "power")
    return visitor(
        [](auto a, auto b) { return std::pow(static_cast<double>(a), static_cast<double>(b)); });
  if (op == "less") return visitor([](auto a, auto b) { return a < b ? 1 : 0; });
  if (op == "less_equal") return visitor([](auto a, auto b) { return a <= b ? 1 : 0; });
  if (op == "greater") return visitor([](auto a, auto b) { return a > b ? 1 : 0; });
  if (op == "greater_equal") return visitor([](auto a, auto b) { return a >= b ? 1 : 0; });
  if (op == "equal") return visitor([](auto a, auto b) { return a == b ? 1 : 0; });
  if (op == "not_equal") return visitor([](auto a, auto b) { return a != b ? 1 : 0; });
  return Answer{};
}

}  // namespace strata::reference
