// SPDX-License-Identifier: Apache-2.0
// Edits of a network. A layer without `inputs` takes the output of the layer before it, so the
// order of the list determines connections. Each edit makes all inputs explicit and computes the
// new ones. It then writes only the inputs that the order of the list does not imply.
#include <algorithm>
#include <set>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/model/layer_edits.h"
#include "core/model/layer_rows.h"

namespace strata {

namespace {

using Kind = EditOperation::Kind;

bool hasCycle(const std::vector<LayerRow>& rows) {
  std::set<int> done{-1};
  for (bool isProgress = true; isProgress;) {
    isProgress = false;
    for (const auto& row : rows) {
      if (done.contains(row.id)) continue;
      const bool isReady =
          std::all_of(row.inputs.begin(), row.inputs.end(),
                      [&](const LayerSource& input) { return done.contains(input.id); });
      if (isReady) isProgress = done.insert(row.id).second;
    }
  }
  return std::any_of(rows.begin(), rows.end(),
                     [&](const LayerRow& row) { return !done.contains(row.id); });
}

/// Converts a type to a name, as Keras does: "Conv2D" -> "conv2d", "MaxPooling2D" ->
/// "max_pooling2d".
std::string snakeCase(const std::string& type) {
  std::string result;
  for (size_t i = 0; i < type.size(); ++i) {
    const bool isUpper = type[i] >= 'A' && type[i] <= 'Z';
    const bool startsWord = isUpper && i > 0 && type[i - 1] >= 'a' && type[i - 1] <= 'z';
    if (startsWord) result += '_';
    result += isUpper ? static_cast<char>(type[i] - 'A' + 'a') : type[i];
  }
  return result.empty() ? "layer" : result;
}

/// Renames a layer in other parts of the document: positions on the canvas, and settings of Input
/// layers and outputs.
void renameReferences(const Json& document, const std::string& old, const std::string& name,
                      std::vector<EditOperation>& operations) {
  const auto memberAt = [&](const std::string& pointer) -> const Json* {
    const Json::json_pointer path(pointer);
    return document.contains(path) ? &document.at(path) : nullptr;
  };
  for (const char* pointer :
       {"/design/positions", "/training/loss", "/training/loss_weights", "/training/metrics",
        "/training/weighted_metrics", "/data/source/x", "/data/source/y", "/data/source/weights",
        "/data/source/test_x", "/data/source/test_y", "/data/source/label", "/data/source/columns",
        "/execution/algorithms"}) {
    const Json* const members = memberAt(pointer);
    if (!members || !members->is_object() || members->contains("type") || !members->contains(old))
      continue;
    Json renamed = Json::object();
    for (const auto& [key, value] : members->items())
      renamed[key == old ? name : key] = value;
    operations.push_back({Kind::Set, pointer, renamed.dump(), 0});
  }
  const auto renameAt = [&](const std::string& pointer) {
    const Json* const value = memberAt(pointer);
    if (value && value->is_string() && value->get<std::string>() == old)
      operations.push_back({Kind::Set, pointer, Json(name).dump(), 0});
  };
  if (const Json* const outputs = memberAt("/model/outputs"); outputs && outputs->is_array())
    for (size_t i = 0; i < outputs->size(); ++i)
      renameAt("/model/outputs/" + std::to_string(i));
  if (const Json* const transforms = memberAt("/data/transforms");
      transforms && transforms->is_array())
    for (size_t i = 0; i < transforms->size(); ++i)
      for (const char* field : {"/input", "/output"})
        renameAt("/data/transforms/" + std::to_string(i) + field);
}

}  // namespace

ProjectEdit setFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                         const Json& value, const LayerList& list) {
  const LayerRows rows(document, list);
  const size_t place = rows.placeOf(layer);
  const std::string& name = rows.rows()[place].name;
  return {STRATA_TEXT("edit", "Set %1 of %2"),
          {field, name},
          {{Kind::Set, rows.pointerTo(place) + "/" + field, value.dump(), 0}},
          {list.prefix + name}};
}

