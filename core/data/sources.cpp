// SPDX-License-Identifier: Apache-2.0
// The list of data sources and transforms, and the way from a project's `data` to a Dataset.
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "core/train/losses.h"

namespace strata {

namespace {

const std::vector<SourceDef>& sources() {
  static const std::vector<SourceDef> list{mnistSource(), randomSource(), valuesSource(), idxSource()};
  return list;
}

Schema rescaleSchema() {
  Schema schema;
  schema.type = "rescale";
  schema.group = "Transform";
  schema.help = STRATA_TEXT("data", "Multiplies each input number and adds an offset.");
  schema.formula = "x' = x * scale + offset";
  FieldSchema scale;
  scale.name = "scale";
  scale.type = FieldType::Number;
  scale.defaultJson = "0.00392156862745098";
  scale.title = STRATA_TEXT("data", "Scale");
  scale.help = STRATA_TEXT("data", "Factor of every input number; 1/255 brings bytes to 0..1.");
  FieldSchema offset;
  offset.name = "offset";
  offset.type = FieldType::Number;
  offset.defaultJson = "0.0";
  offset.title = STRATA_TEXT("data", "Offset");
  offset.help = STRATA_TEXT("data", "Added after the factor.");
  schema.fields = {scale, offset};
  return schema;
}

/// "mnist" and {"type": "mnist"} alike; null where neither.
Json typedObject(const Json& json) {
  if (json.is_string()) return Json{{"type", json}};
  if (json.is_object() && json.contains("type") && json["type"].is_string()) return json;
  return nullptr;
}

const Json& memberOf(const Json& object, const char* name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto it = object.find(name);
  return it == object.end() ? nothing : *it;
}

bool isSparseLoss(const Project& project) {
  const Json loss = typedObject(memberOf(memberOf(project.document(), "training"), "loss"));
  const LossDef* known = loss.is_object() ? findLoss(loss["type"].get_ref<const std::string&>()) : nullptr;
  return known && known->target != TargetKind::Values;
}

struct ParsedData {
  const SourceDef* source = nullptr;
  Json object, fields;
  double validationSplit = 0;
  InputTransform transform;
};

ParsedData parseData(const Project& project, Diagnostics& diagnostics) {
  ParsedData result;
  const Json& data = memberOf(project.document(), "data");
  const Json& written = memberOf(data, "source");
  result.object = typedObject(written);
  if (result.object.is_null()) {
    addProblem(
        diagnostics, written.is_null() ? "missing_field" : "wrong_type", "/data/source",
        STRATA_TEXT("data",
                    "The project needs a data source (expected an object with \"type\", such as {\"type\": \"mnist\"}). Choose one."));
  } else {
    const std::string type = result.object["type"].get<std::string>();
    std::vector<std::string> known;
    for (const SourceDef& source : sources()) {
      known.push_back(source.schema.type);
      if (source.schema.type == type) result.source = &source;
    }
    if (result.source) {
      // Inline numbers may be nested, which no field type describes: their source checks them itself.
      Schema checked = result.source->schema;
      std::vector<std::string> alsoKnown{"type"};
      std::erase_if(checked.fields, [&](const FieldSchema& field) {
        const bool isInline = field.type == FieldType::NumberList;
        if (isInline) alsoKnown.push_back(field.name);
        return isInline;
      });
      const size_t before = diagnostics.size();
      result.fields = checkFields(checked, result.object, "/data/source", "", diagnostics, alsoKnown);
      for (size_t i = before; i < diagnostics.size(); ++i)
        if (diagnostics[i].severity == Severity::Error) result.source = nullptr;
    } else {
      const std::string nearest = nearestName(type, known);
      if (nearest.empty())
        addProblem(diagnostics, "unknown_type", "/data/source/type",
                   STRATA_TEXT("data", "Unknown data source \"%1\" (expected mnist, random, values or idx). Choose one."), {type});
      else
        addProblem(diagnostics, "unknown_type", "/data/source/type",
                   STRATA_TEXT("data", "Unknown data source \"%1\". Did you mean \"%2\"?"), {type, nearest});
    }
  }
  const Json& split = memberOf(data, "validation_split");
  if (!split.is_null()) {
    if (!split.is_number() || !(split.get<double>() >= 0 && split.get<double>() < 1))
      addProblem(diagnostics, split.is_number() ? "out_of_range" : "wrong_type", "/data/validation_split",
                 STRATA_TEXT("data", "validation_split must be a number from 0 up to, but not, 1 (got %1). 0.1 keeps a tenth back."),
                 {excerpt(split.dump(), 60)});
    else
      result.validationSplit = split.get<double>();
  }
  const Json& transforms = memberOf(data, "transforms");
  if (!transforms.is_null() && !transforms.is_array())
    addProblem(diagnostics, "wrong_type", "/data/transforms",
               STRATA_TEXT("data", "transforms must be a list (got %1). Write [{\"type\": \"rescale\"}] or []."),
               {excerpt(transforms.dump(), 60)});
  if (transforms.is_array()) {
    static const Schema rescale = rescaleSchema();
    for (size_t i = 0; i < transforms.size(); ++i) {
      const std::string where = "/data/transforms/" + std::to_string(i);
      const Json object = typedObject(transforms[i]);
      if (object.is_null()) {
        addProblem(
            diagnostics, "wrong_type", where,
            STRATA_TEXT("data", "A transform must be an object with \"type\" (got %1). Write {\"type\": \"rescale\"}, or remove it."),
            {excerpt(transforms[i].dump(), 60)});
        continue;
      }
      if (object["type"] != "rescale") {
        addProblem(diagnostics, "unknown_type", where + "/type",
                   STRATA_TEXT("data", "Unknown transform \"%1\" (expected rescale). Choose it, or remove this one."),
                   {object["type"].get<std::string>()});
        continue;
      }
      const Json fields = checkFields(rescale, object, where, "", diagnostics, {"type"});
      const double scale = fields.value("scale", 1.0), offset = fields.value("offset", 0.0);
      result.transform = {result.transform.scale * scale, result.transform.offset * scale + offset};
    }
  }
  return result;
}

std::string folderOf(const Project& project) {
  return project.path().empty() ? "" : std::filesystem::path(project.path()).parent_path().string();
}

int64_t trainingShare(int64_t samples, double validationSplit) {
  return static_cast<int64_t>(std::floor(static_cast<double>(samples) * (1.0 - validationSplit)));
}

}  // namespace

void addProblem(Diagnostics& diagnostics, std::string code, std::string field, Text message, std::vector<std::string> arguments) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.field = std::move(field);
  diagnostic.message = message;
  diagnostic.arguments = std::move(arguments);
  diagnostics.push_back(std::move(diagnostic));
}

