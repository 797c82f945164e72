// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of `strata` share: registration, exit codes, one-line errors, options that
// several commands have, loading a project. Thread: main thread only.
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
  // Shown at the end of --help
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

/// 1 where the work failed, 2 for a wrong file or option.
int exitCodeOf(const Error& error);

/// Thrown to end the program with this code; the messages are already printed.
struct Reported {
  int code;
};

/// The arguments PROJECT, --set and --disable-pass of a command.
class ProjectArgument {
 public:
  void addTo(Arguments& accepted);
  // --disable-pass, for commands that compile a training step
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
  /// JSON pointers that --set and --disable-pass changed
  std::vector<std::string> assigned() const;

 private:
  Project prepared(Result<Project> loaded) const;
  std::string m_path;
  std::vector<std::string> m_assignments, m_disabledPasses;
};

/// --recompute none|auto|all; `how` stays "" without it, and the project decides.
void addRecompute(Arguments& accepted, std::string& how);
/// Fails: InvalidArgument where the project disables the pass that recomputes.
std::optional<Recompute> recomputeFor(const CheckedProject& project, const std::string& how);
/// --memory-limit BYTES; `bytes` stays 0 without it, and the project decides.
void addMemoryLimit(Arguments& accepted, int64_t& bytes);

/// Prints "strata: TEXT" to standard error, as one line even where the text has line breaks.
void printMessage(const std::string& text);

/// Warns on standard error where `threads` exceeds the number of processors.
void warnOfThreads(int threads);

// To standard error, one line each
void printDiagnostics(const std::string& path, const Diagnostics& diagnostics);
// To standard output
void printJsonDocument(const Json& json);

// 12,345 or 143.0 M
std::string formatCount(double value);
// 1 step, 12,345 steps
std::string formatCounted(int64_t count, const char* noun);
// 0:07, 1:02:03
std::string formatDuration(double seconds);
std::string formatNumber(double value, int decimals);

}  // namespace strata::cli
