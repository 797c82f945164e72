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
#include "gpu/base/error.h"

namespace strata::cli {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kStopped = 130 };

/// A command adds its options to the parser and returns what runs after parsing.
using Action = std::function<int()>;
struct Command {
  const char* name;
  const char* help;
  // --help shows the example at its end.
  const char* example;
  Action (*setup)(Arguments& accepted);
};

Action setupTrain(Arguments& accepted);
Action setupEvaluate(Arguments& accepted);
Action setupPredict(Arguments& accepted);
Action setupExport(Arguments& accepted);
Action setupImport(Arguments& accepted);
Action setupCheck(Arguments& accepted);
Action setupPlan(Arguments& accepted);
Action setupFind(Arguments& accepted);
Action setupDump(Arguments& accepted);
Action setupBench(Arguments& accepted);
Action setupDevices(Arguments& accepted);
Action setupLayers(Arguments& accepted);
Action setupVerify(Arguments& accepted);

/// Returns 2 if the error is due to a wrong file or option, 130 for a stop, and otherwise 1.
int exitCodeOf(const Error& error);

/// Thrown to end the program with this exit code. The messages have been printed before.
struct Reported {
  int code;
};

/// The arguments PROJECT, --set and --disable-pass of a command.
class ProjectArgument {
 public:
  void addTo(Arguments& accepted);
  /// Adds --disable-pass, for commands that compile a training step.
  void addPassesTo(Arguments& accepted);
  /// Throws Error.
  Project load() const;
  /// Like load(), but removes parts that have the wrong type and reports them in `wrong`.
  /// Throws Error.
  Project loadSound(Diagnostics& wrong) const;
  /// Like load(), but prints every problem to standard error. Throws Reported on an error.
  CheckedProject loadChecked() const;
  /// Prints every problem to standard error. Throws Reported on an error.
  void check(const CheckedProject& project) const;
  const std::string& path() const { return m_path; }
  bool hasAssignments() const { return !m_assignments.empty(); }
  const std::vector<std::string>& disabledPasses() const { return m_disabledPasses; }
  /// Returns the JSON pointers of the values that --set and --disable-pass changed.
  std::vector<std::string> assigned() const;

 private:
  Project prepared(Result<Project> loaded) const;
  std::string m_path;
  std::vector<std::string> m_assignments, m_disabledPasses;
};

/// Adds --recompute none|auto|all. Without the option `how` stays "", and the project decides.
void addRecompute(Arguments& accepted, std::string& how);
/// Returns the choice of --recompute, or nullopt if the project decides. Throws InvalidArgument if
/// the project disables the pass that recomputes.
std::optional<Recompute> recomputeFor(const CheckedProject& project, const std::string& how);
/// Adds --memory-limit BYTES. Without the option `bytes` stays 0, and the project decides.
void addMemoryLimit(Arguments& accepted, int64_t& bytes);

/// Prints "strata: TEXT" to standard error. Line breaks in the text become spaces.
void printMessage(const std::string& text);

/// Warns on standard error if `threads` exceeds the number of available processors.
void warnOfThreads(int threads);

/// Prints one line per diagnostic to standard error.
void printDiagnostics(const std::string& path, const Diagnostics& diagnostics);
/// Prints the document to standard output.
void printJsonDocument(const Json& json);

/// Returns, for example, "12,345" or "143.0 M".
std::string formatCount(double value);
/// Returns, for example, "1 step" or "12,345 steps".
std::string formatCounted(int64_t count, const char* noun);
/// Returns, for example, "0:07" or "1:02:03".
std::string formatDuration(double seconds);
std::string formatNumber(double value, int decimals);

}  // namespace strata::cli
