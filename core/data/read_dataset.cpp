// SPDX-License-Identifier: Apache-2.0
#include "core/data/read_dataset.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/data/data_problems.h"
#include "core/data/selection.h"
#include "core/data/source.h"
#include "core/data/transforms.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

[[noreturn]] void failWith(const Diagnostic& problem) {
  throw Error(ErrorCode::InvalidProject, problem.field, problem.sentence());
}

/// Returns the highest label except the ignored one, or -1 if there is no label.
int32_t highestLabel(const Samples* train, const Samples* test, size_t target,
                     std::optional<int32_t> ignored = {}) {
  int32_t highest = -1;
  for (const Samples* samples : {train, test})
    for (const int32_t label : samples->y[target].as<int32_t>())
      if (label != ignored) highest = std::max(highest, label);
  return highest;
}

/// Returns the length of a one-hot target. `wanted` is the number of classes in the project, or 0
/// to determine it from the labels. Fails: InvalidProject.
int64_t oneHotSize(int64_t wanted, const LoadedSamples& loaded, size_t target) {
  if (!loaded.targets[target].hasLabels || loaded.train->y[target].dtype() != DType::I32)
    failWith(wrongOneHot(0, wanted));
  const int64_t classes =
      std::max<int64_t>(static_cast<int64_t>(loaded.targets[target].classNames.size()),
                        int64_t{highestLabel(loaded.train.get(), loaded.test.get(), target)} + 1);
  if (wanted > 0 && wanted < classes) failWith(wrongOneHot(classes, wanted));
  return wanted > 0 ? wanted : classes;
}

/// Applies the part of the selection that the source has not applied: skip, take and the splits.
/// Returns the number of training samples.
int64_t applySelection(LoadedSamples& loaded, const Selection& selection) {
  if (loaded.isSplit) return loaded.trainCount;
  const bool isSliced = loaded.isSliced || !selection.isSlice();
  Selection applied = selection;
  if (loaded.ownValidation > 0) applied.validationSplit = 0;
  const int64_t count = loaded.train->count() - loaded.ownValidation;
  // Without a shuffle, a test split and classes, the samples keep their order and need not be
  // copied.
  const bool keepsOrder = !applied.splitSeed && !applied.isStratified;
  if (isSliced && keepsOrder && applied.testSplit <= 0)
    return trainingShare(count, applied.validationSplit);
  std::vector<int32_t> classes;
  if (applied.isStratified) {
    classes = classLabels(*loaded.train, 0);
    if (classes.empty()) failWith(noClassesToSplit());
    classes.resize(static_cast<size_t>(count));
  }
  SplitPlan plan = planSplits(applied, count, isSliced, classes);
  for (int64_t i = 0; i < loaded.ownValidation; ++i)
    plan.train.push_back(static_cast<int32_t>(count + i));
  const bool testsOnItself = loaded.test == loaded.train;
  const auto all = loaded.train;
  loaded.train = selectSamples(all, plan.train);
  if (selection.testSplit > 0)
    loaded.test = selectSamples(all, plan.test);
  else if (testsOnItself)
    loaded.test = loaded.train;
  return plan.trainCount;
}

/// Applies the transform one_hot to the targets that have it.
void convertToOneHot(LoadedSamples& loaded, const ParsedData& data, const SourceInput& input) {
  for (size_t i = 0; i < loaded.targets.size(); ++i) {
    const int64_t wanted = data.transforms.oneHotTargets(input.targets[i].name);
    if (wanted < 0) continue;
    const bool isSame = loaded.test == loaded.train;
    const int64_t classes = oneHotSize(wanted, loaded, i);
    loaded.train = withOneHotTargets(*loaded.train, i, classes);
    loaded.test = isSame ? loaded.train : withOneHotTargets(*loaded.test, i, classes);
    loaded.targets[i].hasLabels = false;
  }
}

