// SPDX-License-Identifier: Apache-2.0
// Tests image folders that are not kept in memory, but decoded while the previous step runs.
// Samples, batches and results must equal those of folders in memory.
#include <filesystem>
#include <fstream>
#include <future>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/check/data_stages.h"
#include "core/data/decode_ahead.h"
#include "core/interchange/safetensors.h"
#include "core/train/feeder.h"
#include "core/train/plan.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "tests/support/has.h"
#include "tests/support/image_files.h"
#include "tests/support/small_run.h"

using namespace strata;
namespace fs = std::filesystem;

namespace {

/// Writes 61 different noise images to the folders a and b. Three are damaged, among them the first
/// image of class a.
void makeNoise(const fs::path& root) {
  RandomStream random(7, 1);
  for (int i = 0; i < 61; ++i) {
    const fs::path folder = root / (i % 3 == 0 ? "a" : "b");
    fs::create_directories(folder);
    Tensor image(DType::U8, {9, 7, 3});
    for (uint8_t& value : image.as<uint8_t>())
      value = static_cast<uint8_t>(random.below(i % 3 == 0 ? 200 : 256));
    const std::string path =
        (folder / (std::to_string(100 + i) + (i % 2 ? ".png" : ".jpg"))).string();
    i % 2 ? writePngFile(path, image) : writeJpegFile(path, image);
    if (i == 0 || i == 20 || i == 45) fs::resize_file(path, 60);
  }
}

Project noiseProject(const fs::path& root, const std::string& cache, const std::string& onDamaged,
                     Json data = Json::object()) {
  Json document = parseJson(kSmallProject, "small");
  document["data"] = {{"source",
                       {{"type", "image_folder"},
                        {"path", root.string()},
                        {"image_size", {6, 6}},
                        {"color_mode", "grayscale"}}},
                      {"on_damaged", onDamaged},
                      {"validation_split", 0.2},
                      {"test_split", 0.1},
                      {"split_seed", 3},
                      {"transforms", {"standardize"}}};
  document["data"].update(data);
  document["data"]["source"]["cache"] = cache;
  document["model"]["layers"].insert(document["model"]["layers"].begin() + 1,
                                     Json{{"type", "RandomFlip"}, {"name", "flip"}});
  document["training"]["batch_size"] = 8;
  document["training"]["shuffle"] = true;
  return Project(std::move(document), "");
}

std::vector<uint8_t> inputsOf(const Samples& samples) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < samples.count(); ++i) {
    const Tensor sample = std::move(sampleOf(samples, i)[0]);
    bytes.insert(bytes.end(), sample.as<uint8_t>().begin(), sample.as<uint8_t>().end());
  }
  return bytes;
}

bool isSame(const Samples& a, const Samples& b) {
  if (a.count() != b.count() || inputsOf(a) != inputsOf(b)) return false;
  for (int64_t i = 0; i < a.count(); ++i)
    if (a.placeOf(i) != b.placeOf(i) || a.y[0].as<int32_t>()[static_cast<size_t>(i)] !=
                                            b.y[0].as<int32_t>()[static_cast<size_t>(i)])
      return false;
  return true;
}

std::string errorOf(const std::function<void()>& work) {
  try {
    work();
  }
  catch (const Error& error) {
    return error.line();
  }
  return "no error";
}

struct Trained {
  std::vector<double> losses, validations;
  std::string hash, outcome;
};

Trained trained(const Project& project, const fs::path& directory) {
  Recorder recorder;
  SessionOptions options = optionsFor(project, directory);
  options.device = "cpu";
  const RunOutcome outcome = trainAll(std::move(options), recorder);
  Trained result;
  result.outcome = messageOf(outcome);
  for (const StepMetrics& step : recorder.steps)
    result.losses.push_back(step.loss);
  for (const EpochMetrics& epoch : recorder.epochs)
    result.validations.push_back(epoch.validationLoss);
  result.hash = outcome.weightsHash;
  return result;
}

}  // namespace

