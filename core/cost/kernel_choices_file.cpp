// SPDX-License-Identifier: Apache-2.0
#include "core/cost/kernel_choices_file.h"

#include <cmath>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/cost/calibration_file.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/seal.h"
#include "gpu/base/cache_folder.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/exec/variant_text.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr const char* kFormat = "strata-kernels";
/// Version of the file format. Increase it when kernels change, so that all kernels are timed
/// again.
constexpr int kVersion = 3;
constexpr size_t kMaxFileBytes = size_t{64} << 20;

CacheStore kernelTimes() { return CacheStore("kernels"); }

[[noreturn]] void fail(const std::string& file, const std::string& what) {
  throw Error(ErrorCode::InvalidFile, file, what + ". Delete it; Strata creates it again.");
}

}  // namespace

std::string kernelMeasurementsPath(int threads) {
  return kernelTimes().fileOf(measuredFileName(threads)).string();
}

std::string printKernelMeasurements(const KernelMeasurements& measurements) {
  Json kernels = Json::object();
  for (const auto& [key, variants] : measurements) {
    Json list = Json::array();
    for (const MeasuredVariant& variant : variants)
      list.push_back({{"way", variant.variant},
                      {"seconds", variant.seconds},
                      {"same_bits", variant.hasSameBits}});
    kernels[key] = std::move(list);
  }
  return printJson({{"format", kFormat}, {"version", kVersion}, {"kernels", kernels}});
}

KernelMeasurements parseKernelMeasurements(std::string_view text, const std::string& file) {
  try {
    const Json json = parseJson(text, file);
    if (!json.is_object() || json.value("format", "") != kFormat)
      fail(file, "is not a file of kernel times (expected format \"strata-kernels\")");
    if (json.at("version").get<int>() != kVersion) fail(file, "has another version");
    KernelMeasurements result;
    for (const auto& [key, list] : json.at("kernels").items()) {
      std::vector<MeasuredVariant> variants;
      for (const Json& each : list) {
        MeasuredVariant variant{each.at("way").get<std::string>(), each.at("seconds").get<double>(),
                                each.at("same_bits").get<bool>()};
        if (!std::isfinite(variant.seconds) || variant.seconds < 0)
          fail(file, "contains a time that is out of range");
        variants.push_back(std::move(variant));
      }
      if (variants.empty() || !variants.front().variant.empty())
        fail(file, "lacks the default variant of a kernel");
      result[key] = std::move(variants);
    }
    return result;
  }
  catch (const nlohmann::json::exception&) {
    fail(file, "lacks a field, or a field has the wrong type");
  }
}

KernelMeasurements keptKernelMeasurements(int threads) {
  const auto file = kernelTimes().read(measuredFileName(threads), kMaxFileBytes);
  if (!file) return {};
  try {
    return parseKernelMeasurements(file->bytes, kernelMeasurementsPath(threads));
  }
  catch (const Error& error) {
    logLine(LogLevel::Debug, error.line());
    return {};
  }
}

void keepKernelMeasurements(int threads, const KernelMeasurements& measurements) {
  KernelMeasurements all = keptKernelMeasurements(threads);
  for (const auto& [key, variants] : measurements)
    all[key] = variants;
  kernelTimes().write(measuredFileName(threads), printKernelMeasurements(all));
}

std::string printChoices(const KernelVariants& variants, const std::vector<UsedKernel>& kernels) {
  Json chosen = Json::object(), data = Json::object(), used = Json::array();
  for (const auto& [kernel, variant] : variants) {
    chosen[kernel] = variantName(variant);
    if (!variantData(variant).empty()) data[kernel] = variantData(variant);
  }
  for (const UsedKernel& each : kernels)
    used.push_back(
        {{"op", each.op}, {"layer", each.layer}, {"implementation", each.implementation}});
  Json choices{{"version", 1}, {"ways", chosen}, {"kernels", used}};
  // What the names of algorithms do not tell, for the same version of their library
  if (!data.empty()) choices["algorithm_data"] = data;
  return printSealed(choices);
}

KernelVariants readKernelVariants(const std::string& runDirectory, std::string& problem) {
  const std::string path = (fs::path(runDirectory) / "choices.json").string();
  problem.clear();
  std::string text;
  try {
    text = readFile(path, kMaxFileBytes);
  }
  catch (const Error&) {
    problem = "is missing";
    return {};
  }
  try {
    const Json json = parseJson(text, path);
    if (!json.is_object() || sealOf(json) == Seal::Broken)
      throw Error(ErrorCode::InvalidFile, path, "has a wrong hash.");
    KernelVariants chosen;
    if (const auto list = json.find("ways"); list != json.end())
      for (const auto& [key, variant] : list->items())
        chosen[key] = variantName(variant.get<std::string>());
    if (const auto list = json.find("algorithm_data"); list != json.end())
      for (const auto& [key, data] : list->items())
        if (const auto own = data.get<std::string>(); isVariantData(own) && chosen.contains(key))
          chosen[key] = variantText(chosen[key], own);
    return chosen;
  }
  catch (const std::exception&) {
    problem = text.empty() ? "is empty" : "is damaged";
    return {};
  }
}

}  // namespace strata