ProjectEdit resetFieldEdit(const Json& document, const LayerRef& layer, const std::string& field,
                           const LayerList& list) {
  const LayerRows rows(document, list);
  const size_t place = rows.placeOf(layer);
  const std::string& name = rows.rows()[place].name;
  return {STRATA_TEXT("edit", "Reset %1 of %2"),
          {field, name},
          {{Kind::Remove, rows.pointerTo(place) + "/" + field, {}, 0}},
          {list.prefix + name}};
}

ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index,
                         const LayerList& list) {
  LayerRows table(document, list);
  std::vector<LayerRow>& rows = table.rows();
  const size_t place =
      static_cast<size_t>(std::clamp<int>(index, 0, static_cast<int>(rows.size())));
  const std::string name = table.freshName(type == "Input" ? "input" : snakeCase(type));
  Json layer = {{"type", type}, {"name", name}};
  if (const LayerDef* definition = findLayer(type))
    for (const auto& field : definition->schema.fields)
      if (!field.exampleJson.empty()) layer[field.name] = parseJson(field.exampleJson, field.name);

  LayerRow row;
  row.id = static_cast<int>(rows.size());
  row.name = name;
  row.type = type;
  row.isImplicit = true;
  // If the input of the next layer followed from the order of the list, the next layer takes the
  // new layer as its input. A new Input layer becomes the input of the next layer only at the top
  // of the list.
  const bool feedsNext = place < rows.size() && rows[place].isImplicit && !rows[place].isInput() &&
                         (!row.isInput() || place == 0);
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(place), row);
  rows[place].inputs = table.implied(place);
  if (feedsNext) rows[place + 1].inputs = {{row.id, name, 0}};

  ProjectEdit edit{STRATA_TEXT("edit", "Add %1"), {name}, {}, {list.prefix + name}};
  if (!document.contains(Json::json_pointer(list.pointer)))
    edit.operations.push_back({Kind::Set, list.pointer, "[]", 0});
  edit.operations.push_back({Kind::Insert, table.pointerTo(place), layer.dump(), 0});
  table.writeInputs(table.inputs(), edit.operations);
  return edit;
}

ProjectEdit removeLayersEdit(const Json& document, const std::vector<LayerRef>& layers,
                             const LayerList& list) {
  LayerRows table(document, list);
  const std::vector<LayerRow> old = table.rows();
  std::set<int> gone;
  for (const LayerRef& layer : layers)
    gone.insert(static_cast<int>(table.placeOf(layer)));
  ProjectEdit edit{
      gone.size() == 1 ? STRATA_TEXT("edit", "Remove %1") : STRATA_TEXT("edit", "Remove %1 layers"),
      {gone.size() == 1 ? old[static_cast<size_t>(*gone.begin())].name
                        : std::to_string(gone.size())},
      {},
      {}};
  for (auto place = gone.rbegin(); place != gone.rend(); ++place)
    edit.operations.push_back({Kind::Remove, table.pointerTo(static_cast<size_t>(*place)), {}, 0});

  const Json::json_pointer algorithms("/execution/algorithms");
  if (document.contains(algorithms) && document.at(algorithms).is_object())
    for (const int place : gone)
      if (const std::string name = list.prefix + old[static_cast<size_t>(place)].name;
          document.at(algorithms).contains(name))
        edit.operations.push_back(
            {Kind::Remove, algorithms.to_string() + "/" + escapedKey(name), {}, 0});

  std::vector<LayerRow>& kept = table.rows();
  std::erase_if(kept, [&](const LayerRow& row) { return gone.contains(row.id); });
  const std::vector<LayerSources> before = table.inputs();
  for (LayerRow& row : kept) {
    LayerSources inputs;
    for (LayerSource input : row.inputs) {
      // The first input of a removed layer replaces it. If that input is removed too, its first
      // input is used. In a Block, the new first layer replaces the old one.
      bool isFed = true;
      for (size_t steps = 0; isFed && gone.contains(input.id); ++steps) {
        const LayerRow& removed = old[static_cast<size_t>(input.id)];
        isFed = !removed.inputs.empty() && steps < old.size();
        if (isFed) {
          input = removed.inputs.front();
        }
        else if (table.isBlock() && removed.id == 0 && row.id != kept.front().id) {
          input = {kept.front().id, kept.front().name, 0};
          isFed = true;
        }
      }
      if (isFed) inputs.push_back(std::move(input));
    }
    row.inputs = std::move(inputs);
  }
  if (table.isBlock() && gone.contains(0) && !kept.empty()) kept.front().inputs.clear();
  // A layer without remaining inputs takes the output of the layer before it.
  for (size_t i = 0; i < kept.size(); ++i)
    if (kept[i].isImplicit && kept[i].inputs.empty()) kept[i].inputs = table.implied(i);
  table.writeInputs(before, edit.operations);

  // Selects the layer that takes the place of the removed one, so that the user can press Delete
  // again.
  const size_t place = gone.empty() ? 0 : static_cast<size_t>(*gone.begin());
  if (!kept.empty()) edit.layers = {list.prefix + kept[std::min(place, kept.size() - 1)].name};
  return edit;
}

