// SPDX-License-Identifier: Apache-2.0
// The list of data sources, and the way from a project's `data` to a Dataset.
#include <array>
#include <cmath>
#include <filesystem>
#include <limits>
#include <mutex>
#include <set>
#include <system_error>

#include <sys/stat.h>

#include <nlohmann/json.hpp>

#include "core/data/dataset.h"
#include "core/data/source.h"
#include "core/project/text.h"
#include "core/train/losses.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

const std::vector<SourceDef>& sources() {
  static const std::vector<SourceDef> list{mnistSource(), randomSource(),      valuesSource(), idxSource(),
                                           csvSource(),   imageFolderSource(), cifarSource(),  numpySource()};
  return list;
}

Schema makeDataSection() {
  Schema schema;
  schema.type = "data";
  schema.group = "Data";
  schema.help = STRATA_TEXT(
      "data",
      "Which samples of the source train, validate and test, in which order they are cut apart, and what is done with damaged ones.");
  auto skip = dataField("skip", FieldType::Integer, "0", STRATA_TEXT("data", "Skip"),
                        STRATA_TEXT("data", "Samples at the beginning that are left out."));
  skip.minimum = 0;
  auto take = dataField("take", FieldType::Integer, "null", STRATA_TEXT("data", "Take"),
                        STRATA_TEXT("data", "How many of the samples behind them are used; null: all."));
  take.minimum = 1;
  auto seed = dataField("split_seed", FieldType::Integer, "null", STRATA_TEXT("data", "Mix before the split"),
                        STRATA_TEXT("data", "A seed by which samples are mixed once, before they are split; null: they stay in order."));
  seed.minimum = 0;
  auto test = dataField("test_split", FieldType::Number, "0.0", STRATA_TEXT("data", "Test split"),
                        STRATA_TEXT("data", "The last part of the samples, kept to test at the end; for sources without a test set."));
  auto validation = dataField("validation_split", FieldType::Number, "0.0", STRATA_TEXT("data", "Validation split"),
                              STRATA_TEXT("data", "The last part of the other samples, kept to validate after each epoch."));
  for (FieldSchema* split : {&test, &validation}) {
    split->minimum = 0;
    split->maximum = 1;
    split->isMaximumExclusive = true;
  }
  auto damaged = dataField(
      "on_damaged", FieldType::Choice, "\"stop\"", STRATA_TEXT("data", "Damaged samples"),
      STRATA_TEXT("data", "stop: they are an error; skip: they are left out; replace: the nearest good sample before them stands in."));
  damaged.choices = {"stop", "skip", "replace"};
  schema.fields = {skip, take, seed, test, validation, damaged};
  return schema;
}

const Json& memberOf(const Json& object, const char* name) {
  static const Json nothing;
  if (!object.is_object()) return nothing;
  const auto it = object.find(name);
  return it == object.end() ? nothing : *it;
}

std::string lossOf(const Project& project) {
  const Json loss = typedObject(memberOf(memberOf(project.document(), "training"), "loss"));
  return loss.is_object() ? loss["type"].get<std::string>() : std::string();
}

bool isSparseLoss(const Project& project) {
  const LossDef* known = findLoss(lossOf(project));
  return known && known->target != TargetKind::Values;
}

struct ParsedData {
  const SourceDef* source = nullptr;
  Json object, fields;
  Selection selection;
  std::string onDamaged = "stop";
  TransformList transforms;
};

