// SPDX-License-Identifier: Apache-2.0
#include "core/data/parsed_data.h"

#include <algorithm>
#include <filesystem>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/project/list_limit.h"
#include "core/project/text.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

std::string folderOf(const Project& project) {
  return project.path().empty() ? "" : std::filesystem::path(project.path()).parent_path().string();
}

const SourceDef* sourceOfType(const std::string& type) {
  for (const SourceDef& source : allSources())
    if (source.schema.type == type) return &source;
  return nullptr;
}

void reportUnknownSource(const std::string& type, Diagnostics& diagnostics) {
  std::vector<std::string> known;
  std::string names;
  for (const SourceDef& source : allSources()) {
    known.push_back(source.schema.type);
    names += (names.empty() ? "" : ", ") + source.schema.type;
  }
  const std::string nearest = nearestName(type, known);
  if (nearest.empty())
    addProblem(diagnostics, "unknown_type", "/data/source/type",
               STRATA_TEXT("data", "Unknown data source \"%1\" (expected one of: %2). Choose one."),
               {type, names});
  else
    addProblem(diagnostics, "unknown_type", "/data/source/type",
               STRATA_TEXT("data", "Unknown data source \"%1\". Did you mean \"%2\"?"),
               {type, nearest});
}

/// If the Input layers are not known, takes their names from the fields of the source.
void takeInputNames(ParsedData& data) {
  if (!data.needs.inputs[0].empty()) return;
  for (const std::string& field : data.source->ofInputs)
    if (const Json& arrays = memberOf(data.object, field.c_str());
        arrays.is_object() && !arrays.empty()) {
      data.needs.inputs.clear();
      for (const auto& [name, array] : arrays.items())
        data.needs.inputs.push_back(name);
    }
}

/// Checks the entries of a field that has one for each Input layer or output. Returns the checked
/// entries.
Json checkedByName(FieldSchema field, const Json& object, Diagnostics& diagnostics) {
  // Only an entry for sample weights may be null.
  field.isNullable = field.name == kSampleWeights;
  Json values = Json::object();
  for (const auto& [name, given] : object[field.name].items()) {
    const Json value =
        field.type == FieldType::StringList && given.is_string() ? Json::array({given}) : given;
    values[name] = checkField(field, value, "/data/source/" + field.name + "/" + escapedKey(name),
                              "", diagnostics);
  }
  return values;
}

/// Checks the fields of the source. Sets `source` to null if they have an error.
void checkSourceFields(ParsedData& data, Diagnostics& diagnostics) {
  // Some fields are not checked by the schema: objects by name are checked below, and inline arrays
  // of numbers are checked by their source.
  Schema checked = data.source->schema;
  std::vector<std::string> alsoKnown{"type"};
  std::vector<FieldSchema> named;
  std::erase_if(checked.fields, [&](const FieldSchema& field) {
    const bool isInline = field.type == FieldType::NumberList,
               isNamed = !isInline && isFieldByName(*data.source, field.name, data.object);
    if (isInline || isNamed) alsoKnown.push_back(field.name);
    if (isNamed) named.push_back(field);
    return isInline || isNamed;
  });
  const size_t before = diagnostics.size();
  data.fields = checkFields(checked, data.object, "/data/source", "", diagnostics, alsoKnown);
  for (const FieldSchema& field : named)
    data.fields[field.name] = checkedByName(field, data.object, diagnostics);
  for (size_t i = before; i < diagnostics.size(); ++i)
    if (diagnostics[i].severity == Severity::Error) data.source = nullptr;
}

void parseSource(const Json& written, ParsedData& data, Diagnostics& diagnostics) {
  data.object = typedObject(written);
  if (data.object.is_null()) {
    if (written.is_null())
      addProblem(
          diagnostics, "missing_field", "/data/source",
          STRATA_TEXT("data", "The project has no data source. Choose one, or use a table."));
    else
      addProblem(diagnostics, "wrong_type", "/data/source",
                 STRATA_TEXT("data",
                             "The project needs a data source (expected an object with \"type\", "
                             "such as {\"type\": \"mnist\"}). Choose one."));
    return;
  }
  const std::string type = data.object["type"].get<std::string>();
  data.source = sourceOfType(type);
  if (!data.source) {
    reportUnknownSource(type, diagnostics);
    return;
  }
  takeInputNames(data);
  checkSourceFields(data, diagnostics);
}

/// Reports a source that has only one array of inputs or targets if the network needs several. Then
/// sets `source` to null.
void requireOneEach(ParsedData& data, Diagnostics& diagnostics) {
  if (!data.source || !data.source->ofInputs.empty()) return;
  const std::string type = data.source->schema.type;
  const std::vector<std::string> outputs = data.sourceInput().targetNames();
  const auto require = [&](const std::vector<std::string>& names, Text message) {
    if (names.size() == 1) return;
    addProblem(diagnostics, "shape_mismatch", "/data/source/type", message,
               {type, joinedNames(names)});
    data.source = nullptr;
  };
  require(data.needs.inputs,
          STRATA_TEXT("data",
                      "The source %1 has one array of inputs, but the network has the Input layers "
                      "%2 (expected one array for each). Choose values, numpy or csv."));
  require(outputs,
          STRATA_TEXT("data",
                      "The source %1 has one array of targets, but the network has the trained "
                      "outputs %2 (expected one array for each). Choose values, numpy or csv."));
}

}  // namespace

bool isFieldByName(const SourceDef& source, const std::string& field, const Json& object) {
  const auto has = [&](const std::vector<std::string>& fields) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  return (has(source.ofInputs) || has(source.ofOutputs)) &&
         memberOf(object, field.c_str()).is_object();
}

void parseSelection(const Json& data, ParsedData& result, Diagnostics& diagnostics) {
  const Json fields =
      checkFields(dataSectionSchema(), data, "/data", "", diagnostics, {"source", "transforms"});
  result.selection.skip = fields.value("skip", int64_t{0});
  if (fields.contains("take") && fields["take"].is_number())
    result.selection.take = fields["take"].get<int64_t>();
  if (fields.contains("split_seed") && fields["split_seed"].is_number())
    result.selection.splitSeed = fields["split_seed"].get<uint64_t>();
  result.selection.isStratified = fields.value("split", std::string()) == "stratified";
  result.selection.testSplit = fields.value("test_split", 0.0);
  result.selection.validationSplit = fields.value("validation_split", 0.0);
  result.onDamaged = fields.value("on_damaged", std::string("stop"));
}
ParsedData parseData(const Project& project, const DataNeeds& needs, Diagnostics& diagnostics) {
  ParsedData result;
  result.folder = folderOf(project);
  result.needs = needs;
  const Json& data = memberOf(project.document(), "data");
  parseSource(memberOf(data, "source"), result, diagnostics);
  if (data.is_object()) parseSelection(data, result, diagnostics);
  const Json* transforms = &memberOf(data, "transforms");
  if (auto problem = tooLongList(*transforms, kMaxTransforms, "/data/transforms")) {
    diagnostics.push_back(std::move(*problem));
    transforms = &memberOf(data, "");
  }
  result.transforms = parseTransforms(*transforms, result.needs.inputs,
                                      result.sourceInput().targetNames(), diagnostics);
  for (WantedTarget& target : result.needs.targets)
    target.isSparseTarget |= result.transforms.oneHotTargets(target.name) >= 0;
  requireOneEach(result, diagnostics);
  return result;
}

}  // namespace strata
