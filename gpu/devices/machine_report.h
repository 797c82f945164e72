// SPDX-License-Identifier: Apache-2.0
// What a machine has and lacks for each kind of device, and the commands that mend it. Facts are
// read first, as values, so that tests can make them up.
// Not here: printing (app/cli/doctor.cpp), the list of devices (devices.h).
// Thread: any.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/base/text.h"

namespace strata {

/// A library, as the plug-in or a search found it.
struct FoundLibrary {
  // Such as "cuDNN"
  std::string name;
  // Empty if it was not found
  std::string path, version;
  // What is wrong with it, or empty
  std::string problem;
};

/// What the machine shows of NVIDIA GPUs and of libraries.
struct MachineFacts {
  // "debian", "ubuntu" or another ID of /etc/os-release; empty if unknown
  std::string system;
  // Whether this is a container, such as one of Docker
  bool isContainer = false;
  // NVIDIA GPUs on the PCI bus, whether or not a driver drives them
  int gpusOnBus = 0;
  // Version of the driver in the kernel, such as "580.65.06"; empty without one
  std::string driver;
  // Path of libcuda.so.1, the part of the driver for programs; empty if it was not found
  std::string driverLibrary;
  // Whether that library lists a GPU, whatever the files of the machine show
  bool driverAnswers = false;
  // Whether the device files of GPUs, such as /dev/nvidia0, are there
  bool hasDeviceFiles = false;
  // The variable CUDA_VISIBLE_DEVICES, if it is set
  std::optional<std::string> visibleDevices;
  // Why the plug-in for NVIDIA GPUs cannot be used; empty if it can. Its architectures, such as
  // "75;80"
  std::string pluginProblem, architectures;
  std::vector<FoundLibrary> libraries;
  // Path of mpirun; empty if it was not found
  std::string mpirun;
};

/// Reads the facts of this machine. Tests may read a folder that looks like one. The plug-in and
/// its libraries are those of this process in any case.
MachineFacts readMachineFacts(const std::filesystem::path& root = "/");

/// Returns why the machine has no usable NVIDIA GPU, as a sentence.
Text whyNoGpu(const MachineFacts& facts);

/// Explains a value of CUDA_VISIBLE_DEVICES, as a clause. `count` is the number of GPUs, or 0 if it
/// is not known.
struct VisibleDevices {
  std::string meaning;
  // Whether the value hides all GPUs
  bool hidesAll = false;
};
VisibleDevices explainVisibleDevices(std::string_view value, int count);

enum class FindingState { Present, Missing, Wrong, Optional };
std::string_view findingStateName(FindingState state);

/// One thing that a kind of device needs.
struct Finding {
  // "cpu", "cuda", "simulated" or "several processes"
  std::string device;
  // Such as "driver" or "cuDNN"
  std::string part;
  FindingState state = FindingState::Present;
  // What was found, or what is missing and why it matters
  std::string text = {};
  // The command that mends it, or empty
  std::string command = {};
  std::string version = {}, path = {};
};

/// Returns what the machine has and lacks for NVIDIA GPUs, simulated cards and several processes.
std::vector<Finding> examineMachine(const MachineFacts& facts);

}  // namespace strata