ProjectEdit moveLayerEdit(const Json& document, const LayerRef& layer, int index,
                          const LayerList& list) {
  LayerRows table(document, list);
  std::vector<LayerRow>& rows = table.rows();
  const size_t from = table.placeOf(layer);
  const size_t to =
      static_cast<size_t>(std::clamp<int>(index, 0, static_cast<int>(rows.size()) - 1));
  const LayerRow moved = rows[from];
  ProjectEdit edit{STRATA_TEXT("edit", "Move %1"), {moved.name}, {}, {list.prefix + moved.name}};
  if (from == to) return edit;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(from));
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(to), moved);
  const std::vector<LayerSources> before = table.inputs();
  if (table.isBlock() && (from == 0 || to == 0)) {
    // Another layer becomes the first one. It takes the input of the Block, and the former first
    // layer takes its output.
    rows.front().inputs.clear();
    for (LayerRow& row : rows)
      if (row.id == 0) row.inputs = {{rows.front().id, rows.front().name, 0}};
  }

  // Connections follow the order of the list, as a user who drags a row expects. Moving an Input
  // layer changes no connections. A layer that now follows an Input layer is usually not connected
  // to that Input layer. The exceptions are the moved layer, and a layer that follows the former
  // input of the moved layer.
  const std::vector<LayerRow> unchained = rows;
  if (!moved.isInput()) {
    for (size_t i = 1; i < rows.size(); ++i) {
      if (!rows[i].isImplicit || rows[i].isInput()) continue;
      const LayerSources implied = table.implied(i);
      if (!rows[i - 1].isInput() || i == to || moved.inputs == implied) rows[i].inputs = implied;
    }
    if (hasCycle(rows)) rows = unchained;
  }
  edit.operations.push_back({Kind::Move, table.pointerTo(from), {}, static_cast<int>(to)});
  table.writeInputs(before, edit.operations);
  return edit;
}

ProjectEdit renameLayerEdit(const Json& document, const LayerRef& layer, const std::string& name,
                            const LayerList& list) {
  const LayerRows table(document, list);
  const size_t place = table.placeOf(layer);
  const std::string& old = table.rows()[place].name;
  ProjectEdit edit{STRATA_TEXT("edit", "Rename %1 to %2"), {old, name}, {}, {list.prefix + name}};
  edit.operations.push_back({Kind::Set, table.pointerTo(place) + "/name", Json(name).dump(), 0});
  // If several layers have the same name, `inputs` refer to the first one.
  if (table.placeOf(LayerRef(old)) != place) return edit;
  const Json& layers = table.json();
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].is_object() || !layers[i].contains("inputs") || !layers[i]["inputs"].is_array())
      continue;
    Json inputs = layers[i]["inputs"];
    for (Json& input : inputs) {
      if (!input.is_string()) continue;
      if (const InputRef ref = inputRefOf(input.get<std::string>()); ref.layer == old)
        input = InputRef{name, ref.output}.text();
    }
    if (inputs != layers[i]["inputs"])
      edit.operations.push_back({Kind::Set, table.pointerTo(i) + "/inputs", inputs.dump(), 0});
  }
  if (!table.isBlock()) renameReferences(document, old, name, edit.operations);
  return edit;
}

ProjectEdit connectEdit(const Json& document, const LayerRef& layer,
                        const std::vector<std::string>& inputs, const LayerList& list) {
  const LayerRows table(document, list);
  const size_t place = table.placeOf(layer);
  const LayerSources implied = table.implied(place);
  const std::string& name = table.rows()[place].name;
  ProjectEdit edit{STRATA_TEXT("edit", "Connect %1"), {name}, {}, {list.prefix + name}};
  // If the only input is the layer before this one, `inputs` can be omitted.
  const bool isImplied = implied.size() == 1 && inputs.size() == 1 &&
                         inputs[0] == implied[0].name &&
                         table.placeOf(LayerRef(inputs[0])) + 1 == place;
  if (inputs.empty() || isImplied) {
    edit.operations.push_back({Kind::Remove, table.pointerTo(place) + "/inputs", {}, 0});
  }
  else {
    edit.operations.push_back(
        {Kind::Set, table.pointerTo(place) + "/inputs", Json(inputs).dump(), 0});
  }
  return edit;
}

}  // namespace strata
