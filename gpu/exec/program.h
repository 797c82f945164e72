// SPDX-License-Identifier: Apache-2.0
// A compiled step: ordered kernels with fixed addresses; running it decides and allocates nothing.
// Several programs (full batch, last partial batch, evaluation) share one State.
// Thread: build and run on one thread at a time; requestable stop through the token.
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

/// Variables by name and one transient arena, shared by the programs of a run. Variables keep their
/// address for life.
class State {
 public:
  State() = default;
  // Gives what is freed back to the system
  ~State();
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Makes every variable of `graph` that is not there yet (zeros), contiguous by category. Fails:
  /// ShapeMismatch where a name exists with another type; OutOfMemory.
  void ensureVariables(const Graph& graph);
  bool has(std::string_view name) const;
  // Sorted
  std::vector<std::string> names() const;
  // The calls below fail: InvalidArgument (subject: the name) for an unknown name.
  Category category(std::string_view name) const;
  const TensorType& type(std::string_view name) const;
  std::byte* address(std::string_view name);
  Tensor read(std::string_view name) const;
  // Until it is written
  TensorView view(std::string_view name) const;
  /// Fails: ShapeMismatch (subject: the name) for another type.
  void write(std::string_view name, const Tensor& value);
  /// The arena all programs of this state use in turn; grows to the largest request. Growing
  /// invalidates programs bound before: ask for the largest first.
  std::byte* transient(size_t bytes);
  size_t transientBytes() const { return m_transient.size(); }
  /// Gives the arena back: the programs that were bound are gone, and those that follow need it at
  /// other sizes.
  void dropTransient() { m_transient = AlignedBytes(); }
  // Variables + transient arena
  size_t allocatedBytes() const;

 private:
  struct Slot {
    TensorType type;
    Category category = Category::Parameter;
    std::byte* address = nullptr;
  };
  const Slot& slot(std::string_view name) const;
  std::map<std::string, Slot, std::less<>> m_slots;
  // Hold the slots, one block a call of ensureVariables
  std::vector<AlignedBytes> m_blocks;
  AlignedBytes m_transient;
};

/// The plan a program of this graph would have, with the backend's kernels and their workspaces;
/// nothing is allocated for the step. For searching a batch size.
/// Fails: UnsupportedOp naming the layer.
MemoryPlan planProgram(const Graph& graph, Backend& backend, bool inPlace = true);

/// Workspaces that a node's kernel can run in on this device, for RecomputeOptions. Remembers what
/// it answered, so use it for one graph and what passes make of it.
std::function<std::vector<WorkspaceChoice>(const Graph&, NodeId)> kernelWorkspaces(
    Backend& backend);

/// Time of each node, summed over profiled steps.
struct ProfileRow {
  NodeId node;
  std::string op, layer, implementation;
  Phase phase = Phase::Forward;
  int64_t calls = 0;
  std::chrono::nanoseconds total{0};
  // Bytes the node writes
  size_t bytesOut = 0;
};

class Program {
 public:
  /// Creates kernels and plans memory; allocates neither state nor arena, so that memory() can be
  /// judged before. Build every program of a State, then call bind() on each. Fails: UnsupportedOp
  /// naming the layer; OutOfMemory naming it where the step needs more than this machine has.
  /// alterPlan: for tests, which break a plan on purpose between planning and binding.
  static std::unique_ptr<Program> build(Graph graph, Backend& backend, State& state,
                                        bool inPlace = true,
                                        const std::function<void(MemoryPlan&)>& alterPlan = {});
  ~Program();

  /// Allocates what the state does not have yet, and fixes addresses: the state's arena has its
  /// final size. Called by the owner after all programs are built (and again if it built more).
  /// Fails: as State::ensureVariables.
  void bind();

  const Graph& graph() const;
  const MemoryPlan& memory() const;
  /// Bytes of this program alone: its inputs and constants. state.allocatedBytes() + ownBytes() is
  /// memory().peakBytes() for the only program of a state.
  size_t ownBytes() const;
  // By position in the order
  std::vector<std::string> implementations() const;

  /// The step's own memory for an input (name as in Graph::inputs), to be filled before run().
  std::byte* inputAddress(std::string_view name);
  /// Reads the input from the caller's memory instead, until rebound; null: own memory again.
  /// Cheap; no copy.
  void rebindInput(std::string_view name, const std::byte* address);
  /// Where an output lies after run().
  const std::byte* outputAddress(std::string_view name) const;
  Tensor readOutput(std::string_view name) const;
  void writeInput(std::string_view name, const Tensor& value);

  /// Before bind(): inputs lie in the memory of `other`, which has all of them by name, at least as
  /// large, and is bound first. None of its own is allocated.
  void shareInputs(Program& other);
  /// Before bind(): a step whose scalar f32 output of this name is not finite ends as NonFinite
  /// right before its first write to state.
  /// Fails: InvalidArgument where the output is made only after such a write.
  void setGuard(std::string_view output);

  enum class Outcome { Done, Stopped, NonFinite };
  /// Runs one step. A stop is honoured between instructions until the first write to state, then
  /// the step is finished: Stopped and NonFinite mean that nothing was changed.
  /// Requires: bind() after the last build on this state (Fails: Internal). Fails: what a kernel
  /// threw, with the layer as subject; state written so far stays written.
  Outcome run(const std::stop_token& stop = {});
  /// Barriers between workers in one step; independent neighbours need none.
  int numBarriers() const;
  int numInstructions() const;
  /// From now on run() measures each node (on) or only phases (off).
  void setProfiling(bool on);
  std::vector<ProfileRow> profile() const;
  void resetProfile();
  /// Wall time of forward, backward and update of the last run.
  std::array<std::chrono::nanoseconds, 3> lastPhases() const;
  /// How often a run without setProfiling() reads the clock for them.
  int phaseReadings() const;

  /// Rule 13: after each instruction fills every transient byte that no live storage holds with a
  /// pattern (a plan that frees too early then changes results), and after each one checks that no
  /// byte outside the storages live at it was written (Fails: Internal naming op and layer). For
  /// tests.
  void setCanaries(bool on);

 private:
  Program();
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
