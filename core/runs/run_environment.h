// SPDX-License-Identifier: Apache-2.0
// environment.json of a run: where, when and how it was trained. Not here: the other files of a
// run.
// Thread: the functions only access the file system.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace strata {

/// The part of environment.json that is read again. The file also contains the program and the
/// compiler.
struct RunEnvironment {
  std::string device, processor;
  int threads = 0;
  // The option --steps of `strata train`
  std::optional<int64_t> maxSteps;
  // Whether the run is profiled. A continued run is then profiled, too.
  bool isProfiled = false;
  // The same for the statistics of layers
  bool samplesLayers = false;
  // False if the bits of results may change from run to run
  bool isDeterministic = true;
  // JSON pointers of project values that were overridden for this run
  std::vector<std::string> overrides = {};
  // The number of processes, each of which has the device
  int processes = 1;
  // When the run began, in UTC; "" for now
  std::string started = {};
  // The program that began the run, and its arguments
  std::vector<std::string> command = {};
  // The absolute path of the project's file when the run began; "" if it was in no file
  std::string project = {};
  // The Git commit and branch of the project's folder when the run began; "" if there is none
  std::string commit = {}, branch = {};
  // Names and versions of the system and the libraries that the device uses
  std::vector<std::pair<std::string, std::string>> versions = {};
};
/// Returns the command line of this process. Very long ones are cut, and end with "...".
std::vector<std::string> ownCommandLine();
/// Returns the versions of the system and of the libraries for this device, such as {"oneDNN",
/// "2.6.3"}. For a GPU, this includes those of the driver, CUDA, cuDNN and NCCL.
std::vector<std::pair<std::string, std::string>> versionsFor(const std::string& device);
/// Writes environment.json, with a seal. Fails: IoFailure.
void writeEnvironment(const std::string& directory, const RunEnvironment& environment);
/// Reads environment.json. If the file is missing, adds a warning. Fails: InvalidFile if the file
/// is damaged, because a run cannot continue correctly without it.
RunEnvironment readEnvironment(const std::string& directory, std::vector<std::string>& warnings);

}  // namespace strata
