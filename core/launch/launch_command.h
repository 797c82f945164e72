// SPDX-License-Identifier: Apache-2.0
// The command that starts the processes of a run: mpirun, or srun in a job of Slurm.
// Thread: the functions are pure, so any thread may call them.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace strata {

struct LaunchOptions {
  int processes = 1;
  // Names of hosts; empty for this machine
  std::vector<std::string> hosts;
  int maxRestarts = 0;
  // The program, and the words after it: "train" and its arguments
  std::string program;
  std::vector<std::string> words;
  // A folder for temporary files of mpirun, or ""
  std::string temporaries;
  // Whether this is a container, whose processes may not read each other's memory
  bool isContainer = false;
  // Whether to start the processes as a job of Slurm
  bool isSlurm = false;
  // A file that gets the state of each process as JSON (launcher.h), or "". Each line that a
  // process prints then begins with its number.
  std::string stateFile;
};

struct LaunchCommand {
  std::vector<std::string> words;
  // Variables that are set for it
  std::vector<std::pair<std::string, std::string>> environment;
};

/// Returns the command. The secret is a variable of its environment and not one of its words.
LaunchCommand composeCommand(const LaunchOptions& options, const std::string& addresses,
                             const std::string& secret);
/// Returns the words of `train` that continue the run in this directory.
std::vector<std::string> wordsToResume(const std::vector<std::string>& words,
                                       const std::string& run);
/// Returns the command as a person would type it.
std::string commandText(const std::vector<std::string>& words);

}  // namespace strata
