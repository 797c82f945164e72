// SPDX-License-Identifier: Apache-2.0
// Functions that all sources share: problems, fields, files, and values by the name of an Input
// layer or output.
#include "core/data/source.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

void addProblem(Diagnostics& diagnostics, std::string code, std::string field, Text message,
                Arguments arguments) {
  Diagnostic diagnostic;
  diagnostic.code = std::move(code);
  diagnostic.field = std::move(field);
  diagnostic.message = message;
  diagnostic.arguments = std::move(arguments);
  diagnostics.push_back(std::move(diagnostic));
}

Json typedObject(const Json& json) {
  if (json.is_string()) return Json{{"type", json}};
  if (json.is_object() && json.contains("type") && json["type"].is_string()) return json;
  return nullptr;
}

std::vector<std::string> SourceInput::targetNames() const {
  std::vector<std::string> names;
  for (const WantedTarget& target : targets)
    names.push_back(target.name);
  return names;
}

void requireFitsInput(const SourceInput& input, size_t place, const Shape& array,
                      const std::string& file, const std::string& what) {
  if (place >= input.inputShapes.size() || !input.inputShapes[place] || array.rank() < 1 ||
      array[0] < 1)
    return;
  const Shape& wanted = *input.inputShapes[place];
  if (array.numElements() / array[0] == wanted.numElements()) return;
  throw Error(ErrorCode::InvalidFile, file,
              what + "does not fit the network (expected samples of " + wanted.toString() +
                  " along the first dimension, got an array of " + array.toString() +
                  "). Use samples with the shape of the Input layer.");
}

void requireNoProblem(const Diagnostics& problems) {
  if (!problems.empty())
    throw Error(ErrorCode::InvalidProject, problems[0].field,
                formatText(problems[0].message, problems[0].arguments));
}

std::vector<const Json*> byName(const Json& value, const std::string& pointer,
                                const std::vector<std::string>& names, Text what,
                                Diagnostics& diagnostics,
                                const std::vector<std::string>& passedOver) {
  const std::string field = pointer.substr(pointer.rfind('/') + 1);
  std::vector<const Json*> result(names.size(), nullptr);
  if (!value.is_object()) {
    if (names.size() == 1)
      result[0] = &value;
    else
      addProblem(diagnostics, "wrong_type", pointer,
                 STRATA_TEXT("data",
                             "%1 must be an object with one entry for each %2 (expected %3, got "
                             "one entry for all). Write one entry for each."),
                 {field, what, joinedNames(names)});
    return result;
  }
  std::vector<std::string> given;
  for (const auto& [name, entry] : value.items())
    given.push_back(name);
  const size_t before = diagnostics.size();
  for (const std::string& name : given)
    if (names[0] != "" && std::find(names.begin(), names.end(), name) == names.end() &&
        std::find(passedOver.begin(), passedOver.end(), name) == passedOver.end())
      addProblem(diagnostics, "unknown_name", pointer + "/" + escapedKey(name),
                 STRATA_TEXT("data",
                             "%1 contains \"%2\", but there is no %3 with this name (expected %4). "
                             "Correct the name."),
                 {field, excerpt(name, 60), what, joinedNames(names)});
  // An unknown name may be a misspelling of a missing one. Therefore missing names are not reported
  // in this case.
  if (diagnostics.size() > before) return result;
  for (size_t i = 0; i < names.size(); ++i) {
    const auto found = names[i].empty() ? value.begin() : value.find(names[i]);
    if (found != value.end())
      result[i] = &*found;
    else
      addProblem(
          diagnostics, "missing_field", pointer,
          STRATA_TEXT("data", "%1 has no entry for the %2 \"%3\" (expected %4, got %5). Add it."),
          {field, what, names[i], joinedNames(names), joinedNames(given)});
  }
  return result;
}

std::vector<const Json*> weightsByOutput(const SourceInput& input, Diagnostics& diagnostics) {
  static const Json none;
  const std::vector<std::string> outputs = input.targetNames();
  const auto weights = input.object.find(kSampleWeights);
  if (weights == input.object.end()) return std::vector<const Json*>(outputs.size(), &none);
  if (!weights->is_object()) return std::vector<const Json*>(outputs.size(), &*weights);
  return byName(*weights, std::string("/data/source/") + kSampleWeights, outputs,
                STRATA_TEXT("argument", "output"), diagnostics, input.untrained);
}

std::vector<std::string> numbersAsNames(int64_t classes) {
  constexpr int64_t kMaxNames = 1000;
  std::vector<std::string> names;
  for (int64_t i = 0; i < classes && classes <= kMaxNames; ++i)
    names.push_back(std::to_string(i));
  return names;
}

