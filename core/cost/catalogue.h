// SPDX-License-Identifier: Apache-2.0
// A catalogue of GPUs from their data sheets (resources/devices.json). It is used to estimate a
// step on a device that this machine does not have.
// Not here: devices of this machine (gpu/devices), estimates (core/train/device_plan.h).
// Thread: the functions are pure, except for reading the file.
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
  // `kind` is "desktop", "laptop", "workstation" or "datacenter".
  std::string name, vendor, kind;
  // Empty if the device is not from NVIDIA
  std::string computeCapability;
  // 0 if unknown
  int cores = 0, boostMegahertz = 0;
  size_t memoryBytes = 0;
  double bytesPerSecond = 0;
  // Peak speed of dense operations for each of kPrecisions; nullopt if the data sheet does not give
  // it. The float32 value is always set.
  std::array<std::optional<double>, kPrecisions.size()> flopsPerSecond;
  // Address of the manufacturer's page or paper
  std::string source;
  // The file in resources/cudnn-devices that describes exactly this device for cuDNN; empty if
  // there is none
  std::string cudnnFile;
  /// Whether the device is too old for CUDA 13, which requires compute capability 7.5.
  bool isTooOld() const;
};

/// Parses a catalogue. `file` is the file name for error messages. Fails: InvalidFile naming the
/// device and field.
std::vector<CatalogueDevice> parseCatalogue(std::string_view text, const std::string& file);
/// Returns the catalogue of this installation, which the first call reads. Fails: IoFailure;
/// InvalidFile.
const std::vector<CatalogueDevice>& deviceCatalogue();

/// The devices that a name may mean. If there is none, `nearest` has the most similar name, if any.
struct CatalogueMatch {
  std::vector<const CatalogueDevice*> devices;
  const CatalogueDevice* nearest = nullptr;
  /// Returns the names of the first devices, and the number of the others.
  std::string names() const;
};

/// Finds the devices that a name means. The rules are those of catalogueDevice().
CatalogueMatch findInCatalogue(const std::vector<CatalogueDevice>& devices, std::string_view name);

/// Finds a device by name. Case, spaces, dashes and the brand are ignored, so "RTX 4090" finds
/// "GeForce RTX 4090". Some words of a name are enough if only one device has all of them: "A100
/// 40GB" finds "A100 PCIe 40GB". The name of a family, such as "H100", means its SXM card with the
/// most memory. Fails: InvalidArgument listing the matches if there are several,
/// or suggesting the most similar name if there are none.
const CatalogueDevice& catalogueDevice(const std::vector<CatalogueDevice>& devices,
                                       std::string_view name);

}  // namespace strata
