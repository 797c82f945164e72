// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/design_changes.h"

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/layers/layer.h"
#include "core/recipe/run_edits.h"
#include "ui/format.h"

namespace strata::ui {

namespace {

Json valueAt(const Json& document, const char* pointer) {
  const Json::json_pointer place(pointer);
  return document.contains(place) ? document.at(place) : Json();
}

/// Returns a layer without default values and without settings that can change during a run. Does
/// the same for layers inside it. nlohmann::json sorts keys, so their order does not count as a
/// change.
nlohmann::json withoutDefaults(nlohmann::json layer) {
  if (!layer.is_object()) return layer;
  const LayerDef* definition = layer.contains("type") && layer["type"].is_string()
                                   ? findLayer(layer["type"].get<std::string>())
                                   : nullptr;
  if (!definition) return layer;
  for (const FieldSchema& field : definition->schema.fields) {
    const auto found = layer.find(field.name);
    if (found == layer.end()) continue;
    const bool isDefault = !field.defaultJson.empty() &&
                           *found == nlohmann::json::parse(field.defaultJson, nullptr, false);
    if (isDefault || field.isLive)
      layer.erase(found);
    else if (field.registry == "layer")
      *found = withoutDefaults(*found);
  }
  if (const auto inner = layer.find("layers"); inner != layer.end() && inner->is_array())
    for (nlohmann::json& each : *inner)
      each = withoutDefaults(std::move(each));
  return layer;
}

std::map<std::string, nlohmann::json> layersOf(const Project& project) {
  std::map<std::string, nlohmann::json> layers;
  for (const Json& layer : valueAt(project.document(), "/model/layers")) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
    layers.emplace(layer["name"].get<std::string>(), withoutDefaults(layer));
  }
  return layers;
}

/// Returns the data settings that determine the training, validation and test samples: all except
/// the transforms, and without default values.
nlohmann::json splitOf(const Project& project) {
  nlohmann::json data = valueAt(project.document(), "/data");
  if (!data.is_object()) return data;
  data.erase("transforms");
  for (const FieldSchema& field : dataSectionSchema().fields)
    if (const auto found = data.find(field.name);
        found != data.end() && *found == nlohmann::json::parse(field.defaultJson, nullptr, false))
      data.erase(found);
  return data;
}

/// Returns the training settings without the epochs and without optimizer settings that can change
/// during a run.
nlohmann::json trainingOf(const Project& project) {
  nlohmann::json training = valueAt(project.document(), "/training");
  if (!training.is_object()) return training;
  training.erase("epochs");
  const auto optimizer = training.find("optimizer");
  if (optimizer == training.end()) return training;
  if (optimizer->is_string()) *optimizer = {{"type", *optimizer}};
  if (!optimizer->is_object()) return training;
  // Names with '/' belong to layers. A schedule is not a live setting, so it is compared.
  for (const auto& [name, value] : liveSettings(project.document()))
    if (name.find('/') == std::string::npos) optimizer->erase(name);
  return training;
}

}  // namespace

DesignChanges designChanges(const Project& run, const Project& open) {
  DesignChanges changes;
  const auto before = layersOf(run), now = layersOf(open);
  for (const auto& [name, layer] : now) {
    const auto found = before.find(name);
    if (found == before.end())
      changes.added << text(name);
    else if (found->second != layer)
      changes.changed << text(name);
  }
  for (const auto& [name, layer] : before)
    if (!now.contains(name)) changes.removed << text(name);
  changes.hasData = nlohmann::json(valueAt(run.document(), "/data")) !=
                    nlohmann::json(valueAt(open.document(), "/data"));
  changes.hasSplit = changes.hasData && splitOf(run) != splitOf(open);
  changes.hasTraining = trainingOf(run) != trainingOf(open);
  return changes;
}

QString DesignChanges::text() const {
  QStringList parts;
  if (const auto count = static_cast<int>(layerCount()); count > 0)
    parts << tr("%n layer(s)", nullptr, count);
  if (hasData) parts << tr("data");
  if (hasTraining) parts << tr("training settings");
  return parts.join(QStringLiteral(", "));
}

QString DesignChanges::details() const {
  QStringList lines;
  const auto list = [](const QStringList& names) {
    return names.join(QStringLiteral(", "));
  };
  if (!changed.isEmpty()) lines << tr("Changed: %1").arg(list(changed));
  if (!added.isEmpty()) lines << tr("Added: %1").arg(list(added));
  if (!removed.isEmpty()) lines << tr("Removed: %1").arg(list(removed));
  if (hasSplit)
    lines << tr("The training, validation or test samples have changed.");
  else if (hasData)
    lines << tr("The data settings have changed.");
  if (hasTraining) lines << tr("The training settings have changed.");
  return lines.join(u'\n');
}

}  // namespace strata::ui
