// SPDX-License-Identifier: Apache-2.0
// Finds, checks and changes the settings that can change during training.
#include "core/recipe/run_edits.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "core/model/model.h"
#include "core/project/text.h"
#include "core/recipe/entry_fields.h"
#include "core/recipe/optimizers.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

constexpr const char* kClips[] = {"clipnorm", "clipvalue", "global_clipnorm"};

bool isClip(std::string_view name) {
  return std::find(std::begin(kClips), std::end(kClips), name) != std::end(kClips);
}

const LayerDef* definitionOf(const Json& layer) {
  return layer.is_object() && layer.contains("type") && layer["type"].is_string()
             ? findLayer(layer["type"].get_ref<const std::string&>())
             : nullptr;
}

/// Returns the fields of a layer that contain another layer, such as "layer" of Bidirectional.
std::vector<std::string> wrappedIn(const Json& layer) {
  std::vector<std::string> names;
  if (const LayerDef* const definition = definitionOf(layer))
    for (const FieldSchema& field : definition->schema.fields)
      if (field.registry == "layer" && layer.contains(field.name) && layer[field.name].is_object())
        names.push_back(field.name);
  return names;
}

/// Returns the object of the layer with this path, or null. Document is Json or const Json.
template <class Document>
Document* findLayerJson(Document& layers, std::string_view path, int depth = 0);

template <class Document>
Document* findInLayer(Document& layer, std::string_view path, int depth) {
  if (layer.contains("layers")) return findLayerJson(layer["layers"], path, depth + 1);
  for (const std::string& name : wrappedIn(layer)) {
    if (path == name) return &layer[name];
    if (path.starts_with(name + "/"))
      return findInLayer(layer[name], path.substr(name.size() + 1), depth);
  }
  return nullptr;
}

template <class Document>
Document* findLayerJson(Document& layers, std::string_view path, int depth) {
  if (!layers.is_array() || depth > kMaxBlockDepth) return nullptr;
  for (Document& layer : layers) {
    if (!layer.is_object() || !layer.contains("name") || !layer["name"].is_string()) continue;
    const std::string name = layer["name"].template get<std::string>();
    if (path == name) return &layer;
    if (path.starts_with(name + "/"))
      if (Document* const found = findInLayer(layer, path.substr(name.size() + 1), depth))
        return found;
  }
  return nullptr;
}

const Json& layersIn(const Json& document) {
  static const Json kNone = Json::array();
  const bool hasLayers = document.is_object() && document.contains("model") &&
                         document["model"].is_object() && document["model"].contains("layers");
  return hasLayers ? document["model"]["layers"] : kNone;
}

std::string optimizerTypeOf(const Json& document) {
  if (!document.is_object() || !document.contains("training") || !document["training"].is_object())
    return {};
  const auto optimizer = document["training"].find("optimizer");
  if (optimizer == document["training"].end()) return {};
  if (optimizer->is_string()) return optimizer->get<std::string>();
  return optimizer->is_object() && optimizer->contains("type") && (*optimizer)["type"].is_string()
             ? (*optimizer)["type"].get<std::string>()
             : std::string();
}

/// Splits "stage/drop/rate" into the layer "stage/drop" and the field "rate".
std::pair<std::string, std::string> splitSetting(const std::string& name) {
  const size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::pair{std::string(), name}
                                    : std::pair{name.substr(0, slash), name.substr(slash + 1)};
}

Json settingJson(const std::string& name, double value) {
  const bool isOff = value == 0 && (isClip(name) || name == "weight_decay");
  return isOff ? Json() : Json(value);
}

}  // namespace

const FieldSchema* settingField(const Json& document, const std::string& name) {
  const auto [path, field] = splitSetting(name);
  const Schema* schema = nullptr;
  if (path.empty()) {
    if (const OptimizerDef* const optimizer = findOptimizer(optimizerTypeOf(document)))
      schema = &optimizer->schema;
  }
  else if (const Json* const layer = findLayerJson(layersIn(document), path)) {
    if (const LayerDef* const definition = definitionOf(*layer)) schema = &definition->schema;
  }
  const FieldSchema* const found = schema ? schema->field(field) : nullptr;
  return found && found->isLive ? found : nullptr;
}

