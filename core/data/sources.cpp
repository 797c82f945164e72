// SPDX-License-Identifier: Apache-2.0
// The list of data sources, and loading a Dataset from a project's `data`.
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <system_error>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "gpu/base/error.h"
#include "gpu/base/nearest_name.h"

namespace strata {

namespace {

const std::vector<SourceDef>& sources() {
  static const std::vector<SourceDef> list{mnistSource(), randomSource(), valuesSource(),
                                           idxSource(),   csvSource(),    imageFolderSource(),
                                           cifarSource(), numpySource()};
  return list;
}

struct ParsedData {
  const SourceDef* source = nullptr;
  Json object, fields;
  std::string folder;
  DataNeeds needs;
  Selection selection;
  std::string onDamaged = "stop";
  TransformList transforms;

  /// The result points into this object.
  SourceInput sourceInput() const {
    return {fields,
            object,
            folder,
            needs.inputs,
            needs.targets,
            needs.untrained,
            selection,
            onDamaged == "stop",
            onDamaged == "replace",
            needs.memoryLimitBytes,
            needs.inputShapes,
            needs.outputSize};
  }
};

/// Reports a source with a single array if the network needs several.
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

void parseSection(const Json& data, ParsedData& result, Diagnostics& diagnostics) {
  const Json fields =
      checkFields(dataSectionSchema(), data, "/data", "", diagnostics, {"source", "transforms"});
  result.selection.skip = fields.value("skip", int64_t{0});
  if (fields.contains("take") && fields["take"].is_number())
    result.selection.take = fields["take"].get<int64_t>();
  if (fields.contains("split_seed") && fields["split_seed"].is_number())
    result.selection.splitSeed = fields["split_seed"].get<uint64_t>();
  result.selection.testSplit = fields.value("test_split", 0.0);
  result.selection.validationSplit = fields.value("validation_split", 0.0);
  result.onDamaged = fields.value("on_damaged", std::string("stop"));
}

std::string folderOf(const Project& project) {
  return project.path().empty() ? "" : std::filesystem::path(project.path()).parent_path().string();
}

/// Whether the field is an object by Input layer or output.
bool isByName(const SourceDef& source, const std::string& field, const Json& object) {
  const auto has = [&](const std::vector<std::string>& fields) {
    return std::find(fields.begin(), fields.end(), field) != fields.end();
  };
  return (has(source.ofInputs) || has(source.ofOutputs)) &&
         memberOf(object, field.c_str()).is_object();
}

ParsedData parseData(const Project& project, const DataNeeds& needs, Diagnostics& diagnostics) {
  ParsedData result;
  result.folder = folderOf(project);
  result.needs = needs;
  const Json& data = memberOf(project.document(), "data");
  const Json& written = memberOf(data, "source");
  result.object = typedObject(written);
  if (result.object.is_null()) {
    addProblem(diagnostics, written.is_null() ? "missing_field" : "wrong_type", "/data/source",
               STRATA_TEXT("data",
                           "The project needs a data source (expected an object with \"type\", "
                           "such as {\"type\": \"mnist\"}). Choose one."));
  }
  else {
    const std::string type = result.object["type"].get<std::string>();
    std::vector<std::string> known;
    std::string names;
    for (const SourceDef& source : sources()) {
      known.push_back(source.schema.type);
      names += (names.empty() ? "" : ", ") + source.schema.type;
      if (source.schema.type == type) result.source = &source;
    }
    if (result.source) {
      // Nested inline numbers have no field type, so their source checks them itself.
      Schema checked = result.source->schema;
      std::vector<std::string> alsoKnown{"type"};
      // Not known
      if (result.needs.inputs[0].empty())
        for (const std::string& field : result.source->ofInputs)
          if (const Json& arrays = memberOf(result.object, field.c_str());
              arrays.is_object() && !arrays.empty()) {
            result.needs.inputs.clear();
            for (const auto& [name, array] : arrays.items())
              result.needs.inputs.push_back(name);
          }
      // An object by Input layer or output
      std::vector<FieldSchema> named;
      std::erase_if(checked.fields, [&](const FieldSchema& field) {
        const bool isInline = field.type == FieldType::NumberList,
                   isNamed = !isInline && isByName(*result.source, field.name, result.object);
        if (isInline || isNamed) alsoKnown.push_back(field.name);
        if (isNamed) named.push_back(field);
        return isInline || isNamed;
      });
      const size_t before = diagnostics.size();
      result.fields =
          checkFields(checked, result.object, "/data/source", "", diagnostics, alsoKnown);
      for (FieldSchema& field : named) {
        // Within the object
        field.isNullable = field.name == kSampleWeights;
        Json values = Json::object();
        for (const auto& [name, given] : result.object[field.name].items()) {
          const Json value = field.type == FieldType::StringList && given.is_string()
                                 ? Json::array({given})
                                 : given;
          values[name] = checkField(
              field, value, "/data/source/" + field.name + "/" + escapedKey(name), "", diagnostics);
        }
        result.fields[field.name] = std::move(values);
      }
      for (size_t i = before; i < diagnostics.size(); ++i)
        if (diagnostics[i].severity == Severity::Error) result.source = nullptr;
    }
    else {
      const std::string nearest = nearestName(type, known);
      if (nearest.empty())
        addProblem(
            diagnostics, "unknown_type", "/data/source/type",
            STRATA_TEXT("data", "Unknown data source \"%1\" (expected one of: %2). Choose one."),
            {type, names});
      else
        addProblem(diagnostics, "unknown_type", "/data/source/type",
                   STRATA_TEXT("data", "Unknown data source \"%1\". Did you mean \"%2\"?"),
                   {type, nearest});
    }
  }
  if (data.is_object()) parseSection(data, result, diagnostics);
  result.transforms = parseTransforms(memberOf(data, "transforms"), result.needs.inputs,
                                      result.sourceInput().targetNames(), diagnostics);
  for (WantedTarget& target : result.needs.targets)
    target.isSparseTarget |= result.transforms.oneHotTargets(target.name) >= 0;
  requireOneEach(result, diagnostics);
  return result;
}

// Rules for the samples of a source, whether described or read.

Diagnostic ruleBroken(std::string code, std::string field, Text message, Arguments arguments) {
  return {Severity::Error, std::move(code),      "", std::move(field),
          message,         std::move(arguments), {}};
}

Diagnostic ownTestSet(int64_t samples) {
  Diagnostic problem = ruleBroken("conflict", "/data/test_split",
                                  STRATA_TEXT("data",
                                              "The source already has a test set of %1 samples "
                                              "(expected test_split 0). Remove test_split."),
                                  {std::to_string(samples)});
  problem.fixes = {setFix("/data/test_split", 0)};
  return problem;
}

Diagnostic noSampleToTrainOn(int64_t samples, const Selection& selection) {
  return ruleBroken("out_of_range", "/data/validation_split",
                    STRATA_TEXT("data",
                                "No samples are left for training (samples: %1, skip: %2, "
                                "validation_split: %3). Lower skip or validation_split."),
                    {std::to_string(samples), std::to_string(selection.skip),
                     Json(selection.validationSplit).dump()});
}

Diagnostic wrongOneHot(int64_t classes, int64_t wanted) {
  return ruleBroken("out_of_range", "/data/transforms",
                    STRATA_TEXT("data",
                                "one_hot needs targets that are class numbers below classes "
                                "(expected classes of at least %1, got %2). Set classes to null."),
                    {std::to_string(classes), std::to_string(wanted)});
}

[[noreturn]] void fail(const Diagnostic& problem) {
  throw Error(ErrorCode::InvalidProject, problem.field, problem.sentence());
}

/// The highest label except the ignored one; -1 if there is none.
int32_t highestLabel(const Samples* train, const Samples* test, size_t target,
                     std::optional<int32_t> ignored = {}) {
  int32_t highest = -1;
  for (const Samples* samples : {train, test})
    for (const int32_t label : samples->y[target].as<int32_t>())
      if (label != ignored) highest = std::max(highest, label);
  return highest;
}

int64_t oneHotSize(int64_t wanted, const LoadedSamples& loaded, size_t target) {
  if (!loaded.targets[target].hasLabels || loaded.train->y[target].dtype() != DType::I32)
    fail(wrongOneHot(0, wanted));
  const int64_t classes =
      std::max<int64_t>(static_cast<int64_t>(loaded.targets[target].classNames.size()),
                        int64_t{highestLabel(loaded.train.get(), loaded.test.get(), target)} + 1);
  if (wanted > 0 && wanted < classes) fail(wrongOneHot(classes, wanted));
  return wanted > 0 ? wanted : classes;
}

// Damaged samples that a check reports individually
constexpr size_t kMaxListed = 20;

void reportDamaged(const Dataset& dataset, Diagnostics& diagnostics) {
  const auto total = dataset.damaged.size();
  const bool isError = dataset.onDamaged == "stop";
  const auto add = [&](Text message, Arguments arguments) {
    addProblem(diagnostics, "damaged_sample", "/data/source", message, std::move(arguments));
    if (!isError) diagnostics.back().severity = Severity::Warning;
  };
  for (size_t i = 0; i < std::min(total, kMaxListed); ++i) {
    const DamagedSample& each = dataset.damaged[i];
    if (isError)
      add(STRATA_TEXT("data", "%1: %2 Fix the file, or set on_damaged to skip or replace."),
          {each.file, each.reason});
    else if (dataset.onDamaged == "skip")
      add(STRATA_TEXT("data", "%1: %2 The sample is left out."), {each.file, each.reason});
    else
      add(STRATA_TEXT("data", "%1: %2 The nearest intact sample replaces it."),
          {each.file, each.reason});
  }
  if (total > kMaxListed)
    add(STRATA_TEXT("data", "%1 more damaged samples (%2 in total)."),
        {std::to_string(total - kMaxListed), std::to_string(total)});
}

/// Reports classes that occur only in the validation or test part.
void reportUnseenClasses(const Dataset& dataset, size_t target, Diagnostics& diagnostics) {
  const DataTarget& about = dataset.targets[target];
  const Tensor& y = dataset.train->y[target];
  if (!about.hasLabels || y.dtype() != DType::I32 || y.shape().rank() != 1) return;
  const auto labels = y.as<int32_t>();
  const auto trained = static_cast<size_t>(dataset.trainCount);
  std::set<int32_t> known(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(trained)),
      unseen;
  for (size_t i = trained; i < labels.size(); ++i)
    // Labels below 0 are ignored
    if (labels[i] >= 0 && !known.contains(labels[i])) unseen.insert(labels[i]);
  for (const int32_t label : dataset.test->y[target].as<int32_t>())
    if (label >= 0 && !known.contains(label)) unseen.insert(label);
  if (unseen.empty()) return;
  const auto first = static_cast<size_t>(*unseen.begin());
  const std::string name =
      first < about.classNames.size() ? about.classNames[first] : std::to_string(first);
  addProblem(diagnostics, "unseen_class", "/data/validation_split",
             STRATA_TEXT("data",
                         "%1 of the classes (such as \"%2\") occur only in the validation or test "
                         "set, so they cannot be learned. Set split_seed of data to 1 to shuffle "
                         "the samples before splitting."),
             {std::to_string(unseen.size()), name});
  Diagnostic& added = diagnostics.back();
  added.severity = Severity::Warning;
  added.fixes = {setFix("/data/split_seed", 1)};
}

/// Loads a source's samples, applies the selection, converts targets for the loss and fits
/// transforms. Lists damaged samples under every policy.
std::shared_ptr<Dataset> assembleDataset(const ParsedData& data, const SourceInput& input) {
  LoadedSamples loaded = data.source->load(input);
  auto dataset = std::make_shared<Dataset>();
  if (loaded.train->count() > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::InvalidProject, "/data/source",
                "too many samples (expected at most 2147483647, got " +
                    std::to_string(loaded.train->count()) + "). Use a part of them.");
  const bool hasOwnTest = loaded.test && loaded.test != loaded.train && !loaded.isSplit;
  if (hasOwnTest && input.selection.testSplit > 0) fail(ownTestSet(loaded.test->count()));
  if (loaded.isSplit) {
    dataset->trainCount = loaded.trainCount;
  }
  else {
    const bool isSliced = loaded.isSliced || !input.selection.isSlice();
    const int64_t count =
        isSliced ? loaded.train->count() : input.selection.sliced(loaded.train->count());
    if (isSliced && !input.selection.splitSeed && input.selection.testSplit <= 0) {
      // In the order of the source
      dataset->trainCount = trainingShare(count, input.selection.validationSplit);
    }
    else {
      const SplitPlan plan = planSplits(input.selection, loaded.train->count(), isSliced);
      dataset->trainCount = plan.trainCount;
      const bool testsOnItself = loaded.test == loaded.train;
      const auto all = loaded.train;
      loaded.train = selectSamples(all, plan.train);
      if (input.selection.testSplit > 0)
        loaded.test = selectSamples(all, plan.test);
      else if (testsOnItself)
        loaded.test = loaded.train;
    }
  }
  if (!loaded.test) loaded.test = selectSamples(loaded.train, {});
  dataset->validationCount = loaded.train->count() - dataset->trainCount;
  if (dataset->trainCount < 1)
    fail(noSampleToTrainOn(loaded.train->count() + loaded.test->count(), input.selection));
  for (size_t i = 0; i < loaded.targets.size(); ++i) {
    const int64_t wanted = data.transforms.oneHotTargets(input.targets[i].name);
    if (wanted < 0) continue;
    const bool isSame = loaded.test == loaded.train;
    const int64_t classes = oneHotSize(wanted, loaded, i);
    loaded.train = withOneHotTargets(*loaded.train, i, classes);
    loaded.test = isSame ? loaded.train : withOneHotTargets(*loaded.test, i, classes);
    loaded.targets[i].hasLabels = false;
  }
  dataset->train = std::move(loaded.train);
  dataset->test = std::move(loaded.test);
  dataset->inputs.clear();
  for (size_t i = 0; i < input.inputs.size(); ++i) {
    const Tensor& x = dataset->train->x[i];
    dataset->inputs.push_back({x.shape().without(0), x.dtype()});
    dataset->transforms.push_back(fitTransforms(data.transforms, input.inputs[i],
                                                dataset->train.get(), i, dataset->trainCount,
                                                dataset->inputs[i].shape));
  }
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
  dataset->onDamaged = data.onDamaged;
  dataset->encodings = std::move(loaded.encodings);
  dataset->encodings.resize(dataset->inputs.size());
  dataset->notes = std::move(loaded.notes);
  return dataset;
}

/// Keeps the last data set that had to be read to be described, so that check, run and evaluation
/// of a project read it only once.
std::shared_ptr<const Dataset> readDataset(const ParsedData& data, const Project& project) {
  const SourceInput input = data.sourceInput();
  if (!data.source->state) return assembleDataset(data, input);
  const Json& section = memberOf(project.document(), "data");
  std::string key = section.dump(-1, ' ', false, Json::error_handler_t::replace);
  // Names of inputs and outputs only matter if arrays are found by them: adding a layer to a plain
  // network must not reload the data.
  const auto& fields = data.source->schema.fields;
  const bool goesByName = input.inputs.size() > 1 || input.targets.size() > 1 ||
                          std::any_of(fields.begin(), fields.end(), [&](const FieldSchema& field) {
                            return isByName(*data.source, field.name, data.object);
                          });
  if (goesByName)
    for (const std::string& name : input.inputs)
      key += "\n" + name;
  for (const WantedTarget& target : input.targets)
    key += "\n" + (goesByName ? target.name : "") + (target.isSparseTarget ? "\nsparse" : "\n") +
           (target.ignored ? std::to_string(*target.ignored) : "");
  key += "\n" + input.folder + "\n" + std::to_string(input.memoryLimitBytes) + "\n" +
         data.source->state(input);
  static std::mutex mutex;
  static std::string keptKey;
  static std::shared_ptr<const Dataset> kept;
  const std::lock_guard lock(mutex);
  if (kept && key == keptKey) return kept;
  // Frees memory
  kept = nullptr;
  keptKey.clear();
  std::shared_ptr<const Dataset> dataset = assembleDataset(data, input);
  kept = dataset;
  keptKey = key;
  return dataset;
}

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
  for (size_t i = 0; i < dataset->targets.size(); ++i)
    reportUnseenClasses(*dataset, i, diagnostics);
}

}  // namespace

