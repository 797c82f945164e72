// SPDX-License-Identifier: Apache-2.0
#include "core/recipe/device_option.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/cost/simulated_card.h"
#include "core/project/text.h"
#include "gpu/base/nearest_name.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"

namespace strata {
namespace {

/// Replaces the name of a simulated card by the own name of the device, or reports what is wrong.
void readSimulatedDevice(OptionReader& reader, ExecutionOptions& options) {
  const SimulatedName name = readSimulatedName(options.device);
  const auto report = [&](const char* code, Text message, Arguments arguments,
                          const std::vector<std::string>& cards) {
    std::vector<Fix> fixes;
    for (const std::string& card : cards)
      fixes.push_back(changeFix("/execution/devices", options.device, "simulated:" + card));
    fixes.push_back(setFix("/execution/devices", "auto"));
    reader.report(code, "/execution/devices", message, std::move(arguments), std::move(fixes));
  };
  constexpr size_t kMaxFixes = 3;
  std::vector<std::string> cards;
  switch (name.problem) {
    case SimulatedName::Problem::None:
      options.device = name.ownName;
      if (name.copies > 1) options.device += "*" + std::to_string(name.copies);
      break;
    case SimulatedName::Problem::Several:
      report("unknown_choice",
             STRATA_TEXT("problem",
                         "there is no device \"%1\" (expected one card, or up to 64 equal ones, "
                         "such as simulated:H100*2). Choose one kind of card."),
             {options.device}, {});
      break;
    case SimulatedName::Problem::Unknown:
      if (name.match.nearest)
        report("unknown_choice",
               STRATA_TEXT("problem",
                           "there is no device \"%1\" (expected simulated:NAME). Did you mean "
                           "\"%2\"? `strata devices --catalogue` lists the cards."),
               {options.device, name.match.nearest->name}, {name.match.nearest->name});
      else
        report("unknown_choice",
               STRATA_TEXT("problem",
                           "there is no device \"%1\" (expected simulated:NAME). `strata devices "
                           "--catalogue` lists the cards."),
               {options.device}, {});
      break;
    case SimulatedName::Problem::Ambiguous:
      for (const CatalogueDevice* card : name.match.devices)
        if (cards.size() < kMaxFixes) cards.push_back(card->name);
      report(
          "unknown_choice",
          STRATA_TEXT("problem", "\"%1\" matches several cards (expected one of: %2). Choose one."),
          {options.device, name.match.names()}, cards);
      break;
    case SimulatedName::Problem::Unsupported:
      report("unusable_device",
             STRATA_TEXT("problem", "%1 cannot be simulated, because %2. Choose another device."),
             {name.match.devices.front()->name, name.reason}, {});
      break;
    case SimulatedName::Problem::NoPlugin:
      report("unusable_device", STRATA_TEXT("problem", "%1 cannot be simulated: %2"),
             {name.match.devices.front()->name, Text{"argument", whyNoSimulatedCards().c_str()}},
             {});
      break;
  }
}

}  // namespace

void readDeviceList(OptionReader& reader, Json& known) {
  const auto devices = known.find("devices");
  if (devices == known.end() || !devices->is_array()) return;
  const bool areEqual = std::ranges::all_of(
      *devices, [&](const Json& each) { return each == devices->front() && each.is_string(); });
  const DeviceName first(areEqual && !devices->empty() ? devices->front().get<std::string>() : "");
  std::string joined;
  for (const Json& each : *devices)
    joined += (joined.empty() ? "" : ",") + (each.is_string() ? each.get<std::string>() : "");
  if (devices->size() == 1) {
    *devices = Json(devices->front());
  }
  else if (areEqual && first.copies == 1 && (first.isOnHost() || first.isSimulated())) {
    *devices = first.single() + "*" + std::to_string(devices->size());
  }
  else if (const DeviceName list(joined); list.isCuda() && list.copies > 1) {
    *devices = joined;
  }
  else if (areEqual && first.isCuda()) {
    reader.report("device_twice", "/execution/devices",
                  STRATA_TEXT("problem",
                              "the device %1 is listed %2 times (expected different devices). "
                              "Remove the others."),
                  {first.single(), std::to_string(devices->size())},
                  {setFix("/execution/devices", first.single())});
    known.erase("devices");
  }
  else if (devices->size() > 1) {
    reader.report(
        "unequal_devices", "/execution/devices",
        STRATA_TEXT("problem",
                    "the list has %1 devices that cannot train together (expected different GPUs, "
                    "such as cuda:0 and cuda:1, or several times cpu). Choose equal devices."),
        {std::to_string(devices->size())}, {setFix("/execution/devices", "auto")});
    known.erase("devices");
  }
}

void readDevice(OptionReader& reader, ExecutionOptions& options) {
  // All GPUs are counted before the rest of the project is checked; auto is one device
  if (DeviceName(options.device).kind == DeviceName::Kind::All)
    options.device = resolvedDeviceName(options.device);
  const DeviceName name(options.device);
  if (name.isSimulated()) return readSimulatedDevice(reader, options);
  const auto reportUnusable = [&](const std::string& device, const std::string& reason) {
    reader.report("unusable_device", "/execution/devices",
                  STRATA_TEXT("problem", "the device \"%1\" is not usable: %2"),
                  {device, Text{"argument", reason.c_str()}},
                  {setFix("/execution/devices", "auto")});
  };
  if (name.kind == DeviceName::Kind::All) return reportUnusable(options.device, whyNoGpus());
  if (name.isCuda()) {
    for (int rank = 0; rank < name.copies; ++rank)
      if (const std::string& reason = whyGpuNotUsable(name.at(rank)); !reason.empty())
        return reportUnusable(name.at(rank), reason);
    if (name.copies <= kMaxReplicas) return;
  }
  if (name.isOnHost() && name.copies <= kMaxReplicas) return;
  const auto names = deviceNames();
  if (std::find(names.begin(), names.end(), options.device) != names.end()) return;
  reader.report("unknown_choice", "/execution/devices",
                STRATA_TEXT("problem",
                            "there is no device \"%1\" (expected %2). `strata devices` lists the "
                            "devices."),
                {options.device, deviceNamesText()}, {setFix("/execution/devices", "auto")});
}

void readMemoryLimits(OptionReader& reader, const Json& limits, ExecutionOptions& options,
                      Diagnostics& diagnostics) {
  const auto isNumbered = [](std::string_view name, std::string_view kind) {
    if (!name.starts_with(kind)) return false;
    name.remove_prefix(kind.size());
    return !name.empty() &&
           std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
  };
  for (const auto& [device, bytes] : limits.items()) {
    const std::string pointer = "/execution/memory_limit/" + escapedKey(device);
    const DeviceName name(device);
    const std::string own = name.isSimulated() ? readSimulatedName(device).ownName : device;
    const bool isHere = (name.isOnHost() && name.copies == 1) || DeviceName(own).isSimulated();
    if (!isHere && !isNumbered(device, "cpu:") && !isNumbered(device, "cuda:")) {
      const std::string nearest =
          nearestName(device, std::vector<std::string>{"cpu", "reference", "cuda:0"});
      std::vector<Fix> fixes;
      if (!nearest.empty() && !limits.contains(nearest)) {
        const ProjectEdit rename{
            STRATA_TEXT("edit", "Rename %1 to %2"),
            {device, nearest},
            {removeOperation(pointer), setOperation("/execution/memory_limit/" + nearest, bytes)},
            {}};
        fixes.push_back({STRATA_TEXT("problem", "Rename %1 to %2"), {device, nearest}, rename});
      }
      fixes.push_back(
          makeFix(STRATA_TEXT("problem", "Remove %1"), {device}, removeOperation(pointer)));
      reader.report("unknown_device", pointer,
                    nearest.empty()
                        ? STRATA_TEXT("problem",
                                      "there is no device \"%1\" (expected cpu, reference, cuda:0 "
                                      "or simulated:NAME). "
                                      "Choose one.")
                        : STRATA_TEXT("problem", "there is no device \"%1\". Did you mean \"%2\"?"),
                    {device, nearest}, std::move(fixes));
      continue;
    }
    const Json value =
        checkField(*executionSchema().field("memory_limit"), bytes, pointer, "", diagnostics);
    if ((isHere || (name.isCuda() && name.copies == 1)) && value.is_number())
      options.memoryLimits[own] = value.get<size_t>();
  }
}

}  // namespace strata
