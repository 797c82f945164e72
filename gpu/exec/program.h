// SPDX-License-Identifier: Apache-2.0
// A compiled step: kernels in execution order, with fixed addresses on a device. Running it makes
// no decisions and allocates nothing. Several programs (full batch, last partial batch, evaluation)
// share one State.
// Thread: only one thread at a time may use the programs of a State. Any thread may request a stop
// through the stop token.
#pragma once

#include <array>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <stop_token>
#include <string>
#include <type_traits>
#include <vector>

#include "gpu/exec/runner.h"
#include "gpu/exec/state.h"
#include "gpu/exec/step_layout.h"

namespace strata {

class Program;

/// A submitted step of a program. The program must outlive it. Destroying it waits for the step.
class Ticket {
 public:
  /// A ticket of no step counts as stopped.
  Ticket() = default;
  Ticket(Ticket&& other) noexcept { *this = std::move(other); }
  Ticket& operator=(Ticket&& other) noexcept;
  ~Ticket() { release(); }
  /// Returns whether wait() would return at once.
  bool isDone() const { return m_step->isDone; }
  /// Waits for the step. Fails: as Runner::wait().
  StepOutcome wait();
  /// Returns a result (Program::setResults()). Requires: wait() returned Done or NonFinite, or the
  /// result does not depend on a part of the step that a stop prevented.
  std::span<const float> result(std::string_view name) const;
  const StepPhases& phases() const { return m_step->phases; }
  const Program& program() const { return *m_program; }

 private:
  friend class Program;
  Ticket(Program& program, SubmittedStep& step) : m_program(&program), m_step(&step) {}
  void release();
  Program* m_program = nullptr;
  SubmittedStep* m_step = nullptr;
};

class Program {
 public:
  /// Builds a program from a graph: creates its kernels and plans its memory. build() allocates
  /// neither variables nor the arena, so that the caller can check memory() first. Build all
  /// programs of a State, then call bind() on each. Tests use `alterPlan` to break a plan on
  /// purpose.
  /// Fails: UnsupportedOp, or OutOfMemory if the step needs more memory than this machine has. The
  /// subject is the layer.
  static std::unique_ptr<Program> build(Graph graph, Device& device, State& state,
                                        bool inPlace = true,
                                        const std::function<void(MemoryPlan&)>& alterPlan = {});
  ~Program();

  /// Creates missing variables, grows the arena if necessary, and sets the addresses of all
  /// operands. Call it after building all programs, and again if another program makes the arena
  /// grow or variables move.
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
  /// Returns whether all kernels give the same bits in each run.
  bool isDeterministic() const;

  /// Makes this program use the input memory of `other` instead of allocating memory. Call it
  /// before bind().
  /// Requires: `other` has inputs with the same names that are at least as large, and is bound
  /// first.
  void shareInputs(Program& other);
  /// Sets the f32 outputs of the graph that each step copies to its ticket. Call it before bind().
  void setResults(std::vector<std::string> outputs);
  /// Sets the scalar result that is 0 after a bad step, such as that of all_finite. The outcome is
  /// then NonFinite. The graph itself prevents changes of variables: its updates have the operand
  /// `apply`. Call this function before bind().
  /// Requires: setResults() includes the output.
  void setGuard(std::string_view output);

  /// Copies a tensor to an input of the graph. It comes after all submitted steps. Later steps read
  /// it until another value is set.
  /// Fails: ShapeMismatch.
  void writeInput(std::string_view name, const Tensor& value);
  /// Sets a scalar input for the steps that are submitted from now on. All scalars of a step travel
  /// in one piece. Does nothing if the graph has no such input.
  /// Requires: Value has the size of the input's element type.
  template <class Value>
  void setScalar(std::string_view name, Value value) {
    static_assert(std::is_arithmetic_v<Value>);
    setScalar(name, &value, sizeof value);
  }
  /// Makes later steps take an input from the caller's memory, without a copy if the device can
  /// read it. The caller keeps the memory unchanged until these steps are done. Null restores the
  /// program's memory. Does nothing if the graph has no such input.
  void feed(std::string_view name, const std::byte* address);
  /// Makes later steps gather an input from rows that the device keeps. The indices, one for each
  /// row of the input, must not change until the next step is submitted. feed() ends it.
  /// Requires: Device::keepsRows().
  void gather(std::string_view name, const KeptRows& rows, const int32_t* indices);
  /// Returns the program's memory for an input if host code may write to it, otherwise null. The
  /// caller then fills it before a step.
  std::byte* hostInput(std::string_view name);

  /// Submits a step. The step runs after all steps of this State that were submitted before. A stop
  /// request ends a step only before its first change of a variable.
  /// Fails: Internal if the program is not bound to the current memory of the state.
  Ticket submit(const std::stop_token& stop = {});
  using Outcome = StepOutcome;
  /// Submits a step and waits for it.
  Outcome run(const std::stop_token& stop = {});
  /// Returns an output after the last step. Waits for all submitted steps.
  Tensor readOutput(std::string_view name) const;

  /// Returns the number of barriers in one step. Independent instructions need no barrier
  /// between them.
  int numBarriers() const;
  int numInstructions() const;
  /// Returns the position of each instruction in the order of the graph.
  std::vector<int> positions() const;
  /// Sets whether later steps measure the time of each node. If not, they measure only the phases.
  void setProfiling(bool on);
  std::vector<ProfileRow> profile() const;
  void resetProfile();
  /// Returns what the device did in the last profiled step that is done.
  StepRecords lastRecords() const;
  /// Returns the wall-clock times of forward, backward and update in the last step that was waited
  /// for.
  StepPhases lastPhases() const;
  /// Returns how often a step without profiling reads the clock for its phases.
  int phaseReadings() const;

  /// Makes steps detect wrong plans and kernels, for tests. After each instruction, all unused
  /// bytes of the arena are filled with a pattern, so that a plan that frees memory too early
  /// changes results. It is also checked that no instruction has written to unused bytes. If one
  /// has, the step fails with Internal and names op and layer.
  void setCanaries(bool on);

 private:
  friend class Ticket;
  Program();
  void setScalar(std::string_view name, const void* value, size_t bytes);
  struct Impl;
  std::unique_ptr<Impl> m_impl;
};

}  // namespace strata
