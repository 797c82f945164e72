// SPDX-License-Identifier: Apache-2.0
#include "core/runs/profile_file.h"

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/project.h"
#include "gpu/base/error.h"

namespace strata {

static std::string pathIn(const std::string& runDirectory) {
  return runDirectory + "/profile.json";
}

void writeProfile(const std::string& runDirectory, const ProfileSnapshot& profile) {
  Json rows = Json::array();
  for (const ProfileRow& row : profile.rows)
    rows.push_back({{"op", row.op},
                    {"layer", row.layer},
                    {"implementation", row.implementation},
                    {"phase", phaseName(row.phase)},
                    {"calls", row.calls},
                    {"nanoseconds", row.total.count()},
                    {"bytes_out", row.bytesOut}});
  const Json json{{"version", 1},
                  {"steps", profile.steps},
                  {"step", profile.step},
                  {"step_microseconds", profile.stepMicroseconds},
                  {"data_wait_fraction", profile.dataWaitFraction},
                  {"forward_fraction", profile.forwardFraction},
                  {"backward_fraction", profile.backwardFraction},
                  {"update_fraction", profile.updateFraction},
                  {"observation_fraction", profile.observationFraction},
                  {"rows", rows}};
  writeFileAtomically(pathIn(runDirectory), printJson(json), Links::Replace);
}

std::shared_ptr<const ProfileSnapshot> readProfile(const std::string& runDirectory) {
  const std::string path = pathIn(runDirectory);
  try {
    const Json json = parseJson(readFile(path, size_t{16} << 20), path);
    auto profile = std::make_shared<ProfileSnapshot>();
    profile->steps = json.at("steps").get<int64_t>();
    profile->step = json.at("step").get<int64_t>();
    profile->stepMicroseconds = json.at("step_microseconds").get<double>();
    profile->dataWaitFraction = json.at("data_wait_fraction").get<double>();
    profile->forwardFraction = json.at("forward_fraction").get<double>();
    profile->backwardFraction = json.at("backward_fraction").get<double>();
    profile->updateFraction = json.at("update_fraction").get<double>();
    profile->observationFraction = json.at("observation_fraction").get<double>();
    for (const Json& item : json.at("rows")) {
      ProfileRow row;
      row.op = item.at("op").get<std::string>();
      row.layer = item.at("layer").get<std::string>();
      row.implementation = item.at("implementation").get<std::string>();
      const auto phase = phaseFromName(item.at("phase").get<std::string>());
      if (!phase) return nullptr;
      row.phase = *phase;
      row.calls = item.at("calls").get<int64_t>();
      row.total = std::chrono::nanoseconds(item.at("nanoseconds").get<int64_t>());
      row.bytesOut = item.at("bytes_out").get<size_t>();
      profile->rows.push_back(std::move(row));
    }
    return profile->steps > 0 ? profile : nullptr;
  }
  catch (const Error&) {
    return nullptr;
  }
  catch (const Json::exception&) {
    return nullptr;
  }
}

}  // namespace strata
