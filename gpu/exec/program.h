// SPDX-License-Identifier: Apache-2.0
// A compiled step: kernels in execution order, with fixed addresses. Running it makes no decisions
// and allocates nothing. Several programs (full batch, last partial batch, evaluation) share one
// State.
// Thread: only one thread at a time may use the programs of a State. Any thread may request a stop
// through the stop token.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/exec/step_layout.h"

namespace strata {

/// Holds the variables and one transient arena, which the programs of a run share. The address of a
/// variable never changes.
class State {
 public:
  State() = default;
  /// Frees the memory and returns it to the operating system.
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Creates the missing variables of `graph` and fills them with zeros. The new variables are
  /// contiguous and sorted by category.
  /// Fails: ShapeMismatch if a variable exists with another type; OutOfMemory.
  void ensureVariables(const Graph& graph);
  bool has(std::string_view name) const;
  /// Returns the names of all variables, sorted.
  std::vector<std::string> names() const;
  // The functions below fail with InvalidArgument if no variable has this name. The subject of the
  // error is the name.
  Category category(std::string_view name) const;
  const TensorType& type(std::string_view name) const;
  std::byte* address(std::string_view name);
  Tensor read(std::string_view name) const;
  /// Returns a view of the variable, which shows later changes too.
  TensorView view(std::string_view name) const;
  /// Copies `value` into a variable.
  /// Fails: ShapeMismatch if the types differ; the subject of the error is the name.
  void write(std::string_view name, const Tensor& value);
  /// Returns the arena that the programs of this state use one after another. It grows to the
  /// largest request. Growing invalidates programs that are already bound, so request the largest
  /// size first.
  std::byte* transient(size_t bytes);
  size_t transientBytes() const { return m_transient.size(); }
  /// Frees the arena. Call it after the bound programs were destroyed, before new ones are built.
  void dropTransient() { m_transient = AlignedBytes(); }
  /// Returns the number of bytes of the variables and the arena.
  size_t allocatedBytes() const;

 private:
  struct Slot {
    TensorType type;
    Category category = Category::Parameter;
    std::byte* address = nullptr;
  };
  const Slot& slot(std::string_view name) const;
  std::map<std::string, Slot, std::less<>> m_slots;
  // The memory of the variables: one block per call of ensureVariables() that created any
  std::vector<AlignedBytes> m_blocks;
  AlignedBytes m_transient;
};

/// The total time of a node in all profiled steps.
struct ProfileRow {
  NodeId node;
  std::string op, layer, implementation;
  Phase phase = Phase::Forward;
  int64_t calls = 0;
  std::chrono::nanoseconds total{0};
  // The number of bytes that the node writes in one step
  size_t bytesOut = 0;
};

class Program {
 public:
  /// Builds a program from a graph: creates its kernels and plans its memory. build() allocates
  /// neither variables nor the arena, so that the caller can check memory() first. Build all
  /// programs of a State, then call bind() on each. Tests use `alterPlan` to break a plan on
  /// purpose.
  /// Fails: UnsupportedOp, or OutOfMemory if the step needs more memory than this machine has. The
  /// subject is the layer.
  static std::unique_ptr<Program> build(Graph graph, Backend& backend, State& state,
                                        bool inPlace = true,
                                        const std::function<void(MemoryPlan&)>& alterPlan = {});
  ~Program();

  /// Creates missing variables, grows the arena if necessary, and sets the addresses of all
  /// operands. Call it after building all programs, and again if another program makes the arena
  /// grow.
  /// Fails: as State::ensureVariables().
  void bind();

  const Graph& graph() const;
  const MemoryPlan& memory() const;
  /// Returns the number of bytes of this program's inputs and constants, which other programs do
  /// not use. If a State has only one program, state.allocatedBytes() + ownBytes() is
  /// memory().peakBytes().
  size_t ownBytes() const;
  /// Returns the implementation of each node in execution order, or "" for nodes without a kernel.
  std::vector<std::string> implementations() const;

  /// Returns the program's memory for an input of the graph. The caller fills it before run().
  std::byte* inputAddress(std::string_view name);
  /// Makes the program read an input from the caller's memory, without a copy. The caller keeps the
  /// memory alive until it rebinds the input. Null restores the program's memory.
  void rebindInput(std::string_view name, const std::byte* address);
  /// Returns the address of an output. Its content is valid between run() and the next run of a
  /// program of this State.
  const std::byte* outputAddress(std::string_view name) const;
  Tensor readOutput(std::string_view name) const;
  void writeInput(std::string_view name, const Tensor& value);

  /// Makes this program use the input memory of `other` instead of allocating memory. Call it
  /// before bind().
  /// Requires: `other` has inputs with the same names that are at least as large, and is bound
  /// first.
  void shareInputs(Program& other);
  /// Sets a scalar f32 output of the graph that is 0 after a bad step, such as the result of
  /// all_finite. run() then returns NonFinite. The graph itself prevents changes of variables: its
  /// updates have the operand `apply`. Call this function before bind().
  void setGuard(std::string_view output);

  enum class Outcome { Done, Stopped, NonFinite };
  /// Runs one step. A stop request ends the step only before its first change of a variable. The
  /// outcomes Stopped and NonFinite mean that no variable was changed.
  /// Fails: Internal if the program is not bound to the current arena; otherwise with the error of
  /// a kernel and the layer as subject. Variables that were already changed are not restored.
  Outcome run(const std::stop_token& stop = {});
  /// Returns the number of barriers in one step. Independent instructions need no barrier
  /// between them.
  int numBarriers() const;
  int numInstructions() const;
  /// Sets whether run() measures the time of each node. If not, it measures only the phases.
  void setProfiling(bool on);
  std::vector<ProfileRow> profile() const;
  void resetProfile();
  /// Returns the wall-clock times of forward, backward and update in the last run.
  std::array<std::chrono::nanoseconds, 3> lastPhases() const;
  /// Returns how often a run without profiling reads the clock for lastPhases().
  int phaseReadings() const;

  /// Makes run() detect wrong plans and kernels, for tests. After each instruction it fills all
  /// unused bytes of the arena with a pattern, so that a plan that frees memory too early changes
  /// results. It also checks that no instruction has written to unused bytes. If one has, run()
  /// fails with Internal and names op and layer.
  void setCanaries(bool on);

 private:
  Program();
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
