// SPDX-License-Identifier: Apache-2.0
// A figure that may be unknown. A figure without a value has a reason instead, so that nobody takes
// 0 or NaN for a result.
// Thread: value types without shared state.
#pragma once

#include <utility>
#include <variant>

#include "core/project/text.h"

namespace strata {

/// Why a figure is unknown, as the rest of a sentence: "unknown, because %1".
struct Reason {
  Text text;
  Arguments arguments = {};
  /// Returns the reason in English.
  std::string sentence() const { return formatText(text, arguments); }
};

/// A value, or the reason why it is unknown.
template <class T>
class Figure {
 public:
  Figure(T value) : m_state(std::in_place_index<0>, std::move(value)) {}
  Figure(Reason reason) : m_state(std::in_place_index<1>, std::move(reason)) {}
  explicit operator bool() const { return m_state.index() == 0; }
  const T& operator*() const { return std::get<0>(m_state); }
  const T* operator->() const { return &std::get<0>(m_state); }
  T& operator*() { return std::get<0>(m_state); }
  T* operator->() { return &std::get<0>(m_state); }
  /// Returns why there is no value. Requires: there is no value.
  const Reason& reason() const { return std::get<1>(m_state); }

 private:
  std::variant<T, Reason> m_state;
};

}  // namespace strata
