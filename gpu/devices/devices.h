// SPDX-License-Identifier: Apache-2.0
// Lists the devices that this build can use, and opens a device by name. This is the only folder of
// the engine that depends on all backends. Thread: any.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/base/text.h"
#include "gpu/exec/device.h"

namespace strata {

struct GpuInfo {
  // Such as "9.0"
  std::string computeCapability;
  int multiprocessors = 0, megahertz = 0, memoryMegahertz = 0, busBits = 0;
  // Address on the PCI bus, such as "0000:65:00.0", and link, such as "16.0 GT/s PCIe, 16 lanes"
  std::string busAddress, link;
  // Version of CUDA that the driver supports, such as "13.0"
  std::string driverVersion;
};

/// Describes a device for `strata devices` and for the list of devices in the window.
struct DeviceInfo {
  // "cpu", "reference" or "cuda:0"
  std::string name;
  // "cpu" or "cuda"
  std::string kind;
  bool isGpu() const { return kind == "cuda"; }
  // The name of the processor or GPU, or "NVIDIA GPU"
  std::string title;
  int threads = 0;
  // The memory that this process may use (see usableMemoryBytes()), and how much of it is free.
  // Both are 0 if they are not known.
  size_t memoryBytes = 0;
  size_t availableBytes = 0;
  bool isUsable = false;
  // Why the device is not usable; empty if it is usable
  std::string reason;
  // What the driver reports about a GPU; absent for other devices, and without a driver
  std::optional<GpuInfo> gpu;
};
std::vector<DeviceInfo> listDevices();
/// Returns the names and versions of the libraries in this build, such as {"oneDNN", "2.6.3"}.
std::vector<std::pair<std::string, std::string>> libraryVersions();
/// Opens the device with this name: one of deviceNames(), or an NVIDIA GPU such as "cuda:0".
/// Fails: UnsupportedOp for a GPU that is not usable, and for a name that means several devices
/// ("cpu*2", "cuda:0,cuda:1"); InvalidArgument for any other unknown name and for a negative number
/// of threads.
std::unique_ptr<Device> openDevice(const std::string& name, const DeviceOptions& options);

/// Prepares the devices of replicas in one process for copies between them. Returns why the copies
/// between cards go through the memory of the machine, as the rest of a sentence; empty if they do
/// not. Fails: as the devices.
std::string connectDevices(std::span<const std::unique_ptr<Device>> devices);

/// Lets the card of this process sum values with those of the others. They join in their first sum.
/// `isFast`: sums may be in any order. Does nothing for other devices.
void joinCards(Device& device, ProcessLink& link, bool isFast);

/// Returns the names that openDevice() accepts: "auto", "cpu" and "reference".
std::span<const std::string> deviceNames();
/// Returns the device that a name means: `auto` is "cuda:0" if that GPU is usable, else "cpu";
/// `all` is a list of the usable GPUs, if there are some. Other names stay.
std::string resolvedDeviceName(const std::string& name);
/// Returns why the NVIDIA GPU "cuda:N" is not usable, as a sentence; empty if it is usable.
const std::string& whyGpuNotUsable(const std::string& name);
/// Returns why this program can use no NVIDIA GPU. Requires: it can use none.
const std::string& whyNoGpus();
/// Returns the names that users may write, as text: "auto, cpu, reference or simulated:NAME".
std::string deviceNamesText();
/// Returns why this installation cannot simulate cards, as a sentence that says what to do; empty
/// if it can.
const std::string& whyNoSimulatedCards();
/// Returns the names of all passes that can be disabled: the standard passes and the passes of all
/// backends.
std::vector<std::string> passNames();
/// Returns a description of a pass in one line, or an empty text if no pass has this name.
Text passHelp(std::string_view pass);

}  // namespace strata