std::string Samples::placeOf(int64_t sample) const {
  return origin ? origin(sample) : "sample " + std::to_string(sample);
}

Preprocessing Dataset::preprocessing() const {
  Preprocessing result{transforms, encodings, {}};
  for (const DataTarget& target : targets)
    result.classNames.push_back(target.classNames);
  return result;
}

/// Limit for a data set, a petabyte: no memory is larger, and sizes do not overflow.
constexpr double kMaxDatasetBytes = 0x1p50;

/// inputSamples: number of samples whose inputs count.
static double bytesOfSamples(const DatasetInfo& info, int64_t samples, int64_t inputSamples) {
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

double DatasetInfo::decodedBytes() const {
  // A source that is its own test set
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
            " Fix the file, or set on_damaged to skip or replace.");
  }
  return dataset;
}

static InputTransforms inputTransforms(const Project& project, const DataNeeds& needs) {
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, needs, diagnostics);
  if (data.transforms.needsData() && data.source) return readDataset(data, project)->transforms;
  std::vector<DataInput> inputs;
  if (std::any_of(data.transforms.ofInputs.begin(), data.transforms.ofInputs.end(),
                  [](const auto& e) { return e.type == "rescale"; })) {
    Diagnostics ignored;
    inputs = describeDataset(project, needs, ignored).inputs;
  }
  inputs.resize(data.needs.inputs.size());
  InputTransforms result;
  for (size_t i = 0; i < inputs.size(); ++i)
    result.push_back(
        fitTransforms(data.transforms, data.needs.inputs[i], nullptr, 0, 0, inputs[i].shape));
  return result;
}

Preprocessing preprocessingOf(const Project& project, const DataNeeds& needs,
                              const std::string& weights) {
  if (const std::string kept = savedPreprocessing(weights); !kept.empty())
    return parsePreprocessing(parseJson(readFile(kept, size_t{256} << 20), kept), kept);
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, needs, diagnostics);
  if (data.source && (!data.source->describe || data.transforms.needsData()))
    return readDataset(data, project)->preprocessing();
  return {inputTransforms(project, needs), Encodings(data.needs.inputs.size()),
          ClassNames(data.needs.targets.size())};
}

Selection selectionOf(const Project& project) {
  Diagnostics ignored;
  ParsedData data;
  if (const Json& section = memberOf(project.document(), "data"); section.is_object())
    parseSection(section, data, ignored);
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

std::span<const Schema* const> sourceSchemas() {
  static const std::vector<const Schema*> schemas = [] {
    std::vector<const Schema*> result;
    for (const SourceDef& source : sources())
      result.push_back(&source.schema);
    return result;
  }();
  return schemas;
}

}  // namespace strata
