// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/comparison.h"

#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/run_list/run_settings.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

/// The values of one run by a name, and the order in which the names appeared.
using NamedLayers = std::vector<std::pair<std::string, Json>>;

Json sorted(const Json& value) { return Json(nlohmann::json(value)); }

/// Whether two values are equal. The order of keys does not count, nor does 1 against 1.0.
bool isSame(const Json& one, const Json& two) { return sorted(one) == sorted(two); }

bool isAllSame(const std::vector<Json>& values) {
  return std::ranges::all_of(values, [&](const Json& each) { return isSame(each, values[0]); });
}

/// Returns the settings that have several values. A null project has no settings, and does not
/// count.
std::vector<SettingDifference> differencesOf(const std::vector<std::optional<Json>>& objects) {
  std::vector<FlatSettings> flat;
  std::set<std::string> pointers;
  for (const std::optional<Json>& object : objects) {
    flat.push_back(object ? flattened(*object) : FlatSettings());
    for (const auto& [pointer, value] : flat.back())
      pointers.insert(pointer);
  }
  std::vector<SettingDifference> differences;
  for (const std::string& pointer : pointers) {
    SettingDifference difference{pointer, {}};
    std::vector<Json> known;
    for (size_t i = 0; i < flat.size(); ++i) {
      const auto found = flat[i].find(pointer);
      difference.values.push_back(found == flat[i].end() ? Json() : found->second);
      if (objects[i]) known.push_back(difference.values.back());
    }
    if (!isAllSame(known)) differences.push_back(std::move(difference));
  }
  return differences;
}

/// Adds the layers of a list with their defaults, and those of Blocks after their Block.
void addLayers(const Json& list, const std::string& prefix, NamedLayers& layers) {
  if (!list.is_array()) return;
  std::string before;
  for (const Json& each : list) {
    const Json& name = memberOf(each, "name");
    if (!name.is_string()) continue;
    Json layer = resolvedLayer(each);
    const std::string own = name.get<std::string>();
    // A layer that names no inputs takes the layer before
    if (!layer.contains("inputs") && !before.empty() && memberOf(each, "type") != "Input")
      layer["inputs"] = Json::array({before});
    before = own;
    const std::string path = prefix + own;
    Json inner;
    if (memberOf(layer, "layers").is_array()) {
      inner = layer["layers"];
      layer.erase("layers");
    }
    layer.erase("name");
    layers.emplace_back(path, std::move(layer));
    addLayers(inner, path + "/", layers);
  }
}

NamedLayers layersOf(const Project& project) {
  NamedLayers layers;
  addLayers(memberOf(memberOf(project.document(), "model"), "layers"), "", layers);
  return layers;
}

const Json* layerNamed(const NamedLayers& layers, const std::string& name) {
  const auto found = std::ranges::find(layers, name, &NamedLayers::value_type::first);
  return found == layers.end() ? nullptr : &found->second;
}

LayerChange changeOf(const Json* first, const Json* own) {
  if (!first) return own ? LayerChange::Added : LayerChange::Same;
  if (!own) return LayerChange::Removed;
  return isSame(*first, *own) ? LayerChange::Same : LayerChange::Changed;
}

std::vector<LayerDifference> layerDifferences(const std::vector<RunRow>& rows) {
  std::vector<NamedLayers> networks;
  std::vector<std::string> names;
  for (const RunRow& row : rows) {
    networks.push_back(row.project ? layersOf(*row.project) : NamedLayers());
    for (const auto& [name, layer] : networks.back())
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  }
  std::vector<LayerDifference> differences;
  for (const std::string& name : names) {
    LayerDifference difference{name, {}, {}, {}};
    std::vector<std::optional<Json>> own;
    const Json* first = nullptr;
    bool hasFirst = false;
    for (size_t i = 0; i < rows.size(); ++i) {
      const Json* const layer = layerNamed(networks[i], name);
      if (!hasFirst && rows[i].project) {
        first = layer;
        hasFirst = true;
      }
      own.push_back(layer ? std::optional(*layer) : std::nullopt);
      difference.types.push_back(layer && memberOf(*layer, "type").is_string()
                                     ? layer->at("type").get<std::string>()
                                     : "");
      difference.changes.push_back(rows[i].project ? changeOf(first, layer) : LayerChange::Same);
    }
    if (std::ranges::all_of(difference.changes,
                            [](LayerChange each) { return each == LayerChange::Same; }))
      continue;
    difference.fields = differencesOf(own);
    differences.push_back(std::move(difference));
  }
  return differences;
}