std::vector<std::string> changeableSettings(const Json& document) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& prefix, const Schema& schema) {
    for (const FieldSchema& field : schema.fields)
      if (field.isLive) names.push_back(prefix + field.name);
  };
  const auto addLayer = [&](const auto& self, const std::string& path, const Json& layer) -> void {
    if (const LayerDef* const definition = definitionOf(layer)) add(path + "/", definition->schema);
    for (const std::string& name : wrappedIn(layer))
      self(self, path + "/" + name, layer[name]);
  };
  if (const OptimizerDef* const optimizer = findOptimizer(optimizerTypeOf(document)))
    add("", optimizer->schema);
  for (const std::string& path : layerPaths(document))
    if (const Json* const layer = findLayerJson(layersIn(document), path))
      addLayer(addLayer, path, *layer);
  return names;
}

std::map<std::string, double, std::less<>> liveSettings(const Json& document) {
  std::map<std::string, double, std::less<>> values;
  for (const std::string& name : changeableSettings(document)) {
    const auto [path, key] = splitSetting(name);
    const Json& holder =
        path.empty() ? document["training"]["optimizer"] : *findLayerJson(layersIn(document), path);
    const std::string& standard = settingField(document, name)->defaultJson;
    Json value;
    if (holder.is_object() && holder.contains(key))
      value = holder[key];
    else if (!standard.empty())
      value = Json::parse(standard);
    if (value.is_number() || value.is_null())
      values[name] = value.is_number() ? value.get<double>() : 0;
  }
  return values;
}

double levelOf(double setting) { return setting == 0 || setting == 1 ? setting : 0.5; }

Json withLevels(Json document) {
  const auto values = liveSettings(document);
  for (const std::string& name : changeableSettings(document)) {
    const auto [path, key] = splitSetting(name);
    Json& holder = path.empty() ? document["training"]["optimizer"]
                                : *findLayerJson(document["model"]["layers"], path);
    if (path.empty() && holder.is_string()) holder = Json{{"type", holder}};
    const auto value = values.find(name);
    // Two documents are equal only if their keys have the same order, so the key is moved to the
    // end.
    holder.erase(key);
    holder[key] =
        name == "learning_rate" || value == values.end() ? Json() : Json(levelOf(value->second));
  }
  return document;
}

void insertChange(std::vector<LiveChange>& changes, const LiveChange& change) {
  const auto isSame = [&](const LiveChange& other) {
    return other.step == change.step && other.name == change.name && !other.isPlanned;
  };
  if (const auto other = std::find_if(changes.begin(), changes.end(), isSame);
      other != changes.end()) {
    if (!other->isDone || change.isDone) *other = change;
    return;
  }
  changes.insert(std::find_if(changes.begin(), changes.end(),
                              [&](const LiveChange& other) { return other.step > change.step; }),
                 change);
}

bool checkChange(const Json& document, const std::string& name, double value,
                 const std::string& where, Diagnostics& diagnostics) {
  const FieldSchema* const field = settingField(document, name);
  if (!field) {
    const std::vector<std::string> known = changeableSettings(document);
    const std::string nearest = nearestName(name, known);
    std::string expected;
    for (const std::string& each : known)
      expected += (expected.empty() ? "" : ", ") + each;
    diagnostics.push_back(
        {Severity::Error,
         "unknown_setting",
         "",
         where,
         nearest.empty()
             ? STRATA_TEXT("problem",
                           "%1 cannot change during training (expected one of: %2). Choose one.")
             : STRATA_TEXT(
                   "problem",
                   "%1 cannot change during training (expected one of: %2). Did you mean \"%3\"?"),
         {name, expected, nearest},
         {}});
    return false;
  }
  Diagnostics found;
  const Json json = settingJson(name, value);
  if (!(json.is_null() && field->isNullable)) checkField(*field, json, where, "", found);
  for (Diagnostic& each : found) {
    // The fixes would set the default of the field, which does not fix the change.
    each.fixes.clear();
    diagnostics.push_back(std::move(each));
  }
  return !hasErrors(found);
}

void applyChange(Json& document, const std::string& name, double value) {
  const auto [path, field] = splitSetting(name);
  if (path.empty()) {
    if (name == "learning_rate") return;
    Json& optimizer = document["training"]["optimizer"];
    if (optimizer.is_string()) optimizer = Json{{"type", optimizer}};
    if (isClip(name))
      // Only one kind of clipping can be set
      for (const char* clip : kClips)
        optimizer.erase(clip);
    optimizer[name] = settingJson(name, value);
    return;
  }
  if (Json* const layer = findLayerJson(document["model"]["layers"], path)) (*layer)[field] = value;
}

