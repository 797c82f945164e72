// SPDX-License-Identifier: GPL-3.0-or-later
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "app/cli/command.h"
#include "core/launch/launcher.h"
#include "gpu/base/debug.h"
#include "gpu/base/error.h"
#include "gpu/devices/machine_report.h"
#include "gpu/replicate/mpi_link.h"

namespace strata::cli {
namespace {

struct LaunchArguments {
  int64_t processes = 0, maxRestarts = 0;
  std::string hosts, stateFile;
  std::vector<std::string> words;
};

std::vector<std::string> splitHosts(const std::string& text) {
  std::vector<std::string> hosts;
  for (size_t begin = 0; begin < text.size();) {
    const size_t comma = std::min(text.find(',', begin), text.size());
    const std::string host = text.substr(begin, comma - begin);
    const bool isName = !host.empty() && host.front() != '-' &&
                        host.find_first_not_of(
                            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") ==
                            std::string::npos;
    if (!isName)
      throw Error(ErrorCode::InvalidArgument, "--hosts " + text,
                  "\"" + host +
                      "\" is no name of a host (expected names such as node1,node2). "
                      "Correct it.");
    hosts.push_back(host);
    begin = comma + 1;
  }
  return hosts;
}

/// A folder for the temporary files of mpirun, which leaves them if it is killed.
class TemporariesOfMpi {
 public:
  TemporariesOfMpi() {
    std::error_code error;
    // Names of sockets in it must be short
    std::string name = (std::filesystem::temp_directory_path(error) / "strata-XXXXXX").string();
    if (!error && ::mkdtemp(name.data())) m_folder = name;
  }
  ~TemporariesOfMpi() {
    std::error_code error;
    if (!m_folder.empty()) std::filesystem::remove_all(m_folder, error);
  }
  TemporariesOfMpi(const TemporariesOfMpi&) = delete;
  TemporariesOfMpi& operator=(const TemporariesOfMpi&) = delete;
  const std::string& folder() const { return m_folder; }

 private:
  std::string m_folder;
};

int launch(const LaunchArguments& arguments) {
  if (arguments.words.empty() || arguments.words.front() != "train")
    throw Error(ErrorCode::InvalidArgument, "launch",
                "starts only the command train (expected strata launch -np N train PROJECT). "
                "Correct it.");
  if (const std::string& problem = mpiPluginState().problem; !problem.empty())
    throw Error(ErrorCode::UnsupportedOp, "launch", problem);
  LaunchOptions options;
  options.processes = static_cast<int>(arguments.processes);
  options.hosts = splitHosts(arguments.hosts);
  options.maxRestarts = static_cast<int>(arguments.maxRestarts);
  options.isContainer = readMachineFacts().isContainer;
  options.isSlurm = environmentVariable("SLURM_JOB_ID").has_value();
  options.words = arguments.words;
  options.stateFile = arguments.stateFile;
  options.program = std::filesystem::read_symlink("/proc/self/exe").string();
  // A bar is for terminals
  if (!isatty(STDOUT_FILENO)) options.words.emplace_back("--no-progress");
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  std::signal(SIGPIPE, SIG_IGN);
  const TemporariesOfMpi temporaries;
  options.temporaries = temporaries.folder();
  Launcher launcher(std::move(options), [](const std::string& text) { printMessage(text); });
  return launcher.run();
}

}  // namespace

Action setupLaunch(Arguments& accepted) {
  constexpr int64_t kMaxProcesses = 1024, kMaxRestarts = 1000;
  auto arguments = std::make_shared<LaunchArguments>();
  accepted.number("--np", arguments->processes, "Number of processes (also written -np N)", 1,
                  kMaxProcesses);
  accepted.text("--hosts", arguments->hosts,
                "Hosts that share the processes (default: this machine). They have the same files "
                "at the same paths, and ssh reaches them without a password.",
                "A,B");
  accepted.number("--max-restarts", arguments->maxRestarts,
                  "How often a run that lost a process starts again from its newest checkpoint "
                  "(default: 0)",
                  0, kMaxRestarts);
  accepted.text("--state", arguments->stateFile,
                "For programs: a file that gets the state of each process as JSON, twice a second. "
                "Lines that processes print then begin with their numbers.",
                "FILE");
  accepted.list("COMMAND", arguments->words, "The command train and its arguments", "train ...");
  return [arguments] {
    if (arguments->processes == 0)
      throw Error(ErrorCode::InvalidArgument, "launch",
                  "-np is missing (expected the number of processes). Write strata launch -np 2 "
                  "train PROJECT.");
    return launch(*arguments);
  };
}

}  // namespace strata::cli
