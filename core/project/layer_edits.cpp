// SPDX-License-Identifier: Apache-2.0
// The edits a person makes to a network. A layer without `inputs` means "the layer before", so moving things in the list changes what feeds
// what: each edit here first writes out who feeds whom, decides what it should be afterwards, and then states only what the list does not say.
#include <algorithm>
#include <map>
#include <set>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/project/edit.h"

namespace strata {

namespace {

using Kind = EditOperation::Kind;
using Names = std::vector<std::string>;

/// A row of /model/layers as far as connections go.
struct Row {
  std::string name, type;
  bool isImplicit = false;  // no `inputs` key
  Names inputs;             // wanted, written out
  bool isInput() const { return type == "Input"; }
};

const Json& layersOf(const Json& document) {
  static const Json kNone = Json::array();
  if (!document.is_object() || !document.contains("model") || !document["model"].is_object()) return kNone;
  const Json& model = document["model"];
  return model.contains("layers") && model["layers"].is_array() ? model["layers"] : kNone;
}

std::string stringOf(const Json& object, const char* key) {
  if (!object.is_object()) return {};
  const auto member = object.find(key);
  return member != object.end() && member->is_string() ? member->get<std::string>() : std::string();
}

Names impliedInputs(const std::vector<Row>& rows, size_t i) { return rows[i].isInput() || i == 0 ? Names{} : Names{rows[i - 1].name}; }

std::vector<Row> rowsOf(const Json& document) {
  std::vector<Row> rows;
  for (const Json& layer : layersOf(document)) {
    Row row{stringOf(layer, "name"), stringOf(layer, "type"), true, {}};
    if (layer.is_object() && layer.contains("inputs")) {
      row.isImplicit = false;
      if (layer["inputs"].is_array())
        for (const Json& input : layer["inputs"])
          if (input.is_string()) row.inputs.push_back(input.get<std::string>());
    }
    rows.push_back(std::move(row));
    if (rows.back().isImplicit) rows.back().inputs = impliedInputs(rows, rows.size() - 1);
  }
  return rows;
}

size_t indexOf(const std::vector<Row>& rows, const std::string& layer) {
  for (size_t i = 0; i < rows.size(); ++i)
    if (rows[i].name == layer) return i;
  throw Error(ErrorCode::InvalidArgument, layer, "there is no layer of this name.");
}

std::string pointerTo(size_t index) { return "/model/layers/" + std::to_string(index); }

Json namesToJson(const Names& names) {
  Json result = Json::array();
  for (const auto& name : names) result.push_back(name);
  return result;
}

/// States connections that the list's order does not say. `before`: inputs as the document has them now, by position.
void writeInputs(const std::vector<Row>& rows, const std::vector<Names>& before, std::vector<EditOperation>& operations) {
  for (size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].isInput()) continue;
    if (rows[i].isImplicit ? rows[i].inputs == impliedInputs(rows, i) : rows[i].inputs == before[i]) continue;
    if (rows[i].inputs.empty()) {
      operations.push_back({Kind::Remove, pointerTo(i) + "/inputs", {}, 0});
    } else {
      operations.push_back({Kind::Set, pointerTo(i) + "/inputs", namesToJson(rows[i].inputs).dump(), 0});
    }
  }
}

bool hasCycle(const std::vector<Row>& rows) {
  std::set<std::string> done;
  for (bool isProgress = true; isProgress;) {
    isProgress = false;
    for (const auto& row : rows) {
      if (done.contains(row.name)) continue;
      const bool isReady = std::all_of(row.inputs.begin(), row.inputs.end(), [&](const std::string& input) {
        return done.contains(input) || std::none_of(rows.begin(), rows.end(), [&](const Row& other) { return other.name == input; });
      });
      if (isReady) isProgress = done.insert(row.name).second;
    }
  }
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return !done.contains(row.name); });
}

/// "Conv2D" -> "conv2d", "MaxPooling2D" -> "max_pooling2d", as Keras names layers.
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

