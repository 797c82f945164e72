// SPDX-License-Identifier: Apache-2.0
#include "core/runs/run_environment.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <system_error>

#include <sys/utsname.h>

#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "core/project/project.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/printable.h"
#include "gpu/base/version.h"
#include "gpu/devices/device_name.h"
#include "gpu/devices/devices.h"
#include "gpu/devices/machine_report.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

std::string utcNow() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  ::gmtime_r(&now, &parts);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts)};
}

std::string textMember(const Json& json, const char* name) {
  const Json& value = memberOf(json, name);
  return value.is_string() ? value.get<std::string>() : std::string();
}

std::vector<std::string> textsMember(const Json& json, const char* name) {
  std::vector<std::string> texts;
  if (const Json& list = memberOf(json, name); list.is_array())
    for (const Json& each : list)
      if (each.is_string()) texts.push_back(each.get<std::string>());
  return texts;
}

/// Returns a member as an integer, or 0 if it is not a number, or too large.
int64_t countMember(const Json& json, const char* name) {
  const Json& number = memberOf(json, name);
  if (!number.is_number()) return 0;
  const double value = number.get<double>();
  return std::abs(value) < 9e18 ? static_cast<int64_t>(value) : 0;
}

/// Returns the name of the operating system, such as "Debian GNU/Linux 12 (bookworm)", or "".
std::string systemTitle() {
  std::ifstream file("/etc/os-release");
  constexpr std::string_view kKey = "PRETTY_NAME=";
  for (std::string line; std::getline(file, line);) {
    if (!line.starts_with(kKey)) continue;
    std::string title = line.substr(kKey.size());
    std::erase(title, '"');
    return isUtf8(title) ? excerpt(title, 200) : std::string();
  }
  return {};
}

}  // namespace

std::vector<std::string> ownCommandLine() {
  constexpr size_t kMaxBytes = 4096;
  std::ifstream file("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  size_t bytes = 0;
  for (std::string word; std::getline(file, word, '\0');) {
    // A name of a file may be any bytes, but the text of JSON is UTF-8
    if (!isUtf8(word)) word = printable(word);
    bytes += word.size() + 1;
    if (bytes > kMaxBytes) {
      words.emplace_back("...");
      break;
    }
    words.push_back(std::move(word));
  }
  return words;
}

std::vector<std::pair<std::string, std::string>> versionsFor(const std::string& device) {
  std::vector<std::pair<std::string, std::string>> versions;
  utsname kernel{};
  if (::uname(&kernel) == 0)
    versions.emplace_back(
        "kernel", std::string(kernel.sysname) + " " + kernel.release + " " + kernel.machine);
  if (const std::string system = systemTitle(); !system.empty())
    versions.emplace_back("system", system);
  const auto libraries = libraryVersions();
  versions.insert(versions.end(), libraries.begin(), libraries.end());
  if (!DeviceName(device).isGpu()) return versions;
  for (const Finding& finding : examineMachine(readMachineFacts())) {
    // Several kinds of devices may need the same part
    const bool isKnown =
        std::ranges::any_of(versions, [&](const auto& each) { return each.first == finding.part; });
    if (!finding.version.empty() && !isKnown) versions.emplace_back(finding.part, finding.version);
  }
  return versions;
}

void writeEnvironment(const std::string& directory, const RunEnvironment& environment) {
  Json json = Json::object();
  json["program"] = kStrataVersion;
  json["compiler"] = "g++ " __VERSION__;
  json["device"] = environment.device;
  json["processor"] = environment.processor;
  json["threads"] = environment.threads;
  if (environment.processes > 1) json["processes"] = environment.processes;
  json["max_steps"] = environment.maxSteps ? Json(*environment.maxSteps) : Json(nullptr);
  json["profiled"] = environment.isProfiled;
  json["layer_statistics"] = environment.samplesLayers;
  json["deterministic"] = environment.isDeterministic;
  json["overrides"] = environment.overrides;
  json["started"] = environment.started.empty() ? utcNow() : environment.started;
  json["command"] = environment.command;
  if (!environment.project.empty()) json["project"] = environment.project;
  if (!environment.commit.empty()) json["commit"] = environment.commit;
  if (!environment.branch.empty()) json["branch"] = environment.branch;
  Json& versions = json["versions"] = Json::object();
  for (const auto& [name, version] : environment.versions)
    versions[name] = version;
  writeFileAtomically((fs::path(directory) / "environment.json").string(), printSealed(json),
                      Links::Replace);
}

RunEnvironment readEnvironment(const std::string& directory, std::vector<std::string>& warnings) {
  const std::string path = (fs::path(directory) / "environment.json").string();
  std::error_code error;
  RunEnvironment environment;
  if (!fs::exists(fs::symlink_status(path, error))) {
    warnings.push_back(path +
                       ": is missing, so the run continues with the current device and threads, "
                       "for as long as its project says.");
    return environment;
  }
  const auto damaged = [&] {
    throw Error(ErrorCode::InvalidFile, path,
                "is damaged (it stores the device, the number of threads and the number of steps "
                "of the run). Restore it from a backup, or delete it: the run then continues with "
                "the current device and threads, for as long as its project says.");
  };
  Json json;
  try {
    json = parseJson(readFile(path, size_t{1} << 20), path);
  }
  catch (const Error&) {
    damaged();
  }
  if (!json.is_object() || sealOf(json) == Seal::Broken) damaged();
  environment.device = textMember(json, "device");
  environment.processor = textMember(json, "processor");
  environment.threads =
      static_cast<int>(std::clamp<int64_t>(countMember(json, "threads"), 0, 1024));
  environment.processes =
      static_cast<int>(std::clamp<int64_t>(countMember(json, "processes"), 1, 1 << 20));
  environment.overrides = textsMember(json, "overrides");
  if (const int64_t steps = countMember(json, "max_steps"); steps >= 1)
    environment.maxSteps = steps;
  environment.isProfiled = memberOf(json, "profiled") == true;
  environment.samplesLayers = memberOf(json, "layer_statistics") == true;
  environment.started = textMember(json, "started");
  environment.command = textsMember(json, "command");
  environment.project = textMember(json, "project");
  environment.commit = textMember(json, "commit");
  environment.branch = textMember(json, "branch");
  if (const Json& versions = memberOf(json, "versions"); versions.is_object())
    for (const auto& [name, version] : versions.items())
      if (version.is_string()) environment.versions.emplace_back(name, version.get<std::string>());
  return environment;
}

}  // namespace strata
