// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/weights_version.h"

#include <filesystem>

#include "core/runs/given_weights.h"
#include "gpu/base/error.h"

namespace strata::ui {

std::string weightsVersion(const std::string& runDirectory) {
  std::string version = runDirectory;
  try {
    const std::string file = weightsFile(runDirectory);
    std::error_code error;
    const auto time = std::filesystem::last_write_time(file, error);
    version += '\n' + file;
    if (!error) version += '\n' + std::to_string(time.time_since_epoch().count());
  }
  catch (const Error&) {
    // Whoever loads the weights says what is wrong
  }
  return version;
}

}  // namespace strata::ui
