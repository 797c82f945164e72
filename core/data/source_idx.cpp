// SPDX-License-Identifier: Apache-2.0
// Reads images and labels in IDX files: the bundled MNIST data, or two to four files of the user.
#include <cmath>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include <nlohmann/json.hpp>

#include "core/data/idx.h"
#include "core/data/source.h"
#include "core/project/resources.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr int64_t kMnistClasses = 10;

Shape withChannel(const Shape& shape) {
  Shape result = shape;
  // Gray images get a channel dimension.
  if (result.rank() == 3) result.append(1);
  return result;
}

void requireLabelNumbers(const TensorType& type, const std::string& file) {
  if (type.shape.rank() != 1 || type.dtype == DType::F32 || type.dtype == DType::F64)
    throw Error(ErrorCode::InvalidFile, file,
                "must contain one integer per sample (got " + type.toString() +
                    "). Choose the file of labels.");
}

Tensor asLabelNumbers(const Tensor& labels, const std::string& file) {
  requireLabelNumbers(labels.type(), file);
  return labels.dtype() == DType::I32 ? labels : labels.converted(DType::I32);
}

void requireSameCount(const std::string& images, int64_t samples, const std::string& labels,
                      int64_t count) {
  if (samples == count) return;
  throw Error(ErrorCode::InvalidFile, labels,
              "does not belong to " + images + " (expected " + counted(samples, "label") +
                  ", got " + std::to_string(count) + "). Choose the matching file.");
}

Samples readPair(const std::string& images, const std::string& labels) {
  const TensorType y = readIdxType(labels);
  requireLabelNumbers(y, labels);
  requireSameCount(images, readIdxType(images).shape[0], labels, y.shape[0]);
  Samples samples;
  samples.x[0] = readIdx(images);
  samples.y[0] = asLabelNumbers(readIdx(labels), labels);
  const Shape shape = withChannel(samples.x[0].shape());
  if (!(shape == samples.x[0].shape())) samples.x[0] = samples.x[0].reshaped(shape);
  return samples;
}

/// Reads the complete samples of files that may be truncated. With `replaces`, the last sample
/// replaces the missing ones.
std::shared_ptr<const Samples> readCutPair(const std::string& images, const std::string& labels,
                                           bool replaces, std::vector<DamagedSample>& damaged) {
  IdxPart x = readIdxPart(images), y = readIdxPart(labels);
  requireSameCount(images, x.expected, labels, y.expected);
  const auto report = [&](const std::string& file, const IdxPart& part) {
    if (!part.lost.empty())
      damaged.push_back({file, part.lost + ": samples " + std::to_string(part.samples.shape()[0]) +
                                   " to " + std::to_string(part.expected - 1) + " are missing."});
  };
  report(images, x);
  report(labels, y);
  const int64_t good = std::min(x.samples.shape()[0], y.samples.shape()[0]),
                expected = replaces ? x.expected : good;
  // The header of a damaged file may declare any number of samples, so at most half of them may be
  // replaced.
  if (expected > 2 * good)
    throw Error(ErrorCode::InvalidFile, damaged.back().file,
                damaged.back().reason +
                    " Too few are left to replace them (expected at least half of " +
                    std::to_string(expected) + ", got " + std::to_string(good) +
                    "). Set on_damaged to skip.");
  auto samples = std::make_shared<Samples>();
  samples->x[0] = x.samples.reshaped(withChannel(x.samples.shape()));
  samples->y[0] = asLabelNumbers(y.samples, labels);
  if (good == samples->count() && expected == good && samples->y[0].shape()[0] == good)
    return samples;
  std::vector<int32_t> kept = samplesFrom(0, good);
  kept.resize(static_cast<size_t>(expected), static_cast<int32_t>(good - 1));
  return selectSamples(samples, kept);
}

