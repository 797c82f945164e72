// SPDX-License-Identifier: GPL-3.0-or-later
#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/check/data_stages.h"
#include "core/data/dataset.h"
#include "core/data/transforms.h"
#include "core/layers/layer.h"
#include "core/layers/objects.h"
#include "core/recipe/callbacks.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/optimizers.h"
#include "core/recipe/options.h"
#include "core/recipe/run_edits.h"
#include "core/recipe/schedules.h"
#include "gpu/base/nearest_name.h"

namespace strata::cli {

using Groups = std::vector<std::pair<std::string, std::vector<Schema>>>;

static std::vector<Schema> copiesOf(std::span<const Schema* const> schemas) {
  std::vector<Schema> result;
  for (const Schema* schema : schemas)
    result.push_back(*schema);
  return result;
}

/// Returns the schemas by group. Layers are listed separately, because they also have inputs.
static Groups groupsOfSchemas() {
  return {{"losses", copiesOf(lossSchemas())},
          {"optimizers", copiesOf(optimizerSchemas())},
          {"schedules", copiesOf(scheduleSchemas())},
          {"metrics", copiesOf(metricSchemas())},
          {"callbacks", copiesOf(callbackSchemas())},
          {"training", {trainingSchema(), stageSchema(), changeSchema()}},
          {"transforms", copiesOf(transformSchemas())},
          {"sources", copiesOf(sourceSchemas())},
          {"data", {dataSectionSchema()}},
          {"stages", dataStageSchemas()},
          {"activations", copiesOf(activationSchemas())},
          {"initializers", copiesOf(initializerSchemas())},
          {"regularizers", copiesOf(regularizerSchemas())},
          {"constraints", copiesOf(constraintSchemas())},
          {"renorm_clipping", copiesOf(renormClippingSchemas())}};
}

static Json directionToJson(Direction direction) {
  if (direction == Direction::None) return nullptr;
  return direction == Direction::Up ? "up" : "down";
}

/// Returns a schema of a group. A metric also has its direction.
static Json schemaOfGroup(const std::string& group, const Schema& schema) {
  Json json = schemaToJson(schema);
  if (group == "metrics") json["direction"] = directionToJson(directionOf(schema.type));
  return json;
}

static Json schemasToJson(const std::string& group, const std::vector<Schema>& schemas) {
  Json list = Json::array();
  for (const Schema& schema : schemas)
    list.push_back(schemaOfGroup(group, schema));
  return list;
}

static Json layerToJson(const LayerDef& layer) {
  Json json = schemaToJson(layer.schema);
  json["inputs"] = {
      {"ports", layer.ports}, {"minimum", layer.minInputs}, {"maximum", layer.maxInputs}};
  return json;
}

static std::string rangeOf(const FieldSchema& field) {
  std::string text;
  for (const std::string& choice : field.choices)
    text += (text.empty() ? "" : " | ") + choice;
  const auto number = [](double value) {
    return value == static_cast<double>(static_cast<int64_t>(value)) ? formatNumber(value, 0)
                                                                     : Json(value).dump();
  };
  if (field.minimum)
    text += std::string(text.empty() ? "" : ", ") + (field.isMinimumExclusive ? "> " : ">= ") +
            number(*field.minimum);
  if (field.maximum)
    text += std::string(text.empty() ? "" : ", ") + (field.isMaximumExclusive ? "< " : "<= ") +
            number(*field.maximum);
  return text;
}

static void printNames(const std::string& group, const std::vector<std::string>& names) {
  if (names.empty()) return;
  std::cout << group << ":";
  for (const std::string& name : names)
    std::cout << " " << name;
  std::cout << "\n";
}

static std::vector<std::string> namesOf(const std::vector<Schema>& schemas) {
  std::vector<std::string> names;
  for (const Schema& schema : schemas)
    names.push_back(schema.type);
  return names;
}

static void printSchema(const Schema& schema) {
  std::cout << schema.type << "  (" << schema.group << ")\n  " << formatText(schema.help) << "\n";
  if (!schema.formula.empty()) std::cout << "  " << schema.formula << "\n";
  if (!schema.source.empty()) std::cout << "  Source: " << schema.source << "\n";
  // This list has one field for each registry, because the names of a registry are printed only
  // once.
  std::vector<const FieldSchema*> named;
  for (const FieldSchema& field : schema.fields) {
    const bool isList = field.type == FieldType::Objects;
    const bool isNamed = (field.type == FieldType::Object || isList) && !field.registry.empty();
    const auto isSame = [&](const FieldSchema* other) {
      return other->registry == field.registry;
    };
    if (isNamed && field.choices.empty() && std::none_of(named.begin(), named.end(), isSame))
      named.push_back(&field);
    std::cout << "    " << field.name << ": " << (isList ? "list of " : "")
              << (isNamed ? field.registry : std::string(fieldTypeName(field.type)));
    std::cout << (field.defaultJson.empty() ? ", required" : ", default " + field.defaultJson);
    if (const std::string range = rangeOf(field); !range.empty()) std::cout << ", " << range;
    if (!field.unit.empty()) std::cout << ", " << field.unit;
    std::cout << ". " << formatText(field.help) << "\n";
  }
  for (const FieldSchema* field : named)
    printNames("  " + field->registry, namesOf(copiesOf(objectsOf(*field))));
}

Action setupLayers(Arguments& accepted) {
  struct Options {
    std::string type;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  accepted.text("TYPE", options->type,
                "Show the fields of this type, such as Conv2D or adam, or of all types of a group, "
                "such as callbacks",
                "NAME");
  accepted.json(options->asJson);
  return [options] {
    const Groups groups = groupsOfSchemas();
    if (options->asJson && options->type.empty()) {
      Json answer = Json::object();
      answer["layers"] = Json::array();
      for (const LayerDef* layer : allLayers())
        answer["layers"].push_back(layerToJson(*layer));
      for (const auto& [name, schemas] : groups)
        answer[name] = schemasToJson(name, schemas);
      printJsonDocument(answer);
      return kDone;
    }
    if (options->type.empty()) {
      std::vector<std::string> layers;
      for (const LayerDef* layer : allLayers())
        layers.push_back(layer->schema.type);
      printNames("layers", layers);
      for (const auto& [name, schemas] : groups)
        printNames(name, namesOf(schemas));
      std::cout << "Run strata layers Conv2D for the fields of a type, and strata layers data for "
                   "everything about data.\n";
      return kDone;
    }
    std::vector<std::string> names;
    for (const LayerDef* layer : allLayers()) {
      names.push_back(layer->schema.type);
      if (layer->schema.type != options->type) continue;
      if (options->asJson)
        printJsonDocument(layerToJson(*layer));
      else
        printSchema(layer->schema);
      return kDone;
    }
    // The name "data" selects all schemas that the data section of a project may use.
    if (options->type == "data") {
      if (options->asJson) {
        Json answer = Json::object();
        for (const auto& [name, schemas] : groups)
          if (name == "sources" || name == "transforms" || name == "data" || name == "stages")
            answer[name] = schemasToJson(name, schemas);
        printJsonDocument(answer);
        return kDone;
      }
      std::cout << "Stages, in the order a sample passes them: source";
      for (const Schema& schema : dataStageSchemas())
        std::cout << ", " << schema.type;
      std::cout << "\n\n";
      printSchema(dataSectionSchema());
      for (const auto& [name, schemas] : groups)
        if (name == "sources" || name == "transforms" || name == "stages") {
          std::cout << "\n" << name << "\n";
          for (const Schema& schema : schemas)
            printSchema(schema);
        }
      return kDone;
    }
    for (const auto& [group, schemas] : groups)
      for (const Schema& schema : schemas) {
        names.push_back(schema.type);
        if (schema.type != options->type) continue;
        if (options->asJson)
          printJsonDocument(schemaOfGroup(group, schema));
        else
          printSchema(schema);
        return kDone;
      }
    for (const auto& [group, schemas] : groups) {
      names.push_back(group);
      if (group != options->type) continue;
      if (options->asJson)
        printJsonDocument({{group, schemasToJson(group, schemas)}});
      else
        for (const Schema& schema : schemas)
          printSchema(schema);
      return kDone;
    }
    const std::string near = nearestName(options->type, names);
    throw Error(ErrorCode::InvalidArgument, options->type,
                "is not a known type or group" +
                    (near.empty() ? "." : " (did you mean " + near + "?).") +
                    " See strata layers.");
  };
}

}  // namespace strata::cli
