// SPDX-License-Identifier: Apache-2.0
// Makes run directories without training. Only tests use it.
#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "core/project/json.h"
#include "core/project/project.h"

namespace strata {

inline void putFile(const std::filesystem::path& path, const std::string& text) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path) << text;
}

inline std::string readText(const std::filesystem::path& path) {
  return readFile(path.string(), size_t{1} << 20);
}

constexpr const char* kRunProject =
    R"({"format":"strata-project","version":1,"name":"Net","data":{},"model":{"layers":[
  {"type":"Input","name":"x","shape":[8]},
  {"type":"Dense","name":"hidden","units":6},
  {"type":"Dense","name":"out","units":3}]},
  "training":{"metrics":["accuracy"],"optimizer":"adam","batch_size":12}})";

/// Writes the files of a finished run with this validation loss.
inline void putRun(const std::filesystem::path& directory, double loss = 1,
                   const std::string& project = kRunProject, const std::string& from = "") {
  putFile(directory / "project.json", project);
  putFile(directory / "lock", "");
  putFile(directory / "environment.json", R"({"started":"2026-11-20T00:00:00Z"})");
  const std::string number = Json(loss).dump();
  putFile(
      directory / "events.jsonl",
      R"({"event":"start","device":"cpu","parameters":75,"batch_size":12,"weights_from":)" +
          Json(from).dump() + "}\n" + R"({"event":"epoch","epoch":1,"step":5,"val_loss":)" +
          number + R"(,"val_metrics":{"accuracy":0.5}})" + "\n" +
          R"({"event":"epoch","epoch":2,"step":10,"val_loss":2,"val_metrics":{"accuracy":0.25}})"
          "\n"
          R"({"event":"end","outcome":"finished","steps":10,"seconds":1.5,"peak_bytes":4096})"
          "\n");
}

inline Project runProjectAt(const std::filesystem::path& path) {
  return Project(parseJson(kRunProject, "test"), path.string());
}

}  // namespace strata