std::vector<std::string> numbersAsNames(int64_t classes) {
  constexpr int64_t kMostNames = 1000;
  std::vector<std::string> names;
  for (int64_t i = 0; i < classes && classes <= kMostNames; ++i) names.push_back(std::to_string(i));
  return names;
}

DatasetInfo describeDataset(const Project& project, Diagnostics& diagnostics) {
  DatasetInfo info;
  const ParsedData data = parseData(project, diagnostics);
  if (!data.source) return info;
  Diagnostics found;
  data.source->describe({data.fields, data.object, folderOf(project), isSparseLoss(project)}, info, found);
  info.isKnown = !hasErrors(found);
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  const int64_t all = info.trainCount;
  info.trainCount = trainingShare(all, data.validationSplit);
  info.validationCount = all - info.trainCount;
  if (info.isKnown && info.trainCount < 1)
    addProblem(diagnostics, "out_of_range", "/data/validation_split",
               STRATA_TEXT("data", "No sample is left to train on (samples: %1, validation_split: %2). Lower validation_split."),
               {std::to_string(all), memberOf(memberOf(project.document(), "data"), "validation_split").dump()});
  return info;
}

std::shared_ptr<const Dataset> loadDataset(const Project& project) {
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.severity == Severity::Error)
      throw Error(ErrorCode::InvalidProject, diagnostic.field, formatText(diagnostic.message, diagnostic.arguments));
  LoadedSamples loaded = data.source->load({data.fields, data.object, folderOf(project), isSparseLoss(project)});
  auto dataset = std::make_shared<Dataset>();
  const int64_t all = loaded.train->count();
  if (all > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::InvalidProject, "/data/source",
                "too many samples (expected at most 2147483647, got " + std::to_string(all) + "). Use a part of them.");
  dataset->train = std::move(loaded.train);
  dataset->test = std::move(loaded.test);
  dataset->trainCount = trainingShare(all, data.validationSplit);
  dataset->validationCount = all - dataset->trainCount;
  if (dataset->trainCount < 1)
    throw Error(ErrorCode::InvalidProject, "/data/validation_split",
                "no sample is left to train on (" + counted(all, "sample") + " in all). Lower validation_split.");
  dataset->transform = data.transform;
  dataset->classNames = std::move(loaded.classNames);
  dataset->hasLabels = loaded.hasLabels;
  dataset->sampleShape = dataset->train->x.shape().without(0);
  dataset->targetShape = dataset->train->y.shape().without(0);
  return dataset;
}

InputTransform inputTransform(const Project& project) {
  Diagnostics diagnostics;
  return parseData(project, diagnostics).transform;
}

std::vector<Schema> dataSourceSchemas() {
  std::vector<Schema> result;
  for (const SourceDef& source : sources()) result.push_back(source.schema);
  return result;
}

std::vector<Schema> transformSchemas() { return {rescaleSchema()}; }

}  // namespace strata