std::string freshName(const std::vector<Row>& rows, const std::string& stem) {
  const auto isTaken = [&](const std::string& name) {
    return std::any_of(rows.begin(), rows.end(), [&](const Row& row) { return row.name == name; });
  };
  if (!isTaken(stem)) return stem;
  for (int number = 2;; ++number)
    if (std::string name = stem + "_" + std::to_string(number); !isTaken(name)) return name;
}

}  // namespace

ProjectEdit setFieldEdit(const Json& document, const std::string& layer, const std::string& field, const Json& value) {
  const size_t index = indexOf(rowsOf(document), layer);
  return {STRATA_TEXT("edit", "Set %1 of %2"), {field, layer}, {{Kind::Set, pointerTo(index) + "/" + field, value.dump(), 0}}, {layer}};
}

ProjectEdit resetFieldEdit(const Json& document, const std::string& layer, const std::string& field) {
  const size_t index = indexOf(rowsOf(document), layer);
  return {STRATA_TEXT("edit", "Reset %1 of %2"), {field, layer}, {{Kind::Remove, pointerTo(index) + "/" + field, {}, 0}}, {layer}};
}

ProjectEdit addLayerEdit(const Json& document, const std::string& type, int index) {
  std::vector<Row> rows = rowsOf(document);
  const size_t place = static_cast<size_t>(std::clamp<int>(index, 0, static_cast<int>(rows.size())));
  const std::string name = freshName(rows, type == "Input" ? "input" : snakeCase(type));
  Json layer = {{"type", type}, {"name", name}};
  if (const LayerDef* definition = findLayer(type))
    for (const auto& field : definition->schema.fields)
      if (!field.exampleJson.empty()) layer[field.name] = parseJson(field.exampleJson, field.name);

  Row row{name, type, true, {}};
  // What follows takes the new layer where it took the layer before; an Input feeds only a layer that had nothing.
  const bool feedsNext = place < rows.size() && rows[place].isImplicit && !rows[place].isInput() && (!row.isInput() || place == 0);
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(place), row);
  rows[place].inputs = impliedInputs(rows, place);
  if (feedsNext) rows[place + 1].inputs = {name};
  std::vector<Names> before;
  for (const auto& each : rows) before.push_back(each.inputs);

  ProjectEdit edit{STRATA_TEXT("edit", "Add %1"), {name}, {}, {name}};
  if (!document.is_object() || !document.contains("model") || !document["model"].is_object() || !document["model"].contains("layers")) {
    edit.operations.push_back({Kind::Set, "/model/layers", "[]", 0});
  }
  edit.operations.push_back({Kind::Insert, pointerTo(place), layer.dump(), 0});
  writeInputs(rows, before, edit.operations);
  return edit;
}

ProjectEdit removeLayersEdit(const Json& document, const Names& layers) {
  const std::vector<Row> rows = rowsOf(document);
  std::map<std::string, Names> replacement;
  std::vector<size_t> indices;
  for (const auto& layer : layers) {
    const size_t index = indexOf(rows, layer);
    if (!replacement.emplace(layer, rows[index].inputs).second) continue;
    indices.push_back(index);
  }
  std::sort(indices.rbegin(), indices.rend());
  ProjectEdit edit{indices.size() == 1 ? STRATA_TEXT("edit", "Remove %1") : STRATA_TEXT("edit", "Remove %1 layers"),
                   {indices.size() == 1 ? layers.front() : std::to_string(indices.size())},
                   {},
                   {}};
  for (const size_t index : indices) edit.operations.push_back({Kind::Remove, pointerTo(index), {}, 0});

  std::vector<Row> kept;
  std::vector<Names> before;
  for (const auto& row : rows) {
    if (replacement.contains(row.name)) continue;
    kept.push_back(row);
    before.push_back(row.inputs);
    Names inputs;
    for (std::string input : row.inputs) {
      // One layer stands in for another: its first input, found through all that go.
      for (size_t steps = 0; steps <= rows.size() && !input.empty(); ++steps) {
        const auto gone = replacement.find(input);
        if (gone == replacement.end()) break;
        input = gone->second.empty() ? std::string() : gone->second.front();
      }
      if (!input.empty() && !replacement.contains(input)) inputs.push_back(std::move(input));
    }
    kept.back().inputs = std::move(inputs);
  }
  for (size_t i = 0; i < kept.size(); ++i)  // nothing left to take: the list's own meaning is the best guess
    if (kept[i].isImplicit && kept[i].inputs.empty()) kept[i].inputs = impliedInputs(kept, i);
  writeInputs(kept, before, edit.operations);

  // Select what moved into the place, so that pressing Delete again goes on.
  const size_t place = indices.empty() ? 0 : indices.back();
  if (!kept.empty()) edit.layers = {kept[std::min(place, kept.size() - 1)].name};
  return edit;
}

