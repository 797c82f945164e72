// SPDX-License-Identifier: Apache-2.0
// Lists the devices of this build and opens one by name. The only folder that knows all backends.
// Thread: any.
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

/// A device as `strata devices` and the window's chip show it.
struct DeviceInfo {
  // "cpu", "reference"
  std::string name;
  // "cpu"
  std::string kind;
  // The processor's name
  std::string title;
  int threads = 0;
  // Usable memory: the machine's or the control group's limit
  size_t memoryBytes = 0;
  size_t availableBytes = 0;
  bool isUsable = false;
  std::string whyNot;
};
std::vector<DeviceInfo> listDevices();
/// The versions of the libraries in this build: {"oneDNN", "2.6.3"}, ...
std::vector<std::pair<std::string, std::string>> libraryVersions();
/// Opens `auto`, `cpu` or `reference`. Fails: InvalidArgument, listing the known names;
/// UnsupportedOp "not in this version" for cuda, all, cpu*N.
std::unique_ptr<Backend> openDevice(const std::string& name, const DeviceOptions& options);

/// The names that openDevice() accepts: "auto", "cpu", "reference".
std::span<const std::string> deviceNames();
/// Is this the name of one or several devices that only a later version can open?
bool isDeviceOfLaterVersion(std::string_view name);
/// "auto, cpu or reference".
std::string deviceNamesText();
/// All passes that can be disabled: the standard ones and those of every backend, whichever device
/// is used.
std::vector<std::string> passNames();
/// What a pass does, in one line; empty if there is no such pass.
Text passHelp(std::string_view pass);

}  // namespace strata
