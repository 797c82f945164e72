// SPDX-License-Identifier: Apache-2.0
#include <cstring>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>

#include "core/layer_statistics/layer_file.h"
#include "gpu/base/error.h"
#include "tests/core/layer_statistics/sample_layers.h"
#include "tests/support/has.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

std::string bytesOf(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

void put(const std::filesystem::path& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

void checkEqual(const TensorStatistics& got, const TensorStatistics& expected) {
  CHECK(got.count == expected.count);
  CHECK(got.zeros == expected.zeros);
  CHECK(got.nonFinite == expected.nonFinite);
  CHECK(got.bins == expected.bins);
  CHECK(got.below == expected.below);
  CHECK(got.above == expected.above);
  CHECK(std::memcmp(&got.mean, &expected.mean, sizeof(float)) == 0);
  CHECK(std::memcmp(&got.deviation, &expected.deviation, sizeof(float)) == 0);
  CHECK(std::memcmp(&got.norm, &expected.norm, sizeof(float)) == 0);
  CHECK(std::memcmp(&got.low, &expected.low, sizeof(float)) == 0);
  CHECK(std::memcmp(&got.high, &expected.high, sizeof(float)) == 0);
}

void write(const std::string& path, int64_t count) {
  const auto layers = watchedLayers();
  LayerFileWriter writer(path, layers);
  for (int64_t step = 1; step <= count; ++step)
    writer.append(sampleAt(10 * step, layers));
}

}  // namespace

TEST_SUITE("layer_file") {
  TEST_CASE("layers and records are read as they were written") {
    TemporaryFolder folder;
    const std::string path = (folder / kLayerFile).string();
    write(path, 5);
    const LayerFileReader reader(path);
    REQUIRE(reader.size() == 5);
    const WatchedLayers &got = *reader.layers(), expected = *watchedLayers();
    REQUIRE(got.size() == expected.size());
    for (size_t i = 0; i < got.size(); ++i) {
      CHECK(got[i].name == expected[i].name);
      CHECK(got[i].type == expected[i].type);
      CHECK(got[i].activation == expected[i].activation);
      CHECK(got[i].units == expected[i].units);
      CHECK(got[i].isOutput == expected[i].isOutput);
      REQUIRE(got[i].weights.size() == expected[i].weights.size());
      for (size_t weight = 0; weight < got[i].weights.size(); ++weight)
        CHECK(got[i].weights[weight].name == expected[i].weights[weight].name);
    }
    const LayerSample sample = reader[2], wanted = sampleAt(30, reader.layers());
    CHECK(sample.step == 30);
    CHECK(sample.epoch == wanted.epoch);
    CHECK(sample.seconds == wanted.seconds);
    CHECK(sample.cost == wanted.cost);
    CHECK(sample.samples == 16);
    for (size_t i = 0; i < got.size(); ++i) {
      checkEqual(sample.layers[i].weights, wanted.layers[i].weights);
      checkEqual(sample.layers[i].gradients, wanted.layers[i].gradients);
      checkEqual(sample.layers[i].activations, wanted.layers[i].activations);
      CHECK(sample.layers[i].updateRatios == wanted.layers[i].updateRatios);
      CHECK(sample.layers[i].deadUnits == 0);
    }
    CHECK(reader.find("block/0/hidden") == 2);
    CHECK_FALSE(reader.find("block"));
    CHECK(reader.layerAt(2, 2).saturated == 0.25f);
  }

  TEST_CASE("a reader follows a writer, also when the file is thinned or begun again") {
    TemporaryFolder folder;
    const std::string path = (folder / kLayerFile).string();
    const auto layers = watchedLayers();
    LayerFileWriter writer(path, layers);
    LayerFileReader reader(path);
    CHECK(reader.size() == 0);
    CHECK_FALSE(reader.update());
    writer.append(sampleAt(1, layers));
    writer.append(sampleAt(2, layers));
    CHECK(reader.update());
    CHECK(reader.size() == 2);
    CHECK(reader.generation() == 0);
    CHECK_FALSE(reader.update());
    for (int64_t step = 3; writer.size() > 1 || step < 10; ++step) {
      writer.append(sampleAt(step, layers));
      if (reader.thinned() > 0) break;
      CHECK(reader.update());
    }
    CHECK(reader.generation() == 1);
    CHECK(reader.size() == kMaxLayerRecords / 2 + 2);
    // Every second record is left, and the first one and the last ones
    CHECK(reader.stepAt(0) == 1);
    CHECK(reader.stepAt(1) == 2);
    CHECK(reader.stepAt(2) == 4);
    CHECK(reader.stepAt(reader.size() - 2) == static_cast<int64_t>(kMaxLayerRecords));
    CHECK(reader.stepAt(reader.size() - 1) == static_cast<int64_t>(kMaxLayerRecords) + 1);
  }

  TEST_CASE("a million records take bounded space") {
    TemporaryFolder folder;
    const std::string path = (folder / kLayerFile).string();
    const auto layers =
        std::make_shared<const WatchedLayers>(WatchedLayers{{"out", "Dense", "", 3, true, {}}});
    LayerFileWriter writer(path, layers);
    LayerSample sample = sampleAt(1, layers);
    for (int64_t step = 1; step <= 20000; ++step) {
      sample.step = step;
      writer.append(sample);
    }
    CHECK(writer.size() <= kMaxLayerRecords);
    const LayerFileReader reader(path);
    CHECK(reader.size() == writer.size());
    CHECK(reader.stepAt(0) == 1);
    CHECK(reader.stepAt(reader.size() - 1) == 20000);
  }

  TEST_CASE("a record that is cut short is ignored, and the next writer cuts it") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / kLayerFile;
    write(path.string(), 3);
    const std::string whole = bytesOf(path);
    for (size_t cut = 1; cut < whole.size(); cut += 97) {
      put(path, whole.substr(0, whole.size() - cut));
      try {
        const LayerFileReader reader(path.string());
        CHECK(reader.size() < 3);
      }
      catch (const Error& error) {
        // The header is cut
        CHECK(error.code() == ErrorCode::InvalidFile);
      }
    }
    put(path, whole.substr(0, whole.size() - 5));
    const auto layers = watchedLayers();
    std::string warning;
    {
      LayerFileWriter writer(path.string(), layers, 1000, warning);
      CHECK(warning.empty());
      CHECK(writer.size() == 2);
      writer.append(sampleAt(40, layers));
    }
    const LayerFileReader reader(path.string());
    REQUIRE(reader.size() == 3);
    CHECK(reader.stepAt(2) == 40);
    CHECK(bytesOf(path).size() == whole.size());
  }

  TEST_CASE("each changed byte of a record ends the records before it") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / kLayerFile;
    write(path.string(), 3);
    const std::string whole = bytesOf(path);
    for (size_t at = 0; at < whole.size(); at += 31) {
      std::string changed = whole;
      changed[at] = static_cast<char>(changed[at] ^ 4);
      put(path, changed);
      try {
        const LayerFileReader reader(path.string());
        CHECK(reader.size() < 3);
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
        CHECK(has(error.line(), kLayerFile));
      }
    }
  }

  TEST_CASE("a continued run removes the records after its checkpoint") {
    TemporaryFolder folder;
    const std::string path = (folder / kLayerFile).string();
    write(path, 6);
    std::string warning;
    {
      const LayerFileWriter writer(path, watchedLayers(), 35, warning);
      CHECK(warning.empty());
      CHECK(writer.size() == 3);
    }
    const LayerFileReader reader(path);
    REQUIRE(reader.size() == 3);
    CHECK(reader.stepAt(2) == 30);
  }

  TEST_CASE("a missing, damaged or other file begins again") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / kLayerFile;
    std::string warning;
    { const LayerFileWriter writer(path.string(), watchedLayers(), 10, warning); }
    CHECK(warning.empty());
    CHECK(LayerFileReader(path.string()).size() == 0);

    put(path, "something else");
    { const LayerFileWriter writer(path.string(), watchedLayers(), 10, warning); }
    CHECK(has(warning, "is damaged"));
    CHECK(LayerFileReader(path.string()).size() == 0);

    write(path.string(), 2);
    const auto others =
        std::make_shared<const WatchedLayers>(WatchedLayers{{"out", "Dense", "", 3, true, {}}});
    { const LayerFileWriter writer(path.string(), others, 100, warning); }
    CHECK(has(warning, "other layers"));
    CHECK(LayerFileReader(path.string()).layers()->size() == 1);
  }

  TEST_CASE("wrong files are refused with one error") {
    TemporaryFolder folder;
    const std::filesystem::path path = folder / kLayerFile;
    const auto refuse = [&](const std::string& words) {
      try {
        const LayerFileReader reader(path.string());
        FAIL("accepted");
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
        CHECK(has(error.line(), words));
      }
    };
    refuse("");
    put(path, "");
    refuse("is damaged");
    write(path.string(), 1);
    std::string bytes = bytesOf(path);
    bytes[8] = 2;
    put(path, bytes);
    refuse("has version 2");
  }

  TEST_CASE("networks that are too large are not sampled") {
    const auto whyNot = [](const WatchedLayers& layers) {
      const Phrase problem = whyNotWatched(layers);
      return formatText(problem.text, problem.arguments);
    };
    CHECK(whyNot(*watchedLayers()).empty());
    CHECK(has(whyNot({}), "no layer"));
    const WatchedLayers many(kMaxWatchedLayers + 1, WatchedLayer{"d", "Dense", "", 1, false, {}});
    CHECK(has(whyNot(many), "too many layers"));
    CHECK(has(whyNot({{std::string(5000, 'x'), "Dense", "", 1, false, {}}}), "4096"));
  }
}
