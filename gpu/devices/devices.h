// SPDX-License-Identifier: Apache-2.0
// Lists the devices of this build and opens one by name. No other folder of the engine includes all
// backends. Thread: any.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/base/text.h"
#include "gpu/exec/backend.h"

namespace strata {

/// A device, for `strata devices` and the list of devices in the window.
struct DeviceInfo {
  // "cpu", "reference" or "cuda:0"
  std::string name;
  // "cpu" or "cuda"
  std::string kind;
  // The name of the processor, or "NVIDIA GPU"
  std::string title;
  int threads = 0;
  // The memory that this process may use (see usableMemoryBytes()), and the part of it that is free
  size_t memoryBytes = 0;
  size_t availableBytes = 0;
  bool isUsable = false;
  // Why the device is not usable
  std::string reason;
};
std::vector<DeviceInfo> listDevices();
/// Returns the names and versions of the libraries in this build, such as {"oneDNN", "2.6.3"}.
std::vector<std::pair<std::string, std::string>> libraryVersions();
/// Opens the device with this name, which is one of deviceNames(). The name `auto` opens `cpu`.
/// Fails: UnsupportedOp for a name that only a later version will open (isDeviceOfLaterVersion());
/// InvalidArgument with the list of names for any other unknown name.
std::unique_ptr<Backend> openDevice(const std::string& name, const DeviceOptions& options);

/// Returns the names that openDevice() accepts: "auto", "cpu" and "reference".
std::span<const std::string> deviceNames();
/// Returns whether this version cannot open a device with this name, but a later version will.
/// These names are "all", "cuda...", "cpu*N", and lists with commas.
bool isDeviceOfLaterVersion(std::string_view name);
/// Returns the device names as text: "auto, cpu or reference".
std::string deviceNamesText();
/// Returns the names of all passes that can be disabled: the standard passes and the passes of all
/// backends.
std::vector<std::string> passNames();
/// Returns one line that describes a pass, or an empty text if no pass has this name.
Text passHelp(std::string_view pass);

}  // namespace strata
