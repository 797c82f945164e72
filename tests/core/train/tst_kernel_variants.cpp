// SPDX-License-Identifier: Apache-2.0
// Tests kernel variants that are chosen by timing. The measurements are saved for the machine, and
// the choices are saved with the run. A resumed run uses its saved choices even if later
// measurements differ.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/cost/kernel_choices_file.h"
#include "core/project/json.h"
#include "core/train/network.h"
#include "core/train/session.h"
#include "gpu/base/error.h"
#include "gpu/exec/shared_kernels.h"
#include "gpu/graph/op.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

class CacheFolder {
 public:
  CacheFolder() { ::setenv("XDG_CACHE_HOME", m_folder.path().c_str(), 1); }
  ~CacheFolder() { ::unsetenv("XDG_CACHE_HOME"); }

 private:
  TemporaryFolder m_folder;
};

/// Returns a project with a dense layer whose default kernel splits sums between workers, so that a
/// single worker gives different bits.
Project project(const char* choice) {
  Project project = smallProject();
  Json& layers = project.document()["model"]["layers"];
  layers.insert(layers.end() - 1,
                Json{{"type", "Dense"}, {"name", "wide"}, {"units", 512}, {"activation", "relu"}});
  layers.insert(layers.end() - 1,
                Json{{"type", "Dense"}, {"name", "deep"}, {"units", 64}, {"activation", "relu"}});
  project.document()["execution"]["kernel_choice"] = choice;
  return project;
}

SessionOptions options(const char* choice, const std::filesystem::path& run = {}) {
  SessionOptions result = optionsFor(project(choice), run);
  result.device = "cpu";
  return result;
}

/// Returns measurements in which the variant with one worker is the fastest for every product.
KernelMeasurements aloneIsFast() {
  NetworkOptions networkOptions;
  networkOptions.device = "cpu";
  networkOptions.threads = 2;
  Network network(project("rule"), networkOptions);
  KernelMeasurements measurements;
  for (const int64_t samples : {16, 5, 13}) {
    const Graph graph = network.steps().stepGraph(StepMode::Train, samples).graph;
    for (const NodeId id : graph.order())
      // The other kernels also have times, so that nothing is measured during the test.
      measurements[kernelKey(graph, id)] =
          graph.node(id).op->name.starts_with("matmul")
              ? std::vector<MeasuredVariant>{{"", 1e-3, true}, {"alone", 1e-4, false}}
              : std::vector<MeasuredVariant>{{"", 1e-3, true}};
  }
  return measurements;
}

std::string readAll(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

}  // namespace

