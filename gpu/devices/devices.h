// SPDX-License-Identifier: Apache-2.0
// The devices of this build, and how a name opens one. The only room that knows them all.
// Thread: any.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "gpu/exec/backend.h"

namespace strata {

/// A device as `strata devices` and the window's chip show it.
struct DeviceInfo {
  std::string name;   // "cpu", "reference"
  std::string kind;   // "cpu"
  std::string title;  // processor's name
  int threads = 0;
  size_t memoryBytes = 0;  // what may be used: the machine's or the control group's limit
  size_t availableBytes = 0;
  bool isUsable = false;
  std::string whyNot;
};
std::vector<DeviceInfo> listDevices();
/// Versions of the libraries in this build: {"oneDNN", "2.6.3"}, ...
std::vector<std::pair<std::string, std::string>> libraryVersions();
/// Opens `auto`, `cpu` or `reference`. Fails: InvalidArgument with what is known; UnsupportedOp "not in this version" for cuda, all, cpu*N.
std::unique_ptr<Backend> openDevice(const std::string& name, const DeviceOptions& options);

/// Every pass that may be switched off: the standard ones and those of every backend, whichever
/// device is used.
std::vector<std::string> passNames();

}  // namespace strata
