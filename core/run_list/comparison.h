// SPDX-License-Identifier: Apache-2.0
// Compares runs: settings and layers that differ, and their results side by side. Settings that a
// project leaves out count with their defaults. Not here: curves (core/runs/history.h).
// Thread: value types and pure functions, so any thread may use them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/run_list/run_table.h"

namespace strata {

/// A setting that has several values among the runs.
struct SettingDifference {
  // JSON pointer, such as "/training/batch_size"
  std::string pointer;
  // A value for each run; null if the run has no such setting
  std::vector<Json> values;
};

enum class LayerChange : uint8_t { Same, Added, Removed, Changed };
/// Returns the name of a change, such as "added".
std::string layerChangeName(LayerChange change);

/// A layer that differs between the first run and others.
struct LayerDifference {
  // Name in the network; layers of a Block are "block/layer"
  std::string name;
  // The type in each run; "" if the run has no such layer
  std::vector<std::string> types;
  // For each run, its change from the first run
  std::vector<LayerChange> changes;
  // Fields with several values among the runs that have the layer, by their pointer in the layer,
  // such as "/units"
  std::vector<SettingDifference> fields;
};

/// A result of the runs: a column of the table, and a cell for each run.
struct ResultRow {
  RunColumn column;
  std::vector<RunCell> cells;
  // Index of the run with the best value; absent if there is none, or if several are equal
  std::optional<size_t> best;
};

struct RunComparison {
  // listedAt of the runs, in the given order
  std::vector<std::string> runs;
  // Settings of data, training and execution that differ
  std::vector<SettingDifference> settings;
  // Layers that differ, in the order of the first run; layers that it does not have come last
  std::vector<LayerDifference> layers;
  // Status, duration, peak memory, parameters and metrics that any run has
  std::vector<ResultRow> results;
  // Runs whose project cannot be read, so that their settings and layers are unknown
  std::vector<std::string> unread;
  /// Whether all settings and layers are equal; unknown if nothing differs among the runs whose
  /// project can be read, but others cannot be read.
  std::optional<bool> hasEqualProjects() const;
  Json toJson() const;
};

/// Compares two or more runs. Fails: InvalidArgument for fewer than two, or a run that is named
/// twice.
RunComparison compareRuns(const std::vector<RunRow>& rows);

}  // namespace strata
