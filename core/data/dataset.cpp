// SPDX-License-Identifier: Apache-2.0
#include "core/data/dataset.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/data/data_problems.h"
#include "core/data/parsed_data.h"
#include "core/data/read_dataset.h"
#include "core/data/source.h"
#include "core/data/table.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

// One pebibyte. No memory is larger, and calculations with smaller sizes do not overflow.
constexpr double kMaxDatasetBytes = 0x1p50;

/// Returns the bytes of the inputs of `inputSamples` samples and of the targets of `samples`
/// samples.
double bytesOfSamples(const DatasetInfo& info, int64_t samples, int64_t inputSamples) {
  const auto bytesOf = [](DType dtype, const Shape& shape, int64_t count) {
    double bytes = static_cast<double>(dtypeBytes(dtype)) * static_cast<double>(count);
    for (const int64_t dim : shape.dims())
      bytes *= static_cast<double>(dim);
    return bytes;
  };
  double bytes = 0;
  for (const DataInput& input : info.inputs)
    bytes += bytesOf(input.type, input.shape, inputSamples);
  for (const DataTarget& target : info.targets)
    bytes += bytesOf(DType::F32, target.shape, samples);
  return bytes;
}

/// Describes a data set by loading it, for sources whose headers are not enough.
void describeByReading(const ParsedData& data, const Project& project, DatasetInfo& info,
                       Diagnostics& diagnostics) {
  std::shared_ptr<const Dataset> dataset;
  try {
    dataset = readDataset(data, project);
  }
  catch (const Error& error) {
    if (error.subject().starts_with("/data"))
      addProblem(diagnostics, "bad_data", error.subject(), STRATA_TEXT("data", "%1"),
                 {error.what()});
    else
      addProblem(diagnostics, "bad_file", "/data/source", STRATA_TEXT("data", "%1: %2"),
                 {error.subject(), error.what()});
    if (const auto* const fixable = dynamic_cast<const FixableError*>(&error))
      diagnostics.back().fixes = fixable->fixes();
    return;
  }
  info.inputs = dataset->inputs;
  info.targets = dataset->targets;
  info.trainCount = dataset->trainCount;
  info.validationCount = dataset->validationCount;
  info.testCount = dataset->test->count();
  info.damaged = dataset->damaged;
  info.dataset = dataset;
  diagnostics.insert(diagnostics.end(), dataset->notes.begin(), dataset->notes.end());
  reportDamaged(*dataset, diagnostics);
  // A source with its own validation set reports the classes of the set itself.
  for (size_t i = 0; i < dataset->targets.size() && !dataset->hasOwnValidation; ++i)
    reportUnseenClasses(*dataset, i, diagnostics);
  for (size_t i = 0; i < dataset->targets.size(); ++i)
    reportZeroWeights(*dataset, i, diagnostics);
}

/// Changes the described targets as the transform one_hot does. Reports targets that it cannot
/// convert.
void describeOneHot(const ParsedData& data, DatasetInfo& info, Diagnostics& diagnostics) {
  for (size_t i = 0; i < info.targets.size(); ++i) {
    DataTarget& target = info.targets[i];
    const int64_t wanted = data.transforms.oneHotTargets(data.needs.targets[i].name),
                  classes = wanted > 0 ? wanted : target.classes;
    if (wanted < 0) continue;
    if (!target.hasLabels || classes < target.classes || classes < 1)
      diagnostics.push_back(wrongOneHot(target.classes, classes));
    target.shape.append(classes);
    target.hasLabels = false;
  }
}

/// Returns the transforms of all inputs. Reads the samples only if a transform needs numbers from
/// them.
InputTransforms inputTransforms(const Project& project, const DataNeeds& needs) {
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, needs, diagnostics);
  if (data.transforms.needsData() && data.source) return readDataset(data, project)->transforms;
  std::vector<DataInput> inputs;
  if (!data.transforms.ofInputs.empty()) {
    Diagnostics ignored;
    inputs = describeDataset(project, needs, ignored).inputs;
  }
  inputs.resize(data.needs.inputs.size());
  InputTransforms result;
  for (size_t i = 0; i < inputs.size(); ++i)
    result.push_back(
        fitTransforms(data.transforms, data.needs.inputs[i], nullptr, 0, 0, inputs[i]));
  return result;
}

}  // namespace

std::string Samples::placeOf(int64_t sample) const {
  return origin ? origin(sample) : "sample " + std::to_string(sample);
}

std::string Samples::placeOfTarget(int64_t sample, size_t target) const {
  return targetOrigin ? targetOrigin(sample, target) : placeOf(sample);
}

Preprocessing Dataset::preprocessing() const {
  Preprocessing result{transforms, encodings, {}};
  for (const DataTarget& target : targets)
    result.classNames.push_back(target.classNames);
  return result;
}

double DatasetInfo::decodedBytes() const {
  // The source `values` tests on its training samples, so they count only once.
  const int64_t samples = trainCount + validationCount + (source == "values" ? 0 : testCount);
  return bytesOfSamples(*this, samples, samples);
}

double DatasetInfo::bytes() const {
  if (!dataset || (!dataset->train->decode && !dataset->test->decode)) return decodedBytes();
  const auto kept = [](const Samples& samples) {
    return samples.decode ? 0 : samples.count();
  };
  return bytesOfSamples(*this, dataset->train->count() + dataset->test->count(),
                        kept(*dataset->train) + kept(*dataset->test));
}

