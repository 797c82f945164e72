// SPDX-License-Identifier: Apache-2.0
#include "core/data/table_edits.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/data/csv_fields.h"
#include "core/data/likely_label.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

using Role = ColumnDescription::Role;

// The part of a new table that is used for validation
constexpr double kValidationSplit = 0.2;

/// The fields of a table that contain names of columns
constexpr const char* kNameFields[] = {"label",       "columns", "ignore",
                                       "categorical", "numeric", kSampleWeights};
/// The fields of a table that do not depend on its file
constexpr const char* kTreatments[] = {"missing", "missing_value", "categories"};

bool readsImages(const std::string& source) {
  return source == "mnist" || source == "idx" || source == "cifar" || source == "image_folder";
}

std::string typeOfSource(const Json& project) {
  const Json source = typedObject(memberOf(memberOf(project, "data"), "source"));
  return source.is_null() ? std::string() : source["type"].get<std::string>();
}

bool isIn(const std::vector<std::string>& list, const std::string& name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

/// Collects the operations of an edit. Values that would not change are left out.
class EditBuilder {
 public:
  explicit EditBuilder(const Json& project) : m_project(project) {}
  void set(const std::string& pointer, const Json& value) {
    const Json* const now = valueAt(pointer);
    if (!now || *now != value) m_operations.push_back(setOperation(pointer, value));
  }
  void remove(const std::string& pointer) {
    if (valueAt(pointer)) m_operations.push_back(removeOperation(pointer));
  }
  ProjectEdit finish(const Text& name, Arguments arguments) {
    return {name, std::move(arguments), std::move(m_operations), {}};
  }

 private:
  const Json* valueAt(const std::string& pointer) const {
    const Json::json_pointer place(pointer);
    return m_project.contains(place) ? &m_project.at(place) : nullptr;
  }

  const Json& m_project;
  std::vector<EditOperation> m_operations;
};

/// Removes what describes the former samples and classes, apart from the source and transforms.
void removeFormerData(const Json& project, EditBuilder& edit) {
  for (const char* field : {"skip", "take", "split", "on_damaged"})
    edit.remove(std::string("/data/") + field);
  const Json& training = memberOf(project, "training");
  if (const Json& weights = memberOf(training, "class_weight"); !weights.is_string())
    edit.remove("/training/class_weight");
  edit.remove("/training/loss/ignore_class");
  const Json& loss = memberOf(training, "loss");
  if (!loss.is_object() || loss.contains("type")) return;
  for (const auto& [output, each] : loss.items())
    edit.remove("/training/loss/" + escapedKey(output) + "/ignore_class");
}

/// Returns the transforms of a table that also fit another table.
Json keptTransforms(const Json& transforms) {
  Json kept = Json::array();
  if (!transforms.is_array()) return kept;
  for (const Json& each : transforms) {
    const Json object = typedObject(each);
    const std::string type = object.is_null() ? "" : object["type"].get<std::string>();
    if (type == "standardize" || type == "min_max" || type == "log1p") kept.push_back(each);
    if (type == "one_hot" && memberOf(object, "classes").is_null()) kept.push_back(each);
  }
  return kept;
}

/// Returns the part of a field with names of columns that applies to a table with these columns, or
/// null.
Json keptNames(const Json& value, const std::vector<std::string>& columns) {
  if (value.is_string()) return isIn(columns, value.get<std::string>()) ? value : Json();
  if (value.is_array()) {
    Json kept = Json::array();
    for (const Json& name : value)
      if (name.is_string() && isIn(columns, name.get<std::string>())) kept.push_back(name);
    return kept.empty() ? Json() : kept;
  }
  if (!value.is_object()) return {};
  for (const Json& each : value)
    if (keptNames(each, columns) != each) return {};
  return value;
}

/// Returns the source for the table at `path`.
Json tableSource(const Json& former, const std::string& path,
                 const std::vector<std::string>& columns) {
  Json source{{"type", "csv"}};
  if (!path.empty()) source["path"] = path;
  if (memberOf(former, "type") != "csv") {
    if (const std::string label = likelyLabel(columns); !label.empty()) source["label"] = label;
    return source;
  }
  for (const char* field : kNameFields)
    if (Json kept = keptNames(memberOf(former, field), columns); !kept.is_null())
      source[field] = std::move(kept);
  for (const char* field : kTreatments)
    if (former.contains(field)) source[field] = former[field];
  return source;
}

/// The roles as the fields of a source give them.
struct WrittenRoles {
  std::vector<std::string> labels, columns, ignored;
  std::string weight;

  explicit WrittenRoles(const Json& source)
      : labels(namesOf(memberOf(source, "label"))),
        columns(namesOf(memberOf(source, "columns"))),
        ignored(namesOf(memberOf(source, "ignore"))) {
    const std::vector<std::string> weights = namesOf(memberOf(source, kSampleWeights));
    if (!weights.empty()) weight = weights[0];
  }
};

/// Writes a list of names as the field does: a single label is a string, and an empty list is left
/// out.
void writeNames(EditBuilder& edit, const std::string& field,
                const std::vector<std::string>& names) {
  const std::string pointer = "/data/source/" + field;
  if (names.empty())
    edit.remove(pointer);
  else if (field == "label" && names.size() == 1)
    edit.set(pointer, names[0]);
  else
    edit.set(pointer, names);
}

std::vector<std::string> namesWithRole(const TableDescription& table, Role role) {
  std::vector<std::string> names;
  for (const ColumnDescription& each : table.columns)
    if (each.role == role) names.push_back(each.name);
  return names;
}

Fix missingFix(const Text& label, Arguments arguments, const char* policy) {
  return {label,
          std::move(arguments),
          {STRATA_TEXT("edit", "Set %1"),
           {"missing"},
           {setOperation("/data/source/missing", policy)},
           {}}};
}

}  // namespace

