// SPDX-License-Identifier: Apache-2.0
// The variables of a network by name, wherever they are: on one device, each on the device that
// computes its layer, or a part on each device. Files and callers see whole variables.
// Thread: only the thread of the network may use an object.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/exec/state.h"
#include "gpu/ops/shards.h"

namespace strata {

/// The values of some variables in host memory (gpu/exec/state.h).
class NetworkSnapshot {
 public:
  const std::map<std::string, TensorView>& views() const { return m_views; }
  /// Copies the variables again.
  void refresh();

 private:
  friend class NetworkValues;
  /// A variable that is put together from the parts of several snapshots.
  struct Joined {
    std::string name;
    Tensor value;
    // By snapshot: where its part begins, in bytes
    std::map<size_t, size_t> begins;
  };
  void join();
  std::vector<Snapshot> m_parts;
  std::vector<Joined> m_joined;
  std::map<std::string, TensorView> m_views;
};

class NetworkValues {
 public:
  /// The states must outlive the object. A variable that is in several of them is that of the
  /// first one.
  explicit NetworkValues(std::vector<State*> states) : m_states(std::move(states)) {}
  /// Says that each state has a part of a variable: the elements `ranges`, in row-major order.
  void divide(const std::string& name, const TensorType& type, std::vector<ShardRange> ranges);
  bool isDivided(std::string_view name) const { return m_divided.contains(name); }

  bool has(std::string_view name) const { return isDivided(name) || find(name) != nullptr; }
  /// Returns the names of all variables, sorted.
  std::vector<std::string> names() const;
  // The functions below fail with InvalidArgument if no variable has this name.
  Category category(std::string_view name) const { return stateOf(name).category(name); }
  const TensorType& type(std::string_view name) const;
  Tensor read(std::string_view name) const;
  /// Fails: ShapeMismatch if the types differ; the subject of the error is the name.
  void write(std::string_view name, const Tensor& value);
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
  struct Divided {
    TensorType type;
    // By state
    std::vector<ShardRange> ranges;
  };
  State* find(std::string_view name) const;
  State& stateOf(std::string_view name) const;
  std::vector<State*> m_states;
  std::map<std::string, Divided, std::less<>> m_divided;
};

}  // namespace strata