DatasetInfo describeDataset(const Project& project, const DataNeeds& needs,
                            Diagnostics& diagnostics) {
  DatasetInfo info;
  const size_t before = diagnostics.size();
  const ParsedData data = parseData(project, needs, diagnostics);
  if (!data.source || !data.needs.areNamesKnown) return info;
  info.source = data.source->schema.type;
  Diagnostics found;
  if (!data.source->describe || (data.source->state && data.onDamaged != "stop")) {
    const bool isSound =
        std::none_of(diagnostics.begin() + static_cast<std::ptrdiff_t>(before), diagnostics.end(),
                     [](const Diagnostic& each) { return each.severity == Severity::Error; });
    if (isSound) describeByReading(data, project, info, found);
    info.isKnown = isSound && info.dataset != nullptr && !hasErrors(found);
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    return info;
  }
  data.source->describe(data.sourceInput(), info, found);
  info.isKnown = !hasErrors(found);
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  if (!info.isKnown) return info;
  const int64_t given = info.trainCount, all = data.selection.sliced(given), own = info.testCount;
  const bool testsOnItself = info.source == "values";
  if (own > 0 && !testsOnItself && data.selection.testSplit > 0) {
    diagnostics.push_back(ownTestSet(own));
    info.isKnown = false;
    return info;
  }
  const SplitCounts counts = countSplits(data.selection, all);
  info.trainCount = counts.train;
  info.validationCount = counts.validation;
  if (data.selection.testSplit > 0)
    info.testCount = counts.test;
  else if (testsOnItself)
    info.testCount = all;
  describeOneHot(data, info, diagnostics);
  if (info.trainCount < 1) diagnostics.push_back(noSampleToTrainOn(given, data.selection));
  if (info.bytes() > kMaxDatasetBytes) {
    addProblem(
        diagnostics, "out_of_range", "/data/source",
        STRATA_TEXT("data",
                    "%1 samples of shape %2 do not fit in memory. Use fewer or smaller samples."),
        {std::to_string(all), info.inputs[0].shape.toString()});
    info.isKnown = false;
  }
  return info;
}

std::shared_ptr<const Dataset> loadDataset(const Project& project, const DataNeeds& needs) {
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, needs, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.severity == Severity::Error)
      throw Error(ErrorCode::InvalidProject, diagnostic.field,
                  formatText(diagnostic.message, diagnostic.arguments));
  auto dataset = readDataset(data, project);
  if (data.onDamaged == "stop" && !dataset->damaged.empty()) {
    const DamagedSample& first = dataset->damaged.front();
    const auto others = static_cast<int64_t>(dataset->damaged.size()) - 1;
    throw Error(
        ErrorCode::InvalidFile, first.file,
        first.reason +
            (others > 0 ? " And " + counted(others, "sample") + " more: run strata check." : "") +
            first.advice());
  }
  return dataset;
}

std::string DamagedSample::advice() const {
  return missingWord.empty()
             ? " Fix the file, or set on_damaged to skip or replace."
             : " Add \"" + missingWord + "\" to missing_words if it stands for a missing value.";
}

Preprocessing preprocessingOf(const Project& project, const DataNeeds& needs,
                              const std::string& weights) {
  if (const std::string kept = savedPreprocessing(weights); !kept.empty())
    return readPreprocessing(kept);
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, needs, diagnostics);
  if (data.source && (!data.source->describe || data.transforms.needsData()))
    return readDataset(data, project)->preprocessing();
  return {inputTransforms(project, needs), Encodings(data.needs.inputs.size()),
          ClassNames(data.needs.targets.size())};
}

void requireSameTable(const Preprocessing& kept, const Dataset& dataset, const std::string& file) {
  const auto require = [&](const char* what, const std::vector<std::string>& expected,
                           const std::vector<std::string>& got) {
    constexpr size_t kMaxShown = 200;
    if (expected != got)
      throw Error(ErrorCode::InvalidFile, file,
                  std::string("the table now gives other ") + what +
                      " than when the run began (expected " +
                      excerpt(joinedNames(expected), kMaxShown) + ", got " +
                      excerpt(joinedNames(got), kMaxShown) +
                      "). Restore the table and its fields, or start a new run.");
  };
  const auto isTable = [](const std::shared_ptr<const Json>& encoding) {
    return encoding && encoding->value("type", std::string()) == "table";
  };
  if (kept.encodings.size() != dataset.encodings.size()) return;
  for (size_t i = 0; i < kept.encodings.size(); ++i) {
    if (!isTable(kept.encodings[i]) || !isTable(dataset.encodings[i])) return;
    require("values", parseTableEncoding(*kept.encodings[i], file).names(),
            parseTableEncoding(*dataset.encodings[i], file).names());
  }
  for (size_t i = 0; i < std::min(kept.classNames.size(), dataset.targets.size()); ++i)
    require("classes", kept.classNames[i], dataset.targets[i].classNames);
}

Selection selectionOf(const Project& project) {
  Diagnostics ignored;
  ParsedData data;
  if (const Json& section = memberOf(project.document(), "data"); section.is_object())
    parseSelection(section, data, ignored);
  return data.selection;
}

std::vector<std::string> damageWarnings(const Dataset& dataset) {
  Diagnostics diagnostics;
  reportDamaged(dataset, diagnostics);
  std::vector<std::string> result;
  for (const Diagnostic& each : diagnostics)
    result.push_back(each.sentence());
  return result;
}

}  // namespace strata
