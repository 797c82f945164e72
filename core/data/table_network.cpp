// SPDX-License-Identifier: Apache-2.0
#include "core/data/table_network.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/source.h"
#include "core/data/table_edits.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

using Column = ColumnDescription;

constexpr int64_t kMaxClasses = 1000;
// Whole numbers with more different values are measured values.
constexpr int64_t kMaxNumberedClasses = 10;
constexpr int64_t kBatch = 32;

/// What a network predicts.
struct TableTask {
  enum class Kind : uint8_t { TwoClasses, Classes, Values };
  Kind kind = Kind::Values;
  // Number of classes, or of label columns with values
  int64_t outputs = 1;
};

std::vector<const Column*> labelsOf(const TableDescription& table) {
  std::vector<const Column*> labels;
  for (const Column& column : table.columns)
    if (column.role == Column::Role::Label) labels.push_back(&column);
  return labels;
}

/// Returns what a network can predict from this table, the most likely task first.
std::vector<TableTask> tasksFor(const TableDescription& table) {
  using Kind = TableTask::Kind;
  const std::vector<const Column*> labels = labelsOf(table);
  const bool areNumbers =
      std::all_of(labels.begin(), labels.end(), [](const Column* each) { return each->numbers; });
  if (labels.empty() || (labels.size() > 1 && !areNumbers)) return {};
  if (labels.size() > 1) return {{Kind::Values, std::ssize(labels)}};
  const Column& label = *labels[0];
  const auto classes = [](int64_t count) {
    return TableTask{count == 2 ? Kind::TwoClasses : Kind::Classes, count};
  };
  if (label.kind == Column::Kind::Category) {
    // With a different word in most rows, the column is a name and not a class.
    const bool isClass = label.categories >= 2 && label.categories <= kMaxClasses &&
                         2 * label.categories <= table.rows + 2;
    return isClass ? std::vector<TableTask>{classes(label.categories)} : std::vector<TableTask>{};
  }
  if (!label.numbers || label.numbers->distinct < 2) return {};
  const Column::Numbers& numbers = *label.numbers;
  if (!numbers.isWhole) return {{Kind::Values, 1}};
  if (numbers.distinct == 2) return {classes(2)};
  const bool hasFew =
      numbers.distinct <= kMaxNumberedClasses &&
      numbers.maximum - numbers.minimum == static_cast<double>(numbers.distinct - 1);
  if (hasFew) return {classes(numbers.distinct), {Kind::Values, 1}};
  return {{Kind::Values, 1}};
}

/// Returns the number with two digits, such as 83000 for 83217.
double rounded(double value) {
  char digits[32];
  std::snprintf(digits, sizeof digits, "%.1e", value);
  return std::strtod(digits, nullptr);
}

Json denseLayer(const char* name, int64_t units, const char* activation) {
  return {{"type", "Dense"}, {"name", name}, {"units", units}, {"activation", activation}};
}

/// Returns the layer that converts the outputs to the scale of the labels, or null if they have
/// nearly this scale. Without it, the weights would have to become as large as the labels.
Json labelScale(const TableDescription& table) {
  constexpr double kNear = 3;
  Json scales = Json::array(), offsets = Json::array();
  bool isNeeded = false;
  for (const Column* label : labelsOf(table)) {
    const Column::Numbers& numbers = *label->numbers;
    const double scale = numbers.deviation > 0 ? rounded(numbers.deviation) : 1.0,
                 offset = rounded(numbers.mean);
    isNeeded = isNeeded || scale > kNear || scale < 1 / kNear || std::abs(offset) > kNear;
    scales.push_back(scale);
    offsets.push_back(offset);
  }
  if (!isNeeded) return {};
  const auto numberOrList = [](const Json& list) {
    return list.size() == 1 ? list[0] : list;
  };
  return {{"type", "Rescaling"},
          {"name", "label_scale"},
          {"scale", numberOrList(scales)},
          {"offset", numberOrList(offsets)}};
}

