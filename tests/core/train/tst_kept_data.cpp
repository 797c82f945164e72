// SPDX-License-Identifier: Apache-2.0
// Tests that a card keeps training samples that fit, and that its batches have the bits of those
// that the host makes.
#include <cstring>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/train/feeder.h"
#include "core/train/plan.h"
#include "core/train/session.h"
#include "gpu/devices/devices.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns the data of the project, with its images as bytes if `hasBytes`.
std::shared_ptr<const Dataset> datasetOf(const Project& project, bool hasBytes) {
  const auto loaded = loadDataset(project);
  if (!hasBytes) return loaded;
  auto samples = std::make_shared<Samples>(*loaded->train);
  const Tensor& images = loaded->train->x[0];
  samples->x[0] = Tensor(DType::U8, images.shape());
  for (int64_t i = 0; i < images.numElements(); ++i)
    samples->x[0].data()[i] = static_cast<std::byte>(i * 37 % 256);
  auto result = std::make_shared<Dataset>(*loaded);
  result->train = samples;
  return result;
}

/// Trains for one epoch. Returns the loss of each batch, and the weights. Without `isKept`, samples
/// travel from the host.
std::vector<Tensor> trained(const Project& project, bool isKept, bool hasBytes) {
  const auto dataset = datasetOf(project, hasBytes);
  NetworkOptions options;
  options.device = "simulated:H100";
  Network network(project, options);
  network.prepare(network.steps().batchesOf(dataset->trainCount), {}, dataset.get());
  network.state().initialize(5);
  const auto kept = isKept ? KeptData::make(network, *dataset) : nullptr;
  REQUIRE((kept != nullptr) == isKept);
  Loader loader(network, *dataset, true, 1, batchesIn(dataset->trainCount, 16));
  const std::vector<int32_t> order = epochOrder(5, 1, dataset->trainCount, true);
  std::vector<Tensor> result;
  for (int64_t index = 0; index * 16 < dataset->trainCount; ++index) {
    const int64_t samples = std::min<int64_t>(16, dataset->trainCount - index * 16);
    for (const MicroBatch& piece : network.steps().microBatchesOf(samples)) {
      Program& program = network.trainProgram(piece);
      if (kept)
        kept->feed(program, order.data() + index * 16 + piece.offset);
      else
        loader.feed(program, 5, 1, index, piece);
      setStep(program, index + 1, 0.01, 5, index * 16 + piece.offset, 1);
      CHECK(program.run() == Program::Outcome::Done);
      result.push_back(program.readOutput("loss"));
    }
  }
  for (const auto& [name, weights] : network.state().weights())
    result.push_back(weights);
  return result;
}

Project smallWith(const char* transforms, int64_t pieces = 1) {
  Json document = parseJson(kSmallProject, "small");
  document["training"]["batch_size"] = 16;
  document["training"]["gradient_accumulation_steps"] = pieces;
  document["data"]["transforms"] = parseJson(transforms, "transforms");
  return Project(std::move(document), "");
}

}  // namespace

TEST_SUITE("kept data") {
  TEST_CASE("steps on kept samples have the bits of steps on copied samples") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* transforms :
         {"[]", R"([{"type": "rescale", "scale": 0.37, "offset": -0.1}])",
          R"([{"type": "standardize"}])", R"([{"type": "min_max", "low": -1.0}])"})
      for (const bool hasBytes : {false, true}) {
        const int64_t pieces = hasBytes ? 1 : 3;
        CAPTURE(transforms);
        CAPTURE(hasBytes);
        const auto kept = trained(smallWith(transforms, pieces), true, hasBytes),
                   copied = trained(smallWith(transforms, pieces), false, hasBytes);
        REQUIRE(kept.size() == copied.size());
        for (size_t i = 0; i < kept.size(); ++i) {
          REQUIRE(kept[i].bytes() == copied[i].bytes());
          CHECK(std::memcmp(kept[i].data(), copied[i].data(), kept[i].bytes()) == 0);
        }
      }
  }

  TEST_CASE("samples stay on the host where a card cannot take them") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    const auto keptBytes = [](const Project& project, const NetworkOptions& options) {
      const auto dataset = loadDataset(project);
      Network network(project, options);
      network.prepare(network.steps().batchesOf(dataset->trainCount), {}, dataset.get());
      network.state().initialize(5);
      return Feeder(network, *dataset, true).keptBytes();
    };
    NetworkOptions options;
    options.device = "simulated:H100";
    const size_t bytes = keptBytes(smallWith("[]"), options);
    CHECK(bytes > 0);
    PlanOptions plan;
    plan.device = options.device;
    CHECK(planTraining(smallWith("[]"), plan).keptDataBytes == bytes);
    CHECK(keptBytes(smallWith(R"([{"type": "log1p"}])"), options) == 0);
    options.device = "cpu";
    CHECK(keptBytes(smallWith("[]"), options) == 0);
    // The network fits in its memory limit, but not with the samples next to it
    options.device = "simulated:H100";
    const auto dataset = loadDataset(smallWith("[]"));
    Network network(smallWith("[]"), options);
    network.prepare({16}, {}, dataset.get());
    options.memoryLimitBytes = network.plannedPeakBytes() + bytes - 1;
    CHECK(keptBytes(smallWith("[]"), options) == 0);
    options.memoryLimitBytes = network.plannedPeakBytes() + bytes;
    CHECK(keptBytes(smallWith("[]"), options) == bytes);
  }
}