std::optional<size_t> bestOf(const ResultRow& row) {
  if (row.column.direction == Direction::None) return std::nullopt;
  std::optional<size_t> best;
  bool isTied = false;
  for (size_t i = 0; i < row.cells.size(); ++i) {
    if (!row.cells[i].number) continue;
    if (!best) {
      best = i;
      continue;
    }
    const double value = *row.cells[i].number, most = *row.cells[*best].number;
    if (value == most) isTied = true;
    if (row.column.direction == Direction::Up ? value > most : value < most) {
      best = i;
      isTied = false;
    }
  }
  return isTied ? std::nullopt : best;
}

std::vector<ResultRow> resultsOf(const std::vector<RunRow>& rows) {
  static const std::set<std::string, std::less<>> kNotResults{
      "number", "title", "tags", "from", "archived", "keep", "notes", "directory"};
  std::vector<ResultRow> results;
  for (const RunColumn& column : columnsOf(rows)) {
    if (kNotResults.contains(column.id)) continue;
    ResultRow result{column, {}, {}};
    for (const RunRow& row : rows)
      result.cells.push_back(cellOf(row, column));
    if (std::ranges::all_of(result.cells, &RunCell::isEmpty)) continue;
    result.best = bestOf(result);
    results.push_back(std::move(result));
  }
  return results;
}

Json differencesToJson(const std::vector<SettingDifference>& differences) {
  Json list = Json::array();
  for (const SettingDifference& each : differences)
    list.push_back({{"pointer", each.pointer}, {"values", each.values}});
  return list;
}

}  // namespace

std::string layerChangeName(LayerChange change) {
  switch (change) {
    case LayerChange::Same: return "same";
    case LayerChange::Added: return "added";
    case LayerChange::Removed: return "removed";
    case LayerChange::Changed: return "changed";
  }
  return "unknown";
}

RunComparison compareRuns(const std::vector<RunRow>& rows) {
  RunComparison comparison;
  for (const RunRow& row : rows) {
    if (std::ranges::find(comparison.runs, row.info.listedAt) != comparison.runs.end())
      throw Error(ErrorCode::InvalidArgument, row.info.listedAt,
                  "is named twice (expected different runs). Name another run.");
    comparison.runs.push_back(row.info.listedAt);
    if (!row.project) comparison.unread.push_back(row.info.listedAt);
  }
  if (rows.size() < 2)
    throw Error(ErrorCode::InvalidArgument, rows.empty() ? "runs" : rows[0].info.listedAt,
                "cannot be compared alone (expected at least 2 runs). Name another run.");
  std::vector<std::optional<Json>> settings;
  for (const RunRow& row : rows)
    settings.push_back(row.settings ? std::optional(*row.settings) : std::nullopt);
  comparison.settings = differencesOf(settings);
  comparison.layers = layerDifferences(rows);
  comparison.results = resultsOf(rows);
  return comparison;
}

std::optional<bool> RunComparison::hasEqualProjects() const {
  if (!settings.empty() || !layers.empty()) return false;
  return unread.empty() ? std::optional(true) : std::nullopt;
}

Json RunComparison::toJson() const {
  const std::optional<bool> isEqual = hasEqualProjects();
  Json layerList = Json::array(), resultList = Json::array();
  for (const LayerDifference& each : layers) {
    Json changes = Json::array();
    for (const LayerChange change : each.changes)
      changes.push_back(layerChangeName(change));
    layerList.push_back({{"layer", each.name},
                         {"types", each.types},
                         {"changes", changes},
                         {"fields", differencesToJson(each.fields)}});
  }
  for (const ResultRow& each : results) {
    Json values = Json::array();
    for (const RunCell& cell : each.cells)
      values.push_back(cell.toJson());
    resultList.push_back({{"id", each.column.id},
                          {"title", each.column.heading()},
                          {"kind", columnKindName(each.column.kind)},
                          {"values", values},
                          {"best", each.best ? Json(*each.best) : Json()}});
  }
  return {
      {"runs", runs},          {"settings", differencesToJson(settings)},    {"layers", layerList},
      {"results", resultList}, {"equal", isEqual ? Json(*isEqual) : Json()}, {"unread", unread}};
}

}  // namespace strata
