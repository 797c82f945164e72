// SPDX-License-Identifier: Apache-2.0
#include "core/project/resources.h"

#include <filesystem>
#include <vector>

#include "gpu/base/debug.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

std::string resourcePath(const std::string& name) {
  const fs::path relative(name);
  bool inside = !relative.empty() && relative.is_relative();
  for (const auto& part : relative)
    inside = inside && part != "..";
  if (!inside)
    throw Error(ErrorCode::InvalidArgument, name,
                "is not the name of a bundled file (expected a relative path without \"..\"). "
                "Correct the name.");

  std::vector<fs::path> places;
  if (const auto set = environmentVariable("STRATA_RESOURCES")) places.emplace_back(*set);
  std::error_code ignored;
  if (const fs::path program = fs::read_symlink("/proc/self/exe", ignored); !program.empty())
    places.push_back(program.parent_path().parent_path() / "share" / "strata");
  // In the source tree, projects/ is next to resources/.
  const fs::path source(STRATA_SOURCE_DIR);
  places.push_back(*relative.begin() == "projects" ? source : source / "resources");

  std::string searched;
  for (const auto& place : places) {
    const fs::path candidate = place / relative;
    if (fs::exists(candidate, ignored)) return fs::absolute(candidate).lexically_normal().string();
    searched += (searched.empty() ? "" : ", ") + place.string();
  }
  throw Error(ErrorCode::IoFailure, name,
              "is a file of Strata that was not found (searched " + searched +
                  "). Reinstall Strata, or set STRATA_RESOURCES to the folder that contains it.");
}

}  // namespace strata
