// SPDX-License-Identifier: Apache-2.0
// The state of a device now: memory of this process and others, load, temperature, power, clocks.
// Not here: samples during a run (core/train/device_sampler.h), the library that GPUs are asked
// through (nvml.h).
// Thread: see stateReaderOf().
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "gpu/exec/device.h"

namespace strata {

struct NvmlTable;

/// What another program has of the memory of a GPU.
struct ProgramMemory {
  int64_t process = 0;
  // "" if the system does not tell it, as within a container
  std::string name;
  std::optional<size_t> bytes;
  bool operator==(const ProgramMemory&) const = default;
};

/// A value that is not known is absent. For devices that compute on the host's processor, memory is
/// that of the machine, and `utilization` is that of all its processors by all programs.
struct DeviceState {
  std::optional<size_t> ownBytes, otherBytes, totalBytes;
  // From 0 to 1: the part of the time in which the device computed
  std::optional<double> utilization;
  std::optional<int> celsius;
  std::optional<double> watts;
  // Clocks of the multiprocessors and of the memory
  std::optional<int> megahertz, memoryMegahertz;
  // The programs of a GPU that make up otherBytes, those with most memory first; empty for other
  // devices. No file has them, because they are no matter of the run. Not yet run on a GPU.
  std::vector<ProgramMemory> programs;
  bool operator==(const DeviceState&) const = default;
};

/// Returns the state since the call before. Never fails.
using DeviceReader = std::function<DeviceState()>;
/// Returns a function that reads the state of a device. One thread at a time may call it, even
/// while another one uses the device. It does not slow the device, but may wait for a simulated
/// card. It may be called after the device is gone.
DeviceReader stateReaderOf(const Device& device);

/// Returns the state of a GPU. `countedBytes` is what the engine has taken of its memory, which
/// counts where the library does not know this process.
DeviceState stateOfGpu(const NvmlTable& library, const std::string& busAddress,
                       size_t countedBytes);
/// Returns the state of the host from the texts of these files of /proc. `busy` and `all` are the
/// processors' times so far, which the function updates.
struct HostTimes {
  unsigned long long busy = 0, all = 0;
};
DeviceState stateOfHost(const char* memoryInfo, const char* ownMemory, const char* processorTimes,
                        HostTimes& times);

}  // namespace strata
