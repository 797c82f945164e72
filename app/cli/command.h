// SPDX-License-Identifier: GPL-3.0-or-later
// Declarations that the commands of `strata` share: registration, exit codes, one-line errors,
// common options, and loading of a project. Thread: main thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "app/cli/arguments.h"
#include "core/check/checked_project.h"
#include "core/project/diagnostic.h"
#include "core/project/project.h"
#include "core/recipe/options.h"
#include "core/runs/device_samples.h"
#include "core/runs/energy.h"
#include "core/train/memory_figures.h"
#include "gpu/base/error.h"

namespace strata::cli {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kStopped = 130 };

/// A function that runs a command after its arguments were parsed. It returns the exit code.
using Action = std::function<int()>;
struct Command {
  const char* name;
  const char* help;
  // An example of the command, which --help prints at the end.
  const char* example;
  // Adds the options of the command to `accepted`.
  Action (*setup)(Arguments& accepted);
};

Action setupTrain(Arguments& accepted);
Action setupEvaluate(Arguments& accepted);
Action setupPredict(Arguments& accepted);
Action setupExplain(Arguments& accepted);
Action setupExport(Arguments& accepted);
Action setupImport(Arguments& accepted);
Action setupCheck(Arguments& accepted);
Action setupPlan(Arguments& accepted);
Action setupFind(Arguments& accepted);
Action setupDump(Arguments& accepted);
Action setupBench(Arguments& accepted);
Action setupDevices(Arguments& accepted);
Action setupDoctor(Arguments& accepted);
Action setupLaunch(Arguments& accepted);
Action setupLayers(Arguments& accepted);
Action setupProfile(Arguments& accepted);
Action setupRuns(Arguments& accepted);
Action setupVerify(Arguments& accepted);

/// Describes the samples of a device in one line: "cpu: memory 152.0 MiB, other processes
/// 1.2 GiB, total 7.6 GiB; utilization 93%, at most 99%; 12 samples".
std::string deviceText(const DeviceSummary& summary);
/// Returns the energy of a run, such as "1.2 kJ, 0.031 J per sample".
std::string energyText(const RunEnergy& energy);

/// Describes the memory of a run in one line: "Memory: network 28.0 MiB, data set 9.0 MiB; together
/// 37.0 MiB of 7.6 GiB on this machine".
std::string memoryText(const MemoryFigures& memory);
/// Returns the same as {"network_bytes", "samples_bytes", "transfer_bytes", "context_bytes",
/// "total_bytes", "limit_bytes", "machine_bytes"}.
Json memoryToJson(const MemoryFigures& memory);

/// Returns the exit code for an error: 2 for a wrong file or option, 130 for a stopped run, and
/// otherwise 1.
int exitCodeOf(const Error& error);

/// Thrown to end the program with this exit code, after the messages have been printed.
struct Reported {
  int code;
};

/// The arguments PROJECT, --set and --disable-pass of a command.
class ProjectArgument {
 public:
  /// Adds PROJECT and --set.
  void addTo(Arguments& accepted);
  /// Adds --disable-pass, --precision and --deterministic-attention, for commands that compile a
  /// step.
  void addPassesTo(Arguments& accepted);
  /// Adds --precision, for commands that run the network without training it.
  void addPrecisionTo(Arguments& accepted);
  /// Adds --device. The checks of the project see a simulated card that the option names, and if
  /// the precision depends on the device, any device. `value` must live as long as this object.
  void addDeviceTo(Arguments& accepted, std::string& value, const char* otherwise = "");
  /// Loads the project and applies --set and the other options. Throws Error.
  Project load() const;
  /// Like load(), but removes parts that have the wrong type and reports them in `wrong`.
  /// Throws Error.
  Project loadSound(Diagnostics& wrong) const;
  /// Loads and checks the project. Prints every problem to standard error. Throws Reported if a
  /// problem is an error.
  CheckedProject loadChecked() const;
  /// Checks the project and prints every problem to standard error. Throws Reported if a problem is
  /// an error.
  void check(const CheckedProject& project) const;
  const std::string& path() const { return m_path; }
  bool hasAssignments() const { return !m_assignments.empty(); }
  const std::vector<std::string>& disabledPasses() const { return m_disabledPasses; }
  const std::string& precision() const { return m_precision; }
  /// Returns the choice of --deterministic-attention, "true", "false" or "".
  const std::string& deterministicAttention() const { return m_deterministicAttention; }
  /// Returns the JSON pointers of the values that these options changed.
  std::vector<std::string> assigned() const;

 private:
  Project prepared(Result<Project> loaded) const;
  void applyDevice(Project& project) const;
  void refuseUnknownField(const Diagnostic& problem) const;
  std::string m_path;
  std::vector<std::string> m_assignments, m_disabledPasses;
  // The choice of --precision, or ""
  std::string m_precision;
  // The choice of --deterministic-attention, or ""
  std::string m_deterministicAttention;
  // The value of --device; null if the command has no such option here
  const std::string* m_device = nullptr;
};

/// Adds --recompute none|auto|all. Without this option, `how` stays "" and the project decides.
void addRecompute(Arguments& accepted, std::string& how);
/// Returns the choice of --recompute, or nullopt if the project decides. Throws InvalidArgument if
/// the choice needs the pass `recompute` and that pass is disabled.
std::optional<Recompute> recomputeFor(const CheckedProject& project, const std::string& how);
/// Adds --memory-limit BYTES. Without this option, `bytes` stays 0 and the project decides.
void addMemoryLimit(Arguments& accepted, int64_t& bytes);

/// Prints "strata: TEXT" to standard error. Line breaks in the text become spaces.
void printMessage(const std::string& text);

/// Warns on standard error if `threads` exceeds the number of available processors.
void warnOfThreads(int threads);

/// Returns all diagnostics if there are at most 50, or else 50 of them, errors first. They belong
/// to `diagnostics`.
std::vector<const Diagnostic*> mostImportant(const Diagnostics& diagnostics);
/// Prints one line for each of the most important diagnostics to standard error, and how many
/// others there are.
void printDiagnostics(const std::string& path, const Diagnostics& diagnostics);
/// Prints the document to standard output.
void printJsonDocument(const Json& json);

/// Formats a count, for example "12,345" or "143.0 M".
std::string formatCount(double value);
/// Formats a count with its noun, for example "1 step" or "12,345 steps".
std::string formatCounted(int64_t count, const char* noun);
/// Returns the number with `decimals` digits after the decimal point.
std::string formatNumber(double value, int decimals);

}  // namespace strata::cli
