// SPDX-License-Identifier: Apache-2.0
#include "core/cost/algorithms_file.h"

#include <cmath>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/cost/calibration_file.h"
#include "core/cost/kernel_choices_file.h"
#include "core/project/json.h"
#include "gpu/base/cache_folder.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/exec/variant_text.h"

namespace strata {

namespace {

constexpr const char* kAlgorithmsFormat = "strata-algorithms";
/// Version of the file format. Increase it when the way of timing changes.
constexpr int kAlgorithmsVersion = 2;
constexpr size_t kMaxAlgorithmsBytes = size_t{64} << 20;

CacheStore algorithmTimes() { return CacheStore("algorithms"); }

std::string algorithmsName(const DeviceVersions& versions) {
  std::string name;
  for (const auto& [what, version] : versions)
    if (what == "card" || what == "precision") name += (name.empty() ? "" : "-") + version;
  return fileNameOf(name) + ".json";
}

[[noreturn]] void refuseAlgorithms(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::InvalidFile, file,
              what + ". It is ignored; Strata times the algorithms again.");
}

Json versionsToJson(const DeviceVersions& versions) {
  Json result = Json::object();
  for (const auto& [name, version] : versions)
    result[name] = version;
  return result;
}

/// The name of the algorithm of a measurement. The one of the default kernel has no variant.
std::string nameOf(const MeasuredVariant& variant) {
  return variant.variant.empty() ? variant.algorithm : std::string(variantName(variant.variant));
}

Json microseconds(double seconds) {
  // To a nanosecond
  return seconds > 0 ? Json(std::round(seconds * 1e9) / 1e3) : Json(nullptr);
}

Json callToJson(const std::string& call, const std::vector<MeasuredVariant>& variants) {
  const std::string best = bestVariant(variants, KernelChoice::Fastest);
  Json algorithms = Json::array();
  Json result{{"call", call}};
  for (const MeasuredVariant& variant : variants) {
    Json each{{"name", nameOf(variant)},
              {"best_guess", variant.variant.empty()},
              {"microseconds", microseconds(variant.seconds)},
              {"workspace_bytes", variant.workspaceBytes},
              {"same_bits", variant.hasSameBits}};
    if (!variantData(variant.variant).empty()) each["data"] = variantData(variant.variant);
    if (variant.variant == best) {
      result["chosen"] = each["name"];
      result["microseconds"] = each["microseconds"];
      result["workspace_bytes"] = each["workspace_bytes"];
    }
    algorithms.push_back(std::move(each));
  }
  result["algorithms"] = std::move(algorithms);
  return result;
}

std::vector<MeasuredVariant> readAlgorithms(const Json& call, const std::string& file) {
  std::vector<MeasuredVariant> variants;
  for (const Json& each : call.at("algorithms")) {
    MeasuredVariant variant;
    const auto name = each.at("name").get<std::string>();
    const bool isBestGuess = each.at("best_guess").get<bool>();
    if (isBestGuess != variants.empty())
      refuseAlgorithms(file, "does not list the best guess of a call first");
    const auto data = each.value("data", std::string());
    if (name != variantName(name) || (!data.empty() && (isBestGuess || !isVariantData(data))))
      refuseAlgorithms(file, "contains an algorithm whose name or data are damaged");
    (isBestGuess ? variant.algorithm : variant.variant) = variantText(name, data);
    if (const Json& time = each.at("microseconds"); !time.is_null())
      variant.seconds = time.get<double>() * 1e-6;
    if (!std::isfinite(variant.seconds) || variant.seconds < 0 || name.empty())
      refuseAlgorithms(file, "contains a name or a time that is out of range");
    variant.workspaceBytes = each.at("workspace_bytes").get<size_t>();
    variant.hasSameBits = each.at("same_bits").get<bool>();
    variants.push_back(std::move(variant));
  }
  if (variants.empty()) refuseAlgorithms(file, "has a call without algorithms");
  return variants;
}

KernelMeasurements keptFor(const DeviceVersions& versions, LogLevel level) {
  const auto file = algorithmTimes().read(algorithmsName(versions), kMaxAlgorithmsBytes);
  if (!file) return {};
  try {
    return parseAlgorithms(file->bytes, algorithmsPath(versions), versions);
  }
  catch (const Error& error) {
    logLine(level, error.line());
    return {};
  }
}

}  // namespace

std::string algorithmsPath(const DeviceVersions& versions) {
  return algorithmTimes().fileOf(algorithmsName(versions)).string();
}

std::string printAlgorithms(const DeviceVersions& versions,
                            const KernelMeasurements& measurements) {
  Json calls = Json::array();
  for (const auto& [call, variants] : measurements)
    calls.push_back(callToJson(call, variants));
  return printJson({{"format", kAlgorithmsFormat},
                    {"version", kAlgorithmsVersion},
                    {"made_for", versionsToJson(versions)},
                    {"calls", calls}});
}

KernelMeasurements parseAlgorithms(std::string_view text, const std::string& file,
                                   const DeviceVersions& versions) {
  Json json;
  try {
    json = parseJson(text, file);
  }
  catch (const Error&) {
    refuseAlgorithms(file, "is damaged");
  }
  try {
    if (!json.is_object() || json.value("format", "") != kAlgorithmsFormat)
      refuseAlgorithms(file, "is not a file of algorithms (expected format \"strata-algorithms\")");
    if (json.at("version").get<int>() != kAlgorithmsVersion)
      refuseAlgorithms(file, "has another version");
    if (json.at("made_for") != versionsToJson(versions))
      refuseAlgorithms(file, "is for another card, driver or library (expected " +
                                 versionsToJson(versions).dump() + ", got " +
                                 json.at("made_for").dump() + ")");
    KernelMeasurements result;
    for (const Json& call : json.at("calls"))
      result[call.at("call").get<std::string>()] = readAlgorithms(call, file);
    return result;
  }
  catch (const nlohmann::json::exception&) {
    refuseAlgorithms(file, "lacks a field, or a field has the wrong type");
  }
}

KernelMeasurements keptAlgorithms(const DeviceVersions& versions) {
  return keptFor(versions, LogLevel::Warning);
}

KernelMeasurements keptTimes(const Device& device) {
  return device.variantsAreAlike() ? keptKernelMeasurements(device.numWorkers())
                                   : keptAlgorithms(device.versions());
}

void keepTimes(const Device& device, const KernelMeasurements& measurements) {
  if (device.variantsAreAlike())
    keepKernelMeasurements(device.numWorkers(), measurements);
  else
    keepAlgorithms(device.versions(), measurements);
}

void keepAlgorithms(const DeviceVersions& versions, const KernelMeasurements& measurements) {
  KernelMeasurements all = keptFor(versions, LogLevel::Debug);
  for (const auto& [call, variants] : measurements)
    all[call] = variants;
  algorithmTimes().write(algorithmsName(versions), printAlgorithms(versions, all));
}

}  // namespace strata