FieldSchema dataField(const char* name, FieldType type, const char* defaultJson, Text title,
                      Text help) {
  FieldSchema field{.name = name, .type = type, .defaultJson = defaultJson};
  field.isNullable = field.defaultJson == "null";
  field.title = title;
  field.help = help;
  return field;
}

FieldSchema choiceField(const char* name, const char* defaultJson, std::vector<std::string> choices,
                        Text title, Text help) {
  FieldSchema field = dataField(name, FieldType::Choice, defaultJson, title, help);
  field.choices = std::move(choices);
  return field;
}

FieldSchema textField(const char* name, Text title, Text help, bool isOptional) {
  return dataField(name, FieldType::String, isOptional ? "null" : "", title, help);
}

FieldSchema pathField(PathKind kind, const char* name, Text title, Text help, bool isOptional) {
  FieldSchema field = textField(name, title, help, isOptional);
  field.path = kind;
  return field;
}

std::vector<const Json*> valuesByName(const SourceInput& input, const char* field,
                                      const std::vector<std::string>& names, Text what) {
  Diagnostics problems;
  std::vector<const Json*> values =
      byName(input.fields.at(field), std::string("/data/source/") + field, names, what, problems,
             input.untrained);
  requireNoProblem(problems);
  return values;
}

std::vector<std::string> pathsOf(const SourceInput& input, const char* field) {
  std::vector<std::string> paths;
  const Json& value = input.fields.at(field);
  if (value.is_string()) paths.push_back(pathOf(input, value));
  if (value.is_object())
    for (const Json& each : value)
      if (each.is_string()) paths.push_back(pathOf(input, each));
  return paths;
}

std::string pathOf(const SourceInput& input, const char* field) {
  return pathOf(input, input.fields.at(field));
}

std::string pathOf(const SourceInput& input, const Json& value) {
  if (!value.is_string()) return {};
  const std::filesystem::path path = value.get<std::string>();
  return path.is_absolute() ? path.string() : (std::filesystem::path(input.folder) / path).string();
}

std::string fileState(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw Error(ErrorCode::InvalidFile, path,
                "cannot be opened (" + std::generic_category().message(errno) +
                    "). Check the name and the permissions.");
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_ino) + " " +
         std::to_string(status.st_mtim.tv_sec) + "." + std::to_string(status.st_mtim.tv_nsec) +
         "\n";
}

static Schema makeDataSection() {
  Schema schema;
  schema.type = "data";
  schema.group = "Data";
  schema.help = STRATA_TEXT("data",
                            "How samples are selected and split into training, validation and test "
                            "sets, and how damaged samples are handled.");
  auto skip = dataField("skip", FieldType::Integer, "0", STRATA_TEXT("data", "Samples to skip"),
                        STRATA_TEXT("data", "Number of samples to skip at the beginning."));
  skip.minimum = 0;
  auto take = dataField(
      "take", FieldType::Integer, "null", STRATA_TEXT("data", "Samples to use"),
      STRATA_TEXT("data", "Number of samples to use after the skipped ones; by default all."));
  take.minimum = 1;
  auto seed = dataField("split_seed", FieldType::Integer, "null",
                        STRATA_TEXT("data", "Shuffle before splitting"),
                        STRATA_TEXT("data",
                                    "Seed for shuffling the samples once before they are split; by "
                                    "default their order is kept."));
  seed.minimum = 0;
  auto test = dataField("test_split", FieldType::Number, "0.0", STRATA_TEXT("data", "Test split"),
                        STRATA_TEXT("data",
                                    "Fraction of the samples to use as the test set, taken from "
                                    "the end; for sources without a test set."));
  auto validation = dataField("validation_split", FieldType::Number, "0.0",
                              STRATA_TEXT("data", "Validation split"),
                              STRATA_TEXT("data",
                                          "Fraction of the remaining samples to use for validation "
                                          "after each epoch, taken from the end."));
  for (FieldSchema* split : {&test, &validation}) {
    split->minimum = 0;
    split->maximum = 1;
    split->isMaximumExclusive = true;
  }
  const auto split =
      choiceField("split", "\"plain\"", {"plain", "stratified"}, STRATA_TEXT("data", "Split"),
                  STRATA_TEXT("data",
                              "plain: the last samples are for validation and test; stratified: "
                              "the last samples of each class, so that each part has the same "
                              "shares of the classes."));
  auto damaged =
      dataField("on_damaged", FieldType::Choice, "\"stop\"", STRATA_TEXT("data", "Damaged samples"),
                STRATA_TEXT("data",
                            "stop: report an error; skip: leave out damaged samples; replace: use "
                            "the nearest intact sample before each damaged one."));
  damaged.choices = {"stop", "skip", "replace"};
  schema.fields = {skip, take, seed, split, test, validation, damaged};
  return schema;
}

const Schema& dataSectionSchema() {
  static const Schema schema = makeDataSection();
  return schema;
}

}  // namespace strata