void parseSection(const Json& data, ParsedData& result, Diagnostics& diagnostics) {
  Schema section = dataSectionSchema();
  std::erase_if(section.fields, [](const FieldSchema& field) { return field.name == "validation_split"; });
  const Json fields = checkFields(section, data, "/data", "", diagnostics, {"source", "validation_split", "transforms"});
  result.selection.skip = fields.value("skip", int64_t{0});
  if (fields.contains("take") && fields["take"].is_number()) result.selection.take = fields["take"].get<int64_t>();
  if (fields.contains("split_seed") && fields["split_seed"].is_number()) result.selection.splitSeed = fields["split_seed"].get<uint64_t>();
  result.selection.testSplit = fields.value("test_split", 0.0);
  result.onDamaged = fields.value("on_damaged", std::string("stop"));
  const Json& split = memberOf(data, "validation_split");
  if (split.is_null()) return;
  if (!split.is_number() || !(split.get<double>() >= 0 && split.get<double>() < 1))
    addProblem(
        diagnostics, split.is_number() ? "out_of_range" : "wrong_type", "/data/validation_split",
        STRATA_TEXT("data", "validation_split is out of range (expected at least 0 and less than 1, got %1). 0.1 keeps a tenth back."),
        {excerpt(split.dump(), 60)});
  else
    result.selection.validationSplit = split.get<double>();
}

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
    std::string names;
    for (const SourceDef& source : sources()) {
      known.push_back(source.schema.type);
      names += (names.empty() ? "" : ", ") + source.schema.type;
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
                   STRATA_TEXT("data", "Unknown data source \"%1\" (expected one of: %2). Choose one."), {type, names});
      else
        addProblem(diagnostics, "unknown_type", "/data/source/type",
                   STRATA_TEXT("data", "Unknown data source \"%1\". Did you mean \"%2\"?"), {type, nearest});
    }
  }
  if (data.is_object()) parseSection(data, result, diagnostics);
  result.transforms = parseTransforms(memberOf(data, "transforms"), diagnostics);
  return result;
}

std::string folderOf(const Project& project) {
  return project.path().empty() ? "" : std::filesystem::path(project.path()).parent_path().string();
}

int64_t oneHotSize(const TransformList& transforms, const LoadedSamples& loaded) {
  if (!loaded.hasLabels || loaded.train->y.dtype() != DType::I32)
    throw Error(ErrorCode::InvalidProject, "/data/transforms",
                "one_hot needs class numbers as targets, and the data's are values. Remove it.");
  int32_t highest = -1;
  for (const Samples* samples : {loaded.train.get(), loaded.test.get()})
    for (const int32_t label : samples->y.as<int32_t>()) highest = std::max(highest, label);
  const int64_t classes = std::max<int64_t>(static_cast<int64_t>(loaded.classNames.size()), int64_t{highest} + 1);
  if (transforms.oneHotTargets > 0 && transforms.oneHotTargets < classes)
    throw Error(ErrorCode::InvalidProject, "/data/transforms",
                "one_hot has too few classes (expected at least " + std::to_string(classes) + ", got " +
                    std::to_string(transforms.oneHotTargets) + "). Set classes to null.");
  return transforms.oneHotTargets > 0 ? transforms.oneHotTargets : classes;
}

std::shared_ptr<const Samples> withOneHotTargets(const Samples& samples, int64_t classes) {
  auto result = std::make_shared<Samples>(samples);
  Shape shape = samples.y.shape();
  shape.append(classes);
  result->y = Tensor(DType::F32, shape);
  const auto labels = samples.y.as<int32_t>();
  const auto targets = result->y.as<float>();
  for (size_t i = 0; i < labels.size(); ++i) {
    if (labels[i] < 0)
      throw Error(
          ErrorCode::InvalidFile, samples.placeOf(static_cast<int64_t>(i)),
          "its label is negative (expected 0 to " + std::to_string(classes - 1) + ", got " + std::to_string(labels[i]) + "). Correct it.");
    targets[i * static_cast<size_t>(classes) + static_cast<size_t>(labels[i])] = 1;
  }
  return result;
}

constexpr size_t kMostListed = 20;  // damaged samples that a check tells one by one

void tellDamaged(const Dataset& dataset, Diagnostics& diagnostics) {
  const auto total = dataset.damaged.size();
  const bool isError = dataset.onDamaged == "stop";
  const auto add = [&](Text message, std::vector<std::string> arguments) {
    addProblem(diagnostics, "damaged_sample", "/data/source", message, std::move(arguments));
    if (!isError) diagnostics.back().severity = Severity::Warning;
  };
  for (size_t i = 0; i < std::min(total, kMostListed); ++i) {
    const DamagedSample& each = dataset.damaged[i];
    if (isError)
      add(STRATA_TEXT("data", "%1: %2 Mend it, or set on_damaged to skip or replace."), {each.file, each.reason});
    else if (dataset.onDamaged == "skip")
      add(STRATA_TEXT("data", "%1: %2 It is left out."), {each.file, each.reason});
    else
      add(STRATA_TEXT("data", "%1: %2 The nearest good sample stands in for it."), {each.file, each.reason});
  }
  if (total > kMostListed)
    add(STRATA_TEXT("data", "%1 more damaged samples (in all %2)."), {std::to_string(total - kMostListed), std::to_string(total)});
}

