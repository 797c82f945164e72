// SPDX-License-Identifier: Apache-2.0
// Records the graph of a training step as it was built and after each pass, as rows for display,
// with the changes of each pass. The graphs themselves are not kept. Not here: the passes
// (gpu/passes), building the step (step_builder.h).
// Thread: blocks the caller; do not call it on the thread of the window.
#pragma once

#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "core/check/checked_project.h"
#include "core/project/project.h"
#include "core/project/text.h"
#include "gpu/passes/pass.h"

namespace strata {

struct StoryNode {
  /// Compared with the previous stage. A removed node is listed once, at its former place.
  enum class Change : uint8_t { Same, Added, Changed, Moved, Removed };
  // The same for the same node after every pass
  int id = 0;
  // Indices into PassStory::names; the layer "": none
  int op = 0, layer = 0;
  Phase phase = Phase::Forward;
  Change change = Change::Same;
  // Type of its first result
  TensorType type;
  // Size of all results
  size_t bytes = 0;
  // Estimate of the pass reports: from the calibration of this machine, otherwise from the cost
  // rule of its op
  double seconds = 0;
};

struct StoryStage {
  // For the first stage, the graph as built, it has no pass and only the values after it
  PassReport report;
  Text help;
  // In execution order; never null
  std::shared_ptr<const std::vector<StoryNode>> nodes;
  int added = 0, changed = 0, moved = 0, removed = 0;
  bool isBuilt() const { return report.pass.empty(); }
};

struct PassStory {
  std::string device;
  // Samples of the micro-batch that updates the weights
  int64_t samples = 0;
  // Batch size, and number of its micro-batches
  int64_t batchSize = 0, pieces = 1;
  std::vector<std::string> names;
  std::vector<StoryStage> stages;
};

struct PassStoryOptions {
  int niceness = 0;
  // Checked between and within passes. Fails: Stopped
  std::stop_token stop;
  // Counts stages
  std::function<void(int done, int total)> onProgress;
};

/// Requires: a valid project. Fails like Network and buildStep; Stopped.
PassStory tracePasses(const CheckedProject& project, const PassStoryOptions& options);

}  // namespace strata
