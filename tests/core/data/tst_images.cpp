// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>
#include <zlib.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/data/image.h"
#include "core/data/inputs.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "tests/support/has.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

Project folderProject(const fs::path& root, const std::string& fields = "",
                      const std::string& data = "") {
  return Project(parseJson(
      R"({"format":"strata-project","version":1,"data":{"source":{"type":"image_folder","path":")" +
          root.string() + "\"" + (fields.empty() ? "" : ",") + fields + "}" +
          (data.empty() ? "" : ",") + data +
          R"(},"model":{"layers":[]},"training":{"loss":"sparse_categorical_crossentropy"}})",
      "test"));
}

std::string errorOf(const Project& project) {
  try {
    loadDataset(project);
  }
  catch (const Error& error) {
    return error.line();
  }
  return "";
}

bool isNear(const Tensor& image, std::initializer_list<int> colour, int tolerance) {
  const auto values = image.as<uint8_t>();
  size_t i = 0;
  for (const uint8_t value : values)
    if (std::abs(value - colour.begin()[i++ % colour.size()]) > tolerance) return false;
  return true;
}

/// Writes `count` red PNG images to b_red and `count` blue JPEG images to a_blue/deep. The folder
/// b_red also contains files that are not images.
void makeFolders(const fs::path& root, int count) {
  fs::create_directories(root / "b_red");
  fs::create_directories(root / "a_blue" / "deep");
  for (int i = 0; i < count; ++i) {
    writePngFile((root / "b_red" / (std::to_string(i) + ".png")).string(),
                 plainImage(6, 4, {static_cast<uint8_t>(200 + i), 0, 0}));
    writeJpegFile((root / "a_blue" / "deep" / (std::to_string(i) + ".jpg")).string(),
                  plainImage(6, 4, {0, 0, 200}));
  }
  std::ofstream(root / "b_red" / "notes.txt") << "no image";
  std::ofstream(root / "b_red" / ".hidden") << "no image";
}

void cutShort(const fs::path& path, size_t bytes) { fs::resize_file(path, bytes); }

