// SPDX-License-Identifier: Apache-2.0
#include "core/run_list/run_settings.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/transforms.h"
#include "core/layers/layer.h"
#include "core/recipe/callbacks.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/options.h"

namespace strata {

namespace {

using Schemas = std::span<const Schema* const>;

const Schema* schemaOf(Schemas schemas, const Json& type) {
  if (!type.is_string()) return nullptr;
  const auto& name = type.get_ref<const std::string&>();
  const auto found =
      std::ranges::find_if(schemas, [&](const Schema* each) { return each->type == name; });
  return found == schemas.end() ? nullptr : *found;
}

/// Returns a value of one of these types with defaults: a word, or an object with a type.
Json typed(Schemas schemas, Json value) {
  if (const Schema* const schema = schemaOf(schemas, value))
    return withDefaults(*schema, Json{{"type", std::move(value)}});
  if (!value.is_object()) return value;
  if (const Schema* const schema = schemaOf(schemas, memberOf(value, "type")))
    return withDefaults(*schema, std::move(value));
  return schemas.size() == 1 && schemas.front()->type.empty()
             ? withDefaults(*schemas.front(), std::move(value))
             : value;
}

/// Does the same for a value, the values of a list, or those of an object with a member for each
/// output.
Json typedEach(Schemas schemas, Json value) {
  if (value.is_array()) {
    for (Json& each : value)
      each = typedEach(schemas, std::move(each));
    return value;
  }
  if (value.is_object() && !value.contains("type")) {
    for (auto& each : value.items())
      each.value() = typedEach(schemas, std::move(each.value()));
    return value;
  }
  return typed(schemas, std::move(value));
}

Json sectionOf(const Json& document, const char* name) {
  const Json& section = memberOf(document, name);
  return section.is_object() ? section : Json::object();
}

void resolve(Json& section, const char* name, Schemas schemas) {
  if (const auto found = section.find(name); found != section.end())
    *found = typedEach(schemas, std::move(*found));
}

}  // namespace

Json withDefaults(const Schema& schema, Json object) {
  if (!object.is_object()) return object;
  for (const FieldSchema& field : schema.fields) {
    const auto found = object.find(field.name);
    if (found != object.end()) {
      if (field.type == FieldType::Object || field.type == FieldType::Number)
        *found = typed(objectsOf(field), std::move(*found));
    }
    else if (!field.defaultJson.empty()) {
      Json value = Json::parse(field.defaultJson, nullptr, false);
      if (value.is_discarded()) continue;
      object[field.name] = field.type == FieldType::Object
                               ? typed(objectsOf(field), std::move(value))
                               : std::move(value);
    }
  }
  return object;
}

Json resolvedSettings(const Json& document) {
  Json data = withDefaults(dataSectionSchema(), sectionOf(document, "data"));
  resolve(data, "source", sourceSchemas());
  resolve(data, "transforms", transformSchemas());
  Json training = withDefaults(trainingSchema(), sectionOf(document, "training"));
  resolve(training, "optimizer", optimizerSchemas());
  resolve(training, "loss", lossSchemas());
  for (const char* const metrics : {"metrics", "weighted_metrics"})
    resolve(training, metrics, metricSchemas());
  resolve(training, "callbacks", callbackSchemas());
  return {{"data", std::move(data)},
          {"training", std::move(training)},
          {"execution", withDefaults(executionSchema(), sectionOf(document, "execution"))}};
}

Json resolvedLayer(const Json& layer) {
  const Json& type = memberOf(layer, "type");
  const LayerDef* const definition =
      type.is_string() ? findLayer(type.get_ref<const std::string&>()) : nullptr;
  if (!definition) return layer;
  Json resolved = withDefaults(definition->schema, layer);
  for (const FieldSchema& field : definition->schema.fields)
    if (field.registry == "layer") resolved[field.name] = resolvedLayer(resolved[field.name]);
  if (const auto inner = resolved.find("layers"); inner != resolved.end() && inner->is_array())
    for (Json& each : *inner)
      each = resolvedLayer(each);
  return resolved;
}

FlatSettings flattened(const Json& object, const std::string& pointer) {
  FlatSettings settings;
  const auto add = [&](const std::string& key, const Json& value) {
    const std::string place = pointer + "/" + escapedKey(key);
    const bool isList = value.is_array() && std::ranges::any_of(value, [](const Json& each) {
                          return each.is_object();
                        });
    if (value.is_object() || isList)
      settings.merge(flattened(value, place));
    else
      settings.emplace(place, value);
  };
  if (object.is_array())
    for (size_t i = 0; i < object.size(); ++i)
      add(std::to_string(i), object[i]);
  else if (object.is_object())
    for (const auto& [key, value] : object.items())
      add(key, value);
  return settings;
}

}  // namespace strata
