// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/run_table.h"

#include <algorithm>
#include <filesystem>
#include <map>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/run_list/lineage.h"
#include "core/run_list/run_settings.h"
#include "core/run_list/trash.h"
#include "core/runs/moved_run.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

RunRow rowOf(const std::string& listed, int number, const std::string& projectPath) {
  RunRow row;
  row.parts = partsOfRun(listed);
  std::optional<Project> project;
  row.info = readRun(row.parts.back(), &project);
  row.info.listedAt = listed;
  if (number > 0) row.info.number = number;
  if (project) {
    row.settings = std::make_shared<const Json>(resolvedSettings(project->document()));
    row.project = std::make_shared<const Project>(std::move(*project));
  }
  try {
    row.notes = readRunNotes(row.info.directory);
  }
  catch (const Error& error) {
    row.notesProblem = error.line();
  }
  for (const std::string& part : row.parts)
    row.diskBytes += bytesInFolder(part);
  row.weightsFrom = weightsBefore(row.info, row.project.get(), projectPath);
  return row;
}

/// Finds the runs that start from others of these rows.
void linkRows(std::vector<RunRow>& rows) {
  std::map<std::string, size_t, std::less<>> places;
  for (size_t i = 0; i < rows.size(); ++i)
    for (const std::string& part : rows[i].parts)
      places.emplace(canonicalPlace(part), i);
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].weightsFrom.empty()) continue;
    const auto found = places.find(runOfWeights(rows[i].weightsFrom));
    if (found == places.end() || found->second == i) continue;
    rows[i].startsFrom = rows[found->second].info.listedAt;
    rows[found->second].startedRuns.push_back(rows[i].info.listedAt);
  }
}

}  // namespace

uint64_t bytesInFolder(const std::string& folder) {
  uint64_t bytes = 0;
  std::error_code error;
  // Iterators over folders do not enter links
  for (fs::recursive_directory_iterator
           it(folder, fs::directory_options::skip_permission_denied, error),
       end;
       !error && it != end; it.increment(error)) {
    struct stat status {};
    if (::lstat(it->path().c_str(), &status) == 0 && S_ISREG(status.st_mode))
      bytes += static_cast<uint64_t>(status.st_size);
  }
  return bytes;
}

std::vector<RunRow> readRunRows(const Project& project) {
  for (const std::string& folder : runFolders(project))
    finishDeletions(folder);
  std::vector<RunRow> rows;
  for (const ListedRun& each : listedRuns(project)) {
    try {
      rows.push_back(rowOf(each.directory, each.number, project.path()));
    }
    catch (const Error&) {
      // The directory is not a run yet, because the process ended before it wrote project.json
    }
  }
  linkRows(rows);
  return rows;
}

RunRow readRunRow(const std::string& directory) {
  fs::path listed = fs::absolute(directory).lexically_normal();
  if (listed.filename().empty()) listed = listed.parent_path();
  return rowOf(listed.string(), 0, likelyProjectOf(listed.string()));
}

}  // namespace strata
