// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of `strata` share: registration, exit codes, the one-line error form, loading a
// project with its options.
// Thread: main thread only.
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

/// A failure of the work ends with 1, a wrong file or option with 2.
int exitCodeOf(const Error& error);

/// Ends the program with this code: everything is said already.
struct Reported {
  int code;
};

/// PROJECT, --set and --disable-pass of a command.
class ProjectArgument {
 public:
  void addTo(Arguments& accepted);
  // Of commands that compile a step of training
  void addPassesTo(Arguments& accepted);
  // Throws Error
  Project load() const;
  /// load() without parts of the project that are of a wrong type, which are told in `wrong`.
  /// Throws Error.
  Project loadSound(Diagnostics& wrong) const;
  /// load() with every problem printed to standard error. Throws Reported when one is an error.
  CheckedProject loadChecked() const;
  // What loadChecked() adds to load()
  void check(const CheckedProject& project) const;
  const std::string& path() const { return m_path; }
  bool hasAssignments() const { return !m_assignments.empty(); }
  const std::vector<std::string>& disabledPasses() const { return m_disabledPasses; }
  // JSON pointers of --set and --disable-pass
  std::vector<std::string> assigned() const;

 private:
  Project prepared(Result<Project> loaded) const;
  std::string m_path;
  std::vector<std::string> m_assignments, m_disabledPasses;
};

/// --recompute none|auto|all, "" where it is absent; --memory-limit BYTES, 0 where it is absent.
/// Both: else the project's.
void addRecompute(Arguments& accepted, std::string& how);
/// Fails: InvalidArgument where the project has no pass to do it with.
std::optional<Recompute> recomputeFor(const CheckedProject& project, const std::string& how);
void addMemoryLimit(Arguments& accepted, int64_t& bytes);

/// "strata: TEXT" on standard error, as one line whatever the text holds.
void tell(const std::string& text);

/// One line on standard error where more threads were asked for than processors can run.
void warnOfThreads(int threads);

// Standard error, as `check` prints them
void printDiagnostics(const std::string& path, const Diagnostics& diagnostics);
// Standard output
void printJsonDocument(const Json& json);

// 12,345 or 143.0 M
std::string formatCount(double value);
// 1 step, 12,345 steps
std::string formatCounted(int64_t count, const char* noun);
// 0:07, 1:02:03
std::string formatDuration(double seconds);
std::string formatNumber(double value, int decimals);

}  // namespace strata::cli