TEST_SUITE("kernel variants") {
  TEST_CASE("measured times are read from their file, and a damaged file is ignored") {
    const CacheFolder cache;
    CHECK(keptKernelMeasurements(2).empty());
    const KernelMeasurements some{{"conv2d f32[1]", {{"", 0.5, true}, {"onednn", 0.25, false}}}};
    keepKernelMeasurements(2, some);
    keepKernelMeasurements(2, {{"exp f32[2]", {{"", 1.0 / 3, true}, {"alone", 1e-9, true}}}});
    const KernelMeasurements kept = keptKernelMeasurements(2);
    REQUIRE(kept.size() == 2);
    CHECK(kept.at("exp f32[2]")[0].seconds == 1.0 / 3);
    CHECK(kept.at("conv2d f32[1]")[1].variant == "onednn");
    CHECK(!kept.at("conv2d f32[1]")[1].hasSameBits);
    // A pool with another number of workers has its own file.
    CHECK(keptKernelMeasurements(3).empty());
    std::ofstream(kernelMeasurementsPath(2))
        << "{\"format\": \"strata-kernels\", \"version\": 1, \"kernels\": {\"a\": [";
    CHECK(keptKernelMeasurements(2).empty());
    for (const char* bad :
         {"{}", "[]", "{\"format\": \"strata-kernels\", \"version\": 99, \"kernels\": {}}",
          "{\"format\": \"strata-kernels\", \"version\": 1, \"kernels\": {\"a\": [{\"way\": \"x\", "
          "\"seconds\": 1, \"same_bits\": true}]}}",
          "{\"format\": \"strata-kernels\", \"version\": 1, \"kernels\": {\"a\": [{\"way\": \"\", "
          "\"seconds\": -1, \"same_bits\": "
          "true}]}}"})
      CHECK_THROWS_AS(parseKernelMeasurements(bad, "file"), Error);
  }

  TEST_CASE("the choices of a run keep what the names of algorithms do not tell") {
    TemporaryFolder folder;
    const KernelVariants variants{{"matmul a", "alg21{t20}#130100:00ff"},
                                  {"matmul b", "alg21{t20}#130100:01ff"},
                                  {"conv2d", "eng5{k2=3}"}};
    const std::string text = printChoices(variants, {{"matmul", "dense", "cublasLt alg21{t20}"}});
    std::ofstream(folder / "choices.json") << text;
    const Json json = parseJson(text, "choices.json");
    CHECK(json.at("ways").at("matmul a") == "alg21{t20}");
    CHECK(json.at("algorithm_data").at("matmul a") == "130100:00ff");
    CHECK(json.at("algorithm_data").size() == 2);
    CHECK(json.at("kernels").at(0).at("layer") == "dense");
    std::string problem;
    CHECK(readKernelVariants(folder.path().string(), problem) == variants);
    CHECK(problem.empty());
    // Data that are damaged are ignored, and the name stays
    std::ofstream(folder / "choices.json")
        << printChoices({{"matmul a", "alg21{t20}#130100:00f"}}, {});
    CHECK(readKernelVariants(folder.path().string(), problem) ==
          KernelVariants{{"matmul a", "alg21{t20}"}});
    CHECK(problem.empty());
  }

  TEST_CASE("by default, measured times do not change the bits of a run") {
    std::string hash;
    for (int i = 0; i < 3; ++i) {
      const CacheFolder cache;
      // The fastest variant gives different bits, so the default must not choose it.
      if (i == 2) keepKernelMeasurements(2, aloneIsFast());
      Recorder recorder;
      const RunOutcome outcome = trainAll(options(i == 0 ? "rule" : "same_bits"), recorder);
      REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
      if (i == 0) hash = outcome.weightsHash;
      CHECK(outcome.weightsHash == hash);
    }
  }

  TEST_CASE("a resumed run uses its own kernel variants in spite of later measurements") {
    const CacheFolder cache;
    TemporaryFolder folder;
    keepKernelMeasurements(2, aloneIsFast());
    Recorder whole, ruled;
    const RunOutcome expected = trainAll(options("fastest", folder / "whole"), whole);
    REQUIRE_MESSAGE(expected.outcome == Outcome::Finished, messageOf(expected));
    // The variants must give different bits, or this test would check nothing.
    CHECK(trainAll(options("rule"), ruled).weightsHash != expected.weightsHash);
    std::string problem;
    const KernelVariants variants = readKernelVariants((folder / "whole").string(), problem);
    CHECK(problem.empty());
    CHECK(std::count_if(variants.begin(), variants.end(),
                        [](const auto& variant) { return variant.second == "alone"; }) >= 2);
    Recorder first;
    CHECK(trainUntil(9, options("fastest", folder / "run"), first).outcome == Outcome::Stopped);
    // Later measurements of the machine prefer the other variant.
    KernelMeasurements opposite = aloneIsFast();
    for (auto& [key, list] : opposite)
      if (list.size() > 1) list[1].seconds = 1;
    keepKernelMeasurements(2, opposite);
    std::vector<std::string> warnings;
    const auto goOn = [&] {
      SessionOptions resumed = options("fastest");
      resumed.writesRunDirectory = true;
      resumed.resumeFrom = (folder / "run").string();
      Recorder recorder;
      const RunOutcome outcome = trainAll(resumed, recorder);
      warnings = recorder.warnings;
      return outcome;
    };
    const std::string before = readAll(folder / "run" / "choices.json");
    const RunOutcome outcome = goOn();
    REQUIRE_MESSAGE(outcome.outcome == Outcome::Finished, messageOf(outcome));
    CHECK(outcome.weightsHash == expected.weightsHash);
    CHECK(readAll(folder / "run" / "choices.json") == before);
    std::ofstream(folder / "run" / "choices.json") << "{\"ways\": [1]}";
    CHECK(goOn().outcome == Outcome::Finished);
    REQUIRE(warnings.size() == 1);
    CHECK(warnings[0].find("choices.json: is damaged, so the kernels are timed again") !=
          std::string::npos);
  }

  TEST_CASE("a second network of the same shapes measures nothing and creates no kernels") {
    // The folder is empty, so only the process knows what the first network has measured
    const CacheFolder first;
    NetworkOptions networkOptions;
    networkOptions.device = "cpu";
    networkOptions.threads = 2;
    networkOptions.measuresKernels = true;
    const auto prepared = [&] {
      auto network = std::make_unique<Network>(project("fastest"), networkOptions);
      network->prepare({16, 5}, {13});
      return network;
    };
    // Other programs may disturb measurements, which are then tried again
    for (int i = 0; i < 10 && prepared()->steps().kernels().hasMeasured(); ++i) {
    }
    const CacheFolder second;
    const auto shared = SharedKernels::of(prepared()->steps().device());
    const int64_t made = shared->numMade();
    const auto network = prepared();
    CHECK(!network->steps().kernels().hasMeasured());
    // It knows the times of the first network
    CHECK(!network->steps().kernels().measurements().empty());
    CHECK(shared->numMade() == made);
  }
}
