// SPDX-License-Identifier: Apache-2.0
// Tests what an image folder makes of its files: bit depths, backgrounds, files that are left out,
// folders for the splits, and the record of the reading in preprocessing.json.
#include <filesystem>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/data_stages.h"
#include "core/data/dataset.h"
#include "core/data/image.h"
#include "core/data/image_reading.h"
#include "core/data/inputs.h"
#include "core/data/transforms.h"
#include "gpu/base/error.h"
#include "tests/support/has.h"
#include "tests/support/image_files.h"
#include "tests/support/paths.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

Project folderProject(const fs::path& root, Json fields = Json::object(),
                      Json data = Json::object()) {
  Json source{{"type", "image_folder"}, {"path", root.string()}};
  if (fields.is_object()) source.update(fields);
  data["source"] = source;
  return Project({{"format", "strata-project"},
                  {"version", 1},
                  {"data", data},
                  {"model", {{"layers", Json::array()}}},
                  {"training", {{"loss", "sparse_categorical_crossentropy"}}}});
}

void put(const fs::path& path, const std::string& bytes) {
  fs::create_directories(path.parent_path());
  writeFileAtomically(path.string(), bytes);
}

std::string grayOf(int bits, std::vector<uint16_t> values) {
  return pngOf(1, static_cast<uint32_t>(values.size()), bits, 0, values);
}

/// A gray PNG with alpha: a line of this gray on transparent ground.
std::string lineOf(uint16_t gray) {
  return pngOf(1, 3, 8, 4, std::vector<uint16_t>{gray, 0, gray, 255, gray, 0});
}

Diagnostics problemsOf(const Project& project) {
  Diagnostics diagnostics;
  describeDataset(project, diagnostics);
  return diagnostics;
}

/// Returns the problem with this code. Fails the test if there is none, or more than one.
Diagnostic problemOf(const Project& project, const std::string& code) {
  Diagnostics found = problemsOf(project);
  std::erase_if(found, [&](const Diagnostic& each) { return each.code != code; });
  CAPTURE(code);
  REQUIRE(found.size() == 1);
  CHECK(found[0].severity == Severity::Warning);
  return found[0];
}

bool hasProblem(const Project& project, const std::string& code) {
  const Diagnostics found = problemsOf(project);
  return std::any_of(found.begin(), found.end(),
                     [&](const Diagnostic& each) { return each.code == code; });
}

Project fixedProject(Project project, const Fix& fix) {
  applyEdit(project.document(), fix.edit);
  return project;
}

/// Returns the transformed inputs of all training and validation samples.
std::vector<float> inputsOf(const Dataset& dataset) {
  std::vector<float> values;
  forEachSample(*dataset.train, 0, dataset.transforms[0], dataset.train->count(),
                [&](int64_t, std::span<const float> sample) {
                  values.insert(values.end(), sample.begin(), sample.end());
                });
  return values;
}

}  // namespace

