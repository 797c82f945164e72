// SPDX-License-Identifier: Apache-2.0
// Reads CIFAR-10 and CIFAR-100 in their binary versions. A record has one or two labels and 3072
// bytes: the red, green and blue planes of a 32 by 32 image.
#include <array>
#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/data/parallel.h"
#include "core/data/source.h"
#include "core/project/project.h"
#include "core/project/text.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr size_t kCifarPlane = 32 * 32, kCifarPixels = 3 * kCifarPlane,
                 kMaxCifarBytes = size_t{4} << 30;

struct CifarFiles {
  std::vector<std::string> train, test;
  // File with the names of the classes; "" if it does not exist
  std::string names;
  bool isHundred = false;
};

CifarFiles cifarFiles(const std::string& folder) {
  namespace fs = std::filesystem;
  const auto at = [&](const std::string& name) {
    return (fs::path(folder) / name).string();
  };
  const auto isThere = [&](const std::string& name) {
    std::error_code error;
    return fs::is_regular_file(at(name), error);
  };
  CifarFiles files;
  for (int i = 1; i <= 5; ++i)
    if (const std::string name = "data_batch_" + std::to_string(i) + ".bin"; isThere(name))
      files.train.push_back(at(name));
  if (!files.train.empty()) {
    if (isThere("test_batch.bin")) files.test = {at("test_batch.bin")};
    if (isThere("batches.meta.txt")) files.names = at("batches.meta.txt");
    return files;
  }
  if (!isThere("train.bin"))
    throw Error(ErrorCode::InvalidFile, folder,
                "has no CIFAR data (expected data_batch_1.bin to data_batch_5.bin, or train.bin of "
                "CIFAR-100). Unpack the binary version and choose its folder.");
  files.isHundred = true;
  files.train = {at("train.bin")};
  if (isThere("test.bin")) files.test = {at("test.bin")};
  return files;
}

struct CifarPart {
  std::vector<std::string> paths;
  std::vector<std::string> bytes;
  // For each sample, the number of its file, and the index of its record in the file
  std::vector<std::pair<uint32_t, uint32_t>> records;
};

/// Reads complete records with valid labels. Other records count as damaged.
CifarPart readCifar(const std::vector<std::string>& paths, size_t labels, size_t labelAt,
                    int classes, bool replacesDamaged, std::vector<DamagedSample>& damaged) {
  CifarPart part;
  part.paths = paths;
  const size_t record = labels + kCifarPixels;
  for (size_t f = 0; f < paths.size(); ++f) {
    part.bytes.push_back(readFile(paths[f], kMaxCifarBytes));
    const std::string& bytes = part.bytes.back();
    if (bytes.size() < record)
      throw Error(ErrorCode::InvalidFile, paths[f],
                  "is cut short (expected records of " + std::to_string(record) +
                      " bytes, got a file of " + std::to_string(bytes.size()) +
                      "). Download it again.");
    const size_t before = part.records.size(), damagedBefore = damaged.size();
    // Damaged records before the first good one of the file
    std::vector<size_t> early;
    for (size_t i = 0; i < bytes.size() / record; ++i) {
      const auto label = static_cast<uint8_t>(bytes[i * record + labelAt]);
      if (label < classes) {
        const std::pair good{static_cast<uint32_t>(f), static_cast<uint32_t>(i)};
        for (size_t k = 0; replacesDamaged && k < early.size(); ++k)
          part.records.push_back(good);
        early.clear();
        part.records.push_back(good);
        continue;
      }
      damaged.push_back({paths[f], "record " + std::to_string(i) + ", byte " +
                                       std::to_string(i * record + labelAt) + ": the label is " +
                                       std::to_string(label) + " (expected 0 to " +
                                       std::to_string(classes - 1) + ")."});
      if (part.records.size() == before)
        early.push_back(i);
      else if (replacesDamaged)
        part.records.push_back(part.records.back());
    }
    if (const size_t rest = bytes.size() % record; rest > 0)
      damaged.push_back({paths[f], "its last record is cut short (expected " +
                                       std::to_string(record) + " bytes at byte " +
                                       std::to_string(bytes.size() - rest) + ", got " +
                                       std::to_string(rest) + ")."});
    if (part.records.size() == before)
      throw Error(ErrorCode::InvalidFile, paths[f],
                  "has no undamaged record. " + damaged[damagedBefore].reason +
                      " Check that it belongs to this data set.");
  }
  return part;
}