/// Returns the samples of a pair of files. All callers share one copy, which is released when
/// nobody uses it. With `isKept`, the copy is never released; this is meant for the bundled files.
std::shared_ptr<const Samples> cachedPair(const std::string& images, const std::string& labels,
                                          bool isKept) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, std::string>, std::weak_ptr<const Samples>> cache;
  static std::vector<std::shared_ptr<const Samples>> kept;
  const std::lock_guard lock(mutex);
  auto& entry = cache[{images, labels}];
  if (auto samples = entry.lock()) return samples;
  auto samples = std::make_shared<const Samples>(readPair(images, labels));
  entry = samples;
  if (isKept) kept.push_back(samples);
  return samples;
}

/// Returns the highest label plus one.
int64_t countClasses(const Tensor& labels, const std::string& file) {
  int32_t highest = 0;
  for (const int32_t label : labels.as<int32_t>()) {
    if (label < 0)
      throw Error(ErrorCode::InvalidFile, file,
                  "has a negative label (" + std::to_string(label) +
                      ", expected at least 0). Choose the file of labels.");
    highest = std::max(highest, label);
  }
  return int64_t{highest} + 1;
}

void describeMnist(const SourceInput&, DatasetInfo& info, Diagnostics&) {
  info.inputs[0].shape = {28, 28, 1};
  info.targets[0].shape = {};
  info.inputs[0].type = DType::U8;
  info.targets[0].classes = kMnistClasses;
  info.trainCount = 60000;
  info.testCount = 10000;
}

LoadedSamples loadMnist(const SourceInput&) {
  LoadedSamples loaded;
  const auto load = [](const std::string& stem, int64_t expected) {
    const std::string images = resourcePath("mnist/" + stem + "-images-idx3-ubyte.gz"),
                      labels = resourcePath("mnist/" + stem + "-labels-idx1-ubyte.gz");
    auto samples = cachedPair(images, labels, true);
    if (!(samples->x[0].type() == TensorType{DType::U8, Shape{expected, 28, 28, 1}}))
      throw Error(ErrorCode::InvalidFile, images,
                  "is not MNIST (expected u8[" + std::to_string(expected) + ",28,28], got " +
                      samples->x[0].type().toString() + "). Restore the bundled file.");
    if (countClasses(samples->y[0], labels) > kMnistClasses)
      throw Error(ErrorCode::InvalidFile, labels,
                  "is not MNIST (expected labels 0 to 9). Restore the bundled file.");
    return samples;
  };
  loaded.train = load("train", 60000);
  loaded.test = load("t10k", 10000);
  loaded.targets[0].classNames = numbersAsNames(kMnistClasses);
  return loaded;
}

/// The numbers of labels and classes in a label file. They are cached until the file changes,
/// because a project is checked after every edit.
struct LabelFacts {
  int64_t count = 0, classes = 0;
  // The labels that occur; at most kMaxKnownLabels
  std::set<int32_t> labels = {};
};

constexpr size_t kMaxKnownLabels = 1000;

LabelFacts labelFacts(const std::string& file) {
  namespace fs = std::filesystem;
  struct Known {
    fs::file_time_type time;
    uintmax_t bytes = 0;
    LabelFacts facts;
  };
  static std::mutex mutex;
  static std::map<std::string, Known> cache;
  std::error_code error;
  const auto time = fs::last_write_time(file, error);
  const uintmax_t bytes = error ? 0 : fs::file_size(file, error);
  if (!error) {
    const std::lock_guard lock(mutex);
    if (const auto known = cache.find(file);
        known != cache.end() && known->second.time == time && known->second.bytes == bytes)
      return known->second.facts;
  }
  const TensorType type = readIdxType(file);
  requireLabelNumbers(type, file);
  LabelFacts facts{type.shape[0], 1};
  eachOfIdx(file, [&](const Tensor& labels) {
    const Tensor numbers = labels.dtype() == DType::I32 ? labels : labels.converted(DType::I32);
    facts.classes = std::max(facts.classes, countClasses(numbers, file));
    for (const int32_t label : numbers.as<int32_t>())
      if (facts.labels.size() < kMaxKnownLabels) facts.labels.insert(label);
  });
  const std::lock_guard lock(mutex);
  if (!error) cache[file] = {time, bytes, facts};
  return facts;
}

