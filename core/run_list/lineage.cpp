// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/lineage.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/runs/given_weights.h"
#include "core/runs/moved_run.h"
#include "core/runs/run_environment.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

constexpr const char* kRunsSuffix = ".runs";

/// Returns the folders in this one, in the order of their names.
std::vector<fs::path> foldersIn(const fs::path& folder) {
  std::vector<fs::path> folders;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    if (it->is_directory(error)) folders.push_back(it->path());
  std::ranges::sort(folders);
  return folders;
}

}  // namespace

std::string canonicalPlace(const std::string& path) {
  std::error_code error;
  fs::path whole = fs::weakly_canonical(path, error);
  if (error) whole = fs::absolute(path, error).lexically_normal();
  return whole.filename().empty() ? whole.parent_path().string() : whole.string();
}

std::string runOfWeights(const std::string& path) {
  std::error_code error;
  std::string whole = canonicalPlace(path);
  if (fs::is_directory(whole, error)) return whole;
  const fs::path folder = fs::path(whole).parent_path();
  return folder.filename() == "checkpoints" ? folder.parent_path().string() : folder.string();
}

std::string weightsBefore(const RunInfo& info, const Project* project,
                          const std::string& projectPath) {
  if (info.origin)
    return (fs::path(info.origin->run) / "checkpoints" / checkpointName(info.origin->step))
        .string();
  std::string from = info.start.weightsFrom;
  if (from.empty() && project) {
    const Json& initial = memberOf(memberOf(project->document(), "training"), "initial_weights");
    if (initial.is_string()) from = initial.get<std::string>();
  }
  if (from.empty()) return from;
  std::error_code error;
  return fs::absolute(pathInProject(Project(Json::object(), projectPath), from), error)
      .lexically_normal()
      .string();
}

std::string likelyProjectOf(const std::string& runDirectory) {
  const fs::path folder = fs::path(runDirectory).parent_path();
  std::vector<std::string> warnings;
  try {
    const std::string recorded = readEnvironment(placeOfRun(runDirectory), warnings).project;
    // The project may have been moved since, together with its runs
    const Project project(Json::object(), recorded);
    if (!recorded.empty() && std::ranges::any_of(runFolders(project), [&](const std::string& each) {
          return canonicalPlace(each) == canonicalPlace(folder.string());
        }))
      return recorded;
  }
  catch (const Error&) {
    // A damaged file does not tell
  }
  return (folder.parent_path() / folder.stem()).string() + ".json";
}

std::vector<Descent> descentsIn(const std::vector<std::string>& folders) {
  std::vector<Descent> descents;
  for (const std::string& folder : folders)
    for (const fs::path& run : foldersIn(folder)) {
      const std::string place = placeOfRun(run.string());
      std::error_code error;
      if (!fs::is_regular_file(fs::path(place) / "project.json", error)) continue;
      try {
        std::optional<Project> project;
        const RunInfo info = readRun(place, &project);
        const std::string weights =
            weightsBefore(info, project ? &*project : nullptr, likelyProjectOf(run.string()));
        if (!weights.empty()) descents.push_back({run.string(), runOfWeights(weights)});
      }
      catch (const Error&) {
        // A directory that is not a run starts from none
      }
    }
  return descents;
}

std::vector<std::string> foldersNear(const std::string& runDirectory) {
  const fs::path own = fs::path(runDirectory).parent_path();
  std::vector<std::string> folders{own.string()};
  // The project may have been recorded under a path that leads here through a link
  const auto add = [&](const std::string& folder) {
    if (std::ranges::find(folders, canonicalPlace(folder), canonicalPlace) == folders.end())
      folders.push_back(folder);
  };
  if (own.extension() != kRunsSuffix) return folders;
  for (const fs::path& other : foldersIn(own.parent_path()))
    if (other.extension() == kRunsSuffix) add(other.string());
  for (const std::string& folder :
       runFolders(Project(Json::object(), likelyProjectOf(runDirectory))))
    add(folder);
  return folders;
}

}  // namespace strata