ProjectEdit changeSourceEdit(const Json& project, const Json& source) {
  const Json object = typedObject(source);
  const std::string type = object.is_null() ? std::string() : object["type"].get<std::string>(),
                    former = typeOfSource(project);
  if (type == "csv") {
    const Json& path = memberOf(object, "path");
    return chooseTableEdit(project, path.is_string() ? path.get<std::string>() : std::string());
  }
  EditBuilder edit(project);
  edit.set("/data/source", source);
  if (type != former) {
    removeFormerData(project, edit);
    if (readsImages(type) && !readsImages(former))
      edit.set("/data/transforms", Json::array({Json{{"type", "rescale"}}}));
    else if (!readsImages(type))
      edit.remove("/data/transforms");
  }
  return edit.finish(STRATA_TEXT("edit", "Set source to %1"), {type});
}

ProjectEdit chooseTableEdit(const Json& project, const std::string& path,
                            const std::vector<std::string>& columns) {
  const Json& data = memberOf(project, "data");
  const bool wasTable = typeOfSource(project) == "csv";
  EditBuilder edit(project);
  edit.set("/data/source", tableSource(memberOf(data, "source"), path, columns));
  removeFormerData(project, edit);
  const Json kept = wasTable ? keptTransforms(memberOf(data, "transforms")) : Json::array();
  edit.set("/data/transforms", kept.empty() ? Json::array({Json{{"type", "standardize"}}}) : kept);
  const Json& split = memberOf(data, "validation_split");
  const bool hasSplit = split.is_number() && split.get<double>() > 0;
  if (!wasTable || !hasSplit) edit.set("/data/validation_split", kValidationSplit);
  // Without a shuffle, a table that is sorted by its label would be validated on one class.
  if (!memberOf(data, "split_seed").is_number()) edit.set("/data/split_seed", 1);
  const std::string file = std::filesystem::path(path).filename().string();
  if (file.empty()) return edit.finish(STRATA_TEXT("edit", "Set source to %1"), {"csv"});
  return edit.finish(STRATA_TEXT("edit", "Use the table %1"), {excerpt(file, 60)});
}

std::vector<std::string> columnNames(const std::string& path, size_t limitBytes) {
  std::error_code failure;
  const std::filesystem::path file(path);
  if (!std::filesystem::is_regular_file(file, failure)) return {};
  const uintmax_t bytes = std::filesystem::file_size(file, failure);
  if (failure || bytes > limitBytes) return {};
  try {
    return CsvTable(path, {}).columns();
  }
  catch (const Error&) {
    // The description of the table reports why it cannot be read.
    return {};
  }
}