TEST_SUITE("decoded batches") {
  TEST_CASE("samples, splits and policies equal those of images kept in memory") {
    const TemporaryFolder folder;
    makeNoise(folder.path());
    for (const char* policy : {"skip", "replace"})
      for (const Json& data : {Json::object(), Json{{"skip", 5}, {"take", 40}},
                               Json{{"split_seed", nullptr}, {"test_split", 0.0}}}) {
        CAPTURE(policy);
        CAPTURE(data.dump());
        const auto kept = loadDataset(noiseProject(folder.path(), "memory", policy, data)),
                   decoded = loadDataset(noiseProject(folder.path(), "none", policy, data));
        REQUIRE(!kept->train->decode);
        REQUIRE(decoded->train->decode);
        CHECK(isSame(*kept->train, *decoded->train));
        CHECK(isSame(*kept->test, *decoded->test));
        CHECK(kept->trainCount == decoded->trainCount);
        CHECK(kept->damaged.size() == decoded->damaged.size());
        CHECK(kept->transforms[0].more->at(0).shift == decoded->transforms[0].more->at(0).shift);
        CHECK(kept->transforms[0].more->at(0).scale == decoded->transforms[0].more->at(0).scale);
      }
    CHECK(has(errorOf([&] { loadDataset(noiseProject(folder.path(), "none", "stop")); }),
              "And 2 samples more"));
  }

  TEST_CASE("a run has bit-identical losses and weights") {
    const TemporaryFolder folder;
    makeNoise(folder / "images");
    const auto both = [&](const char* name, const Json& training) {
      CAPTURE(name);
      std::vector<Trained> runs;
      for (const char* cache : {"memory", "none"}) {
        Project project = noiseProject(folder / "images", cache, "replace");
        project.document()["training"].update(training);
        runs.push_back(trained(project, folder / (std::string(name) + cache)));
        REQUIRE(runs.back().outcome == "no error");
      }
      CHECK(runs[0].losses.size() > 12);
      CHECK(runs[0].losses == runs[1].losses);
      CHECK(runs[0].validations == runs[1].validations);
      CHECK(runs[0].hash != "");
      CHECK(runs[0].hash == runs[1].hash);
    };
    both("plain", Json::object());
    both("pieces", {{"gradient_accumulation_steps", 3}});
    both("steps", {{"steps_per_epoch", 5}, {"shuffle", false}});
  }

  TEST_CASE("auto keeps images in memory if they fit in it and in the project's limit") {
    const TemporaryFolder folder;
    makeNoise(folder.path());
    Project project = noiseProject(folder.path(), "auto", "skip");
    CHECK(!loadDataset(project)->train->decode);
    // The 58 undamaged images have 36 bytes each, so they exceed the limit.
    project.document()["execution"]["memory_limit"] = 2000;
    CHECK(loadDataset(project)->train->decode);
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(project, diagnostics);
    CHECK(info.isDecodedForBatches());
    CHECK(info.bytes() == 58 * 4);
    CHECK(info.decodedBytes() == 58 * (36 + 4));
    const std::vector<DataStage> stages = dataStages(project);
    const auto stage = [&](const char* type) {
      return *std::find_if(stages.begin(), stages.end(),
                           [&](const DataStage& each) { return each.type == type; });
    };
    CHECK(has(formatText(stage("cache").phrase.text, stage("cache").phrase.arguments),
              "decoded for each batch"));
    CHECK(has(formatText(stage("prefetch").phrase.text, stage("prefetch").phrase.arguments),
              "decoded while a step runs"));
    project.document()["data"]["source"]["cache"] = "memory";
    CHECK(has(errorOf([&] { loadDataset(project); }),
              "61 images of 6 x 6 x 1 need 4392 bytes, available: 1200). Set cache"));
    // The planned memory of the data consists of the labels and two batches of f32 values.
    project.document()["data"]["source"]["cache"] = "none";
    project.document()["execution"].erase("memory_limit");
    const BatchesAhead ahead = batchesAhead(info, 8, 1);
    CHECK(ahead.batches == 1);
    CHECK(ahead.decodedBytes == 2 * 8 * (36 + 1) * 4);
    CHECK(planTraining(project, {}).dataBytes == static_cast<size_t>(58 * 4 + ahead.decodedBytes));
  }

  TEST_CASE("the next samples are decoded while the current ones are used") {
    Samples samples;
    samples.x[0] = Tensor(DType::U8, {0, 1});
    samples.y[0] = Tensor(DType::I32, {4});
    std::promise<void> reached;
    samples.decode = [&](int64_t sample, std::byte* row) {
      if (sample == 2) reached.set_value();
      if (sample == 3) throw Error(ErrorCode::InvalidFile, "3.png", "is gone.");
      *row = static_cast<std::byte>(10 + sample);
    };
    DecodeAhead ahead(samples);
    const Samples& first = ahead.take({1, 0}, {2});
    // Sample 2 is decoded before a batch requests it.
    CHECK(reached.get_future().wait_for(20s) == std::future_status::ready);
    CHECK(first.x[0].as<uint8_t>()[0] == 11);
    CHECK(first.x[0].as<uint8_t>()[1] == 10);
    CHECK(ahead.take({2}, {3}).x[0].as<uint8_t>()[0] == 12);
    // An error of sample 3 does not matter until a batch contains that sample.
    CHECK(ahead.take({0}, {3}).x[0].as<uint8_t>()[0] == 10);
    CHECK(errorOf([&] { ahead.take({3}, {}); }) == "3.png: is gone.");
  }

  TEST_CASE("if an image disappears during a run, the run ends and the error names the image") {
    const TemporaryFolder folder;
    makeNoise(folder / "images");
    Project project = noiseProject(folder / "images", "none", "skip");
    project.document()["training"]["epochs"] = 1000;
    SessionOptions options = optionsFor(project, folder / "run");
    Recorder recorder;
    recorder.onStepDone = [&](int64_t step) {
      if (step == 7) fs::remove_all(folder / "images" / "b");
    };
    const RunOutcome outcome = trainAll(std::move(options), recorder);
    CHECK(outcome.outcome == Outcome::Failed);
    CHECK(has(messageOf(outcome), "images/b/"));
    // The run can be resumed from its checkpoint.
    CHECK(!fs::is_empty(folder / "run" / "checkpoints"));
  }
}
