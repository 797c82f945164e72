// SPDX-License-Identifier: Apache-2.0
// What a device offers to run steps. A Stream is the queue of one State, a Runner a step bound to
// addresses, and a SubmittedStep one submission of it. Programs (program.h) use them.
// Thread: only one thread at a time may use the stream of a State and its runners.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <exception>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "gpu/exec/device_address.h"
#include "gpu/exec/kept_rows.h"
#include "gpu/exec/kernel_record.h"
#include "gpu/exec/step_layout.h"

namespace strata {

/// How a step ended. Only after Done were variables changed.
enum class StepOutcome : uint8_t {
  Done,
  // A stop was requested before the first change of a variable
  Stopped,
  // The guard is 0
  NonFinite,
  // An earlier step did not end with Done
  Skipped
};

/// The times of forward, backward and update.
using StepPhases = std::array<std::chrono::nanoseconds, 3>;

/// A copy from host memory that a step makes before its first instruction. The memory must not
/// change until the step is done.
struct HostCopy {
  DeviceAddress to;
  const std::byte* from = nullptr;
  size_t bytes = 0;
};

/// One submission of a step. Programs own it and use it again, so that steps allocate no memory.
struct SubmittedStep {
  std::vector<HostCopy> copies;
  // Only for devices that keep rows
  std::vector<RowGather> gathers;
  // The scalars of the step in one piece, and where they go
  std::vector<std::byte> scalars;
  DeviceAddress scalarsTo;
  std::stop_token stop;
  bool isProfiled = false;

  // The runner writes these:
  bool isDone = false;
  StepOutcome outcome = StepOutcome::Done;
  // The error of a kernel, if any; the outcome is then Skipped
  std::exception_ptr failure;
  // The outputs that the program asked for, one after the other
  std::vector<std::byte> results;
  StepPhases phases{};
};

/// An output that is copied to SubmittedStep::results.
struct StepResult {
  int storage = -1;
  size_t offset = 0, bytes = 0;
};

/// The addresses of a bound step.
struct StepAddresses {
  // One for each storage of the plan
  std::vector<DeviceAddress> storages;
  DeviceAddress arena;
  std::vector<StepResult> results;
  // Index of the result that is 0 after a bad step, or -1
  int guard = -1;
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

class Runner {
 public:
  virtual ~Runner() = default;
  /// Submits the step. It runs after all steps that were submitted to the stream before. `step`
  /// must live until wait() or the end of the runner.
  virtual void submit(SubmittedStep& step) = 0;
  /// Waits until the step is done. After the first step that did not end with Done, the stream
  /// skips all steps until wait() was called for that step.
  /// Fails: with the error of a kernel and the layer as subject. Variables that were already
  /// changed are not restored.
  virtual void wait(SubmittedStep& step) = 0;
  /// Makes later steps read an input from host memory, without a copy; null restores the address.
  /// Requires: Device::readsHostMemory().
  virtual void bindInput(int storage, const std::byte* address) = 0;

  /// Returns the number of waits of all threads or streams in one step. Independent instructions
  /// need none between them.
  virtual int numBarriers() const = 0;
  /// Returns the total times of the instructions in profiled steps, by instruction of the layout.
  virtual std::vector<std::chrono::nanoseconds> instructionTimes() const = 0;
  virtual int64_t profiledSteps() const = 0;
  virtual void resetProfile() = 0;
  /// Returns what the device did in the last profiled step that is done. Members of the node are
  /// not filled in.
  virtual StepRecords lastRecords() const { return {}; }
  /// Returns how often a step without profiling reads the clock.
  virtual int phaseReadings() const = 0;
  /// See Program::setCanaries().
  virtual void setCanaries(bool on) = 0;
};

class Stream {
 public:
  virtual ~Stream() = default;
  /// The three functions below return when the memory was read or written. They come after all
  /// steps that were submitted before.
  virtual void upload(DeviceAddress to, const std::byte* from, size_t bytes) = 0;
  virtual void download(std::byte* to, DeviceAddress from, size_t bytes) = 0;
  virtual void clear(DeviceAddress address, size_t bytes) = 0;
  /// Binds a step. `layout` must outlive the runner, and the runner must not outlive the stream.
  virtual std::unique_ptr<Runner> makeRunner(const StepLayout& layout, StepAddresses addresses) = 0;
  /// Waits until all submitted steps are done.
  virtual void wait() = 0;
};

}  // namespace strata
