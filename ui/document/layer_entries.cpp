// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/layer_entries.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "core/layers/layer.h"
#include "core/model/model.h"
#include "ui/document/field_text.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

std::string stringAt(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json* layersOf(const Json& document) {
  if (!document.is_object()) return nullptr;
  const auto model = document.find("model");
  if (model == document.end() || !model->is_object()) return nullptr;
  const auto layers = model->find("layers");
  return layers != model->end() && layers->is_array() ? &*layers : nullptr;
}

}  // namespace

LayerEntries::LayerEntries(const Json& document) {
  LayerEntry network;
  network.depth = -1;
  if (const Json* layers = layersOf(document)) read(*layers, network);
}

/// Adds the layers of a list. `block` is the entry of the Block that contains the list.
void LayerEntries::read(const Json& layers, const LayerEntry& block) {
  for (size_t i = 0; i < layers.size(); ++i) {
    const Json& layer = layers[i];
    LayerEntry entry;
    entry.depth = block.depth + 1;
    const std::string label = layer.is_object() ? stringAt(layer, "name") : std::string();
    entry.path = block.path.inside(static_cast<int>(i), label);
    entry.list = entry.path.list().pointer;
    entry.label = text(label);
    if (layer.is_object()) {
      const std::string type = stringAt(layer, "type");
      entry.name = text(entry.path.text());
      entry.type = text(type);
      if (const auto inputs = layer.find("inputs"); inputs != layer.end() && inputs->is_array()) {
        for (const Json& input : *inputs)
          if (input.is_string()) entry.inputs << text(input.get<std::string>());
      }
      entry.summary = entry.type;
      if (const LayerDef* definition = findLayer(type)) {
        entry.group = text(definition->schema.group);
        entry.summary = layerSummaryText(definition->schema, layer);
      }
    }
    m_indexOf.emplace(entry.pointer(), static_cast<int>(m_entries.size()));
    m_entries << entry;
    const bool hasRows =
        entry.type == u"Block"_s && layer.contains("layers") && layer["layers"].is_array();
    if (hasRows && entry.depth < kMaxBlockDepth) read(layer["layers"], entry);
  }
}

int LayerEntries::indexOf(const QString& name) const {
  const auto found = std::find_if(m_entries.begin(), m_entries.end(),
                                  [&](const LayerEntry& entry) { return entry.name == name; });
  return found == m_entries.end() ? -1 : static_cast<int>(found - m_entries.begin());
}

int LayerEntries::indexOf(const LayerPath& layer) const {
  const auto found = layer.hasPlaces() ? m_indexOf.find(layer.pointer()) : m_indexOf.end();
  if (found != m_indexOf.end() && m_entries[found->second].path == layer) return found->second;
  return layer.steps.empty() ? -1 : indexOf(text(layer.text()));
}

LayerPath LayerEntries::pathOf(const QString& name) const {
  const int index = indexOf(name);
  return index < 0 ? LayerPath{{{-1, name.toStdString()}}} : m_entries[index].path;
}

QList<LayerPath> LayerEntries::existing(const QList<LayerPath>& layers) const {
  QList<LayerPath> found;
  std::set<int> done;
  for (const LayerPath& layer : layers) {
    const int index = indexOf(layer);
    if (index >= 0 && done.insert(index).second) found << m_entries[index].path;
  }
  return found;
}

}  // namespace strata::ui
