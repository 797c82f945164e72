// SPDX-License-Identifier: GPL-3.0-or-later
// What the commands of `strata` share: registration, exit codes, the one-line error form, loading a project with its options.
// Thread: main thread only.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "core/model/diagnostic.h"
#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata::cli {

enum ExitCode { kDone = 0, kFailed = 1, kWrongUsage = 2, kStopped = 130 };

/// A command adds its options to the parser and returns what runs after parsing.
using Action = std::function<int()>;
struct Command {
  const char* name;
  const char* help;
  const char* example;  // shown at the end of --help
  Action (*setup)(CLI::App& app);
};

Action setupTrain(CLI::App& app);
Action setupEvaluate(CLI::App& app);
Action setupPredict(CLI::App& app);
Action setupExport(CLI::App& app);
Action setupCheck(CLI::App& app);
Action setupPlan(CLI::App& app);
Action setupDump(CLI::App& app);
Action setupBench(CLI::App& app);
Action setupDevices(CLI::App& app);
Action setupLayers(CLI::App& app);
Action setupVerify(CLI::App& app);

/// A failure of the work ends with 1, a wrong file or option with 2.
int exitCodeOf(const Error& error);

/// Ends the program with this code: everything is said already.
struct Reported {
  int code;
};

/// PROJECT and --set of a command.
class ProjectArgument {
 public:
  void addTo(CLI::App& app);
  Project load() const;  // throws Error
  /// load() with every problem printed to standard error. Throws Reported when one is an error.
  Project loadChecked() const;
  const std::string& path() const { return m_path; }

 private:
  std::string m_path;
  std::vector<std::string> m_assignments;
};

// Ranges of options; --help shows the option's name alone.
CLI::Validator positiveCount();  // 1 to 2^40
CLI::Validator threadCount();    // 0 to 1024
CLI::Validator seedRange();      // 0 to 2^62

void printDiagnostics(const std::string& path, const Diagnostics& diagnostics);  // standard error, as `check` prints them
void printJsonDocument(const Json& json);                                        // standard output

std::string formatCount(double value);       // 12,345 or 143.0 M
std::string formatBytes(double bytes);       // 1.9 MiB
std::string formatDuration(double seconds);  // 0:07, 1:02:03
std::string formatNumber(double value, int decimals);

}  // namespace strata::cli