Json layersFor(const TableTask& task, const TableDescription& table, int64_t width) {
  Json layers = Json::array({Json{{"type", "Input"}, {"name", "columns"}, {"shape", {width}}},
                             denseLayer("hidden1", 32, "relu"), denseLayer("hidden2", 16, "relu")});
  switch (task.kind) {
    case TableTask::Kind::TwoClasses: layers.push_back(denseLayer("output", 1, "sigmoid")); break;
    case TableTask::Kind::Classes:
      layers.push_back(denseLayer("output", task.outputs, "softmax"));
      break;
    case TableTask::Kind::Values:
      layers.push_back(denseLayer("output", task.outputs, "linear"));
      if (Json scale = labelScale(table); !scale.is_null()) layers.push_back(std::move(scale));
      break;
  }
  return layers;
}

/// Returns the optimizer. Gradients are proportional to the squared scale of the labels, and must
/// be larger than epsilon.
Json optimizerFor(const TableTask& task, const TableDescription& table) {
  constexpr double kRate = 0.003, kEpsilon = 1e-7, kSmallScale = 0.01, kMinScale = 1e-9;
  Json optimizer{{"type", "adam"}, {"learning_rate", kRate}};
  if (task.kind != TableTask::Kind::Values) return optimizer;
  double scale = 1;
  for (const Column* label : labelsOf(table))
    if (label->numbers->deviation > 0) scale = std::min(scale, label->numbers->deviation);
  scale = std::max(scale, kMinScale);
  if (scale < kSmallScale) optimizer["epsilon"] = rounded(kEpsilon * scale * scale);
  return optimizer;
}

/// Returns the options of training. Small tables have more epochs, so that all have some thousand
/// updates. Validation ends the training before that.
Json trainingFor(const TableTask& task, const TableDescription& table, int64_t validation,
                 const Json& former) {
  constexpr int64_t kUpdates = 4000, kMinEpochs = 5, kMaxEpochs = 200, kPatience = 20;
  const int64_t steps = std::max<int64_t>(1, table.rows / kBatch),
                epochs = std::clamp(kUpdates / steps, kMinEpochs, kMaxEpochs);
  const bool isValues = task.kind == TableTask::Kind::Values;
  const char* loss = "sparse_categorical_crossentropy";
  if (isValues) loss = "mean_squared_error";
  if (task.kind == TableTask::Kind::TwoClasses) loss = "binary_crossentropy";
  const Json& seed = memberOf(former, "seed");
  Json training{{"loss", {{"type", loss}}},
                {"optimizer", optimizerFor(task, table)},
                {"metrics", Json::array({isValues ? "mean_absolute_error" : "accuracy"})},
                {"batch_size", kBatch},
                {"epochs", epochs},
                {"seed", seed.is_number() ? seed : Json(1)}};
  if (validation > 0)
    training["callbacks"] = Json::array({Json{{"type", "EarlyStopping"},
                                              {"patience", std::min(kPatience, epochs)},
                                              {"restore_best_weights", true}}});
  if (!isValues && memberOf(former, "class_weight") == "balanced")
    training["class_weight"] = "balanced";
  return training;
}

/// Returns the transforms without those of other inputs and outputs.
Json transformsFor(const Json& data) {
  Json kept = Json::array();
  if (const Json& transforms = memberOf(data, "transforms"); transforms.is_array())
    for (const Json& each : transforms) {
      const Json object = typedObject(each);
      if (object.is_null() || object["type"] == "one_hot" || !memberOf(object, "input").is_null())
        continue;
      kept.push_back(each);
    }
  if (kept.empty()) kept.push_back(Json{{"type", "standardize"}});
  return kept;
}

/// Describes the samples that a project would have if no cell were missing.
DatasetInfo describeComplete(const Project& project, const TableTask& task) {
  Project complete = project;
  Json& data = complete.document()["data"];
  if (!data["source"].contains("missing") || data["source"]["missing"] == "error")
    data["source"]["missing"] = "mean";
  data["on_damaged"] = "skip";
  DataNeeds needs;
  WantedTarget target;
  target.isSparseTarget = task.kind == TableTask::Kind::Classes;
  if (task.kind == TableTask::Kind::TwoClasses) target.loss = "binary_crossentropy";
  if (task.kind == TableTask::Kind::Values) target.loss = "mean_squared_error";
  needs.targets.push_back(target);
  Diagnostics ignored;
  return describeDataset(complete, needs, ignored);
}

