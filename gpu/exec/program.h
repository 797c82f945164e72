// SPDX-License-Identifier: Apache-2.0
// A compiled step: ordered kernels with fixed addresses. Running it makes no decisions and
// allocates nothing. Several programs (full batch, last partial batch, evaluation) share one State.
// Thread: build and run on one thread at a time; another thread may request a stop through the
// token.
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

#include "gpu/exec/backend.h"
#include "gpu/memory/liveness.h"
#include "gpu/memory/recompute.h"

namespace strata {

/// Variables by name and one transient arena, shared by the programs of a run. The address of a
/// variable never changes.
class State {
 public:
  State() = default;
  // Returns the freed memory to the system
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Creates the missing variables of `graph` with zeros, contiguous by category. Fails:
  /// ShapeMismatch if a variable exists with another type; OutOfMemory.
  void ensureVariables(const Graph& graph);
  bool has(std::string_view name) const;
  // Sorted
  std::vector<std::string> names() const;
  // The functions below fail for an unknown name: InvalidArgument (subject: the name).
  Category category(std::string_view name) const;
  const TensorType& type(std::string_view name) const;
  std::byte* address(std::string_view name);
  Tensor read(std::string_view name) const;
  // Valid until the variable is written
  TensorView view(std::string_view name) const;
  /// Fails: ShapeMismatch (subject: the name) for another type.
  void write(std::string_view name, const Tensor& value);
  /// The arena that the programs of this state use in turn; it grows to the largest request.
  /// Growing invalidates programs that are already bound, so request the largest size first.
  std::byte* transient(size_t bytes);
  size_t transientBytes() const { return m_transient.size(); }
  /// Frees the arena. Call it when the bound programs are gone and new ones need other sizes.
  void dropTransient() { m_transient = AlignedBytes(); }
  // Variables plus transient arena
  size_t allocatedBytes() const;

 private:
  struct Slot {
    TensorType type;
    Category category = Category::Parameter;
    std::byte* address = nullptr;
  };
  const Slot& slot(std::string_view name) const;
  std::map<std::string, Slot, std::less<>> m_slots;
  // The memory of m_slots, one block per call of ensureVariables()
  std::vector<AlignedBytes> m_blocks;
  AlignedBytes m_transient;
};

/// The plan that a program of this graph would have, with the backend's kernels and their
/// workspaces. Nothing is allocated for the step. For the batch size search.
/// Fails: UnsupportedOp naming the layer.
MemoryPlan planProgram(const Graph& graph, Backend& backend, bool inPlace = true);

/// The possible workspaces of a node's kernel on this device, for RecomputeOptions. It caches its
/// results, so use it only for one graph and its rewritten versions.
std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> kernelWorkspaces(
    Backend& backend);

/// The time of a node, summed over profiled steps.
struct ProfileRow {
  NodeId node;
  std::string op, layer, implementation;
  Phase phase = Phase::Forward;
  int64_t calls = 0;
  std::chrono::nanoseconds total{0};
  // Bytes that the node writes
  size_t bytesOut = 0;
};

class Program {
 public:
  /// Creates kernels and plans memory. Allocates neither state nor arena, so that memory() can be
  /// checked first. Build every program of a State, then call bind() on each. alterPlan: for tests
  /// that break a plan on purpose.
  /// Fails: UnsupportedOp naming the layer; OutOfMemory naming it if the step needs more memory
  /// than this machine has.
  static std::unique_ptr<Program> build(Graph graph, Backend& backend, State& state,
                                        bool inPlace = true,
                                        const std::function<void(MemoryPlan&)>& alterPlan = {});
  ~Program();

  /// Allocates missing state and fixes the addresses, for which the state's arena must have its
  /// final size. The owner calls it after building all programs, and again after building more.
  /// Fails: as State::ensureVariables.
  void bind();

  const Graph& graph() const;
  const MemoryPlan& memory() const;
  /// The bytes that belong only to this program: its inputs and constants. For the only program of
  /// a state, state.allocatedBytes() + ownBytes() is memory().peakBytes().
  size_t ownBytes() const;
  // By position in the order
  std::vector<std::string> implementations() const;

  /// The step's own memory for an input (named as in Graph::inputs), which must be filled before
  /// run().
  std::byte* inputAddress(std::string_view name);
  /// Reads the input from the caller's memory, without a copy, until it is rebound. Null restores
  /// the step's own memory.
  void rebindInput(std::string_view name, const std::byte* address);
  /// The address of an output after run().
  const std::byte* outputAddress(std::string_view name) const;
  Tensor readOutput(std::string_view name) const;
  void writeInput(std::string_view name, const Tensor& value);

  /// Call before bind(): uses the input memory of `other` instead of allocating its own. `other`
  /// must have inputs with the same names, at least as large, and be bound first.
  void shareInputs(Program& other);
  /// Call before bind(): if this scalar f32 output is not finite, the step ends with NonFinite
  /// right before its first write to state.
  /// Fails: InvalidArgument if the output is computed only after such a write.
  void setGuard(std::string_view output);

  enum class Outcome { Done, Stopped, NonFinite };
  /// Runs one step. A stop request takes effect between instructions until the first write to
  /// state; after that the step is completed. Stopped and NonFinite mean that nothing was changed.
  /// Requires: bind() after the last build on this state (Fails: Internal). Fails: as the failing
  /// kernel, with the layer as subject; state written so far is not restored.
  Outcome run(const std::stop_token& stop = {});
  /// The number of barriers in one step; independent instructions need none.
  int numBarriers() const;
  int numInstructions() const;
  /// Whether run() measures each node (on) or only phases (off).
  void setProfiling(bool on);
  std::vector<ProfileRow> profile() const;
  void resetProfile();
  /// Wall-clock time of forward, backward and update in the last run.
  std::array<std::chrono::nanoseconds, 3> lastPhases() const;
  /// How often a run without profiling reads the clock for lastPhases().
  int phaseReadings() const;

  /// For tests. After each instruction, fills every transient byte that no live storage holds with
  /// a pattern, so that a plan that frees too early changes results. Also checks that no byte
  /// outside the storages live at the instruction was written (Fails: Internal naming op and
  /// layer).
  void setCanaries(bool on);

 private:
  Program();
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
