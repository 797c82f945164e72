// SPDX-License-Identifier: Apache-2.0
#include "core/runs/given_weights.h"

#include <filesystem>
#include <system_error>

#include "core/runs/moved_run.h"
#include "gpu/base/error.h"

namespace strata {

std::string pathInProject(const Project& project, const std::string& path) {
  namespace fs = std::filesystem;
  if (fs::path(path).is_absolute() || project.path().empty()) return path;
  const fs::path beside = fs::path(project.path()).parent_path() / path;
  std::error_code error;
  return fs::exists(beside, error) || !fs::exists(path, error) ? beside.lexically_normal().string()
                                                               : path;
}

std::string weightsFile(const std::string& given) {
  namespace fs = std::filesystem;
  std::error_code error;
  std::string fileOrRun = placeOfRun(given);
  if (fs::is_directory(fileOrRun, error)) {
    std::string file = (fs::path(fileOrRun) / "weights.safetensors").string();
    const bool isRun =
        fs::exists(file, error) || fs::exists(fs::path(fileOrRun) / "project.json", error);
    if (error)
      throw Error(ErrorCode::InvalidFile, fileOrRun,
                  "cannot be read (" + error.message() + "). Check that you may read the folder.");
    if (!isRun)
      throw Error(ErrorCode::InvalidFile, fileOrRun,
                  "is not a run directory (expected a project.json in it). Name a folder such as "
                  "mnist-cnn.runs/001, or a .safetensors or .npz file.");
    if (!fs::exists(file, error))
      throw Error(ErrorCode::InvalidFile, fileOrRun,
                  "has no weights.safetensors (expected a run that finished or was stopped). "
                  "Continue it with train --resume.");
    return file;
  }
  if (!fs::exists(fileOrRun, error))
    throw Error(
        ErrorCode::InvalidFile, fileOrRun,
        "does not exist (expected a .safetensors or .npz file or a run directory). Check the "
        "name.");
  return fileOrRun;
}

}  // namespace strata