/// Returns whether there are test files. Reports a problem if only one of the two is given.
bool hasTestFiles(const SourceInput& input, Diagnostics& diagnostics) {
  const bool hasImages = input.fields.at("test_images").is_string(),
             hasLabels = input.fields.at("test_labels").is_string();
  if (hasImages != hasLabels)
    addProblem(diagnostics, "missing_field",
               hasImages ? "/data/source/test_labels" : "/data/source/test_images",
               STRATA_TEXT("data",
                           "A test set needs test_images and test_labels (expected both, got one). "
                           "Set both or neither."));
  return hasImages && hasLabels;
}

void describeIdx(const SourceInput& input, DatasetInfo& info, Diagnostics& diagnostics) {
  const auto report = [&](const char* code, const char* field, Text message, Arguments arguments) {
    Diagnostic diagnostic;
    diagnostic.code = code;
    diagnostic.field = std::string("/data/source/") + field;
    diagnostic.message = message;
    diagnostic.arguments = std::move(arguments);
    diagnostics.push_back(diagnostic);
  };
  const auto attempt = [&](const char* field, auto&& call) {
    try {
      call(pathOf(input, field));
    }
    catch (const Error& error) {
      report("bad_file", field, STRATA_TEXT("data", "%1: %2"), {error.subject(), error.what()});
    }
  };
  std::set<int32_t> known;
  const auto describePair = [&](const char* images, const char* labels) {
    std::optional<TensorType> type;
    attempt(images, [&](const std::string& file) { type = checkIdx(file); });
    attempt(labels, [&](const std::string& file) {
      const LabelFacts facts = labelFacts(file);
      if (type) requireSameCount(pathOf(input, images), type->shape[0], file, facts.count);
      known.insert(facts.labels.begin(), facts.labels.end());
      info.targets[0].classes = std::max(info.targets[0].classes, facts.classes);
    });
    return type;
  };
  const bool hasTest = hasTestFiles(input, diagnostics);
  const auto images = describePair("images", "labels");
  const auto test = hasTest ? describePair("test_images", "test_labels") : std::nullopt;
  if (!images || (hasTest && !test)) return;
  const std::optional<int32_t> ignored = input.targets[0].ignored;
  if (known.size() < kMaxKnownLabels) {
    if (ignored && known.erase(*ignored) > 0 && !known.empty())
      info.targets[0].classes = int64_t{*known.rbegin()} + 1;
    info.targets[0].labels.assign(known.begin(), known.end());
  }
  info.inputs[0].shape = withChannel(images->shape).without(0);
  info.targets[0].shape = {};
  info.inputs[0].type = images->dtype;
  info.trainCount = images->shape[0];
  info.testCount = test ? test->shape[0] : 0;
  if (!test) return;
  if (!(images->shape.without(0) == test->shape.without(0)))
    report("shape_mismatch", "test_images",
           STRATA_TEXT("data",
                       "Test images must have the same shape as the training images (expected %1, "
                       "got %2). Choose the matching file."),
           {images->shape.without(0).toString(), test->shape.without(0).toString()});
}

template <class Values>
std::string nonFiniteIn(const Values& values, int64_t sample, int64_t samples) {
  const int64_t each = static_cast<int64_t>(values.size()) / samples;
  for (int64_t i = 0; i < each; ++i)
    if (!std::isfinite(values[static_cast<size_t>(sample * each + i)]))
      return "has a NaN or infinity at position " + std::to_string(i) +
             " (expected finite numbers).";
  return {};
}