/// Loads the samples of the source, applies the selection and the target transforms, and fits the
/// input transforms. Lists damaged samples, whatever the policy for them is.
std::shared_ptr<Dataset> assembleDataset(const ParsedData& data, const SourceInput& input) {
  LoadedSamples loaded = data.source->load(input);
  auto dataset = std::make_shared<Dataset>();
  if (loaded.train->count() > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::InvalidProject, "/data/source",
                "too many samples (expected at most 2147483647, got " +
                    std::to_string(loaded.train->count()) + "). Use a part of them.");
  const bool hasOwnTest = loaded.test && loaded.test != loaded.train && !loaded.isSplit;
  if (hasOwnTest && input.selection.testSplit > 0) failWith(ownTestSet(loaded.test->count()));
  dataset->trainCount = applySelection(loaded, input.selection);
  if (!loaded.test) loaded.test = selectSamples(loaded.train, {});
  dataset->validationCount = loaded.train->count() - dataset->trainCount;
  if (dataset->trainCount < 1)
    failWith(noSampleToTrainOn(loaded.train->count() + loaded.test->count(), input.selection));
  convertToOneHot(loaded, data, input);
  dataset->train = std::move(loaded.train);
  dataset->test = std::move(loaded.test);
  dataset->inputs.clear();
  for (size_t i = 0; i < input.inputs.size(); ++i) {
    const Tensor& x = dataset->train->x[i];
    dataset->inputs.push_back({x.shape().without(0), x.dtype(), 0, loaded.largest});
    dataset->transforms.push_back(fitTransforms(data.transforms, input.inputs[i],
                                                dataset->train.get(), i, dataset->trainCount,
                                                dataset->inputs[i]));
    reportScale(data.transforms, input.inputs[i], loaded.largest, loaded.notes);
  }
  if (loaded.ownValidation > 0 && input.selection.validationSplit > 0)
    loaded.notes.push_back(ownValidationSet(loaded.ownValidation));
  dataset->isShuffled = input.selection.splitSeed.has_value();
  dataset->isStratified = input.selection.isStratified;
  dataset->isTestSplit = input.selection.testSplit > 0;
  dataset->splitFolders = std::move(loaded.splitFolders);
  dataset->hasOwnValidation = loaded.ownValidation > 0;
  dataset->targets = std::move(loaded.targets);
  for (size_t i = 0; i < dataset->targets.size(); ++i) {
    DataTarget& target = dataset->targets[i];
    const Tensor& y = dataset->train->y[i];
    target.shape = y.shape().without(0);
    target.classes = static_cast<int64_t>(target.classNames.size());
    if (target.classes == 0 && target.hasLabels && y.dtype() == DType::I32)
      target.classes = int64_t{highestLabel(dataset->train.get(), dataset->test.get(), i,
                                            input.targets[i].ignored)} +
                       1;
  }
  dataset->damaged = std::move(loaded.damaged);
  dataset->dropped = loaded.dropped;
  dataset->filled = std::move(loaded.filled);
  dataset->onDamaged = data.onDamaged;
  dataset->encodings = std::move(loaded.encodings);
  dataset->encodings.resize(dataset->inputs.size());
  dataset->notes = std::move(loaded.notes);
  const bool hasTransforms = !data.transforms.ofInputs.empty() || !data.transforms.oneHot.empty();
  for (size_t i = 0; i < dataset->inputs.size(); ++i) {
    reportLostDigits(*dataset, i, input.inputs[i], hasTransforms, dataset->notes);
    reportTinySpread(*dataset, data.transforms, i, input.inputs[i], dataset->notes);
  }
  return dataset;
}

}  // namespace

std::shared_ptr<const Dataset> readDataset(const ParsedData& data, const Project& project) {
  const SourceInput input = data.sourceInput();
  if (!data.source->state) return assembleDataset(data, input);
  const Json& section = memberOf(project.document(), "data");
  // The key contains the names of inputs and outputs only if arrays are found by name. Otherwise
  // renaming a layer must not load the data again.
  std::string key = section.dump(-1, ' ', false, Json::error_handler_t::replace);
  const auto& fields = data.source->schema.fields;
  const bool isFoundByName =
      input.inputs.size() > 1 || input.targets.size() > 1 ||
      std::any_of(fields.begin(), fields.end(), [&](const FieldSchema& field) {
        return isFieldByName(*data.source, field.name, data.object);
      });
  if (isFoundByName)
    for (const std::string& name : input.inputs)
      key += "\n" + name;
  for (const WantedTarget& target : input.targets)
    key += "\n" + (isFoundByName ? target.name : "") + (target.isSparseTarget ? "\nsparse" : "\n") +
           "\n" + target.loss + "\n" + (target.ignored ? std::to_string(*target.ignored) : "");
  key += "\n" + input.folder + "\n" + std::to_string(input.memoryLimitBytes) + "\n" +
         data.source->state(input);
  static std::mutex mutex;
  static std::string keptKey;
  static std::shared_ptr<const Dataset> kept;
  const std::lock_guard lock(mutex);
  if (kept && key == keptKey) return kept;
  // The memory of the previous data set must be free before the next one is loaded.
  kept = nullptr;
  keptKey.clear();
  std::shared_ptr<const Dataset> dataset = assembleDataset(data, input);
  kept = dataset;
  keptKey = key;
  return dataset;
}

}  // namespace strata
