// SPDX-License-Identifier: Apache-2.0
// What is not finite is not kept, whether the loss showed it or not.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/train/checkpoint.h"
#include "core/train/non_finite.h"
#include "core/train/session.h"
#include "tests/support/paths.h"
#include "tests/support/small_run.h"

using namespace strata;

TEST_SUITE("non_finite") {
  TEST_CASE("an update that overflows after a finite loss ends the run; neither checkpoint nor weights are written") {
    TemporaryFolder folder;
    Project project = smallProject();
    project.document()["model"]["layers"] = Json::parse(
        R"([{"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "Rescaling", "name": "large", "scale": 1e18}, {"type": "Flatten", "name": "flat"},
            {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])");
    project.document()["training"]["optimizer"] = Json::parse(R"({"type": "sgd", "learning_rate": 1e25})");
    project.document()["training"]["batch_size"] = 117;  // an epoch is one step
    Recorder recorder;
    const RunOutcome outcome = trainAll(optionsFor(project, folder / "run"), recorder);
    REQUIRE(recorder.steps.size() == 1);
    REQUIRE(std::isfinite(recorder.steps[0].loss));
    REQUIRE(outcome.outcome == Outcome::Failed);
    CHECK(outcome.error->code() == ErrorCode::NonFinite);
    CHECK(outcome.error->subject() == "out");
    CHECK(std::string(outcome.error->what()).find("step 1") != std::string::npos);
    CHECK(recorder.checkpoints.empty());
    CHECK_FALSE(std::filesystem::exists(folder / "run/weights.safetensors"));
    std::vector<std::string> warnings;
    CHECK_FALSE(loadCheckpoint((folder / "run").string(), warnings).has_value());

    SessionOptions unsaved = optionsFor(project);
    Recorder other;
    CHECK(trainAll(unsaved, other).outcome == Outcome::Failed);
  }

  TEST_CASE("the optimizer's values are looked at, too") {
    NetworkOptions options;
    options.device = "reference";
    Network network(smallProject(), options);
    network.prepare({16}, {}, nullptr);
    network.initialize(1);
    std::map<std::string, Tensor> state = network.wholeState();
    CHECK_NOTHROW(requireFinite(network, viewsOf(state), 3));
    for (const float bad : {NAN, INFINITY, -INFINITY})
      for (auto& [name, tensor] : state) {
        if (tensor.dtype() != DType::F32) continue;
        const float good = tensor.as<float>().back();
        tensor.as<float>().back() = bad;
        CHECK_THROWS_AS(requireFinite(network, viewsOf(state), 3), Error);
        CHECK_THROWS_WITH(requireFinite(network, viewsOf(state), 0), doctest::Contains("weights to start from"));
        tensor.as<float>().back() = good;
      }
  }
}