ProjectEdit moveLayerEdit(const Json& document, const std::string& layer, int index) {
  const std::vector<Row> old = rowsOf(document);
  const size_t from = indexOf(old, layer);
  const size_t to = static_cast<size_t>(std::clamp<int>(index, 0, static_cast<int>(old.size()) - 1));
  ProjectEdit edit{STRATA_TEXT("edit", "Move %1"), {layer}, {}, {layer}};
  if (from == to) return edit;
  std::vector<Row> rows = old;
  rows.erase(rows.begin() + static_cast<std::ptrdiff_t>(from));
  rows.insert(rows.begin() + static_cast<std::ptrdiff_t>(to), old[from]);
  std::vector<Names> before;
  for (const auto& row : rows) before.push_back(row.inputs);

  // The chain follows the list, as a person who drags a row expects; an Input that moves, or that would come to feed what it did not, changes nothing.
  std::vector<Row> chained = rows;
  if (!old[from].isInput()) {
    for (size_t i = 0; i < chained.size(); ++i) {
      if (!chained[i].isImplicit || chained[i].isInput()) continue;
      const Names implied = impliedInputs(chained, i);
      if (!implied.empty() && (!chained[i - 1].isInput() || chained[i].name == layer || old[from].inputs == implied))
        chained[i].inputs = implied;
    }
    if (!hasCycle(chained)) rows = std::move(chained);
  }
  edit.operations.push_back({Kind::Move, pointerTo(from), {}, static_cast<int>(to)});
  writeInputs(rows, before, edit.operations);
  return edit;
}

ProjectEdit renameLayerEdit(const Json& document, const std::string& layer, const std::string& name) {
  const Json& layers = layersOf(document);
  const size_t index = indexOf(rowsOf(document), layer);
  ProjectEdit edit{STRATA_TEXT("edit", "Rename %1 to %2"), {layer, name}, {}, {name}};
  edit.operations.push_back({Kind::Set, pointerTo(index) + "/name", Json(name).dump(), 0});
  for (size_t i = 0; i < layers.size(); ++i) {
    if (!layers[i].is_object() || !layers[i].contains("inputs") || !layers[i]["inputs"].is_array()) continue;
    Json inputs = layers[i]["inputs"];
    for (Json& input : inputs)
      if (input == layer) input = name;
    if (inputs != layers[i]["inputs"]) edit.operations.push_back({Kind::Set, pointerTo(i) + "/inputs", inputs.dump(), 0});
  }
  if (document.contains("design") && document["design"].is_object() && document["design"].contains("positions") &&
      document["design"]["positions"].is_object() && document["design"]["positions"].contains(layer)) {
    Json positions = Json::object();
    for (const auto& [key, value] : document["design"]["positions"].items()) positions[key == layer ? name : key] = value;
    edit.operations.push_back({Kind::Set, "/design/positions", positions.dump(), 0});
  }
  return edit;
}

ProjectEdit connectEdit(const Json& document, const std::string& layer, const Names& inputs) {
  const std::vector<Row> rows = rowsOf(document);
  const size_t index = indexOf(rows, layer);
  ProjectEdit edit{STRATA_TEXT("edit", "Connect %1"), {layer}, {}, {layer}};
  if (inputs.empty() || inputs == impliedInputs(rows, index)) {
    edit.operations.push_back({Kind::Remove, pointerTo(index) + "/inputs", {}, 0});
  } else {
    edit.operations.push_back({Kind::Set, pointerTo(index) + "/inputs", namesToJson(inputs).dump(), 0});
  }
  return edit;
}

}  // namespace strata