const Schema& changeSchema() {
  static const Schema schema = [] {
    FieldSchema name{.name = "name", .type = FieldType::String, .exampleJson = "\"learning_rate\""};
    name.help =
        STRATA_TEXT("training",
                    "Setting to change: learning_rate, clipnorm, clipvalue, global_clipnorm, "
                    "weight_decay, or the dropout rate of a layer, such as drop/rate");
    name.title = STRATA_TEXT("training", "Setting");
    name.registry = "setting";
    return Schema{
        .type = "change",
        .group = "Training",
        .help = STRATA_TEXT("training", "A setting that changes at a step of the run"),
        .fields = {requiredField(integerField("step", "", 1, 1e15, STRATA_TEXT("training", "Step"),
                                              STRATA_TEXT("training",
                                                          "First update that uses the new value")),
                                 "100"),
                   name,
                   requiredField(
                       numberField("value", "", {}, {}, STRATA_TEXT("training", "Value"),
                                   STRATA_TEXT("training",
                                               "New value; 0: turns off clipping or weight decay")),
                       "0.001")}};
  }();
  return schema;
}

std::vector<LiveChange> readChanges(const Json& given, const Project& project,
                                    Diagnostics& diagnostics) {
  const std::string where = "/training/changes";
  std::vector<LiveChange> changes;
  if (!given.is_array()) {
    diagnostics.push_back(
        {Severity::Error,
         "wrong_type",
         "",
         where,
         STRATA_TEXT("problem",
                     "changes has the wrong type (expected a list, got %1). Write [{\"step\": 100, "
                     "\"name\": \"learning_rate\", \"value\": 0.001}]."),
         {excerpt(given.dump(), 60)},
         {}});
    return changes;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    const std::string pointer = where + "/" + std::to_string(i);
    if (!given[i].is_object()) {
      diagnostics.push_back({Severity::Error,
                             "wrong_type",
                             "",
                             pointer,
                             STRATA_TEXT("problem",
                                         "a change has the wrong type (expected an object with "
                                         "step, name and value, got %1). Correct it."),
                             {excerpt(given[i].dump(), 60)},
                             {}});
      continue;
    }
    Diagnostics found;
    const Json fields = checkFields(changeSchema(), given[i], pointer, "", found, {});
    const bool isWhole = fields.contains("step") && fields.contains("name") &&
                         fields.contains("value") && !hasErrors(found);
    for (Diagnostic& each : found)
      diagnostics.push_back(std::move(each));
    if (!isWhole) continue;
    const LiveChange change{fields["step"].get<int64_t>(), fields["name"].get<std::string>(),
                            fields["value"].get<double>(), false};
    if (checkChange(project.document(), change.name, change.value,
                    pointer + (settingField(project.document(), change.name) ? "/value" : "/name"),
                    diagnostics))
      changes.push_back(change);
  }
  std::stable_sort(changes.begin(), changes.end(),
                   [](const LiveChange& a, const LiveChange& b) { return a.step < b.step; });
  return changes;
}

std::string textOfChanges(const std::vector<LiveChange>& changes) {
  if (changes.empty()) return {};
  Json list = Json::array();
  for (const LiveChange& change : changes)
    list.push_back({change.step, change.name, change.value, change.isDone});
  return list.dump();
}

std::vector<LiveChange> changesOfText(const std::string& text, const std::string& file) {
  std::vector<LiveChange> changes;
  if (text.empty()) return changes;
  try {
    for (const Json& each : parseJson(text, file))
      changes.push_back({each.at(0).get<int64_t>(), each.at(1).get<std::string>(),
                         each.at(2).get<double>(), each.at(3).get<bool>()});
  }
  catch (const std::exception&) {
    throw Error(ErrorCode::InvalidFile, file,
                "its checkpoint has invalid changed settings. Start a new run.");
  }
  return changes;
}

std::span<const Schema* const> stageSchemas() {
  static const Schema* const schema = &stageSchema();
  return {&schema, 1};
}

std::span<const Schema* const> changeSchemas() {
  static const Schema* const schema = &changeSchema();
  return {&schema, 1};
}

}  // namespace strata