LoadedSamples loadIdx(const SourceInput& input) {
  LoadedSamples loaded;
  const auto readFiles = [&](const char* images, const char* labels) {
    const std::string file = pathOf(input, images);
    const TensorType type = readIdxType(file, !input.stopsAtDamaged);
    if (type.bytes() > kJudgedBeyondBytes) requireFitsInput(input, 0, type.shape, file);
    const auto samples = input.stopsAtDamaged ? cachedPair(file, pathOf(input, labels), false)
                                              : readCutPair(file, pathOf(input, labels),
                                                            input.replacesDamaged, loaded.damaged);
    const Tensor& x = samples->x[0];
    const auto problem = [&](int64_t sample) -> std::optional<DamagedSample> {
      const std::string reason = x.dtype() == DType::F64
                                     ? nonFiniteIn(x.as<double>(), sample, samples->count())
                                     : nonFiniteIn(x.as<float>(), sample, samples->count());
      if (reason.empty()) return std::nullopt;
      return DamagedSample{file, reason};
    };
    if (x.dtype() != DType::F32 && x.dtype() != DType::F64) return samples;
    return withoutDamaged(samples, samples->count(), input.replacesDamaged, problem,
                          loaded.damaged);
  };
  loaded.train = readFiles("images", "labels");
  Diagnostics problems;
  const bool hasTest = hasTestFiles(input, problems);
  requireNoProblem(problems);
  if (!hasTest) {
    loaded.targets[0].classNames =
        numbersAsNames(countClasses(loaded.train->y[0], pathOf(input, "labels")));
    return loaded;
  }
  loaded.test = readFiles("test_images", "test_labels");
  if (!(loaded.train->x[0].shape().without(0) == loaded.test->x[0].shape().without(0)))
    throw Error(ErrorCode::InvalidFile, pathOf(input, "test_images"),
                "has samples of another shape (expected " +
                    loaded.train->x[0].shape().without(0).toString() + ", got " +
                    loaded.test->x[0].shape().without(0).toString() +
                    "). Choose the matching file.");
  loaded.targets[0].classNames =
      numbersAsNames(std::max(countClasses(loaded.train->y[0], pathOf(input, "labels")),
                              countClasses(loaded.test->y[0], pathOf(input, "test_labels"))));
  return loaded;
}

}  // namespace

SourceDef mnistSource() {
  SourceDef source;
  source.schema.type = "mnist";
  source.schema.group = "Source";
  source.schema.help = STRATA_TEXT("data",
                                   "Handwritten digits: 60,000 training and 10,000 test images of "
                                   "28 by 28 gray pixels. Included with Strata.");
  source.schema.source =
      "LeCun, Cortes, Burges: The MNIST database of handwritten digits (CC BY-SA 3.0)";
  source.describe = describeMnist;
  source.load = loadMnist;
  return source;
}

SourceDef idxSource() {
  SourceDef source;
  source.schema.type = "idx";
  source.schema.group = "Source";
  source.schema.help =
      STRATA_TEXT("data",
                  "Images and labels in four IDX files, uncompressed or gzip, the format of MNIST "
                  "and similar data sets. If a file is truncated and on_damaged is skip or "
                  "replace, its complete samples are used.");
  source.schema.source = "http://yann.lecun.com/exdb/mnist";
  source.schema.fields = {
      pathField(PathKind::File, "images", STRATA_TEXT("data", "Images"),
                STRATA_TEXT("data", "Path of the training images, relative to the project file.")),
      pathField(PathKind::File, "labels", STRATA_TEXT("data", "Labels"),
                STRATA_TEXT("data", "Training labels, one integer per sample.")),
      pathField(PathKind::File, "test_images", STRATA_TEXT("data", "Test images"),
                STRATA_TEXT("data", "Images of the test set."), true),
      pathField(PathKind::File, "test_labels", STRATA_TEXT("data", "Test labels"),
                STRATA_TEXT("data", "Labels of the test set."), true)};
  source.describe = describeIdx;
  source.load = loadIdx;
  source.state = [](const SourceInput& input) {
    std::string state;
    for (const char* field : {"images", "labels", "test_images", "test_labels"})
      if (const std::string path = pathOf(input, field); !path.empty()) state += fileState(path);
    return state;
  };
  return source;
}

}  // namespace strata
