// SPDX-License-Identifier: Apache-2.0
// Targets that read data: IDX, tables, images, CIFAR and NumPy arrays, as data sources and as
// inputs of `strata predict`.
#include <array>
#include <map>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/csv.h"
#include "core/data/csv_formats.h"
#include "core/data/dataset.h"
#include "core/data/idx.h"
#include "core/data/image.h"
#include "core/data/inputs.h"
#include "core/project/json.h"
#include "gpu/base/error.h"
#include "tests/fuzz/repair.h"
#include "tests/fuzz/seeds.h"
#include "tests/fuzz/target.h"
#include "tests/support/image_files.h"

namespace strata::fuzz {

namespace fs = std::filesystem;

namespace {

// --- IDX ---

std::string idxOf(int kind, const std::vector<int>& sizes, const std::string& data) {
  std::string file{'\0', '\0', static_cast<char>(kind), static_cast<char>(sizes.size())};
  for (const int size : sizes)
    for (int shift = 24; shift >= 0; shift -= 8)
      file += static_cast<char>(size >> shift & 255);
  return file + data;
}

std::string countingBytes(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += static_cast<char>(i % 7);
  return bytes;
}

std::vector<std::string> idxFiles() {
  return {idxOf(0x08, {6, 4, 3}, countingBytes(72)), idxOf(0x08, {10}, countingBytes(10)),
          idxOf(0x0B, {5, 2}, countingBytes(20)), idxOf(0x0D, {3, 2}, std::string(24, '\x40')),
          idxOf(0x0E, {2}, std::string(16, '\x40'))};
}

std::string readIdxFile(const Mutant& mutant) {
  const std::string path = mutant.put("a.idx");
  const auto isRefused = [](auto&& read) {
    try {
      read();
      return false;
    }
    catch (const Error&) {
      return true;
    }
  };
  (void)isRefused([&] { readIdxType(path); });
  const bool isWrong = isRefused([&] { checkIdx(path); });
  std::string lost;
  const bool hasNoPart = isRefused([&] { lost = readIdxPart(path).lost; });
  const Tensor whole = readIdx(path);
  if (isWrong || hasNoPart || !lost.empty())
    throw std::logic_error("the file is read, but its check refuses it");
  return valuesOf(whole);
}

// --- tables ---

constexpr const char* kPlainTable =
    "a,b,kind,label\n1,2.5,x,0\n2,-1e3,y,1\n3,0.25,x,0\n4,,z,1\n5,7,y,2\n";
constexpr const char* kQuotedTable =
    "\"size, in cm\";label;name\r\n1,5;yes;\"Ann "
    "\"\"A\"\"\"\r\n2,25;no;\"two\nlines\"\r\nNA;yes;Bo\r\n4;no;C\xc3\xa9\r\n";
constexpr const char* kNumbersAlone = "1\t2\t0\n3\t4\t1\n5\t6\t0\n7\t8\t1\n";
// Lines before the data, and numbers in other notations
constexpr const char* kLogTable =
    "sep=;\r\n# log 7\na;b;c;y\n[m];%;;-\n1.234,5;5 %;$ 1;0\n2,5;6 %;$2;1\n# pause\n"
    "\xE2\x88\x92"
    "3,5;7,5 %;$ 1'000;1\n1700000000;8%;;0\n";

std::vector<Seed> tableSeeds() {
  return {{kPlainTable, Kind::Text},
          {kQuotedTable, Kind::Text},
          {kNumbersAlone, Kind::Text},
          {kLogTable, Kind::Text}};
}

std::string readTable(const Mutant& mutant) {
  CsvOptions options;
  options.decimal = mutant.number % 7 == 6 ? ',' : '.';
  options.delimiter = std::array{'\0', ',', ';', '\t'}[mutant.number / 4 % 4];
  options.header = std::array{CsvOptions::Header::Auto, CsvOptions::Header::Yes,
                              CsvOptions::Header::No}[mutant.number / 16 % 3];
  options.hasLongCells = mutant.number % 2 == 0;
  options.missing = {"NA", "?"};
  options.comment = std::array{"auto", "#", ""}[mutant.number / 3 % 3];
  options.skipLines = static_cast<int64_t>(mutant.number % 11 / 10);
  CsvTable table(mutant.put("a.csv"), options);
  std::map<size_t, NumberFormat> formats;
  for (const FoundFormat& found : findNumberFormats(table, options.decimal))
    formats.emplace(found.column, found.format);
  table.setFormats(formats);
  for (size_t row = 0; row < std::min<size_t>(table.numRows(), 100); ++row) {
    (void)table.rowName(row);
    (void)table.texts(row);
  }
  return "";
}

// --- sources ---

Json projectWith(const Json& source, const Mutant& mutant) {
  static constexpr std::array kOnDamaged{"stop", "skip", "replace"};
  return {{"format", "strata-project"},
          {"version", 1},
          {"data",
           {{"source", source},
            {"on_damaged", kOnDamaged[mutant.number % 3]},
            {"validation_split", mutant.number % 2 == 0 ? 0 : 0.25},
            {"transforms",
             mutant.number % 5 == 0 ? Json::array({{{"type", "standardize"}}}) : Json::array()}}},
          {"model", {{"layers", Json::array()}}},
          {"training", {{"loss", "sparse_categorical_crossentropy"}}}};
}

/// Reads the data twice: once like `strata check`, and once like a run.
std::string readSource(const Json& source, const Mutant& mutant) {
  const Project project(projectWith(source, mutant), (mutant.folder / "project.json").string());
  Diagnostics diagnostics;
  (void)describeDataset(project, diagnostics);
  for (const Diagnostic& each : diagnostics)
    (void)each.line();
  const auto dataset = loadDataset(project);
  for (int64_t i = 0; i < std::min<int64_t>(dataset->train->count(), 50); ++i) {
    (void)sampleOf(*dataset->train, i);
    (void)dataset->train->placeOf(i);
  }
  return "";
}

std::string readCsvSource(const Mutant& mutant) {
  static constexpr std::array kMissing{"drop", "mean", "median", "value", "error"};
  Json source{{"type", "csv"},
              {"path", mutant.put("a.csv")},
              {"missing", kMissing[mutant.number % kMissing.size()]}};
  if (mutant.number % 8 == 7) source["test_path"] = mutant.put("test.csv", kPlainTable);
  return readSource(source, mutant);
}

std::string readIdxSource(const Mutant& mutant) {
  const std::string images = mutant.file == "images"
                                 ? mutant.put("images")
                                 : mutant.put("images", idxOf(0x08, {6, 4, 3}, countingBytes(72)));
  const std::string labels = mutant.file == "labels"
                                 ? mutant.put("labels")
                                 : mutant.put("labels", idxOf(0x08, {6}, countingBytes(6)));
  return readSource({{"type", "idx"}, {"images", images}, {"labels", labels}}, mutant);
}

std::vector<Seed> idxSourceSeeds() {
  const std::string images = idxOf(0x08, {6, 4, 3}, countingBytes(72)),
                    labels = idxOf(0x08, {6}, countingBytes(6));
  return {{images, Kind::Bytes, "images"},
          {labels, Kind::Bytes, "labels"},
          {gzipOf(images, 6), Kind::Bytes, "images"},
          {gzipOf(labels, 0), Kind::Bytes, "labels"}};
}

// --- images ---

Tensor picture(int64_t height, int64_t width, int64_t channels) {
  Tensor image(DType::U8, {height, width, channels});
  uint8_t value = 0;
  for (uint8_t& each : image.as<uint8_t>())
    each = value = static_cast<uint8_t>(value * 5 + 17);
  return image;
}

/// Inserts a chunk after the header of a PNG file.
std::string withChunk(std::string png, const std::string& type, const std::string& data) {
  std::string chunk{'\0', '\0', '\0', static_cast<char>(data.size())};
  png.insert(33, chunk + type + data + std::string(4, '\0'));
  return repairPng(png);
}

std::vector<Seed> pngSeeds() {
  std::vector<Seed> seeds;
  for (const int64_t channels : {1, 3, 4})
    seeds.push_back({bytesWritten(
        [&](const std::string& path) { writePngFile(path, picture(5, 7, channels)); })});
  seeds.push_back(
      {bytesWritten([](const std::string& path) { writeGreyPngOf16Bits(path, 4, 0x1234); })});
  seeds.push_back({withChunk(seeds[1].bytes, "gAMA", std::string("\0\0\x8d\x08", 4))});
  seeds.push_back({withChunk(seeds[0].bytes, "tRNS", std::string("\0\x25", 2))});
  seeds.push_back({withChunk(seeds[1].bytes, "eXIf", exifOf(6, true))});
  std::vector<uint16_t> values(48);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<uint16_t>(i * 1367);
  seeds.push_back({pngOf(3, 4, 16, 6, values, pngChunk("eXIf", exifOf(5, false)))});
  return seeds;
}

std::vector<Seed> jpegSeeds() {
  std::vector<Seed> seeds;
  for (const int64_t channels : {1, 3, 4})
    for (const bool isProgressive : {false, true})
      seeds.push_back({bytesWritten([&](const std::string& path) {
        writeJpegFile(path, picture(9, 11, channels), isProgressive);
      })});
  for (const bool isLittleEndian : {false, true})
    seeds.push_back({withExif(seeds[0].bytes, exifOf(isLittleEndian ? 8 : 3, isLittleEndian))});
  return seeds;
}

std::string readImageFile(const Mutant& mutant) {
  const std::string path = mutant.put("image");
  const Shape size = imageSize(path);
  const Tensor image = readImage(path, {4});
  if (image.shape()[0] != size[0] || image.shape()[1] != size[1])
    throw std::logic_error("an image has another size than its head says");
  (void)readImage(path, {mutant.number % 2 == 0 ? 1 : 3});
  (void)readImage(path, {mutant.number % 2 == 0 ? 3 : 4, 16});
  return valuesOf(image);
}

std::string readImageFolder(const Mutant& mutant) {
  for (const char* name : {"images/a/1.png", "images/a/2.png", "images/b/1.png"}) {
    static const std::string sound = pngSeeds()[1].bytes;
    mutant.put(name, sound);
  }
  mutant.put("images/" + std::string(mutant.number % 2 == 0 ? "a/1" : "b/2") +
             (mutant.file == "jpeg" ? ".jpg" : ".png"));
  static constexpr std::array kCache{"auto", "memory", "none"};
  return readSource({{"type", "image_folder"},
                     {"path", (mutant.folder / "images").string()},
                     {"cache", kCache[mutant.number / 3 % 3]}},
                    mutant);
}

std::vector<Seed> imageFolderSeeds() {
  std::vector<Seed> seeds = pngSeeds();
  for (Seed& seed : jpegSeeds()) {
    seed.file = "jpeg";
    seeds.push_back(std::move(seed));
  }
  return seeds;
}

// --- CIFAR, NumPy ---

std::vector<Seed> cifarSeeds() {
  std::string records;
  for (int i = 0; i < 3; ++i)
    records += static_cast<char>(i) + countingBytes(3072);
  std::string names;
  for (int i = 0; i < 10; ++i)
    names += "class " + std::to_string(i) + "\n";
  std::string hundred;
  for (int i = 0; i < 3; ++i)
    hundred += std::string(2, static_cast<char>(i)) + countingBytes(3072);
  return {{records, Kind::Bytes, "data_batch_1.bin"},
          {records, Kind::Bytes, "test_batch.bin"},
          {names, Kind::Text, "batches.meta.txt"},
          {hundred, Kind::Bytes, "train.bin"}};
}

std::string readCifarFolder(const Mutant& mutant) {
  static const std::vector<Seed> seeds = cifarSeeds();
  for (const Seed& seed : seeds)
    if ((mutant.file == "train.bin") == (seed.file == "train.bin"))
      mutant.put(seed.file, seed.bytes);
  mutant.put(mutant.file);
  return readSource({{"type", "cifar"}, {"path", mutant.folder.string()}}, mutant);
}

std::vector<Seed> numpySourceSeeds() {
  std::vector<Seed> seeds;
  // These two arrays have two samples each.
  for (const size_t i : {0, 4})
    seeds.push_back({npySeeds()[i].bytes, Kind::Bytes, "x.npy"});
  seeds.push_back({trainingArchive(), Kind::Bytes, "a.npz"});
  return seeds;
}

std::string readNumpySource(const Mutant& mutant) {
  if (mutant.file == "a.npz")
    return readSource({{"type", "numpy"}, {"path", mutant.put("a.npz")}}, mutant);
  static const std::string labels = npySeeds()[4].bytes;
  return readSource(
      {{"type", "numpy"}, {"x", mutant.put("x.npy")}, {"y", mutant.put("y.npy", labels)}}, mutant);
}

// --- inputs of `strata predict` ---

std::vector<Seed> inputSeeds() {
  std::vector<Seed> seeds{{pngSeeds()[1].bytes, Kind::Bytes, "a.png"},
                          {jpegSeeds()[2].bytes, Kind::Bytes, "a.jpg"},
                          {"1,2,3,4,5,6\n6,5,4,3,2,1\n", Kind::Text, "a.csv"},
                          {"1e3, -2,\t+3,4.5,5,6\r\n\r\n", Kind::Text, "a.csv"},
                          {idxOf(0x08, {4, 2, 3}, countingBytes(24)), Kind::Bytes, "a.idx"}};
  seeds.push_back({npySeeds()[0].bytes, Kind::Bytes, "a.npy"});
  seeds.push_back({trainingArchive(), Kind::Bytes, "a.npz"});
  return seeds;
}

std::string readPredictInputs(const Mutant& mutant) {
  const bool isImage = mutant.file == "a.png" || mutant.file == "a.jpg";
  Shape shape = isImage ? Shape{5, 7, 3} : Shape{6};
  if (mutant.file == "a.idx") shape = {2, 3};
  if (mutant.file == "a.npy") shape = {3};
  if (mutant.file == "a.npz") shape = {2, 2};
  const Preprocessing preprocessing{InputTransforms(1), Encodings(1), ClassNames(1)};
  (void)readInputs(mutant.put(mutant.file), {{"x", shape}}, preprocessing,
                   [](const std::string&) {});
  return "";
}

}  // namespace

void addDataTargets(std::vector<Target>& targets) {
  targets.push_back({"idx",
                     [] {
                       std::vector<Seed> seeds;
                       for (std::string& bytes : idxFiles())
                         seeds.push_back({std::move(bytes)});
                       return seeds;
                     },
                     readIdxFile});
  targets.push_back(
      {"idx-gzip",
       [] {
         std::vector<Seed> seeds;
         for (const std::string& bytes : idxFiles())
           for (const int level : {0, 9})
             seeds.push_back({gzipOf(bytes, level)});
         seeds.push_back({gzipOf(idxOf(0x08, {50, 20, 20}, std::string(20000, '\3')), 9)});
         return seeds;
       },
       readIdxFile, repairGzip, true});
  targets.push_back({"idx-source", idxSourceSeeds, readIdxSource});
  targets.push_back({"csv", tableSeeds, readTable});
  targets.push_back({"csv-source", tableSeeds, readCsvSource});
  targets.push_back({"png", pngSeeds, readImageFile, repairPng, true});
  targets.push_back({"jpeg", jpegSeeds, readImageFile});
  targets.push_back({"image-folder", imageFolderSeeds, readImageFolder, repairPng});
  targets.push_back({"cifar", cifarSeeds, readCifarFolder});
  targets.push_back({"numpy-source", numpySourceSeeds, readNumpySource, repairZip});
  targets.push_back({"predict-inputs", inputSeeds, readPredictInputs, repairZip});
}

}  // namespace strata::fuzz