TEST_SUITE("image folders") {
  TEST_CASE("a folder of 16 bits keeps its values, and rescale divides by 65535") {
    const TemporaryFolder folder;
    put(folder / "a/1.png", grayOf(16, {0, 100, 200, 300}));
    put(folder / "b/1.png", grayOf(16, {500, 1000, 2000, 65535}));
    const Json gray{{"color_mode", "grayscale"}};
    const auto load = [&](Json fields, const Json& transforms) {
      fields["color_mode"] = "grayscale";
      return loadDataset(folderProject(folder.path(), fields, {{"transforms", transforms}}));
    };
    const auto raw = load({}, Json::array());
    CHECK(raw->train->x[0].type() == TensorType{DType::F32, Shape{2, 1, 4, 1}});
    CHECK(inputsOf(*raw) == std::vector<float>{0, 100, 200, 300, 500, 1000, 2000, 65535});
    CHECK(raw->inputs[0].largest == 65535);
    const std::vector<float> scaled = inputsOf(*load({}, {"rescale"}));
    CHECK(scaled[1] == 100 * static_cast<float>(1.0 / 65535));
    CHECK(scaled[7] == doctest::Approx(1));
    CHECK(load({}, {"rescale"})->transforms[0].scale == 1.0 / 65535);
    CHECK(load({{"bit_depth", "8"}}, {"rescale"})->transforms[0].scale == 1.0 / 255);
    // Decoding for each batch gives the same values.
    CHECK(inputsOf(*load({{"cache", "none"}}, {"rescale"})) == scaled);
    CHECK(load({{"cache", "none"}}, {})->train->decode);
    // An explicit 1/255 is for 8 bits.
    const Json explicitly = Json::array({{{"type", "rescale"}, {"scale", 1.0 / 255}}});
    const Project wrong = folderProject(folder.path(), gray, {{"transforms", explicitly}});
    const Diagnostic problem = problemOf(wrong, "wrong_scale");
    CHECK(has(problem.line(), "values up to 65535 (expected 1/65535, got 1/255)"));
    CHECK(problem.field == "/data/transforms/0/scale");
    CHECK(formatText(problem.fixes.at(0).label, problem.fixes[0].arguments) == "Divide by 65535");
    const Project fixed = fixedProject(wrong, problem.fixes[0]);
    CHECK(!hasProblem(fixed, "wrong_scale"));
    CHECK(inputsOf(*loadDataset(fixed)) == scaled);
    CHECK(!hasProblem(folderProject(folder.path(), gray, {{"transforms", {"rescale"}}}),
                      "wrong_scale"));
    // The opposite mistake
    put(folder / "bytes/a/1.png", grayOf(8, {0, 255}));
    const Project dark = folderProject(
        folder / "bytes", gray, {{"transforms", {{{"type", "rescale"}, {"scale", 1.0 / 65535}}}}});
    CHECK(has(problemOf(dark, "wrong_scale").line(), "(expected 1/255, got 1/65535)"));
  }

  TEST_CASE("images of 8 bits among images of 16 bits are multiplied by 257, with a warning") {
    const TemporaryFolder folder;
    put(folder / "a/1.png", grayOf(16, {5, 65535}));
    put(folder / "a/2.png", grayOf(8, {1, 255}));
    put(folder / "b/1.png", grayOf(8, {0, 100}));
    const Project project = folderProject(folder.path(), {{"color_mode", "grayscale"}});
    const Diagnostic problem = problemOf(project, "mixed_bit_depth");
    CHECK(has(problem.line(), "1 of 3 images have 16 bits"));
    CHECK(has(problem.line(), "a/1.png"));
    REQUIRE(problem.fixes.size() == 2);
    const std::vector<float> values = inputsOf(*loadDataset(project));
    CHECK(values == std::vector<float>{5, 65535, 0, 25700, 257, 65535});
    const Project confirmed = fixedProject(project, problem.fixes[0]);
    CHECK(problemsOf(confirmed).empty());
    CHECK(inputsOf(*loadDataset(confirmed)) == values);
    const Project rounded = fixedProject(project, problem.fixes[1]);
    CHECK(problemsOf(rounded).empty());
    CHECK(inputsOf(*loadDataset(rounded)) == std::vector<float>{0, 255, 0, 100, 1, 255});
    // A damaged header does not decide.
    std::string broken = grayOf(16, {1, 2});
    broken[18] = '\x7f';
    put(folder / "c/a/1.png", broken);
    put(folder / "c/b/1.png", grayOf(8, {1, 2}));
    CHECK(!hasProblem(folderProject(folder / "c"), "mixed_bit_depth"));
  }

  TEST_CASE("black drawings on transparent ground stay visible, and lost drawings are reported") {
    const TemporaryFolder folder;
    put(folder / "a/1.png", lineOf(0));
    put(folder / "b/1.png", lineOf(40));
    CHECK(problemsOf(folderProject(folder.path())).empty());
    const auto white = loadDataset(folderProject(folder.path(), {{"color_mode", "grayscale"}}));
    CHECK(inputsOf(*white) == std::vector<float>{255, 0, 255, 255, 40, 255});
    const Project black = folderProject(folder.path(), {{"background", "black"}});
    const Diagnostic problem = problemOf(black, "plain_images");
    CHECK(has(problem.line(), "a/1.png"));
    CHECK(has(problem.line(), "the background black"));
    CHECK(problem.field == "/data/source/background");
    CHECK(problemsOf(fixedProject(black, problem.fixes.at(0))).empty());
    // White and black drawings need a third color.
    put(folder / "b/2.png", lineOf(255));
    const Diagnostic both = problemOf(folderProject(folder.path()), "plain_images");
    CHECK(both.fixes.at(0).arguments.at(1) == "black");
    const Project gray = folderProject(folder.path(), {{"background", "gray"}});
    CHECK(problemsOf(gray).empty());
    CHECK(problemsOf(folderProject(folder.path(), {{"color_mode", "rgba"}})).empty());
    const auto rgba = loadDataset(folderProject(folder.path(), {{"color_mode", "rgba"}}));
    CHECK(rgba->train->x[0].as<uint8_t>()[3] == 0);
    // A background that is no color
    const Diagnostics wrong = problemsOf(folderProject(folder.path(), {{"background", "mauve"}}));
    REQUIRE(wrong.size() == 1);
    CHECK(wrong[0].field == "/data/source/background");
    CHECK(has(wrong[0].line(), "(expected white, black, gray or #RRGGBB, got mauve)"));
  }

  TEST_CASE("folders of operating systems and hidden images are left out, and named") {
    const TemporaryFolder folder;
    for (const char* name : {"cats/1.png", "dogs/1.png", "dogs/deep/2.png"})
      put(folder / name, grayOf(8, {1, 2}));
    CHECK(problemsOf(folderProject(folder.path())).empty());
    put(folder / "cats/.DS_Store", "x");
    put(folder / "cats/Thumbs.db", "x");
    CHECK(problemsOf(folderProject(folder.path())).empty());
    fs::create_directories(folder / "__MACOSX" / "cats");
    put(folder / "dogs/._1.png", "x");
    put(folder / "dogs/@eaDir/1.png", "x");
    const Project project = folderProject(folder.path());
    const Diagnostic problem = problemOf(project, "skipped_files");
    CHECK(has(problem.line(), "(3): __MACOSX, dogs/._1.png, dogs/@eaDir"));
    const auto data = loadDataset(project);
    CHECK(data->targets[0].classNames == std::vector<std::string>{"cats", "dogs"});
    CHECK(data->train->count() == 3);
    // An empty folder that is no system folder stays a class, and the fix leaves it out.
    fs::create_directories(folder / "birds");
    const Diagnostic empty = problemOf(project, "empty_class");
    CHECK(!hasProblem(fixedProject(project, empty.fixes.at(0)), "empty_class"));
  }

  TEST_CASE("a folder with train, valid and test is a split") {
    const TemporaryFolder folder;
    const auto fill = [&](const char* part, const char* name, int count, uint16_t value) {
      for (int i = 0; i < count; ++i)
        put(folder / part / name / (std::to_string(i) + ".png"), grayOf(8, {value, 9}));
    };
    fill("Train", "cats", 4, 1);
    fill("Train", "dogs", 2, 2);
    fill("val", "cats", 1, 3);
    fill("val", "dogs", 2, 4);
    fill("test", "cats", 1, 5);
    for (const char* cache : {"memory", "none"}) {
      const Json fields{{"color_mode", "grayscale"}, {"cache", cache}};
      const Project project = folderProject(folder.path(), fields);
      const auto data = loadDataset(project);
      CHECK(data->trainCount == 6);
      CHECK(data->validationCount == 3);
      CHECK(data->test->count() == 1);
      CHECK(data->targets[0].classNames == std::vector<std::string>{"cats", "dogs"});
      const std::vector<float> values = inputsOf(*data);
      std::vector<float> first;
      for (size_t i = 0; i < values.size(); i += 2)
        first.push_back(values[i]);
      CHECK(first == std::vector<float>{1, 2, 1, 1, 2, 1, 4, 3, 4});
      CHECK(has(data->train->placeOf(6), "val/dogs/0.png"));
      const auto labels = data->train->y[0].as<int32_t>();
      CHECK(std::vector<int32_t>(labels.begin() + 6, labels.end()) ==
            std::vector<int32_t>{1, 0, 1});
      const std::vector<DataStage> stages = dataStages(CheckedProject(project));
      const auto split = std::find_if(stages.begin(), stages.end(),
                                      [](const DataStage& each) { return each.type == "split"; });
      CHECK(formatText(split->phrase.text, split->phrase.arguments) ==
            "6 for training, 3 for validation, 1 for testing; folders used: Train, val, test");
      // A class that is missing in a part is named.
      const Diagnostic missing = problemOf(project, "missing_class");
      CHECK(has(missing.line(), "test has no images of these classes of other folders"));
      CHECK(has(missing.line(), ": dogs."));
    }
    // skip and take are for training samples. A split of the training samples keeps the validation
    // samples.
    const auto taken = loadDataset(folderProject(folder.path(), {}, {{"take", 2}}));
    CHECK(taken->trainCount == 2);
    CHECK(taken->validationCount == 3);
    const Project also = folderProject(folder.path(), {}, {{"validation_split", 0.5}});
    const Diagnostic conflict = problemOf(also, "conflict");
    CHECK(loadDataset(also)->validationCount == 3);
    CHECK(!hasProblem(fixedProject(also, conflict.fixes.at(0)), "conflict"));
    const Diagnostics ownTest = problemsOf(folderProject(folder.path(), {}, {{"test_split", 0.5}}));
    CHECK(ownTest.back().field == "/data/test_split");
    fs::remove_all(folder / "test");
    const auto split =
        loadDataset(folderProject(folder.path(), {}, {{"test_split", 0.5}, {"split_seed", 1}}));
    CHECK(split->trainCount == 3);
    CHECK(split->test->count() == 3);
    CHECK(split->validationCount == 3);
    for (int64_t i = 0; i < split->train->count(); ++i)
      CHECK((split->train->placeOf(i).find("/val/") != std::string::npos) == (i >= 3));
    // A class that only the validation folder has cannot be learned.
    fill("val", "birds", 1, 7);
    CHECK(has(problemOf(folderProject(folder.path()), "unseen_class").line(), ": birds."));
    CHECK(loadDataset(folderProject(folder.path()))->targets[0].classes == 3);
  }

  TEST_CASE("images next to the class folders are left out and named") {
    const TemporaryFolder folder;
    for (const char* name : {"train/cats/1.png", "train/dogs/1.png", "test/cats/1.png",
                             "test/dogs/1.png", "train/logo.png"})
      put(folder / name, grayOf(8, {1, 2}));
    // The folder is still split.
    const Project project = folderProject(folder.path());
    const auto data = loadDataset(project);
    CHECK(data->trainCount == 2);
    CHECK(data->test->count() == 2);
    CHECK(data->targets[0].classNames == std::vector<std::string>{"cats", "dogs"});
    CHECK(has(problemOf(project, "stray_images").line(), "(1): logo.png"));
    CHECK(!hasProblem(project, "doubtful_split"));
    put(folder / "logo.png", grayOf(8, {1, 2}));
    CHECK(loadDataset(project)->test->count() == 2);
    CHECK(has(problemOf(folderProject(folder / "train"), "stray_images").line(), "logo.png"));
    CHECK(!hasProblem(folderProject(folder / "test"), "stray_images"));
  }

  TEST_CASE("other names of the parts are fields, and classes named train are no split") {
    const TemporaryFolder folder;
    for (const char* name : {"learn/a/1.png", "learn/b/1.png", "holdout/a/1.png", "holdout/b/1.png",
                             "exam/a/1.png", "exam/b/1.png"})
      put(folder / name, grayOf(8, {1, 2}));
    const auto data = loadDataset(
        folderProject(folder / "learn", {{"validation_path", (folder / "holdout").string()},
                                         {"test_path", (folder / "exam").string()}}));
    CHECK(data->trainCount == 2);
    CHECK(data->validationCount == 2);
    CHECK(data->test->count() == 2);
    // Vehicles: train, car
    const TemporaryFolder vehicles;
    put(vehicles / "train/steam/1.png", grayOf(8, {1, 2}));
    put(vehicles / "car/1.png", grayOf(8, {1, 2}));
    CHECK(loadDataset(folderProject(vehicles.path()))->targets[0].classNames ==
          std::vector<std::string>{"car", "train"});
    // Classes that are called train and test hold images themselves.
    const TemporaryFolder named;
    put(named / "train/1.png", grayOf(8, {1, 2}));
    put(named / "test/1.png", grayOf(8, {1, 2}));
    CHECK(loadDataset(folderProject(named.path()))->targets[0].classes == 2);
    // class_names decides if it names these folders.
    const TemporaryFolder asked;
    put(asked / "train/a/1.png", grayOf(8, {1, 2}));
    put(asked / "test/a/1.png", grayOf(8, {1, 2}));
    CHECK(loadDataset(folderProject(asked.path()))->targets[0].classes == 1);
    CHECK(loadDataset(folderProject(asked.path(), {{"class_names", {"train", "test"}}}))
              ->targets[0]
              .classes == 2);
    // Unlabeled images in the test folder
    const TemporaryFolder unlabeled;
    put(unlabeled / "train/a/1.png", grayOf(8, {1, 2}));
    put(unlabeled / "train/b/1.png", grayOf(8, {1, 2}));
    put(unlabeled / "test/1.png", grayOf(8, {1, 2}));
    CHECK(has(problemOf(folderProject(unlabeled.path()), "unused_folder").line(), ": test."));
    CHECK(loadDataset(folderProject(unlabeled.path()))->targets[0].classNames ==
          std::vector<std::string>{"a", "b"});
  }

  TEST_CASE("names that contain a word for a part are parts if they contain the same classes") {
    struct Case {
      const char *train, *other;
      bool isTest;
    };
    for (const Case& each :
         {Case{"seg_train", "seg_test", true}, Case{"train", "dev", false},
          Case{"train_images", "val_images", false}, Case{"Training", "Testing", true},
          Case{"train", "holdout", true}, Case{"train2017", "val2017", false},
          Case{"myTrain", "hold-out", true}, Case{"TrainSet", "eval", false}}) {
      CAPTURE(each.train);
      const TemporaryFolder folder;
      for (const char* part : {each.train, each.other})
        for (const char* name : {"a", "b"})
          put(folder / part / name / "1.png", grayOf(8, {1, 2}));
      const auto data = loadDataset(folderProject(folder.path()));
      CHECK(data->targets[0].classNames == std::vector<std::string>{"a", "b"});
      CHECK(data->trainCount == 2);
      CHECK(data->validationCount == (each.isTest ? 0 : 2));
      CHECK(data->test->count() == (each.isTest ? 2 : 0));
      CHECK(problemsOf(folderProject(folder.path())).empty());
    }
    // An archive that repeats the name of its folder
    const TemporaryFolder nested;
    for (const char* name : {"seg_train/seg_train/a/1.png", "seg_train/seg_train/b/1.png",
                             "seg_test/seg_test/a/1.png", "seg_test/seg_test/b/1.png"})
      put(nested / name, grayOf(8, {1, 2}));
    CHECK(loadDataset(folderProject(nested.path()))->test->count() == 2);
    // Other classes in each folder: they are classes with groups.
    const TemporaryFolder vehicles;
    for (const char* name : {"train/steam/1.png", "train/diesel/1.png", "test_car/red/1.png"})
      put(vehicles / name, grayOf(8, {1, 2}));
    CHECK(loadDataset(folderProject(vehicles.path()))->targets[0].classNames ==
          std::vector<std::string>{"test_car", "train"});
  }

  TEST_CASE("folders that look like a split but count as classes are reported") {
    const auto fill = [](const fs::path& root, const std::vector<std::string>& parts) {
      for (const std::string& part : parts)
        for (const char* name : {"cats", "dogs"})
          put(root / part / name / "1.png", grayOf(8, {1, 2}));
    };
    for (const std::vector<std::string>& parts :
         {std::vector<std::string>{"learn", "exam"}, {"test", "valid"}, {"fold1", "fold2"}}) {
      const TemporaryFolder folder;
      fill(folder.path(), parts);
      const Project project = folderProject(folder.path());
      const Diagnostic problem = problemOf(project, "doubtful_split");
      CHECK(has(problem.line(), "contain folders with the same names (cats, dogs)"));
      CHECK(problemsOf(fixedProject(project, problem.fixes.at(0))).empty());
      CHECK(loadDataset(project)->targets[0].classes == 2);
    }
    const TemporaryFolder flat;
    put(flat / "train/1.png", grayOf(8, {1, 2}));
    put(flat / "test/1.png", grayOf(8, {1, 2}));
    CHECK(has(problemOf(folderProject(flat.path()), "doubtful_split").line(),
              "named like the parts of a split, but count as classes: test, train"));
    // Classes with a folder of the same name
    const TemporaryFolder same;
    for (const char* name : {"n1/images/1.png", "n2/images/1.png", "n3/images/1.png"})
      put(same / name, grayOf(8, {1, 2}));
    CHECK(problemsOf(folderProject(same.path())).empty());
    // Two folders for validation
    const TemporaryFolder twice;
    fill(twice.path(), {"train", "val", "valid"});
    const Diagnostics problems = problemsOf(folderProject(twice.path()));
    REQUIRE(!problems.empty());
    CHECK(problems[0].severity == Severity::Error);
    CHECK(has(problems[0].line(), "two folders for the same part of the split: val, valid"));
    CHECK(loadDataset(folderProject(twice.path(), {{"class_names", {"val", "valid"}}}))
              ->targets[0]
              .classes == 2);
    CHECK(
        loadDataset(folderProject(twice / "train", {{"validation_path", (twice / "val").string()}}))
            ->validationCount == 2);
  }

  TEST_CASE("a folder around the folder of the classes and a single class are reported") {
    const TemporaryFolder folder;
    for (const char* name :
         {"data/train/a/1.png", "data/train/b/1.png", "data/valid/a/1.png", "data/valid/b/1.png"})
      put(folder / name, grayOf(8, {1, 2}));
    const Project project = folderProject(folder.path());
    const Diagnostic problem = problemOf(project, "single_class");
    CHECK(has(problem.line(), "contains only the folder \"data\""));
    CHECK(formatText(problem.fixes.at(0).label, problem.fixes[0].arguments) ==
          "Use the folder \"data\"");
    const Project fixed = fixedProject(project, problem.fixes[0]);
    CHECK(problemsOf(fixed).empty());
    CHECK(loadDataset(fixed)->validationCount == 2);
    const TemporaryFolder single;
    put(single / "cats/1.png", grayOf(8, {1, 2}));
    CHECK(has(problemOf(folderProject(single.path()), "single_class").line(),
              "same class, \"cats\" (expected at least 2 classes)"));
    CHECK(problemsOf(folderProject(single.path(), {{"class_names", {"cats"}}})).empty());
  }

  TEST_CASE("a run records its reading, and its project is read in the same way") {
    const TemporaryFolder folder;
    const std::string exif = pngChunk("eXIf", exifOf(6, true));
    const std::vector<uint16_t> values{0, 100, 40000, 65535};
    put(folder / "images/a/1.png", pngOf(1, 4, 16, 0, values, exif));
    put(folder / "images/b/1.png", pngOf(1, 4, 16, 0, values, exif));
    const Project project =
        folderProject(folder / "images", {{"color_mode", "grayscale"}, {"background", "#102030"}},
                      {{"transforms", {"rescale"}}});
    const auto data = loadDataset(project);
    CHECK(data->inputs[0].shape == Shape{4, 1, 1});
    fs::create_directories(folder / "run");
    put(folder / "run/preprocessing.json", preprocessingFileText(*data));
    const Preprocessing saved = readPreprocessing((folder / "run/preprocessing.json").string());
    CHECK(*saved.encodings[0] == Json{{"type", "image"},
                                      {"height", 4},
                                      {"width", 1},
                                      {"channels", 1},
                                      {"crop_to_aspect_ratio", false},
                                      {"exif_orientation", true},
                                      {"bit_depth", 16},
                                      {"background", "#102030"}});
    CHECK(saved.transforms[0].scale == 1.0 / 65535);
    // The images of predict equal those of the training.
    const auto predicted = [&](const Preprocessing& preprocessing, const Shape& shape) {
      return readInputs((folder / "images/a/1.png").string(), {{"x", shape}}, preprocessing,
                        [](const std::string&) {})[0]
          .arrays[0];
    };
    CHECK(predicted(saved, {4, 1, 1}).isBitEqual(sampleOf(*data->train, 0)[0]));
    // The project may change after the run.
    Project changed = project;
    changed.document()["data"]["source"]["background"] = "black";
    changed.document()["data"]["source"]["bit_depth"] = "8";
    const Project recorded = withRecordedReading(changed, (folder / "run").string());
    CHECK(recorded.document()["data"]["source"]["bit_depth"] == "16");
    CHECK(recorded.document()["data"]["source"]["background"] == "#102030");
    CHECK(loadDataset(recorded)->train->x[0].isBitEqual(data->train->x[0]));
    // A run of an earlier version read 8 bits without orientation, with 1/255.
    put(folder / "old/preprocessing.json",
        R"({"format":"strata-preprocessing","version":2,"inputs":[{"scale":0.00392156862745098,)"
        R"("offset":0.0,"steps":[],"encoding":{"type":"image","height":1,"width":4,"channels":1,)"
        R"("crop_to_aspect_ratio":false}}],"classes":[["a","b"]]})");
    const Project old = withRecordedReading(project, (folder / "old").string());
    const auto before = loadDataset(old);
    CHECK(before->train->x[0].type() == TensorType{DType::U8, Shape{2, 1, 4, 1}});
    CHECK(before->train->x[0].as<uint8_t>()[2] == 156);
    CHECK(before->transforms[0].scale == 1.0 / 255);
    const Preprocessing kept = readPreprocessing((folder / "old/preprocessing.json").string());
    CHECK(predicted(kept, {1, 4, 1}).isBitEqual(sampleOf(*before->train, 0)[0]));
    // The class numbers of the run stay, although this version leaves out __MACOSX.
    put(folder / "images/__MACOSX/a/._1.png", "x");
    put(folder / "zip/preprocessing.json",
        R"({"format":"strata-preprocessing","version":2,"inputs":[{"scale":1,"offset":0,"steps":[],)"
        R"("encoding":{"type":"image"}}],"classes":[["__MACOSX","a","b"]]})");
    CHECK(loadDataset(project)->train->y[0].as<int32_t>()[1] == 1);
    const auto numbered = loadDataset(withRecordedReading(project, (folder / "zip").string()));
    CHECK(numbered->targets[0].classNames == std::vector<std::string>{"__MACOSX", "a", "b"});
    CHECK(numbered->train->y[0].as<int32_t>()[1] == 2);
    // Weights without a run are read as the project says.
    CHECK(withRecordedReading(project, (folder / "none.npz").string()).document() ==
          project.document());
  }
}
