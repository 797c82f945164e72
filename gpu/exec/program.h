// SPDX-License-Identifier: Apache-2.0
// A compiled step: ordered kernels with fixed addresses; running it decides and allocates nothing.
// Several programs (full batch, last partial batch, evaluation) share one State.
// Thread: build and run on one thread at a time; requestable stop through the token.
#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/exec/backend.h"
#include "gpu/memory/liveness.h"

namespace strata {

/// Variables by name and one transient arena, shared by the programs of a run. Variables keep their address for life.
class State {
 public:
  /// Makes every variable of `graph` that is not there yet (zeros). Fails: ShapeMismatch where a name exists with another type; OutOfMemory.
  void ensureVariables(const Graph& graph);
  bool has(std::string_view name) const;
  std::vector<std::string> names() const;                 // sorted
  Category category(std::string_view name) const;
  const TensorType& type(std::string_view name) const;
  std::byte* address(std::string_view name);
  Tensor read(std::string_view name) const;
  /// Fails: ShapeMismatch (subject: the name) for another type.
  void write(std::string_view name, const Tensor& value);
  /// The arena all programs of this state use in turn; grows to the largest request. Growing invalidates programs built before: build all first.
  std::byte* transient(size_t bytes);
  size_t allocatedBytes() const;                          // variables + transient arena

 private:
  struct Slot;
  std::map<std::string, std::shared_ptr<Slot>, std::less<>> m_slots;
  AlignedBytes m_transient;
};

/// Time of each node, summed over profiled steps.
struct ProfileRow {
  NodeId node;
  std::string op, layer, implementation;
  Phase phase = Phase::Forward;
  int64_t calls = 0;
  std::chrono::nanoseconds total{0};
  size_t bytesOut = 0;     // bytes the node writes
};

class Program {
 public:
  /// Creates kernels, plans memory and binds addresses. Fails: UnsupportedOp, OutOfMemory, each naming the layer.
  /// Build every program of a State, then call bind() on each.
  static std::unique_ptr<Program> build(Graph graph, Backend& backend, State& state, bool inPlace = true);
  ~Program();

  /// Addresses are fixed now: the state's arena has its final size. Called once by the owner after all programs are built.
  void bind();

  const Graph& graph() const;
  const MemoryPlan& memory() const;
  std::vector<std::string> implementations() const;       // by position in the order

  /// The step's own memory for an input (name as in Graph::inputs), to be filled before run().
  std::byte* inputAddress(std::string_view name);
  /// Reads the input from the caller's memory instead, until rebound; null: own memory again. Cheap; no copy.
  void rebindInput(std::string_view name, const std::byte* address);
  /// Where an output lies after run().
  const std::byte* outputAddress(std::string_view name) const;
  Tensor readOutput(std::string_view name) const;
  void writeInput(std::string_view name, const Tensor& value);

  enum class Outcome { Done, Stopped };
  /// Runs one step. A stop is honoured between instructions until the first write to state, then the step is finished: Stopped means nothing was changed.
  Outcome run(std::stop_token stop = {});
  /// From now on run() measures each node (on) or only phases (off).
  void setProfiling(bool on);
  std::vector<ProfileRow> profile() const;
  void resetProfile();
  /// Wall time of forward, backward and update of the last run.
  std::array<std::chrono::nanoseconds, 3> lastPhases() const;

  /// Rule 13: after each instruction fills every byte that no live storage holds with a pattern, and before each one checks nothing;
  /// a plan that frees too early then changes results. For tests.
  void setCanaries(bool on);

 private:
  Program();
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
