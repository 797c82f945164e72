// SPDX-License-Identifier: Apache-2.0
#include "core/runs/layer_times.h"

#include <cmath>
#include <set>

#include "core/model/model.h"
#include "core/runs/events.h"

namespace strata {

/// Returns all rows that include a layer of the graph: "b/3/c/0/d" belongs to itself, to the rows
/// "b", "b/c" and "b/c/d" of all repetitions, and to "b/3/c" and its like.
static std::set<std::string> rowsOf(const std::string& layer) {
  std::set<std::string> rows{layer};
  for (const std::string& path : {layer, pathOfLayer(layer)}) {
    for (size_t slash = path.find('/'); slash != std::string::npos;
         slash = path.find('/', slash + 1))
      rows.insert(path.substr(0, slash));
    rows.insert(path);
  }
  return rows;
}

/// Adds a time to a sum, in whole nanoseconds, so that equal times have equal digits.
static void addTo(double& sum, double microseconds) {
  sum = std::round((sum + microseconds) * 1e3) / 1e3;
}

void LayerTimes::add(const std::string& layer, Phase phase, double microseconds) {
  if (phase == Phase::Update)
    addTo(update, microseconds);
  else if (layer.empty())
    addTo(other, microseconds);
  else
    for (const std::string& row : rowsOf(layer))
      addTo(byLayer[row], microseconds);
}

double LayerTimes::of(const std::string& layer) const {
  const auto at = byLayer.find(layer);
  return at == byLayer.end() ? 0 : at->second;
}

LayerTimes layerTimesOf(const ProfileSnapshot& profile) {
  LayerTimes times;
  if (profile.steps < 1) return times;
  times.step = profile.stepMicroseconds;
  for (const ProfileRow& row : profile.rows)
    times.add(row.layer, row.phase,
              static_cast<double>(row.total.count()) / 1e3 / static_cast<double>(profile.steps));
  return times;
}

}  // namespace strata
