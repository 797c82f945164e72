// SPDX-License-Identifier: Apache-2.0
// The graph of a training step as it was built and after each pass, as rows for a person, with what
// each pass changed. For looking only: the graphs themselves are not kept. Not here: the passes
// (gpu/passes), how a network chooses its step (network.h).
// Thread: blocks the caller; call it off the window's thread.
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
  /// Against the stage before. A removed node stands where it was, once.
  enum class Change : uint8_t { Same, Added, Changed, Moved, Removed };
  // The same node has the same one after every pass
  int id = 0;
  // In PassStory::names; the layer "" is none
  int op = 0, layer = 0;
  Phase phase = Phase::Forward;
  Change change = Change::Same;
  // Of its first result
  TensorType type;
  // Of all results
  size_t bytes = 0;
  // As the reports of the passes count it: by the calibration of this machine, else by the cost
  // rule of its op
  double seconds = 0;
};

struct StoryStage {
  // Of the first stage, the graph as built: no pass, only the figures after
  PassReport report;
  Text help;
  // In execution order; never null
  std::shared_ptr<const std::vector<StoryNode>> nodes;
  int added = 0, changed = 0, moved = 0, removed = 0;
  bool isBuilt() const { return report.pass.empty(); }
};

struct PassStory {
  std::string device;
  // Of the piece of a batch that updates the weights
  int64_t samples = 0;
  // That a step cuts its batch into
  int64_t batchSize = 0, pieces = 1;
  std::vector<std::string> names;
  std::vector<StoryStage> stages;
};

struct PassStoryOptions {
  int niceness = 0;
  // Looked at between passes and within them. Fails: Stopped
  std::stop_token stop;
  // Stages
  std::function<void(int done, int total)> onProgress;
};

/// Requires: a valid project. Fails: as Network and buildStep; Stopped.
PassStory tellPasses(const CheckedProject& project, const PassStoryOptions& options);

}  // namespace strata
