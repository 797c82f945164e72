// SPDX-License-Identifier: Apache-2.0
// Rounds sizes up to multiples of a unit. Thread: any.
#pragma once

namespace strata {

/// Returns the smallest multiple of `unit` that is not below `value`.
/// Requires: value >= 0, unit > 0, and the result fits the type.
template <class Integer>
constexpr Integer roundUp(Integer value, Integer unit) {
  return (value + unit - 1) / unit * unit;
}

}  // namespace strata
