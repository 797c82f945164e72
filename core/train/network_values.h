// SPDX-License-Identifier: Apache-2.0
// The variables of a network by name, wherever they are: on one device, or each on the device that
// computes its layer. Files and callers see whole variables.
// Thread: only the thread of the network may use an object.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/exec/state.h"

namespace strata {

/// The values of some variables in host memory (gpu/exec/state.h).
class NetworkSnapshot {
 public:
  const std::map<std::string, TensorView>& views() const { return m_views; }
  /// Copies the variables again.
  void refresh();

 private:
  friend class NetworkValues;
  std::vector<Snapshot> m_parts;
  std::map<std::string, TensorView> m_views;
};

class NetworkValues {
 public:
  /// Each variable is in one of the states, which must outlive the object.
  explicit NetworkValues(std::vector<State*> states) : m_states(std::move(states)) {}

  bool has(std::string_view name) const { return find(name) != nullptr; }
  /// Returns the names of all variables, sorted.
  std::vector<std::string> names() const;
  // The functions below fail with InvalidArgument if no variable has this name.
  Category category(std::string_view name) const { return stateOf(name).category(name); }
  const TensorType& type(std::string_view name) const { return stateOf(name).type(name); }
  Tensor read(std::string_view name) const { return stateOf(name).read(name); }
  /// Fails: ShapeMismatch if the types differ; the subject of the error is the name.
  void write(std::string_view name, const Tensor& value) { stateOf(name).write(name, value); }
  /// Exchanges the values of two variables of the same type.
  void exchange(std::string_view name, std::string_view other);
  NetworkSnapshot snapshot(const std::vector<std::string>& names) const;
  /// Returns all variables.
  NetworkSnapshot snapshot() const { return snapshot(names()); }
  /// Returns how often values were written by others than programs.
  int64_t changes() const;
  /// Returns the state on the first device.
  State& first() const { return *m_states.front(); }

 private:
  State* find(std::string_view name) const;
  State& stateOf(std::string_view name) const;
  std::vector<State*> m_states;
};

}  // namespace strata
