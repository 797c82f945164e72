// SPDX-License-Identifier: Apache-2.0
#include "core/cost/simulated_card.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/resources.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"

namespace strata {
namespace {

/// Reads a file that describes a card for cuDNN. Returns null if the installation does not have it.
Json readCudnnFile(const std::string& file) {
  try {
    const std::string path = resourcePath("cudnn-devices/" + file);
    Json json = parseJson(readFile(path, kMaxJsonBytes), path);
    return json.is_object() ? json : Json(nullptr);
  }
  catch (const Error& error) {
    logLine(LogLevel::Debug, error.line());
    return nullptr;
  }
}

/// Returns the card with a file for cuDNN that is most similar to `device`, or null.
const CatalogueDevice* nearestWithFile(const CatalogueDevice& device) {
  const CatalogueDevice* nearest = nullptr;
  double least = 0;
  for (const CatalogueDevice& other : deviceCatalogue()) {
    if (other.cudnnFile.empty() || other.computeCapability != device.computeCapability) continue;
    const auto ratio = [](double a, double b) {
      return std::abs(std::log(std::max(1.0, a) / std::max(1.0, b)));
    };
    const double distance =
        ratio(other.cores, device.cores) +
        ratio(static_cast<double>(other.memoryBytes), static_cast<double>(device.memoryBytes));
    if (nearest && distance >= least) continue;
    nearest = &other;
    least = distance;
  }
  return nearest;
}

/// Returns what cuDNN asks a driver about the card, or an empty text.
std::string cudnnPropertiesOf(const CatalogueDevice& device, const CardData& card) {
  if (!device.cudnnFile.empty()) {
    const Json own = readCudnnFile(device.cudnnFile);
    return own.is_null() ? std::string() : own.dump();
  }
  const CatalogueDevice* base = nearestWithFile(device);
  if (!base) return {};
  Json properties = readCudnnFile(base->cudnnFile);
  if (properties.is_null()) return {};
  properties["deviceName"] = "NVIDIA " + device.name;
  properties["multiProcessorCount"] = card.multiprocessors();
  if (card.megahertz > 0) properties["smClockRateKHz"] = 1000 * card.megahertz;
  // A driver shows slightly less memory than a data sheet
  const double share = properties.value("totalGlobalMem", 0.0) /
                       static_cast<double>(std::max<size_t>(1, base->memoryBytes));
  properties["totalGlobalMem"] =
      static_cast<uint64_t>(std::min(1.0, share) * static_cast<double>(device.memoryBytes));
  return properties.dump();
}

}  // namespace

Text whyNotSimulated(const CatalogueDevice& device) {
  if (device.computeCapability.empty()) return STRATA_TEXT("argument", "it is not an NVIDIA GPU");
  if (device.isTooOld())
    return STRATA_TEXT("argument", "CUDA 13 needs compute capability 7.5 or higher");
  return {};
}

CardData cardDataOf(const CatalogueDevice& device) {
  CardData card;
  card.name = device.name;
  const std::string& capability = device.computeCapability;
  const char* const end = capability.data() + capability.size();
  const auto [point, error] = std::from_chars(capability.data(), end, card.major);
  if (error == std::errc() && point != end) std::from_chars(point + 1, end, card.minor);
  card.cores = device.cores;
  card.megahertz = device.boostMegahertz;
  card.memoryBytes = device.memoryBytes;
  card.bytesPerSecond = device.bytesPerSecond;
  for (size_t i = 0; i < card.flopsPerSecond.size(); ++i)
    card.flopsPerSecond[i] = device.flopsPerSecond[i].value_or(0);
  card.cudnnProperties = cudnnPropertiesOf(device, card);
  return card;
}

SimulatedName readSimulatedName(std::string_view name) {
  SimulatedName result;
  result.card = DeviceName(name).card;
  const DeviceName read(name);
  result.copies = read.copies;
  if (name.find(',') != std::string_view::npos || read.copies > kMaxReplicas ||
      result.card.find('*') != std::string::npos) {
    result.problem = SimulatedName::Problem::Several;
    return result;
  }
  result.match = findInCatalogue(deviceCatalogue(), result.card);
  if (result.match.devices.size() != 1) {
    result.problem = result.match.devices.empty() ? SimulatedName::Problem::Unknown
                                                  : SimulatedName::Problem::Ambiguous;
    return result;
  }
  const CatalogueDevice& device = *result.match.devices.front();
  result.ownName = kSimulatedPrefix + device.name;
  result.reason = whyNotSimulated(device);
  if (!result.reason.isEmpty())
    result.problem = SimulatedName::Problem::Unsupported;
  else if (!whyNoSimulatedCards().empty())
    result.problem = SimulatedName::Problem::NoPlugin;
  return result;
}

std::string cardWithoutPrecision(const std::string& deviceName, std::string_view precision) {
  const auto index =
      static_cast<size_t>(std::ranges::find(kPrecisions, precision) - kPrecisions.begin());
  if (index == 0 || index >= kPrecisions.size()) return {};
  if (DeviceName(deviceName).isSimulated()) {
    const SimulatedName read = readSimulatedName(deviceName);
    if (read.problem != SimulatedName::Problem::None) return {};
    const CatalogueDevice& card = *read.match.devices.front();
    return card.flopsPerSecond[index] ? std::string() : card.name;
  }
  if (!DeviceName(deviceName).isGpu() || precision == "float16") return {};
  for (const DeviceInfo& device : listDevices())
    // tf32 and bfloat16 exist since compute capability 8.0, and all of them have one digit there
    if (device.name == deviceName && device.gpu && device.gpu->computeCapability.size() == 3 &&
        device.gpu->computeCapability < "8.0")
      return device.title;
  return {};
}

std::string ownDeviceName(const std::string& name) {
  if (!DeviceName(name).isSimulated()) return name;
  const SimulatedName read = readSimulatedName(name);
  switch (read.problem) {
    case SimulatedName::Problem::None:
      if (read.copies == 1) return read.ownName;
      throw Error(ErrorCode::UnsupportedOp, name,
                  "several devices cannot do this (expected one, such as " + read.ownName +
                      "). Name one device.");
    case SimulatedName::Problem::Several:
      throw Error(ErrorCode::UnsupportedOp, name,
                  "several cards must be equal (expected a name such as simulated:H100*2, with at "
                  "most 64 cards). Choose one kind of card.");
    case SimulatedName::Problem::Unsupported:
      throw Error(ErrorCode::UnsupportedOp, read.match.devices.front()->name,
                  std::string("cannot be simulated: ") + read.reason.source +
                      ". `strata devices --catalogue` says which cards can be simulated.");
    case SimulatedName::Problem::NoPlugin:
      throw Error(ErrorCode::UnsupportedOp, read.ownName, whyNoSimulatedCards());
    case SimulatedName::Problem::Ambiguous:
      throw Error(
          ErrorCode::InvalidArgument, name,
          "matches several cards (expected one of: " + read.match.names() + "). Choose one.");
    case SimulatedName::Problem::Unknown: break;
  }
  throw Error(
      ErrorCode::InvalidArgument, name,
      "there is no such card (expected simulated:NAME)." +
          (read.match.nearest ? " Did you mean \"" + read.match.nearest->name + "\"?" : "") +
          " `strata devices --catalogue` lists the cards.");
}

}  // namespace strata