std::string bytesOf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_SUITE("images") {
  TEST_CASE("PNG and JPEG files are read as one, three or four channels") {
    const TemporaryFolder folder;
    const std::string png = (folder / "a.png").string(), jpeg = (folder / "a.jpg").string();
    for (const bool isProgressive : {false, true}) {
      writeJpegFile(jpeg, plainImage(9, 17, {250, 20, 10}), isProgressive);
      CHECK(readImage(jpeg, {3}).shape() == Shape{9, 17, 3});
      CHECK(isNear(readImage(jpeg, {3}), {250, 20, 10}, 4));
      CHECK(isNear(readImage(jpeg, {4}), {250, 20, 10, 255}, 4));
      CHECK(isNear(readImage(jpeg, {1}), {88}, 4));
    }
    writeJpegFile(jpeg, plainImage(8, 8, {77}));
    CHECK(isNear(readImage(jpeg, {1}), {77}, 1));
    CHECK(isNear(readImage(jpeg, {3}), {77, 77, 77}, 1));
    // CMYK values are stored inverted.
    writeJpegFile(jpeg, plainImage(8, 8, {255, 128, 0, 255}));
    CHECK(isNear(readImage(jpeg, {3}), {255, 128, 0}, 6));
    writePngFile(png, plainImage(3, 5, {1, 2, 3, 255}));
    CHECK(isNear(readImage(png, {3}), {1, 2, 3}, 0));
    CHECK(imageSize(png) == Shape{3, 5});
    // A colour gives the same grey in PNG and JPEG files.
    const auto checkGrey = [&](std::initializer_list<uint8_t> colour, int grey) {
      writePngFile((folder / "c.png").string(), plainImage(8, 8, colour));
      writeJpegFile((folder / "c.jpg").string(), plainImage(8, 8, colour));
      CHECK(isNear(readImage((folder / "c.png").string(), {1}), {grey}, 1));
      CHECK(isNear(readImage((folder / "c.jpg").string(), {1}), {grey}, 2));
    };
    checkGrey({0, 255, 0}, 150);
    checkGrey({255, 0, 0}, 76);
    checkGrey({0, 0, 255}, 29);
    writeGreyPngOf16Bits((folder / "deep.png").string(), 5, 0x4040);
    CHECK(isNear(readImage((folder / "deep.png").string(), {1}), {0x40}, 0));
    CHECK(isNear(readImage((folder / "deep.png").string(), {3}), {0x40, 0x40, 0x40}, 0));
    // The contents of a file determine its format, not its name.
    fs::copy_file(png, folder / "wrong.jpg");
    CHECK(isNear(readImage((folder / "wrong.jpg").string(), {3}), {1, 2, 3}, 0));
  }

  TEST_CASE("resizing: each new pixel is the mean of nearby pixels, weighted by distance") {
    Tensor image(DType::U8, {7, 5, 3});
    RandomStream random(3, 1);
    for (uint8_t& value : image.as<uint8_t>())
      value = static_cast<uint8_t>(random.below(256));
    const auto weightOf = [](int64_t cell, int64_t at, int64_t from, int64_t to) {
      const double scale = static_cast<double>(from) / static_cast<double>(to),
                   center = (static_cast<double>(at) + 0.5) * scale - 0.5;
      return std::max(0.0, 1 - std::abs(static_cast<double>(cell) - center) / std::max(1.0, scale));
    };
    for (const auto& [height, width] :
         std::vector<std::pair<int64_t, int64_t>>{{3, 9}, {1, 1}, {14, 10}, {7, 2}, {20, 1}}) {
      const Tensor made = resizeImage(image, height, width);
      REQUIRE(made.shape() == Shape{height, width, 3});
      for (int64_t y = 0; y < height; ++y)
        for (int64_t x = 0; x < width; ++x)
          for (int64_t c = 0; c < 3; ++c) {
            double sum = 0, weights = 0;
            for (int64_t r = 0; r < 7; ++r)
              for (int64_t k = 0; k < 5; ++k) {
                const double weight = weightOf(r, y, 7, height) * weightOf(k, x, 5, width);
                sum += weight * image.as<uint8_t>()[static_cast<size_t>((r * 5 + k) * 3 + c)];
                weights += weight;
              }
            CHECK(std::abs(made.as<uint8_t>()[static_cast<size_t>((y * width + x) * 3 + c)] -
                           sum / weights) < 0.501);
          }
    }
    Tensor tall(DType::U8, {200000, 2, 1});
    std::fill(tall.as<uint8_t>().begin(), tall.as<uint8_t>().end(), uint8_t{64});
    const Tensor made = resizeImage(tall, 4, 50);
    CHECK(std::all_of(made.as<uint8_t>().begin(), made.as<uint8_t>().end(),
                      [](uint8_t value) { return value == 64; }));
  }

  TEST_CASE("truncated or damaged images are errors and never crash") {
    const TemporaryFolder folder;
    Tensor noise(DType::U8, {16, 16, 3});
    RandomStream random(3, 1);
    for (uint8_t& value : noise.as<uint8_t>())
      value = static_cast<uint8_t>(random.below(256));
    writePngFile((folder / "a.png").string(), noise);
    writeJpegFile((folder / "a.jpg").string(), noise);
    writeJpegFile((folder / "b.jpg").string(), noise, true);
    for (const char* name : {"a.png", "a.jpg", "b.jpg"}) {
      const std::string bytes = bytesOf(folder / name);
      // An image that lacks only these last bytes is still complete, so longer prefixes are not
      // tested.
      const size_t end = std::string_view(name).ends_with("png") ? 12 : 2;
      for (size_t length = 0; length + end < bytes.size(); ++length) {
        CAPTURE(name);
        CAPTURE(length);
        CHECK_THROWS_AS(decodeImage(std::string_view(bytes).substr(0, length), name, {3}), Error);
      }
      int damaged = 0;
      for (int i = 0; i < 600; ++i) {
        std::string wrong = bytes;
        for (int k = 0; k < 3; ++k)
          wrong[random.below(static_cast<uint32_t>(wrong.size()))] =
              static_cast<char>(random.below(256));
        try {
          decodeImage(wrong, name, {3});
        }
        catch (const Error& error) {
          ++damaged;
          CHECK(error.subject() == name);
        }
      }
      CHECK(damaged > 100);
    }
  }

  TEST_CASE("a damaged chunk of any type makes a PNG damaged") {
    const TemporaryFolder folder;
    const Tensor image = plainImage(4, 4, {100, 150, 200});
    writePngFile((folder / "a.png").string(), image);
    const std::string plain = bytesOf(folder / "a.png");
    const auto bigEndian = [](uint32_t value) {
      std::string bytes;
      for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift);
      return bytes;
    };
    const auto chunk = [&](const std::string& name, const std::string& data) {
      const std::string checked = name + data;
      const auto crc = static_cast<uint32_t>(::crc32(
          0, reinterpret_cast<const Bytef*>(checked.data()), static_cast<uInt>(checked.size())));
      return bigEndian(static_cast<uint32_t>(data.size())) + checked + bigEndian(crc);
    };
    const size_t data = plain.find("IDAT") - 4;
    const auto with = [&](const std::string& inserted) {
      return plain.substr(0, 8 + 25) + inserted + plain.substr(data);
    };
    const auto failureOf = [&](const std::string& bytes) -> std::string {
      try {
        decodeImage(bytes, "a.png", {3});
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
        return error.what();
      }
      return "";
    };
    const std::string gamma = chunk("gAMA", bigEndian(100000)),
                      transparent = chunk("tRNS", std::string("\0\144\0\226\0\310", 6)),
                      profile = chunk("iCCP", std::string("name\0\0", 6) + "no profile at all"),
                      text = chunk("tEXt", std::string("k\0v", 3));
    // The chunk gAMA declares linear light, so the values change. Without the chunk, they would be
    // read as sRGB.
    CHECK(!isNear(decodeImage(with(gamma), "a.png", {3}), {100, 150, 200}, 10));
    // The chunk tRNS makes the pixels transparent, so they are read as white.
    CHECK(isNear(decodeImage(with(transparent), "a.png", {3}), {255, 255, 255}, 0));
    // The chunk iCCP is intact but has no valid profile, so libpng ignores it with a warning.
    CHECK(isNear(decodeImage(with(profile), "a.png", {3}), {100, 150, 200}, 0));
    CHECK(isNear(decodeImage(with(text), "a.png", {3}), {100, 150, 200}, 0));
    // Bytes after the end of the image are ignored.
    CHECK(isNear(decodeImage(plain + "more", "a.png", {3}), {100, 150, 200}, 0));
    for (const std::string& good : {gamma, transparent, profile, text})
      // Each time, a byte of the name, of the data or of the CRC is damaged.
      for (const size_t at : {size_t{5}, size_t{8}, good.size() - 1}) {
        std::string wrong = good;
        wrong[at] = static_cast<char>(wrong[at] ^ 0x01);
        CAPTURE(good.substr(4, 4));
        CAPTURE(at);
        CHECK(has(failureOf(with(wrong)), "is not a readable PNG image (its chunk "));
      }
    std::string wrong = gamma;
    wrong[8] = 1;
    CHECK(has(failureOf(with(wrong)), "its chunk gAMA at byte 33 is damaged"));
    // libpng would allocate what a chunk states
    CHECK(has(failureOf(with(bigEndian(0x7FFFFFFF) + "eXIf" + std::string(20, '\0'))),
              "its chunk eXIf at byte 33 is damaged (it is longer than the file)"));
    // The field on_damaged applies, as for any damaged image.
    makeFolders(folder / "images", 2);
    std::ofstream(folder / "images" / "b_red" / "2.png", std::ios::binary) << with(wrong);
    CHECK(has(errorOf(folderProject(folder / "images")), "2.png: is not a readable PNG image"));
    CHECK(loadDataset(folderProject(folder / "images", "", R"("on_damaged":"skip")"))
              ->damaged.size() == 1);
  }

  TEST_CASE(
      "each class has a folder, classes are spread evenly, and the first image sets the size") {
    const TemporaryFolder folder;
    makeFolders(folder.path(), 10);
    const auto data =
        loadDataset(folderProject(folder.path(), "", R"("validation_split":0.2,"test_split":0.1)"));
    CHECK(data->train->x[0].type() == TensorType{DType::U8, Shape{18, 6, 4, 3}});
    CHECK(data->trainCount == 14);
    CHECK(data->test->count() == 2);
    CHECK(data->targets[0].classNames == std::vector<std::string>{"a_blue", "b_red"});
    const auto y = data->train->y[0].as<int32_t>();
    for (size_t i = 0; i < 18; ++i)
      CHECK(y[i] == static_cast<int32_t>(i % 2));
    CHECK(data->train->x[0].as<uint8_t>()[6 * 4 * 3] == 200);
    CHECK(has(data->train->placeOf(3), "b_red/1.png"));
    const auto grey =
        loadDataset(folderProject(folder.path(), R"("color_mode":"grayscale","image_size":[3,2])"));
    CHECK(grey->inputs[0].shape == Shape{3, 2, 1});
    const auto one = loadDataset(folderProject(folder.path(), R"("class_names":["b_red"])"));
    CHECK(one->train->count() == 10);
    CHECK(loadDataset(folderProject(folder.path(), "", R"("skip":2,"take":5)"))->train->count() ==
          5);
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(folderProject(folder.path()), diagnostics);
    CHECK(diagnostics.empty());
    CHECK(info.targets[0].classes == 2);
    CHECK(info.trainCount == 20);
    // Images for predict are processed like training images.
    const auto inputs =
        readInputs((folder / "b_red" / "0.png").string(), {{"x", grey->inputs[0].shape}},
                   grey->preprocessing(), [](const std::string&) {});
    CHECK(std::equal(inputs[0].arrays[0].as<uint8_t>().begin(),
                     inputs[0].arrays[0].as<uint8_t>().end(),
                     grey->train->x[0].as<uint8_t>().begin() + 6));
  }

  TEST_CASE("a folder with a new file is loaded again") {
    const TemporaryFolder folder;
    makeFolders(folder.path(), 2);
    const Project project = folderProject(folder.path());
    const auto before = loadDataset(project);
    CHECK(loadDataset(project) == before);
    writePngFile((folder / "b_red" / "9.png").string(), plainImage(6, 4, {9, 9, 9}));
    CHECK(loadDataset(project)->train->count() == 5);
  }

  TEST_CASE("on_damaged for images: stop, skip and replace") {
    const TemporaryFolder folder;
    makeFolders(folder.path(), 4);
    cutShort(folder / "b_red" / "0.png", 50);
    cutShort(folder / "a_blue" / "deep" / "2.jpg", 300);
    std::ofstream(folder / "b_red" / "5.gif") << "GIF89a";
    const std::string message = errorOf(folderProject(folder.path()));
    CHECK(has(message, "b_red/0.png"));
    CHECK(has(message, "2 samples more"));
    const auto skipped = loadDataset(folderProject(folder.path(), "", R"("on_damaged":"skip")"));
    CHECK(skipped->train->count() == 6);
    CHECK(skipped->damaged.size() == 3);
    CHECK(damageWarnings(*skipped).size() == 3);
    const auto replaced =
        loadDataset(folderProject(folder.path(), "", R"("on_damaged":"replace")"));
    CHECK(replaced->train->count() == 9);
    const auto y = replaced->train->y[0].as<int32_t>();
    CHECK(std::count(y.begin(), y.end(), 1) == 5);
    // An image of the same class replaces a damaged one, so all images of class 1 are red.
    for (int64_t i = 0; i < 9; ++i)
      CHECK(replaced->train->x[0].as<uint8_t>()[static_cast<size_t>(i * 72)] >
            (y[static_cast<size_t>(i)] == 1 ? 190 : -1));
    Diagnostics diagnostics;
    CHECK(describeDataset(folderProject(folder.path(), "", R"("on_damaged":"skip")"), diagnostics)
              .damaged.size() == 3);
    CHECK(diagnostics.size() == 3);
    CHECK(!hasErrors(diagnostics));
  }

  TEST_CASE("skip and take count only undamaged images, as for other sources") {
    const TemporaryFolder folder;
    // Images of a_blue and b_red alternate. Each folder has the images 0 to 9.
    makeFolders(folder.path(), 10);
    for (const char* name : {"0.png", "1.png", "3.png", "9.png"})
      cutShort(folder / "b_red" / name, 50);
    const auto placesOf = [](const Samples& samples) {
      std::string places;
      for (int64_t i = 0; i < samples.count(); ++i) {
        const fs::path path = samples.placeOf(i);
        places += path.stem().string() + (path.extension() == ".png" ? "r " : "b ");
      }
      return places;
    };
    for (const std::string cache : {"memory", "none"}) {
      CAPTURE(cache);
      const auto load = [&](const std::string& data) {
        return loadDataset(folderProject(folder.path(), "\"cache\":\"" + cache + "\"", data));
      };
      const auto taken = load(R"("on_damaged":"skip","take":7)");
      CHECK(placesOf(*taken->train) == "0b 1b 2b 2r 3b 4b 4r ");
      // The last damaged image comes after the samples that are taken.
      CHECK(taken->damaged.size() == 3);
      const auto skipped = load(R"("on_damaged":"skip","skip":3,"take":4)");
      CHECK(placesOf(*skipped->train) == "2r 3b 4b 4r ");
      // Only three of the nine requested samples are left.
      CHECK(placesOf(*load(R"("on_damaged":"skip","skip":13,"take":9)")->train) == "8b 8r 9b ");
      const auto replaced = load(R"("on_damaged":"replace","skip":1,"take":7)");
      CHECK(placesOf(*replaced->train) == "2r 1b 2r 2b 2r 3b 2r ");
      // The first undamaged red image comes after the samples that are taken.
      CHECK(placesOf(*load(R"("on_damaged":"replace","take":2)")->train) == "0b 2r ");
      for (const auto& data : {taken, skipped, replaced})
        for (int64_t i = 0; i < data->train->count(); ++i)
          CHECK(sampleOf(*data->train, i)[0].isBitEqual(readImage(data->train->placeOf(i), {3})));
      CHECK(has(errorOf(folderProject(folder.path(), "\"cache\":\"" + cache + "\"",
                                      R"("on_damaged":"skip","skip":16)")),
                "no image left after skip of data (16 images can be read, skip is 16)"));
      CHECK(has(errorOf(folderProject(folder.path(), "", R"("skip":20)")),
                "no image left after skip of data. Lower skip."));
    }
    CHECK(has(errorOf(folderProject(folder.path(), "", R"("take":2)")), "b_red/0.png"));
    CHECK(errorOf(folderProject(folder.path(), "", R"("take":1)")) == "");
  }

  TEST_CASE("a class folder without images is reported") {
    const TemporaryFolder folder;
    makeFolders(folder.path(), 2);
    fs::create_directories(folder / "c_empty");
    Diagnostics diagnostics;
    CHECK(describeDataset(folderProject(folder.path()), diagnostics).targets[0].classes == 3);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].severity == Severity::Warning);
    CHECK(diagnostics[0].code == "empty_class");
    CHECK(has(diagnostics[0].line(), "c_empty has no images"));
    diagnostics.clear();
    describeDataset(folderProject(folder.path(), R"("class_names":["b_red","a_blue"])"),
                    diagnostics);
    CHECK(diagnostics.empty());
  }

  TEST_CASE("errors about wrong folders say what to do") {
    const TemporaryFolder folder;
    CHECK(has(errorOf(folderProject(folder / "none")), "is not a folder"));
    CHECK(has(errorOf(folderProject(folder.path())), "has no folders"));
    writePngFile((folder / "a.png").string(), plainImage(2, 2, {1}));
    CHECK(has(errorOf(folderProject(folder.path())), "images but no folders"));
    fs::create_directories(folder / "a");
    CHECK(has(errorOf(folderProject(folder.path())), "has no images"));
    std::ofstream(folder / "a" / "x.png") << "nothing";
    CHECK(has(errorOf(folderProject(folder.path())), "no readable image"));
    writePngFile((folder / "a" / "y.png").string(), plainImage(2, 2, {1}));
    CHECK(has(errorOf(folderProject(folder.path(), R"("class_names":["b"])")),
              "has no folder \"b\""));
  }
}
