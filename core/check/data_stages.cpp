// SPDX-License-Identifier: Apache-2.0
#include "core/check/data_stages.h"

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "core/data/batches_ahead.h"
#include "core/data/selection.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "core/recipe/options.h"
#include "gpu/base/bytes.h"

namespace strata {

namespace {

std::string transformNames(const Json& document) {
  std::string names;
  const Json& data = document.at("data");
  if (!data.contains("transforms") || !data["transforms"].is_array()) return names;
  for (const Json& each : data["transforms"])
    // Other checks report invalid entries.
    if (const Json object = typedObject(each); object.is_object())
      names += (names.empty() ? "" : ", ") + object["type"].get<std::string>();
  return names;
}

int64_t filledCells(const DatasetInfo& info) {
  int64_t cells = 0;
  if (info.dataset)
    for (const FilledColumn& each : info.dataset->filled)
      cells += each.cells;
  return cells;
}

/// Returns the columns with replaced cells and their numbers, such as "age 3/100, sex 1/100".
std::string filledColumns(const DatasetInfo& info) {
  constexpr size_t kMaxShown = 10;
  std::vector<std::string> shown;
  if (!info.dataset) return {};
  for (const FilledColumn& each : info.dataset->filled)
    if (shown.size() < kMaxShown)
      shown.push_back(excerpt(each.column, 60) + " " + std::to_string(each.cells) + "/" +
                      std::to_string(each.rows));
  if (info.dataset->filled.size() > kMaxShown) shown.emplace_back("...");
  return shown.empty() ? std::string() : joinedNames(shown);
}

Schema stageSchema(const char* type, Text help, std::vector<FieldSchema> fields) {
  Schema schema;
  schema.type = type;
  schema.group = "Stage";
  schema.help = help;
  schema.fields = std::move(fields);
  return schema;
}

Schema sourceSchema(std::string_view type) {
  for (const Schema* schema : sourceSchemas())
    if (schema->type == type) return *schema;
  return {};
}

FieldSchema fieldOf(const Schema& schema, const char* name) {
  const FieldSchema* field = schema.field(name);
  return field ? *field : FieldSchema{.name = name};
}

}  // namespace

std::vector<DataStage> dataStages(const CheckedProject& project) {
  const DatasetInfo& info = project.data();
  std::vector<DataStage> stages;
  const auto add = [&](const char* type, Text text, Arguments arguments,
                       std::vector<std::pair<std::string, double>> values) {
    stages.push_back({type, {text, std::move(arguments)}, std::move(values)});
  };
  const TrainingOptions& training = project.recipe();
  const Selection selection = selectionOf(project.project());
  const auto number = [](int64_t value) {
    return std::to_string(value);
  };
  const bool testsOnItself = info.source == "values" && selection.testSplit <= 0;
  const int64_t samples =
      info.trainCount + info.validationCount + (testsOnItself ? 0 : info.testCount);
  const int64_t dropped = info.dataset ? info.dataset->dropped : 0;
  // Element types and shapes of all inputs
  std::string type;
  for (const DataInput& input : info.inputs)
    type +=
        (type.empty() ? "" : ", ") + std::string(dtypeName(input.type)) + input.shape.toString();
  // The number of classes is shown only for a network with one output.
  int64_t classes = 0;
  if (info.targets.size() == 1) classes = info.targets[0].classes;
  const std::vector<std::pair<std::string, double>> sourceValues{
      {"samples", static_cast<double>(samples)},
      {"classes", static_cast<double>(classes)},
      {"damaged", static_cast<double>(info.damaged.size())},
      {"dropped", static_cast<double>(dropped)},
      {"filled", static_cast<double>(filledCells(info))}};
  const std::string filled = filledColumns(info);
  if (!filled.empty() && info.damaged.empty() && dropped == 0)
    add("source", STRATA_TEXT("stage", "%1: %2 samples of type %3; missing values replaced: %4"),
        {info.source, number(samples), type, filled}, sourceValues);
  else if (!filled.empty())
    add("source",
        STRATA_TEXT("stage",
                    "%1: %2 samples of type %3; %4 damaged, %5 dropped because of missing values; "
                    "missing values replaced: %6"),
        {info.source, number(samples), type, number(static_cast<int64_t>(info.damaged.size())),
         number(dropped), filled},
        sourceValues);
  else if (!info.damaged.empty() || dropped > 0)
    add("source",
        STRATA_TEXT("stage",
                    "%1: %2 samples of type %3; %4 damaged, %5 dropped because of missing values"),
        {info.source, number(samples), type, number(static_cast<int64_t>(info.damaged.size())),
         number(dropped)},
        sourceValues);
  else if (classes > 0)
    add("source", STRATA_TEXT("stage", "%1: %2 samples of type %3, %4 classes"),
        {info.source, number(samples), type, number(classes)}, sourceValues);
  else
    add("source", STRATA_TEXT("stage", "%1: %2 samples of type %3"),
        {info.source, number(samples), type}, sourceValues);

  if (!selection.isSlice())
    add("slice", STRATA_TEXT("stage", "all samples"), {}, {{"skip", 0}});
  else if (selection.take)
    add("slice", STRATA_TEXT("stage", "skips %1 samples, then takes %2"),
        {number(selection.skip), number(*selection.take)},
        {{"skip", static_cast<double>(selection.skip)},
         {"take", static_cast<double>(*selection.take)}});
  else
    add("slice", STRATA_TEXT("stage", "skips %1 samples"), {number(selection.skip)},
        {{"skip", static_cast<double>(selection.skip)}});

  const std::vector<std::string> parts{number(info.trainCount), number(info.validationCount),
                                       number(info.testCount)};
  const std::vector<std::pair<std::string, double>> splitValues{
      {"train", static_cast<double>(info.trainCount)},
      {"validation", static_cast<double>(info.validationCount)},
      {"test", static_cast<double>(info.testCount)}};
  std::string folders;
  if (info.dataset)
    for (const std::string& folder : info.dataset->splitFolders)
      folders += (folders.empty() ? "" : ", ") + std::filesystem::path(folder).filename().string();
  if (!folders.empty())
    add("split",
        STRATA_TEXT("stage",
                    "%1 for training, %2 for validation, %3 for testing; folders used: %4"),
        {parts[0], parts[1], parts[2], folders}, splitValues);
  else if (selection.isStratified && selection.splitSeed)
    add("split",
        STRATA_TEXT("stage",
                    "%1 for training, %2 for validation, %3 for testing, with equal shares of the "
                    "classes; shuffled with seed %4"),
        {parts[0], parts[1], parts[2], number(static_cast<int64_t>(*selection.splitSeed))},
        splitValues);
  else if (selection.isStratified)
    add("split",
        STRATA_TEXT("stage",
                    "%1 for training, %2 for validation, %3 for testing, with equal shares of the "
                    "classes; in the order of the source"),
        {parts.begin(), parts.end()}, splitValues);
  else if (selection.splitSeed)
    add("split",
        STRATA_TEXT("stage",
                    "%1 for training, %2 for validation, %3 for testing; shuffled with seed %4"),
        {parts[0], parts[1], parts[2], number(static_cast<int64_t>(*selection.splitSeed))},
        splitValues);
  else
    add("split",
        STRATA_TEXT(
            "stage",
            "%1 for training, %2 for validation, %3 for testing; in the order of the source"),
        {parts.begin(), parts.end()}, splitValues);

  const double bytes = info.bytes();
  if (info.isDecodedForBatches())
    add("cache",
        STRATA_TEXT("stage",
                    "none: samples are decoded for each batch; all samples would need %1, and %2 "
                    "is kept in memory"),
        {bytesText(info.decodedBytes()), bytesText(bytes)},
        {{"bytes", bytes}, {"decoded_bytes", info.decodedBytes()}});
  else
    add("cache", STRATA_TEXT("stage", "all samples are decoded once and use %1 of memory"),
        {bytesText(bytes)}, {{"bytes", bytes}});

  if (training.isShuffled)
    add("shuffle", STRATA_TEXT("stage", "%1 training samples, shuffled in each epoch with seed %2"),
        {parts[0], number(static_cast<int64_t>(training.seed))},
        {{"samples", static_cast<double>(info.trainCount)}});
  else
    add("shuffle", STRATA_TEXT("stage", "off: every epoch uses the same order"), {},
        {{"samples", 0}});

  const int64_t batch = std::max<int64_t>(1, std::min(training.batchSize, info.trainCount));
  const int64_t steps = batchesIn(info.trainCount, batch),
                last = info.trainCount - (steps - 1) * batch;
  const int64_t perEpoch = training.stepsPerEpoch.value_or(steps);
  const std::vector<std::pair<std::string, double>> batchValues{
      {"batch_size", static_cast<double>(batch)},
      {"steps_per_epoch", static_cast<double>(perEpoch)},
      {"last", static_cast<double>(last)}};
  if (perEpoch != steps)
    add("batch",
        STRATA_TEXT("stage",
                    "%1 samples per step; all samples take %2 steps, and an epoch has %3 steps"),
        {number(batch), number(steps), number(perEpoch)}, batchValues);
  else if (last == batch)
    add("batch", STRATA_TEXT("stage", "%1 samples per step, %2 steps per epoch"),
        {number(batch), number(steps)}, batchValues);
  else
    add("batch",
        STRATA_TEXT("stage",
                    "%1 samples per step, %2 steps per epoch; %3 samples in the last step"),
        {number(batch), number(steps), number(last)}, batchValues);

  const std::string names = transformNames(project.project().document());
  if (names.empty())
    add("map", STRATA_TEXT("stage", "none: values are not changed"), {}, {});
  else
    add("map", STRATA_TEXT("stage", "%1, applied while a batch is assembled"), {names}, {});

  const BatchesAhead ahead = batchesAhead(info, batch, training.accumulationSteps);
  const auto batches = static_cast<double>(ahead.batches);
  if (ahead.decodedBytes > 0)
    add("prefetch",
        STRATA_TEXT("stage", "batches ahead: %1, decoded while a step runs; memory used: %2"),
        {number(ahead.batches), bytesText(ahead.decodedBytes)},
        {{"batches", batches}, {"bytes", ahead.decodedBytes}});
  else if (ahead.batches > 1)
    add("prefetch",
        STRATA_TEXT("stage", "%1 batches are assembled ahead at a time and use %2 of memory"),
        {number(ahead.batches), bytesText(ahead.batchBytes * batches)},
        {{"batches", batches}, {"bytes", ahead.batchBytes * batches}});
  else
    add("prefetch",
        STRATA_TEXT("stage", "none: each batch (%1) is assembled when its step needs it"),
        {bytesText(ahead.batchBytes)}, {{"batches", 1}, {"bytes", ahead.batchBytes}});
  return stages;
}

std::vector<Schema> dataStageSchemas() {
  const Schema &data = dataSectionSchema(), &training = trainingSchema();
  return {
      stageSchema(
          "slice",
          STRATA_TEXT(
              "stage",
              "Skips the first samples and limits how many of the rest are used. Set in data."),
          {fieldOf(data, "skip"), fieldOf(data, "take")}),
      stageSchema("split",
                  STRATA_TEXT("stage",
                              "Reserves the last samples for testing, and the last of the "
                              "remaining samples for validation. Set in data."),
                  {fieldOf(data, "split_seed"), fieldOf(data, "split"), fieldOf(data, "test_split"),
                   fieldOf(data, "validation_split")}),
      stageSchema(
          "cache",
          STRATA_TEXT(
              "stage",
              "Keeps all decoded samples in memory (images as bytes), so that files are read once. "
              "Image folders that do not fit are decoded batch by batch. Set in the source."),
          {fieldOf(sourceSchema("image_folder"), "cache")}),
      stageSchema(
          "shuffle",
          STRATA_TEXT(
              "stage",
              "Shuffles the training samples in each epoch, based on the seed. Set in training."),
          {fieldOf(training, "shuffle"), fieldOf(training, "seed")}),
      stageSchema("batch",
                  STRATA_TEXT("stage",
                              "Groups samples into batches, one for each update. Set in training."),
                  {fieldOf(training, "batch_size")}),
      stageSchema(
          "map",
          STRATA_TEXT(
              "stage",
              "Transforms each sample when it is added to a batch. Set in transforms of data."),
          {}),
      stageSchema("prefetch",
                  STRATA_TEXT("stage",
                              "Prepares batches before their steps need them. Several small "
                              "batches are assembled at a time. Samples that are not kept in "
                              "memory are decoded during the step before. Automatic."),
                  {})};
}

}  // namespace strata
