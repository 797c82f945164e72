// SPDX-License-Identifier: GPL-3.0-or-later
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "core/data/dataset.h"
#include "core/layers/layer.h"
#include "core/train/catalogue.h"

namespace strata::cli {

static Json schemasToJson(const std::vector<Schema>& schemas) {
  Json list = Json::array();
  for (const Schema& schema : schemas) list.push_back(schemaToJson(schema));
  return list;
}

static Json layerToJson(const LayerDef& layer) {
  Json json = schemaToJson(layer.schema);
  json["inputs"] = {{"ports", layer.ports}, {"minimum", layer.minInputs}, {"maximum", layer.maxInputs}};
  return json;
}

static std::string rangeOf(const FieldSchema& field) {
  std::string text;
  for (const std::string& choice : field.choices) text += (text.empty() ? "" : " | ") + choice;
  const auto number = [](double value) {
    return value == static_cast<double>(static_cast<int64_t>(value)) ? formatNumber(value, 0) : Json(value).dump();
  };
  if (field.minimum) text += std::string(text.empty() ? "" : ", ") + (field.isMinimumExclusive ? "> " : ">= ") + number(*field.minimum);
  if (field.maximum) text += std::string(text.empty() ? "" : ", ") + (field.isMaximumExclusive ? "< " : "<= ") + number(*field.maximum);
  return text;
}

static void printSchema(const Schema& schema) {
  std::cout << schema.type << "  (" << schema.group << ")\n  " << formatText(schema.help) << "\n";
  if (!schema.formula.empty()) std::cout << "  " << schema.formula << "\n";
  if (!schema.source.empty()) std::cout << "  Source: " << schema.source << "\n";
  for (const FieldSchema& field : schema.fields) {
    std::cout << "    " << field.name << ": " << fieldTypeName(field.type);
    std::cout << (field.defaultJson.empty() ? ", required" : ", default " + field.defaultJson);
    if (const std::string range = rangeOf(field); !range.empty()) std::cout << ", " << range;
    if (!field.unit.empty()) std::cout << ", " << field.unit;
    std::cout << ". " << formatText(field.help) << "\n";
  }
}

Action setupLayers(Arguments& accepted) {
  struct Options {
    std::string type;
    bool asJson = false;
  };
  auto options = std::make_shared<Options>();
  accepted.text("TYPE", options->type, "Show this layer, loss, optimizer, ... alone", "NAME");
  accepted.json(options->asJson);
  return [options] {
    const std::vector<std::pair<std::string, std::vector<Schema>>> groups = {
        {"losses", lossSchemas()},    {"optimizers", optimizerSchemas()}, {"schedules", scheduleSchemas()},
        {"metrics", metricSchemas()}, {"transforms", transformSchemas()}, {"sources", dataSourceSchemas()}};
    if (options->asJson && options->type.empty()) {
      Json answer = Json::object();
      answer["layers"] = Json::array();
      for (const LayerDef* layer : allLayers()) answer["layers"].push_back(layerToJson(*layer));
      for (const auto& [name, schemas] : groups) answer[name] = schemasToJson(schemas);
      printJsonDocument(answer);
      return kDone;
    }
    if (options->type.empty()) {
      std::cout << "layers:";
      for (const LayerDef* layer : allLayers()) std::cout << " " << layer->schema.type;
      std::cout << "\n";
      for (const auto& [name, schemas] : groups) {
        if (schemas.empty()) continue;
        std::cout << name << ":";
        for (const Schema& schema : schemas) std::cout << " " << schema.type;
        std::cout << "\n";
      }
      std::cout << "Fields of one: strata layers Conv2D\n";
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
    for (const auto& [group, schemas] : groups)
      for (const Schema& schema : schemas) {
        names.push_back(schema.type);
        if (schema.type != options->type) continue;
        if (options->asJson)
          printJsonDocument(schemaToJson(schema));
        else
          printSchema(schema);
        return kDone;
      }
    const std::string near = nearestName(options->type, names);
    throw Error(ErrorCode::InvalidArgument, options->type,
                "no layer, loss, optimizer or metric has this name" + (near.empty() ? "." : " (did you mean " + near + "?).") +
                    " See strata layers.");
  };
}

}  // namespace strata::cli
