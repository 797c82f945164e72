// SPDX-License-Identifier: Apache-2.0
// The devices of this build, and how a name opens one. The only room that knows them all.
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
  // processor's name
  std::string title;
  int threads = 0;
  // What may be used: the machine's or the control group's limit
  size_t memoryBytes = 0;
  size_t availableBytes = 0;
  bool isUsable = false;
  std::string whyNot;
};
std::vector<DeviceInfo> listDevices();
/// Versions of the libraries in this build: {"oneDNN", "2.6.3"}, ...
std::vector<std::pair<std::string, std::string>> libraryVersions();
/// Opens `auto`, `cpu` or `reference`. Fails: InvalidArgument with what is known; UnsupportedOp
/// "not in this version" for cuda, all, cpu*N.
std::unique_ptr<Backend> openDevice(const std::string& name, const DeviceOptions& options);

/// What openDevice() takes: "auto", "cpu", "reference".
std::span<const std::string> deviceNames();
/// Is this the name of a device, or of several, that a later version opens?
bool isDeviceOfLaterVersion(std::string_view name);
/// "auto, cpu or reference".
std::string deviceNamesText();
/// Every pass that may be switched off: the standard ones and those of every backend, whichever
/// device is used.
std::vector<std::string> passNames();
/// What a pass does, in one line; empty where there is no such pass.
Text passHelp(std::string_view pass);

}  // namespace strata