/// Classes that are only asked for, never learned.
void tellUnseenClasses(const Dataset& dataset, Diagnostics& diagnostics) {
  if (!dataset.hasLabels || dataset.train->y.dtype() != DType::I32 || dataset.train->y.shape().rank() != 1) return;
  const auto labels = dataset.train->y.as<int32_t>();
  const auto trained = static_cast<size_t>(dataset.trainCount);
  std::set<int32_t> known(labels.begin(), labels.begin() + static_cast<std::ptrdiff_t>(trained)), unseen;
  for (size_t i = trained; i < labels.size(); ++i)
    if (!known.contains(labels[i])) unseen.insert(labels[i]);
  for (const int32_t label : dataset.test->y.as<int32_t>())
    if (!known.contains(label)) unseen.insert(label);
  if (unseen.empty()) return;
  const auto first = static_cast<size_t>(*unseen.begin());
  const std::string name = first < dataset.classNames.size() ? dataset.classNames[first] : std::to_string(first);
  addProblem(
      diagnostics, "unseen_class", "/data/validation_split",
      STRATA_TEXT("data",
                  "%1 of the classes (\"%2\") are in the validation or test part alone, so they cannot be learned: the samples lie in "
                  "order. Set split_seed of data to 1, so that they are mixed before they are split."),
      {std::to_string(unseen.size()), name});
  Diagnostic& added = diagnostics.back();
  added.severity = Severity::Warning;
  added.fixes = {{STRATA_TEXT("problem", "Set %1 to %2"),
                  {"split_seed", "1"},
                  {STRATA_TEXT("edit", "Set %1"), {"split_seed"}, {{EditOperation::Kind::Set, "/data/split_seed", "1", 0}}, {}}}};
}