std::shared_ptr<const Samples> decodeCifar(const CifarPart& part, size_t labels, size_t labelAt) {
  const auto count = static_cast<int64_t>(part.records.size());
  auto samples = std::make_shared<Samples>();
  samples->x[0] = Tensor(DType::U8, {count, 32, 32, 3});
  samples->y[0] = Tensor(DType::I32, Shape{count});
  const auto x = samples->x[0].as<uint8_t>();
  const auto y = samples->y[0].as<int32_t>();
  forAllInParallel(count, 256, [&](int64_t i) {
    const auto& [file, number] = part.records[static_cast<size_t>(i)];
    const char* record = part.bytes[file].data() + number * (labels + kCifarPixels);
    y[static_cast<size_t>(i)] = static_cast<uint8_t>(record[labelAt]);
    uint8_t* to = x.data() + static_cast<size_t>(i) * kCifarPixels;
    for (size_t pixel = 0; pixel < kCifarPlane; ++pixel)
      for (size_t color = 0; color < 3; ++color)
        *to++ = static_cast<uint8_t>(record[labels + color * kCifarPlane + pixel]);
  });
  samples->origin = [paths = part.paths, records = part.records](int64_t i) {
    const auto& [file, number] = records.at(static_cast<size_t>(i));
    return paths[file] + ", record " + std::to_string(number);
  };
  return samples;
}

std::vector<std::string> namesInFile(const std::string& path, size_t expected) {
  if (path.empty()) return {};
  std::vector<std::string> names;
  const std::string text = readFile(path, 1u << 20);
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string name = text.substr(at, end - at);
    at = end + 1;
    while (!name.empty() && (name.back() == '\r' || name.back() == ' '))
      name.pop_back();
    if (!name.empty() && isUtf8(name)) names.push_back(std::move(name));
  }
  return names.size() == expected ? names : std::vector<std::string>{};
}

LoadedSamples loadCifar(const SourceInput& input) {
  const std::string folder = pathOf(input, "path");
  CifarFiles files = cifarFiles(folder);
  const bool isCoarse = input.fields.at("label_mode").get<std::string>() == "coarse";
  if (isCoarse && !files.isHundred)
    throw Error(ErrorCode::InvalidProject, "/data/source/label_mode",
                "CIFAR-10 has only one kind of labels (expected \"fine\", got \"coarse\"). Set it "
                "to fine.");
  const size_t labels = files.isHundred ? 2 : 1, labelAt = files.isHundred && !isCoarse ? 1 : 0;
  int classes = 10;
  if (files.isHundred) classes = isCoarse ? 20 : 100;
  if (files.isHundred) {
    const std::string names = (std::filesystem::path(folder) /
                               (isCoarse ? "coarse_label_names.txt" : "fine_label_names.txt"))
                                  .string();
    std::error_code error;
    if (std::filesystem::is_regular_file(names, error)) files.names = names;
  }
  LoadedSamples loaded;
  loaded.train = decodeCifar(
      readCifar(files.train, labels, labelAt, classes, input.replacesDamaged, loaded.damaged),
      labels, labelAt);
  if (!files.test.empty())
    loaded.test = decodeCifar(
        readCifar(files.test, labels, labelAt, classes, input.replacesDamaged, loaded.damaged),
        labels, labelAt);
  loaded.targets[0].classNames = namesInFile(files.names, static_cast<size_t>(classes));
  if (loaded.targets[0].classNames.empty()) loaded.targets[0].classNames = numbersAsNames(classes);
  return loaded;
}

std::string cifarState(const SourceInput& input) {
  const CifarFiles files = cifarFiles(pathOf(input, "path"));
  std::string state = files.names;
  for (const auto* paths : {&files.train, &files.test})
    for (const std::string& path : *paths)
      state += fileState(path);
  return state;
}

}  // namespace

SourceDef cifarSource() {
  SourceDef source;
  source.schema.type = "cifar";
  source.schema.group = "Source";
  source.schema.help = STRATA_TEXT("data",
                                   "CIFAR-10 or CIFAR-100, binary version: color images of 32 by "
                                   "32 pixels in 10, 20 or 100 classes.");
  source.schema.source = "https://www.cs.toronto.edu/~kriz/cifar.html";
  FieldSchema mode =
      dataField("label_mode", FieldType::Choice, "\"fine\"", STRATA_TEXT("data", "Labels"),
                STRATA_TEXT("data", "For CIFAR-100: 100 fine or 20 coarse classes."));
  mode.choices = {"fine", "coarse"};
  source.schema.fields = {
      pathField(
          PathKind::Folder, "path", STRATA_TEXT("data", "Folder"),
          STRATA_TEXT(
              "data",
              "Path of the unpacked folder with the .bin files, relative to the project file.")),
      mode};
  source.load = loadCifar;
  source.state = cifarState;
  return source;
}

}  // namespace strata
