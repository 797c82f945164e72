// SPDX-License-Identifier: Apache-2.0
// GPUs known by their data sheets, from resources/devices.json, to estimate a step on a device that
// is not in this machine.
// Not here: devices of this machine (gpu/devices), estimates (core/train/device_plan.h).
// Thread: pure functions, except for reading the file.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace strata {

/// The precisions of a project's `execution`, in the order of CatalogueDevice::flopsPerSecond.
constexpr std::array<std::string_view, 4> kPrecisions{"float32", "tf32", "bfloat16", "float16"};

struct CatalogueDevice {
  // kind: "desktop", "laptop", "workstation", "datacenter"
  std::string name, vendor, kind;
  // "" for devices of other makers than NVIDIA
  std::string computeCapability;
  // 0: unknown
  int cores = 0, boostMegahertz = 0;
  size_t memoryBytes = 0;
  double bytesPerSecond = 0;
  // Dense, by kPrecisions; float32 is always set
  std::array<std::optional<double>, kPrecisions.size()> flopsPerSecond;
  // Address of a page or paper of its maker
  std::string source;
  /// True if CUDA 13 does not support it, which needs compute capability 7.5.
  bool isTooOld() const;
};

/// Fails: InvalidFile with the device and field; IoFailure.
std::vector<CatalogueDevice> parseCatalogue(std::string_view text, const std::string& file);
/// The catalogue of this installation, read at first use.
const std::vector<CatalogueDevice>& deviceCatalogue();

/// Finds a device by name, ignoring case, spaces, dashes and the brand ("RTX 4090" is "GeForce RTX
/// 4090"); otherwise by some of its words, if no other device has them ("A100 40GB" is "A100 PCIe
/// 40GB"). Fails: InvalidArgument with the names of several matches, or with the nearest name.
const CatalogueDevice& catalogueDevice(const std::vector<CatalogueDevice>& devices,
                                       std::string_view name);

}  // namespace strata
