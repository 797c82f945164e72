// SPDX-License-Identifier: Apache-2.0
// Runs the reference cases of the shared folder on every device: layers, losses, optimizers,
// metrics and complete trainings.
#include <doctest/doctest.h>

#include <fstream>
#include <map>
#include <set>

#include "core/interchange/safetensors.h"
#include "core/verify/verify.h"
#include "gpu/base/error.h"
#include "tests/support/paths.h"

using namespace strata;

TEST_SUITE("golden") {
  TEST_CASE("every case with types of this build passes") {
    if (sharedDir().empty()) {
      MESSAGE("skipped: the shared folder with the reference cases is absent");
      return;
    }
    // The numbers are the minimum numbers of passed cases. They detect cases that are skipped by
    // mistake.
    const std::map<std::string, int> passed{{"layers", 112}, {"losses", 29},   {"optimizers", 21},
                                            {"metrics", 20}, {"trainings", 5}, {"schedules", 9}};
    for (const std::string device : {"reference", "cpu"}) {
      for (const auto& [name, least] : passed) {
        CAPTURE(device);
        CAPTURE(name);
        const VerifyReport report =
            verifyManifest((sharedDir() / "golden" / (name + ".json")).string(), device);
        int count = 0;
        for (const VerifyRow& row : report.rows) {
          count += row.state == VerifyRow::State::Passed;
          CHECK_MESSAGE(row.state != VerifyRow::State::Failed, row.id, " is off by ",
                        row.largestError, " (at most ", row.tolerance, "): ", row.message);
        }
        CHECK(count >= least);
      }
    }
  }

  TEST_CASE("a wrong expectation fails and a missing type is skipped by name") {
    TemporaryFolder folder;
    TensorFile file;
    for (const char* id : {"right", "wrong", "unknown"}) {
      file.tensors.emplace(std::string(id) + "/step",
                           Tensor::from<int64_t>(Shape{2}, std::vector<int64_t>{0, 10}));
      file.tensors.emplace(
          std::string(id) + "/value",
          Tensor::from<double>(Shape{2}, std::vector<double>{1, id[0] == 'w' ? 0.6 : 0.5}));
    }
    writeSafetensors((folder / "set.safetensors").string(), file);
    const char* decay =
        R"("schedule": {"type": "ExponentialDecay", "initial_learning_rate": 1, "decay_steps": 10, "decay_rate": 0.5}})";
    std::ofstream(folder / "set.json")
        << R"({"format": "strata-reference", "tensors": "set.safetensors", "cases": [
      {"id": "right", "kind": "schedule", )"
        << decay << R"(, {"id": "wrong", "kind": "schedule", )" << decay
        << R"(, {"id": "unknown", "kind": "schedule", "schedule": {"type": "NoSuchDecay"}}]})";
    const VerifyReport schedules = verifyManifest((folder / "set.json").string(), "reference");
    REQUIRE(schedules.rows.size() == 3);
    CHECK(schedules.rows[0].state == VerifyRow::State::Passed);
    CHECK(schedules.rows[1].state == VerifyRow::State::Failed);
    CHECK(schedules.rows[2].state == VerifyRow::State::Skipped);
    CHECK(schedules.rows[2].message == "NoSuchDecay");
    // A damaged manifest is refused as a whole.
    for (const char* damaged :
         {R"("right")", R"({"id": 3, "kind": "schedule"})", R"({"id": "right", "kind": {}})"}) {
      CAPTURE(damaged);
      std::ofstream(folder / "set.json")
          << R"({"format": "strata-reference", "tensors": "set.safetensors", "cases": [)" << damaged
          << "]}";
      try {
        verifyManifest((folder / "set.json").string(), "reference");
        FAIL_CHECK("was accepted");
      }
      catch (const Error& error) {
        CHECK(error.code() == ErrorCode::InvalidFile);
        CHECK(std::string_view(error.what()).find("case 1") != std::string_view::npos);
      }
    }
  }

  TEST_CASE("counts, sizes and losses that disagree with the tensors fail their case") {
    TemporaryFolder folder;
    TensorFile file;
    const auto put = [&](const char* name, Shape shape) {
      file.tensors.emplace(name, Tensor(DType::F32, shape));
    };
    file.tensors.emplace("steps/step", Tensor::from<int64_t>(Shape{1}, std::vector<int64_t>{0}));
    // The file has more values than steps. This once caused a read past the end of the steps.
    put("steps/value", {1000});
    put("metric/prediction", {2, 3});
    put("metric/target", {2, 3});
    put("metric/value", {1});
    put("train/x", {4, 2});
    put("train/y", {4, 3});
    put("train/loss", {2});
    put("large/input/0", {1, 2});
    writeSafetensors((folder / "set.safetensors").string(), file);
    const std::string layers =
        R"("layers": [{"type": "Input", "name": "x", "shape": [2]}, {"type": "Dense", "name": "d", "units": 3}])";
    const auto training = [&](const std::string& loss, const std::string& steps) {
      return R"({"id": "train", "kind": "training", )" + layers + R"(, "training": {"loss": )" +
             loss +
             R"(, "optimizer": "sgd", "batch_size": 2}, "data": {"x": "train/x", "y": "train/y"}, "steps": )" +
             steps + "}";
    };
    const std::vector<std::string> cases{
        R"({"id": "steps", "kind": "schedule", "schedule": {"type": "ExponentialDecay", "initial_learning_rate": 1, "decay_steps": 10, "decay_rate": 0.5}})",
        R"({"id": "metric", "kind": "metric", "metric": {"type": "mean_absolute_error"}, "updates": []})",
        R"({"id": "metric", "kind": "metric", "metric": {"type": "mean_absolute_error"}, "updates": [0]})",
        R"({"id": "metric", "kind": "metric", "metric": {"type": "mean_absolute_error"}, "updates": [1000000000]})",
        // The case has more steps than losses.
        training(R"("mean_squared_error")", "1000000000"),
        // A loss that is a number once caused an endless recursion.
        training("3", "1"),
        R"({"id": "none", "kind": "optimizer", "optimizer": {"type": "sgd", "learning_rate": 0.1}, "checked": [1], "steps": 1000000000000})",
        R"({"id": "large", "kind": "layer", "training": false, "layers": [{"type": "Input", "name": "x", "shape": [1000000000]}, {"type": "Dense", "name": "d", "units": 3}]})"};
    std::string list;
    for (const std::string& each : cases)
      list += (list.empty() ? "" : ",\n") + each;
    std::ofstream(folder / "set.json")
        << R"({"format": "strata-reference", "tensors": "set.safetensors", "cases": [)" << list
        << "]}";
    const VerifyReport report = verifyManifest((folder / "set.json").string(), "reference");
    REQUIRE(report.rows.size() == cases.size());
    for (const VerifyRow& row : report.rows)
      CHECK_MESSAGE(row.state != VerifyRow::State::Passed, row.id, row.message);
  }
}