/// A source's samples with the selection made, targets as the loss wants them, the transform fitted. Damaged samples are listed, whatever the policy.
std::shared_ptr<Dataset> assembleDataset(const ParsedData& data, const SourceInput& input) {
  LoadedSamples loaded = data.source->load(input);
  auto dataset = std::make_shared<Dataset>();
  if (loaded.train->count() > std::numeric_limits<int32_t>::max())
    throw Error(ErrorCode::InvalidProject, "/data/source",
                "too many samples (expected at most 2147483647, got " + std::to_string(loaded.train->count()) + "). Use a part of them.");
  const bool hasOwnTest = loaded.test && loaded.test != loaded.train && !loaded.isSplit;
  if (hasOwnTest && input.selection.testSplit > 0)
    throw Error(
        ErrorCode::InvalidProject, "/data/test_split",
        "the source has a test set of its own (expected 0, got " + Json(input.selection.testSplit).dump() + "). Remove test_split.");
  if (loaded.isSplit) {
    dataset->trainCount = loaded.trainCount;
  } else {
    const bool isSliced = loaded.isSliced || !input.selection.isSlice();
    const int64_t count = isSliced ? loaded.train->count() : input.selection.sliced(loaded.train->count());
    if (isSliced && !input.selection.splitSeed && input.selection.testSplit <= 0) {
      dataset->trainCount = trainingShare(count, input.selection.validationSplit);  // as they lie
    } else {
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
    throw Error(ErrorCode::InvalidProject, "/data/validation_split",
                "no sample is left to train on (" + counted(loaded.train->count() + loaded.test->count(), "sample") +
                    " in all). Lower validation_split, test_split or skip.");
  dataset->classNames = std::move(loaded.classNames);
  dataset->hasLabels = loaded.hasLabels;
  if (data.transforms.oneHotTargets >= 0) {
    const bool isSame = loaded.test == loaded.train;
    const int64_t classes = oneHotSize(data.transforms, loaded);
    loaded.train = withOneHotTargets(*loaded.train, classes);
    loaded.test = isSame ? loaded.train : withOneHotTargets(*loaded.test, classes);
    dataset->hasLabels = false;
  }
  dataset->train = std::move(loaded.train);
  dataset->test = std::move(loaded.test);
  dataset->sampleShape = dataset->train->x.shape().without(0);
  dataset->targetShape = dataset->train->y.shape().without(0);
  dataset->transform = fitTransforms(data.transforms, dataset->train.get(), dataset->trainCount, dataset->sampleShape);
  dataset->damaged = std::move(loaded.damaged);
  dataset->dropped = loaded.dropped;
  dataset->onDamaged = data.onDamaged;
  dataset->encoding = std::move(loaded.encoding);
  dataset->notes = std::move(loaded.notes);
  return dataset;
}

/// The last data set whose samples had to be read to describe it stays, so that a check, a run and an evaluation of one project read them once.
std::shared_ptr<const Dataset> readDataset(const ParsedData& data, const Project& project) {
  const SourceInput input{
      data.fields,     data.object,    folderOf(project),          isSparseLoss(project) || data.transforms.oneHotTargets >= 0,
      lossOf(project), data.selection, data.onDamaged == "replace"};
  if (!data.source->state) return assembleDataset(data, input);
  const Json& section = memberOf(project.document(), "data");
  const std::string key = section.dump(-1, ' ', false, Json::error_handler_t::replace) + (input.isSparseTarget ? "\nsparse\n" : "\n") +
                          input.folder + "\n" + data.source->state(input);
  static std::mutex mutex;
  static std::string keptKey;
  static std::shared_ptr<const Dataset> kept;
  const std::lock_guard lock(mutex);
  if (kept && key == keptKey) return kept;
  kept = nullptr;  // makes room
  keptKey.clear();
  std::shared_ptr<const Dataset> dataset = assembleDataset(data, input);
  kept = dataset;
  keptKey = key;
  return dataset;
}

void describeByReading(const ParsedData& data, const Project& project, DatasetInfo& info, Diagnostics& diagnostics) {
  std::shared_ptr<const Dataset> dataset;
  try {
    dataset = readDataset(data, project);
  } catch (const Error& error) {
    if (error.subject().starts_with("/data"))
      addProblem(diagnostics, "bad_data", error.subject(), STRATA_TEXT("data", "%1"), {error.what()});
    else
      addProblem(diagnostics, "bad_file", "/data/source", STRATA_TEXT("data", "%1: %2"), {error.subject(), error.what()});
    return;
  }
  info.sampleShape = dataset->sampleShape;
  info.targetShape = dataset->targetShape;
  info.sampleType = dataset->train->x.dtype();
  info.hasLabels = dataset->hasLabels;
  info.hasWeights = dataset->train->weights.numElements() > 0;
  info.classes = static_cast<int64_t>(dataset->classCount());
  info.trainCount = dataset->trainCount;
  info.validationCount = dataset->validationCount;
  info.testCount = dataset->test->count();
  info.damaged = dataset->damaged;
  info.dataset = dataset;
  diagnostics.insert(diagnostics.end(), dataset->notes.begin(), dataset->notes.end());
  tellDamaged(*dataset, diagnostics);
  tellUnseenClasses(*dataset, diagnostics);
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

Json typedObject(const Json& json) {
  if (json.is_string()) return Json{{"type", json}};
  if (json.is_object() && json.contains("type") && json["type"].is_string()) return json;
  return nullptr;
}

std::vector<std::string> numbersAsNames(int64_t classes) {
  constexpr int64_t kMostNames = 1000;
  std::vector<std::string> names;
  for (int64_t i = 0; i < classes && classes <= kMostNames; ++i) names.push_back(std::to_string(i));
  return names;
}

FieldSchema dataField(const char* name, FieldType type, const char* defaultJson, Text title, Text help) {
  FieldSchema field{.name = name, .type = type, .defaultJson = defaultJson};
  field.isNullable = field.defaultJson == "null";
  field.title = title;
  field.help = help;
  return field;
}

FieldSchema textField(const char* name, Text title, Text help, bool isOptional) {
  return dataField(name, FieldType::String, isOptional ? "null" : "", title, help);
}

std::string pathOf(const SourceInput& input, const char* field) {
  const Json& value = input.fields.at(field);
  if (!value.is_string()) return {};
  const std::filesystem::path path = value.get<std::string>();
  return path.is_absolute() ? path.string() : (std::filesystem::path(input.folder) / path).string();
}

std::string fileState(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0)
    throw Error(ErrorCode::InvalidFile, path,
                "cannot be opened (" + std::generic_category().message(errno) + "). Check the name and that you may read it.");
  return path + " " + std::to_string(status.st_size) + " " + std::to_string(status.st_ino) + " " + std::to_string(status.st_mtim.tv_sec) +
         "." + std::to_string(status.st_mtim.tv_nsec) + "\n";
}

std::string Samples::placeOf(int64_t sample) const { return origin ? origin(sample) : "sample " + std::to_string(sample); }

int64_t Dataset::classCount() const {
  if (!classNames.empty()) return static_cast<int64_t>(classNames.size());
  int32_t highest = -1;
  if (hasLabels && train->y.dtype() == DType::I32)
    for (const Samples* samples : {train.get(), test.get()})
      for (const int32_t label : samples->y.as<int32_t>()) highest = std::max(highest, label);
  return int64_t{highest} + 1;
}

Preprocessing Dataset::preprocessing() const { return {transform, encoding, classNames}; }

const Schema& dataSectionSchema() {
  static const Schema schema = makeDataSection();
  return schema;
}

/// Of a data set: a petabyte. No memory holds more, and sizes stay numbers.
constexpr double kMostBytes = 0x1p50;

double DatasetInfo::bytes() const {
  const auto bytesOf = [](DType dtype, const Shape& shape) {
    double bytes = static_cast<double>(dtypeBytes(dtype));
    for (const int64_t dim : shape.dims()) bytes *= static_cast<double>(dim);
    return bytes;
  };
  const int64_t samples = trainCount + validationCount + (source == "values" ? 0 : testCount);  // which tests on itself
  return (bytesOf(sampleType, sampleShape) + bytesOf(DType::F32, targetShape)) * static_cast<double>(samples);
}

DatasetInfo describeDataset(const Project& project, Diagnostics& diagnostics) {
  DatasetInfo info;
  const size_t before = diagnostics.size();
  const ParsedData data = parseData(project, diagnostics);
  if (!data.source) return info;
  info.source = data.source->schema.type;
  Diagnostics found;
  if (!data.source->describe) {
    const bool isSound = std::none_of(diagnostics.begin() + static_cast<std::ptrdiff_t>(before), diagnostics.end(),
                                      [](const Diagnostic& each) { return each.severity == Severity::Error; });
    if (isSound) describeByReading(data, project, info, found);
    info.isKnown = isSound && info.dataset != nullptr && !hasErrors(found);
    diagnostics.insert(diagnostics.end(), found.begin(), found.end());
    return info;
  }
  data.source->describe({data.fields, data.object, folderOf(project), isSparseLoss(project) || data.transforms.oneHotTargets >= 0,
                         lossOf(project), data.selection},
                        info, found);
  info.isKnown = !hasErrors(found);
  diagnostics.insert(diagnostics.end(), found.begin(), found.end());
  if (!info.isKnown) return info;
  const int64_t all = data.selection.sliced(info.trainCount), own = info.testCount;
  const bool testsOnItself = info.source == "values";
  if (own > 0 && !testsOnItself && data.selection.testSplit > 0) {
    addProblem(diagnostics, "conflict", "/data/test_split",
               STRATA_TEXT("data", "The source has a test set of its own of %1 samples (expected test_split 0). Remove test_split."),
               {std::to_string(own)});
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
  if (data.transforms.oneHotTargets >= 0) {
    const int64_t classes = data.transforms.oneHotTargets > 0 ? data.transforms.oneHotTargets : info.classes;
    if (!info.hasLabels || classes < info.classes || classes < 1)
      addProblem(
          diagnostics, "out_of_range", "/data/transforms",
          STRATA_TEXT(
              "data",
              "one_hot needs class numbers below its classes as targets (expected at least %1 classes, got %2). Set classes to null."),
          {std::to_string(info.classes), std::to_string(classes)});
    info.targetShape.append(classes);
    info.hasLabels = false;
  }
  if (info.trainCount < 1)
    addProblem(diagnostics, "out_of_range", "/data/validation_split",
               STRATA_TEXT("data", "No sample is left to train on (samples: %1, validation_split: %2). Lower validation_split."),
               {std::to_string(all), Json(data.selection.validationSplit).dump()});
  if (info.bytes() > kMostBytes) {
    addProblem(diagnostics, "out_of_range", "/data/source",
               STRATA_TEXT("data", "%1 samples of %2 are more than any memory holds. Give fewer or smaller ones."),
               {std::to_string(all), info.sampleShape.toString()});
    info.isKnown = false;
  }
  return info;
}

std::shared_ptr<const Dataset> loadDataset(const Project& project) {
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, diagnostics);
  for (const Diagnostic& diagnostic : diagnostics)
    if (diagnostic.severity == Severity::Error)
      throw Error(ErrorCode::InvalidProject, diagnostic.field, formatText(diagnostic.message, diagnostic.arguments));
  auto dataset = readDataset(data, project);
  if (data.onDamaged == "stop" && !dataset->damaged.empty()) {
    const DamagedSample& first = dataset->damaged.front();
    const auto others = static_cast<int64_t>(dataset->damaged.size()) - 1;
    throw Error(ErrorCode::InvalidFile, first.file,
                first.reason + (others > 0 ? " And " + counted(others, "sample") + " more: see strata check." : "") +
                    " Mend it, or set on_damaged to skip or replace.");
  }
  return dataset;
}

InputTransform inputTransform(const Project& project) {
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, diagnostics);
  if (data.transforms.needsData() && data.source) return readDataset(data, project)->transform;
  Shape shape;
  if (std::any_of(data.transforms.ofInputs.begin(), data.transforms.ofInputs.end(), [](const auto& e) { return e.type == "rescale"; })) {
    Diagnostics ignored;
    shape = describeDataset(project, ignored).sampleShape;
  }
  return fitTransforms(data.transforms, nullptr, 0, shape);
}

namespace {

constexpr const char* kPreprocessingFile = "preprocessing.json";
constexpr size_t kMostPreprocessingBytes = size_t{256} << 20;

}  // namespace

void keepPreprocessing(const Dataset& dataset, const std::string& runDirectory) {
  if (!dataset.encoding && !dataset.transform.more) return;
  writeFileAtomically((std::filesystem::path(runDirectory) / kPreprocessingFile).string(), printJson(toJson(dataset.preprocessing())));
}

std::string keptPreprocessing(const std::string& weights) {
  if (weights.empty()) return {};
  const std::filesystem::path path(weights);
  for (const auto& folder : {path, path.parent_path(), path.parent_path().parent_path()}) {  // a checkpoint lies in a folder of the run's
    std::error_code error;
    if (std::filesystem::is_regular_file(folder / kPreprocessingFile, error)) return (folder / kPreprocessingFile).string();
  }
  return {};
}

Preprocessing preprocessingOf(const Project& project, const std::string& weights) {
  if (const std::string kept = keptPreprocessing(weights); !kept.empty())
    return parsePreprocessing(parseJson(readFile(kept, kMostPreprocessingBytes), kept), kept);
  Diagnostics diagnostics;
  const ParsedData data = parseData(project, diagnostics);
  if (data.source && (data.source->state || data.transforms.needsData())) return readDataset(data, project)->preprocessing();
  Preprocessing result;
  result.transform = inputTransform(project);
  return result;
}

Selection selectionOf(const Project& project) {
  Diagnostics ignored;
  ParsedData data;
  if (const Json& section = memberOf(project.document(), "data"); section.is_object()) parseSection(section, data, ignored);
  return data.selection;
}

bool weighsSamples(const Project& project) {
  const Json& source = memberOf(memberOf(project.document(), "data"), "source");
  const Json& type = memberOf(source, "type");
  return (type == "csv" || type == "numpy") && memberOf(source, "weights").is_string();
}

std::vector<std::string> damageWarnings(const Dataset& dataset) {
  Diagnostics diagnostics;
  tellDamaged(dataset, diagnostics);
  std::vector<std::string> result;
  for (const Diagnostic& each : diagnostics) result.push_back(each.sentence());
  return result;
}

std::vector<Schema> dataSourceSchemas() {
  std::vector<Schema> result;
  for (const SourceDef& source : sources()) result.push_back(source.schema);
  return result;
}

}  // namespace strata
