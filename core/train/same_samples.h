// SPDX-License-Identifier: Apache-2.0
// Evaluates several runs on the same samples: those of one project, whatever data the runs had.
// Thread: any thread may call these functions.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluation/agreement.h"
#include "core/run_list/run_table.h"
#include "core/train/evaluator.h"

namespace strata {

/// A run on the samples of another project.
struct RunOnSamples {
  // RunInfo::listedAt
  std::string run;
  // Why the run cannot be evaluated on these samples; absent if it was
  std::optional<Error> problem = {};
  EvaluationResult result = {};
  // Whether the run had another source, split or seed, or began with trained weights, so that it
  // may have been trained on some of the samples
  bool mayHaveSeen = false;
};

struct SameSamples {
  std::string split;
  // In the order of the rows
  std::vector<RunOnSamples> runs;
  // The samples; null if no run was evaluated
  std::shared_ptr<const Dataset> dataset;

  /// Returns the first output of a run that classifies each sample, or null.
  const EvaluatedClasses* classifier(size_t run) const;
  /// Returns how the first two runs agree. Unknown, with a reason, unless there are two runs, and
  /// both classify these samples.
  Figure<Agreement> agreement() const;
  /// Returns the value of a metric of a run, or of its "loss"; absent if it does not have one.
  std::optional<double> value(size_t run, const std::string& metric) const;
  /// Returns "loss" and the metrics that any run has.
  std::vector<std::string> metrics() const;
};

/// Returns the project of a run with the samples of `data`: its source, slice, split and seed. It
/// keeps the transforms, which belong to the network.
Project onSamplesOf(Project run, const Project& data);

/// Evaluates the weights of each run on a split of `data`. The figures are those of `strata
/// evaluate` for onSamplesOf(). A run that fails does not stop the others. Fails: Stopped.
SameSamples evaluateOnSameSamples(std::span<const RunRow> rows, const Project& data,
                                  const std::string& split, const std::string& device = "auto",
                                  int threads = 0, const std::stop_token& stop = {});

}  // namespace strata