/// Returns the number of values that a row becomes if the samples are not known.
int64_t widthOf(const TableDescription& table, const Json& source) {
  const bool isOneHot = memberOf(source, "categories") != "integer";
  int64_t width = 0;
  for (const Column& column : table.columns)
    if (column.role == Column::Role::Input)
      width += column.kind == Column::Kind::Category && isOneHot ? column.categories : 1;
  return std::max<int64_t>(1, width);
}

Fix networkFix(const TableTask& task, const TableDescription& table, ProjectEdit edit) {
  std::string names;
  for (const Column* label : labelsOf(table))
    names += (names.empty() ? "" : ", ") + excerpt(label->name, 40);
  edit.name = STRATA_TEXT("edit", "Build a network that predicts %1");
  edit.arguments = {names};
  if (task.kind == TableTask::Kind::Values)
    return {STRATA_TEXT("data", "Build a network that predicts %1 as a number"), {names}, edit};
  return {STRATA_TEXT("data", "Build a network that predicts %1 (%2 classes)"),
          {names, std::to_string(task.outputs)},
          std::move(edit)};
}

Fix networkFor(const TableTask& task, const Project& project, const TableDescription& table) {
  const Json& document = project.document();
  const Json& data = memberOf(document, "data");
  Project changed = project;
  ProjectEdit edit;
  const auto add = [&](const EditOperation& operation) {
    applyEdit(changed.document(), {{}, {}, {operation}, {}});
    edit.operations.push_back(operation);
  };
  if (const Json transforms = transformsFor(data); transforms != memberOf(data, "transforms"))
    add(setOperation("/data/transforms", transforms));
  const bool isStratified = memberOf(data, "split") == "stratified",
             isClasses = task.kind != TableTask::Kind::Values;
  if (isClasses && !isStratified) add(setOperation("/data/split", "stratified"));
  if (!isClasses && isStratified) add(removeOperation("/data/split"));
  const DatasetInfo info = describeComplete(changed, task);
  const Json& source = memberOf(data, "source");
  TableTask exact = task;
  int64_t width = widthOf(table, source), validation = table.rows / 5;
  if (info.isKnown) {
    width = info.inputs[0].shape.numElements();
    validation = info.validationCount;
    if (task.kind == TableTask::Kind::Classes && info.targets[0].classes > 1)
      exact.outputs = info.targets[0].classes;
  }
  add(setOperation("/model", {{"layers", layersFor(exact, table, width)}}));
  add(setOperation("/training",
                   trainingFor(exact, table, validation, memberOf(document, "training"))));
  // These algorithms belong to layers of the former network.
  if (!memberOf(memberOf(document, "execution"), "algorithms").is_null())
    add(removeOperation("/execution/algorithms"));
  return networkFix(exact, table, std::move(edit));
}

}  // namespace

std::vector<Fix> networkFixes(const Project& project, const TableDescription& table) {
  std::vector<Fix> fixes;
  if (!canSetRoles(project.document())) return fixes;
  for (const TableTask& task : tasksFor(table))
    fixes.push_back(networkFor(task, project, table));
  return fixes;
}

ProjectEdit useTableEdit(const Project& project, const std::string& path, size_t limitBytes) {
  const std::string folder = std::filesystem::path(project.path()).parent_path().string();
  const std::string file = (std::filesystem::path(folder) / path).string();
  const std::vector<std::string> columns = columnNames(file, limitBytes);
  ProjectEdit edit = chooseTableEdit(project.document(), path, columns);
  const Json& layers = memberOf(memberOf(project.document(), "model"), "layers");
  if (columns.empty() || (layers.is_array() && !layers.empty())) return edit;
  try {
    Project changed = project;
    applyEdit(changed.document(), edit);
    const TableDescription table =
        describeTable(changed.document().at("data").at("source"), folder);
    if (const std::vector<Fix> networks = networkFixes(changed, table); !networks.empty())
      for (const EditOperation& operation : networks[0].edit.operations)
        edit.operations.push_back(operation);
  }
  catch (const Error&) {
    // The check of the project reports why the table cannot be read.
  }
  return edit;
}

}  // namespace strata
