// SPDX-License-Identifier: Apache-2.0
#include "core/cost/cudnn_properties.h"

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "core/project/resources.h"
#include "gpu/base/error.h"

namespace strata {
namespace {

struct Recorded {
  const char* computeCapability;
  // The card in the catalogue that the file describes
  const char* name;
  const char* file;
};
// The first row of a compute capability stands for all its cards
constexpr Recorded kRecorded[] = {
    {"7.5", "T4", "t4.json"},
    {"8.0", "A100 SXM 80GB", "a100.json"},
    {"8.6", "GeForce RTX 3060 12GB", "rtx3060.json"},
    {"8.9", "GeForce RTX 4090", "rtx4090.json"},
    {"9.0", "H100 SXM", "h100.json"},
    {"9.0", "H200 SXM", "h200.json"},
    {"10.0", "B200", "b200.json"},
    {"12.0", "GeForce RTX 5090", "rtx5090.json"},
};

std::string readText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  if (!file) throw Error(ErrorCode::IoFailure, path, "cannot be read. Install Strata again.");
  return text.str();
}

/// Returns the multiprocessors of an NVIDIA card.
int multiprocessorsOf(const CatalogueDevice& device) {
  // Turing, Volta and the A100's generation have 64 cores in each, all others 128
  const std::string& capability = device.computeCapability;
  const bool hasFew = capability == "7.0" || capability == "7.5" || capability == "8.0";
  return std::max(1, device.cores / (hasFew ? 64 : 128));
}

}  // namespace

std::string cudnnPropertiesOf(const CatalogueDevice& device) {
  const Recorded* chosen = nullptr;
  for (const Recorded& recorded : kRecorded) {
    if (recorded.computeCapability != device.computeCapability) continue;
    if (recorded.name == device.name)
      return readText(resourcePath(std::string("cudnn-devices/") + recorded.file));
    if (!chosen) chosen = &recorded;
  }
  if (!chosen) return {};
  const std::string path = resourcePath(std::string("cudnn-devices/") + chosen->file);
  nlohmann::json properties = nlohmann::json::parse(readText(path), nullptr, false);
  if (!properties.is_object())
    throw Error(ErrorCode::InvalidFile, path, "is not a JSON object. Install Strata again.");
  properties["deviceName"] = "NVIDIA " + device.name;
  properties["multiProcessorCount"] = multiprocessorsOf(device);
  properties["smClockRateKHz"] = device.boostMegahertz * 1000;
  properties["totalGlobalMem"] = device.memoryBytes;
  return properties.dump();
}

}  // namespace strata
