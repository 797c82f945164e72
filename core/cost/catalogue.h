// SPDX-License-Identifier: Apache-2.0
// GPUs by their data sheets, from resources/devices.json, so that a step can be judged on a device
// that nobody here owns.
// Not here: devices of this machine (gpu/exec/backend.h), what a step takes
// (core/train/device_plan.h). Thread: pure but for reading the file.
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
  // "" where it is no NVIDIA device
  std::string computeCapability;
  // 0: not given
  int cores = 0, boostMegahertz = 0;
  size_t memoryBytes = 0;
  double bytesPerSecond = 0;
  // Dense, by kPrecisions; float32 is always there
  std::array<std::optional<double>, kPrecisions.size()> flopsPerSecond;
  // Address of its maker's page or paper
  std::string source;
  /// This build's CUDA (13) runs compute capability 7.5 and later.
  bool isTooOld() const;
};

/// Fails: InvalidFile naming the device and field; IoFailure.
std::vector<CatalogueDevice> parseCatalogue(std::string_view text, const std::string& file);
// Of this installation, read at first use
const std::vector<CatalogueDevice>& deviceCatalogue();

/// By name, whatever its case, spaces and dashes, with or without the maker's words before it ("RTX
/// 4090" is "GeForce RTX 4090"); else by some of its words, where no other device has them ("A100
/// 40GB" is "A100 PCIe 40GB"). Fails: InvalidArgument with the names of several that have, or with
/// the nearest.
const CatalogueDevice& catalogueDevice(const std::vector<CatalogueDevice>& devices,
                                       std::string_view name);

}  // namespace strata
