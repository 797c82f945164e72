// SPDX-License-Identifier: Apache-2.0
#include "core/runs/output_file.h"

#include <filesystem>
#include <fstream>

#include "core/project/project.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace fs = std::filesystem;

/// Follows symbolic links, also to files that do not exist.
static fs::path followed(fs::path path) {
  constexpr int kMaxLinks = 40;
  std::error_code error;
  for (int i = 0; i < kMaxLinks && fs::is_symlink(path, error); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  return path;
}

bool isPlaceOfRun(const std::string& path, const std::string& runDirectory) {
  std::error_code error;
  const fs::path whole = fs::weakly_canonical(followed(fs::absolute(path)), error);
  if (error) return false;
  fs::path folder = whole.parent_path();
  const bool isCheckpoint = folder.filename() == "checkpoints";
  if (isCheckpoint)
    folder = folder.parent_path();
  else if (!isNameOfRun(whole.filename().string()))
    return false;
  return fs::exists(folder / "record.json", error) || fs::exists(folder / "history.bin", error) ||
         (!runDirectory.empty() &&
          fs::weakly_canonical(fs::absolute(runDirectory), error) / "" == folder / "");
}

void requireOutsideRuns(const std::string& path) {
  if (isPlaceOfRun(path))
    throw Error(ErrorCode::InvalidArgument, path,
                "is the name of a file of a run (expected another file, because only the run "
                "writes to its directory). Name a new file.");
}

void writeExport(const std::string& path, std::string_view bytes, size_t numSame,
                 const std::string& kind) {
  requireOutsideRuns(path);
  std::error_code error;
  if (fs::is_regular_file(path, error) && fs::file_size(path, error) > 0) {
    std::string old(numSame, '\0');
    std::ifstream(path, std::ios::binary).read(old.data(), static_cast<std::streamsize>(numSame));
    if (old != bytes.substr(0, numSame))
      throw Error(ErrorCode::InvalidArgument, path,
                  "is not " + kind +
                      " (expected a new file, or an export of the same kind, because its content "
                      "would be lost). Name a new file.");
  }
  writeFileAtomically(path, bytes, Links::Follow);
}

}  // namespace strata
