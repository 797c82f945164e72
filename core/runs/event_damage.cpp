// SPDX-License-Identifier: Apache-2.0
#include "core/runs/event_damage.h"

#include <filesystem>

#include "core/project/text.h"

namespace strata {

namespace fs = std::filesystem;

std::string eventDamage(const RunInfo& info, const FoundEvents& found,
                        std::optional<int64_t> weightsStep) {
  const fs::path directory(info.directory);
  const std::string path = (directory / "events.jsonl").string();
  std::error_code error;
  if (!fs::exists(path, error)) {
    // The history begins after the events
    const bool hasBegun = !info.checkpoint.empty() || !info.weightsPath.empty() ||
                          fs::exists(directory / "history.bin", error);
    return hasBegun ? path + ": is missing, so the results of the run are unknown." : "";
  }
  if (found.numUnreadable > 0)
    return path + ": is damaged (" + counted(found.numUnreadable, "line") +
           " cannot be read), so results of the run may be missing.";
  if (!found.hasStart && (!info.checkpoint.empty() || !info.weightsPath.empty()))
    return path +
           ": is damaged (the start of the run is missing), so the results of the run are "
           "unknown.";
  // Weights from before a continuation have at most the step with which it began
  if (found.hasStart && !found.hasEnd && info.status != RunStatus::Running &&
      !info.weightsPath.empty() && weightsStep && *weightsStep > info.start.firstStep)
    return path + ": is truncated (the end of the run is missing, although its weights of step " +
           std::to_string(*weightsStep) + " were saved), so results of the run are lost.";
  return "";
}

}  // namespace strata
