// SPDX-License-Identifier: Apache-2.0
// Records the graph of a training step before the passes and after each pass, as rows for display.
// Each row is a node, and shows whether the pass changed it. The graphs themselves are not kept.
// Not here: the passes (gpu/passes), building the step (step_builder.h).
// Thread: the function blocks the calling thread, so do not call it on the GUI thread.
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

struct TraceNode {
  /// The change since the previous stage. A removed node is listed once, at its former position.
  enum class Change : uint8_t { Same, Added, Changed, Moved, Removed };
  // Id of the node, which is the same after every pass
  int id = 0;
  // Indices into PassTrace::names. The name "" means that the node belongs to no layer.
  int op = 0, layer = 0;
  Phase phase = Phase::Forward;
  Change change = Change::Same;
  // Type of the node's first result
  TensorType type;
  // Size of all results
  size_t bytes = 0;
  // Estimated time, from the calibration of this machine or from the cost rule of the op
  double seconds = 0;
};

struct TraceStage {
  // Report of the pass. The report of the first stage, the graph before the passes, names no pass,
  // and its values before and after are equal.
  PassReport report;
  Text help;
  // Nodes in execution order; never null
  std::shared_ptr<const std::vector<TraceNode>> nodes;
  int added = 0, changed = 0, moved = 0, removed = 0;
  bool isBuilt() const { return report.pass.empty(); }
};

struct PassTrace {
  std::string device;
  // Number of samples in the micro-batch that updates the weights
  int64_t samples = 0;
  // Batch size, and number of its micro-batches
  int64_t batchSize = 0, pieces = 1;
  std::vector<std::string> names;
  std::vector<TraceStage> stages;
};

struct PassTraceOptions {
  int niceness = 0;
  // A stop request ends the call, which then fails with Stopped. The token is checked between and
  // within passes.
  std::stop_token stop;
  // Receives the number of finished stages and the number of all stages.
  std::function<void(int done, int total)> onProgress;
};

/// Records the passes for a training step of a project. Requires: a valid project. Fails with the
/// errors of Network and buildStep, or with Stopped.
PassTrace tracePasses(const CheckedProject& project, const PassTraceOptions& options);

}  // namespace strata
