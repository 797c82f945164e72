// SPDX-License-Identifier: Apache-2.0
// Images and labels in IDX files: the bundled MNIST, and any other four files.
#include <filesystem>
#include <map>
#include <mutex>

#include <nlohmann/json.hpp>

#include "core/data/idx.h"
#include "core/data/source.h"
#include "core/project/resources.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr int64_t kMnistClasses = 10;

Shape withChannel(const Shape& shape) {
  Shape result = shape;
  if (result.rank() == 3) result.append(1);  // grey images get their channel
  return result;
}

Samples readPair(const std::string& images, const std::string& labels) {
  Samples samples;
  samples.x = readIdx(images);
  samples.y = readIdx(labels);
  if (samples.y.shape().rank() != 1 || samples.y.dtype() == DType::F32 || samples.y.dtype() == DType::F64)
    throw Error(ErrorCode::InvalidFile, labels,
                "must hold one whole number a sample (got " + samples.y.type().toString() + "). Name the file of labels.");
  if (samples.x.shape()[0] != samples.y.shape()[0])
    throw Error(ErrorCode::InvalidFile, labels,
                "does not belong to " + images + " (expected " + std::to_string(samples.x.shape()[0]) + " labels, got " +
                    std::to_string(samples.y.shape()[0]) + "). Name the matching file.");
  if (samples.y.dtype() != DType::I32) samples.y = samples.y.converted(DType::I32);
  const Shape shape = withChannel(samples.x.shape());
  if (!(shape == samples.x.shape())) samples.x = samples.x.reshaped(shape);
  return samples;
}

/// A process keeps one copy of each pair of files it has read, as long as someone uses it; the bundled files stay.
std::shared_ptr<const Samples> cachedPair(const std::string& images, const std::string& labels, bool isKept) {
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

int64_t countClasses(const Samples& samples, const std::string& file) {
  int32_t highest = 0;
  for (const int32_t label : samples.y.as<int32_t>()) {
    if (label < 0)
      throw Error(ErrorCode::InvalidFile, file,
                  "holds a negative label (" + std::to_string(label) + "; expected 0 and up). Name the file of labels.");
    highest = std::max(highest, label);
  }
  return int64_t{highest} + 1;
}

void describeMnist(const SourceInput&, DatasetInfo& info, Diagnostics&) {
  info.sampleShape = {28, 28, 1};
  info.targetShape = {};
  info.sampleType = DType::U8;
  info.classes = kMnistClasses;
  info.trainCount = 60000;
  info.testCount = 10000;
}

LoadedSamples loadMnist(const SourceInput&) {
  LoadedSamples loaded;
  const auto load = [](const std::string& stem, int64_t expected) {
    const std::string images = resourcePath("mnist/" + stem + "-images-idx3-ubyte.gz"),
                      labels = resourcePath("mnist/" + stem + "-labels-idx1-ubyte.gz");
    auto samples = cachedPair(images, labels, true);
    if (!(samples->x.type() == TensorType{DType::U8, Shape{expected, 28, 28, 1}}))
      throw Error(ErrorCode::InvalidFile, images,
                  "is not MNIST (expected u8[" + std::to_string(expected) + ",28,28], got " + samples->x.type().toString() +
                      "). Restore the bundled file.");
    if (countClasses(*samples, labels) > kMnistClasses)
      throw Error(ErrorCode::InvalidFile, labels, "is not MNIST (expected labels 0 to 9). Restore the bundled file.");
    return samples;
  };
  loaded.train = load("train", 60000);
  loaded.test = load("t10k", 10000);
  loaded.classNames = numbersAsNames(kMnistClasses);
  return loaded;
}

std::string pathOf(const SourceInput& input, const char* field) {
  const std::filesystem::path path = input.fields.at(field).get<std::string>();
  return path.is_absolute() ? path.string() : (std::filesystem::path(input.folder) / path).string();
}

void describeIdx(const SourceInput& input, DatasetInfo& info, Diagnostics& diagnostics) {
  try {
    const TensorType images = readIdxType(pathOf(input, "images")), test = readIdxType(pathOf(input, "test_images"));
    info.sampleShape = withChannel(images.shape).without(0);
    info.targetShape = {};
    info.sampleType = images.dtype;
    info.trainCount = images.shape[0];
    info.testCount = test.shape[0];
    if (!(images.shape.without(0) == test.shape.without(0))) {
      Diagnostic diagnostic;
      diagnostic.code = "shape_mismatch";
      diagnostic.field = "/data/source/test_images";
      diagnostic.message =
          STRATA_TEXT("data", "Test images must have the shape of the training images (expected %1, got %2). Name the matching file.");
      diagnostic.arguments = {images.shape.without(0).toString(), test.shape.without(0).toString()};
      diagnostics.push_back(diagnostic);
    }
  } catch (const Error& error) {
    Diagnostic diagnostic;
    diagnostic.code = "bad_file";
    diagnostic.field = "/data/source";
    diagnostic.message = STRATA_TEXT("data", "%1: %2");
    diagnostic.arguments = {error.subject(), error.what()};
    diagnostics.push_back(diagnostic);
  }
}

LoadedSamples loadIdx(const SourceInput& input) {
  LoadedSamples loaded;
  loaded.train = cachedPair(pathOf(input, "images"), pathOf(input, "labels"), false);
  loaded.test = cachedPair(pathOf(input, "test_images"), pathOf(input, "test_labels"), false);
  if (!(loaded.train->x.shape().without(0) == loaded.test->x.shape().without(0)))
    throw Error(ErrorCode::InvalidFile, pathOf(input, "test_images"),
                "holds samples of another shape (expected " + loaded.train->x.shape().without(0).toString() + ", got " +
                    loaded.test->x.shape().without(0).toString() + "). Name the matching file.");
  loaded.classNames = numbersAsNames(
      std::max(countClasses(*loaded.train, pathOf(input, "labels")), countClasses(*loaded.test, pathOf(input, "test_labels"))));
  return loaded;
}

}  // namespace

SourceDef mnistSource() {
  SourceDef source;
  source.schema.type = "mnist";
  source.schema.group = "Source";
  source.schema.help = STRATA_TEXT("data", "Handwritten digits: 60,000 training and 10,000 test images of 28 by 28 grey values. Bundled.");
  source.schema.source = "LeCun, Cortes, Burges: The MNIST database of handwritten digits (CC BY-SA 3.0)";
  source.describe = describeMnist;
  source.load = loadMnist;
  return source;
}

SourceDef idxSource() {
  SourceDef source;
  source.schema.type = "idx";
  source.schema.group = "Source";
  source.schema.help = STRATA_TEXT("data", "Images and labels in four IDX files, plain or gzip, as MNIST and its relatives come.");
  source.schema.source = "http://yann.lecun.com/exdb/mnist";
  const auto field = [](const char* name, Text title, Text help) {
    FieldSchema result;
    result.name = name;
    result.type = FieldType::String;
    result.title = title;
    result.help = help;
    return result;
  };
  source.schema.fields = {
      field("images", STRATA_TEXT("data", "Images"), STRATA_TEXT("data", "Training images; relative to the project file.")),
      field("labels", STRATA_TEXT("data", "Labels"), STRATA_TEXT("data", "Training labels, one whole number a sample.")),
      field("test_images", STRATA_TEXT("data", "Test images"), STRATA_TEXT("data", "Images of the test set.")),
      field("test_labels", STRATA_TEXT("data", "Test labels"), STRATA_TEXT("data", "Labels of the test set."))};
  source.describe = describeIdx;
  source.load = loadIdx;
  return source;
}

}  // namespace strata
