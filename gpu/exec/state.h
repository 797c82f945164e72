// SPDX-License-Identifier: Apache-2.0
// The memory that the programs of a run share: variables, and one transient arena. It is in the
// memory of a device; write(), read() and snapshot() move data in and out.
// The axes of a variable may be in another order in the memory of the device than in files
// (attribute `axes` of its node). All functions have the order of files. A variable may be a 16-bit
// copy of others (attribute `copy_of`), whose columns then stand next to each other in it. Writing
// one of the others writes the copy, too.
// Thread: only one thread at a time may use a State and its programs.
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "gpu/exec/device.h"
#include "gpu/exec/runner.h"
#include "gpu/tensor/tensor.h"

namespace strata {

class State;

/// Returns the type that a variable has in files. Its axes may have another order in the graph.
TensorType typeInFiles(const Graph& graph, const Variable& variable);

/// Returns whether a variable is a 16-bit copy of others, which files do not have.
bool isCopy(const Graph& graph, const Variable& variable);

/// The values of some variables in host memory. On a device whose memory is host memory, it is not
/// a copy, but shows the variables themselves until the next step or write.
class Snapshot {
 public:
  const std::map<std::string, TensorView>& views() const { return m_views; }
  /// Copies the variables again.
  void refresh();

 private:
  friend class State;
  struct Run {
    DeviceAddress begin;
    size_t bytes = 0, offset = 0;
  };
  /// A variable whose axes the device has in another order.
  struct Reordered {
    TensorType stored;
    std::vector<int64_t> toPlain;
    size_t offset = 0;
    std::byte* plain = nullptr;
  };
  Stream* m_stream = nullptr;
  // Contiguous ranges, one transfer each; empty if the memory of the device is host memory
  std::vector<Run> m_runs;
  AlignedBytes m_copy;
  std::vector<Reordered> m_reordered;
  // The variables of m_reordered as files have them
  AlignedBytes m_plain;
  std::map<std::string, TensorView> m_views;
};

class State {
 public:
  /// The device must outlive the state.
  explicit State(Device& device);
  /// Frees the memory and returns it to the operating system.
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Creates the missing variables of `graph` and fills them with zeros. The variables of one kind
  /// are contiguous: trained weights, other weights such as moving statistics, and each further
  /// category. If variables exist, they move, and bound programs must be bound again.
  /// The first graph that uses a variable decides the order of its axes in memory.
  /// Fails: ShapeMismatch if a variable exists with another type; OutOfMemory; Internal if graphs
  /// use a variable in two orders, or one changes it without its 16-bit copy.
  void ensureVariables(const Graph& graph);
  bool has(std::string_view name) const;
  /// Returns the names of all variables except copies, sorted.
  std::vector<std::string> names() const;
  // The functions below fail with InvalidArgument if no variable has this name. The subject of the
  // error is the name.
  Category category(std::string_view name) const;
  const TensorType& type(std::string_view name) const;
  DeviceAddress address(std::string_view name) const;
  Tensor read(std::string_view name) const;
  /// Copies `value` into a variable.
  /// Fails: ShapeMismatch if the types differ; the subject of the error is the name.
  void write(std::string_view name, const Tensor& value);
  /// Exchanges the values of two variables of the same type.
  /// Fails: ShapeMismatch if the types differ; the subject of the error is the first name.
  void exchange(std::string_view name, std::string_view other);
  Snapshot snapshot(const std::vector<std::string>& names) const;
  /// Returns all variables.
  Snapshot snapshot() const { return snapshot(names()); }

  /// Returns the arena that the programs of this state use one after another. It grows to the
  /// largest request. Growing invalidates programs that are already bound, so request the largest
  /// size first.
  DeviceAddress transient(size_t bytes);
  size_t transientBytes() const { return m_transient.bytes(); }
  /// Frees the arena. Call it after the bound programs were destroyed, before new ones are built.
  void dropTransient() { m_transient = DeviceMemory(); }
  /// Returns the number of bytes of the variables and the arena.
  size_t allocatedBytes() const;
  /// Returns how often addresses of variables have changed.
  int64_t moves() const { return m_moves; }
  /// Returns how often values were written by others than programs. An exchange on the host does
  /// not count.
  int64_t changes() const { return m_changes; }
  Stream& stream() { return *m_stream; }

 private:
  // Trained weights are the first kind, other weights the second one. Then come the categories, and
  // copies at the end.
  static constexpr size_t kNumKinds = kNumCategories + 2;
  struct Slot {
    TensorType type;
    Category category = Category::Parameter;
    size_t kind = 0, offset = 0;
    // Axis i of the memory is axis axes[i] of `type`; empty if they are the same
    std::vector<int64_t> axes;
    // The names of the variables that this one is a copy of; empty for others
    std::vector<std::string> copyOf;
    // Whether a graph reads or changes it
    bool isUsed = false;
    // Whether a graph changes it and has no 16-bit copy of it
    bool isChangedAlone = false;
  };
  const Slot& slot(std::string_view name) const;
  static Slot slotOf(const Graph& graph, const Variable& variable);
  void useAs(Slot& known, const Slot& wanted, const std::string& name);
  void requireCurrentCopies(const Graph& graph);
  void upload(std::string_view name, const Tensor& value);
  void writeCopies(std::string_view name, const Tensor& value);
  void writePart(const std::string& copy, size_t part, const Tensor& value);
  static size_t kindOf(const Graph& graph, const Variable& variable);

  Device& m_device;
  std::unique_ptr<Stream> m_stream;
  const size_t m_alignment;
  std::map<std::string, Slot, std::less<>> m_slots;
  // One block with the variables, ordered by kind
  DeviceMemory m_variables;
  DeviceMemory m_transient;
  int64_t m_moves = 0, m_changes = 0;
};

}  // namespace strata