bool canSetRoles(const Json& project) {
  const Json& source = memberOf(memberOf(project, "data"), "source");
  const char* const fields[] = {"label", "columns", kSampleWeights};
  return memberOf(source, "type") == "csv" &&
         std::none_of(std::begin(fields), std::end(fields),
                      [&](const char* field) { return memberOf(source, field).is_object(); });
}

ProjectEdit setRoleEdit(const Json& project, const TableDescription& table,
                        const std::string& column, Role role) {
  const auto found = std::find_if(table.columns.begin(), table.columns.end(),
                                  [&](const auto& each) { return each.name == column; });
  if (found == table.columns.end() || !canSetRoles(project)) return {};
  const std::vector<std::string> shown = namesWithRole(table, Role::Label);
  const bool isOnlyLabel = shown.size() == 1 && shown[0] == column;
  if ((found->role == role && !found->isLabelGuessed) || (isOnlyLabel && role != Role::Label))
    return {};
  const Json& source = memberOf(memberOf(project, "data"), "source");
  WrittenRoles roles(source);
  for (auto* names : {&roles.labels, &roles.ignored})
    std::erase(*names, column);
  if (roles.weight == column) roles.weight.clear();
  if (role == Role::Input) {
    if (!roles.columns.empty() && !isIn(roles.columns, column)) roles.columns.push_back(column);
  }
  else {
    std::erase(roles.columns, column);
  }
  if (role == Role::Ignored) roles.ignored.push_back(column);
  if (role == Role::Weight) {
    if (!roles.weight.empty() && !roles.columns.empty() && !isIn(roles.columns, roles.weight))
      roles.columns.push_back(roles.weight);
    roles.weight = column;
  }
  if (role == Role::Label) {
    // A former label becomes an input, which a list of inputs has to name.
    const bool isList = memberOf(source, "label").is_array() && roles.labels.size() > 1;
    if (!isList) {
      for (const std::string& former : shown)
        if (former != column && !roles.columns.empty() && !isIn(roles.columns, former))
          roles.columns.push_back(former);
      roles.labels.clear();
    }
    roles.labels.push_back(column);
  }
  EditBuilder edit(project);
  writeNames(edit, "label", roles.labels);
  writeNames(edit, "columns", roles.columns);
  writeNames(edit, "ignore", roles.ignored);
  const std::string weights = std::string("/data/source/") + kSampleWeights;
  if (roles.weight.empty())
    edit.remove(weights);
  else
    edit.set(weights, roles.weight);
  return edit.finish(STRATA_TEXT("edit", "Set the role of %1"), {excerpt(column, 60)});
}

std::vector<Fix> missingFixes(const Json& project, const TableDescription& table) {
  const Json& source = memberOf(memberOf(project, "data"), "source");
  const Json& policy = memberOf(source, "missing");
  const bool isError = policy.is_null() || policy == "error";
  if (policy == "drop" || table.incomplete == 0) return {};
  std::vector<Fix> fixes;
  int64_t cells = 0, inNumbers = 0;
  for (const ColumnDescription& each : table.columns) {
    if (each.role != Role::Input) continue;
    cells += each.missing;
    if (each.kind != ColumnDescription::Kind::Category) inNumbers += each.missing;
  }
  if (isError && cells > 0 && table.unlabeled == 0) {
    const Argument count(std::to_string(cells));
    if (inNumbers > 0) {
      fixes.push_back(
          missingFix(STRATA_TEXT("data", "Fill missing cells with the mean of the column (%1)"),
                     {count}, "mean"));
      fixes.push_back(
          missingFix(STRATA_TEXT("data", "Fill missing cells with the median of the column (%1)"),
                     {count}, "median"));
    }
    else {
      fixes.push_back(missingFix(
          STRATA_TEXT("data", "Fill missing cells with the most frequent word of the column (%1)"),
          {count}, "mean"));
    }
  }
  if (isError || table.unlabeled > 0)
    fixes.push_back(missingFix(STRATA_TEXT("data", "Drop rows with missing cells (%1 of %2)"),
                               {std::to_string(table.incomplete), std::to_string(table.rows)},
                               "drop"));
  return fixes;
}

}  // namespace strata
