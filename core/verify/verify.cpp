// SPDX-License-Identifier: Apache-2.0
#include "core/verify/verify.h"

#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/cost/open_device.h"
#include "core/project/project.h"
#include "core/project/text.h"
#include "core/verify/cases.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

void runCase(ReferenceCase& reference) {
  const std::string& kind = reference.kind();
  if (kind == "layer") return verifyLayer(reference);
  if (kind == "loss") return verifyLoss(reference);
  if (kind == "optimizer") return verifyOptimizer(reference);
  if (kind == "metric") return verifyMetric(reference);
  if (kind == "training") return verifyTraining(reference);
  if (kind == "schedule") return verifySchedule(reference);
  throw MissingType{"kind " + kind};
}

/// Says what is damaged, in words for a person.
std::string damageOf(const nlohmann::json::exception& error) {
  constexpr int kMissingKey = 403;
  const std::string_view text = error.what();
  const size_t begin = text.find('\''), end = text.rfind('\'');
  if (error.id == kMissingKey && begin < end)
    return "the field \"" + excerpt(text.substr(begin + 1, end - begin - 1), 60) + "\" is missing";
  return "a field has the wrong type";
}

/// Runs a case of the manifest `path`. Fails: InvalidFile if its description is damaged.
VerifyRow resultOf(const std::string& path, ReferenceCase reference) {
  try {
    runCase(reference);
  }
  catch (const MissingType& missing) {
    reference.skip(missing.name);
  }
  catch (const Error& error) {
    reference.fail(error.line());
  }
  catch (const nlohmann::json::exception& error) {
    throw Error(ErrorCode::InvalidFile, path,
                "is damaged: the case \"" + excerpt(reference.id(), 60) + "\": " + damageOf(error) +
                    ". Restore the file from a backup.");
  }
  catch (const std::bad_alloc&) {
    reference.fail("needs more memory than there is.");
  }
  return reference.row();
}

}  // namespace

VerifyReport verifyManifest(const std::string& path, const std::string& name) {
  const std::unique_ptr<Device> device = openNamedDevice(name, {});
  const Json manifest = parseJson(readFile(path, kMaxJsonBytes), path);
  if (!manifest.is_object() || manifest.value("format", Json()) != "strata-reference" ||
      !manifest.contains("cases") || !manifest["cases"].is_array() ||
      !manifest.contains("tensors") || !manifest["tensors"].is_string())
    throw Error(ErrorCode::InvalidFile, path,
                "is not a reference file (expected \"format\": \"strata-reference\" with "
                "\"tensors\" and \"cases\"). Name the .json file of a reference set.");
  const TensorFile file = readSafetensors(
      (std::filesystem::path(path).parent_path() / manifest["tensors"].get<std::string>())
          .string());
  VerifyReport report;
  for (const Json& item : manifest["cases"]) {
    if (!memberOf(item, "id").is_string() || !memberOf(item, "kind").is_string())
      throw Error(ErrorCode::InvalidFile, path,
                  "is damaged: case " + std::to_string(report.rows.size() + 1) +
                      " has no \"id\" or no \"kind\" (expected strings). Restore the file from a "
                      "backup.");
    report.rows.push_back(resultOf(path, ReferenceCase(item, file, *device)));
  }
  return report;
}

}  // namespace strata
