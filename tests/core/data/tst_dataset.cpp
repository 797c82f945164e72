// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <cmath>
#include <numeric>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/data/data_problems.h"
#include "core/data/dataset.h"
#include "gpu/base/error.h"

using namespace strata;

namespace {

Project projectWith(const std::string& data,
                    const std::string& loss = "sparse_categorical_crossentropy") {
  return Project(parseJson(R"({"format":"strata-project","version":1,"data":)" + data +
                               R"(,"model":{"layers":[]},"training":{"loss":")" + loss + R"("}})",
                           "test"));
}

std::string firstProblem(const Project& project) {
  Diagnostics diagnostics;
  describeDataset(project, diagnostics);
  return diagnostics.empty() ? "" : diagnostics[0].code;
}

}  // namespace

TEST_SUITE("dataset") {
  TEST_CASE("MNIST is loaded quickly, split correctly, and kept in memory only once") {
    const Project project = projectWith(
        R"({"source":"mnist","validation_split":0.1,"transforms":[{"type":"rescale","scale":0.5,"offset":1}]})");
    const auto start = std::chrono::steady_clock::now();
    const auto dataset = loadDataset(project);
    const double seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    MESSAGE("unpacked in " << seconds << " s");
    CHECK(dataset->train->x[0].type() == TensorType{DType::U8, Shape{60000, 28, 28, 1}});
    CHECK(dataset->test->x[0].type() == TensorType{DType::U8, Shape{10000, 28, 28, 1}});
    CHECK(dataset->trainCount == 54000);
    CHECK(dataset->validationCount == 6000);
    CHECK(dataset->targets[0].classNames.size() == 10);
    CHECK(dataset->transforms[0].scale == 0.5);
    CHECK(dataset->train->y[0].as<int32_t>()[0] == 5);
    CHECK(dataset->test->y[0].as<int32_t>()[0] == 7);
    CHECK(loadDataset(project)->train == dataset->train);
    Diagnostics diagnostics;
    const DatasetInfo info = describeDataset(project, diagnostics);
    CHECK(diagnostics.empty());
    CHECK(info.isKnown);
    CHECK(info.inputs[0].shape == dataset->inputs[0].shape);
    CHECK(info.trainCount == dataset->trainCount);
    CHECK(info.validationCount == 6000);
    CHECK(info.testCount == 10000);
  }

  TEST_CASE("one_hot targets that do not fit in memory are refused with their size") {
    const Project project = projectWith(
        R"({"source":{"type":"random","samples":200000,"shape":[2],"classes":3},"transforms":[{"type":"one_hot","classes":1000000}]})");
    try {
      loadDataset(project);
      FAIL("800 gigabytes");
    }
    catch (const Error& error) {
      CHECK_MESSAGE(error.code() == ErrorCode::OutOfMemory, error.line());
      CHECK(error.line().find("200000 labels as 1000000 numbers each need 800001600000 bytes") !=
            std::string::npos);
    }
  }

  TEST_CASE("statistics of the data are computed from one large sample at a time") {
    // A block of 256 samples would need 34 GB.
    Samples samples;
    samples.x[0] = Tensor(DType::U8, {2, int64_t{1} << 25});
    samples.x[0].as<uint8_t>().back() = 7;
    std::vector<float> last;
    forEachSample(samples, 0, {}, 2,
                  [&](int64_t, std::span<const float> sample) { last.push_back(sample.back()); });
    CHECK(last == std::vector<float>{0, 7});
  }

  TEST_CASE(
      "random: data is reproducible and standard normal, and the test set has the next seed") {
    const auto load = [](int seed) {
      return loadDataset(projectWith(
          R"({"source":{"type":"random","samples":2000,"shape":[8,4],"classes":7,"seed":)" +
          std::to_string(seed) + "}}"));
    };
    const auto a = load(3), b = load(3), next = load(4);
    CHECK(a->train->x[0].isBitEqual(b->train->x[0]));
    CHECK(!a->train->x[0].isBitEqual(next->train->x[0]));
    CHECK(a->test->count() == 200);
    const auto test = a->test->x[0].as<float>(), other = next->train->x[0].as<float>();
    CHECK(std::equal(test.begin(), test.end(), other.begin()));
    const auto x = a->train->x[0].as<float>();
    const double count = static_cast<double>(x.size()),
                 mean = std::accumulate(x.begin(), x.end(), 0.0) / count;
    double variance = 0;
    for (const float v : x)
      variance += (v - mean) * (v - mean) / count;
    CHECK(std::abs(mean) < 0.02);
    CHECK(std::abs(variance - 1) < 0.03);
    const auto y = a->train->y[0].as<int32_t>();
    CHECK(*std::min_element(y.begin(), y.end()) == 0);
    CHECK(*std::max_element(y.begin(), y.end()) == 6);
  }

  TEST_CASE("random: the target of an integer may be the integer itself") {
    const auto dataset = loadDataset(projectWith(
        R"({"source":{"type":"random","kind":"integer","high":20,"samples":1000,"shape":[1],"classes":20,"target":"value","seed":1}})"));
    CHECK(dataset->train->x[0].as<int32_t>()[5] == dataset->train->y[0].as<int32_t>()[5]);
    CHECK(dataset->inputs[0].shape == Shape{1});
    CHECK(
        firstProblem(projectWith(
            R"({"source":{"type":"random","kind":"integer","high":20,"samples":10,"shape":[1],"classes":10,"target":"value"}})")) ==
        "out_of_range");
    CHECK(firstProblem(projectWith(
              R"({"source":{"type":"random","samples":10,"shape":[1],"target":"value"}})")) ==
          "conflict");
  }

  TEST_CASE("values: nesting gives the shape, and ragged lists are refused") {
    const auto regression = loadDataset(
        projectWith(R"({"source":{"type":"values","x":[[1],[2],[3]],"y":[[2],[4],[6]]}})",
                    "mean_squared_error"));
    CHECK(regression->train->x[0].type() == TensorType{DType::F32, Shape{3, 1}});
    CHECK(regression->train == regression->test);
    CHECK(!regression->targets[0].hasLabels);
    const auto labels = loadDataset(
        projectWith(R"({"source":{"type":"values","x":[[1,0],[2,0],[3,0]],"y":[0,2,1]}})"));
    CHECK(labels->train->y[0].type() == TensorType{DType::I32, Shape{3}});
    CHECK(labels->targets[0].classNames.size() == 3);
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[[1],[2,3]],"y":[0,1]}})")) ==
          "wrong_type");
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[[1],2],"y":[0,1]}})")) ==
          "wrong_type");
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[1,[2]],"y":[0,1]}})")) ==
          "wrong_type");
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[1,"a"],"y":[0,1]}})")) ==
          "wrong_type");
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[1,2],"y":[0]}})")) ==
          "shape_mismatch");
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[1,2],"y":[0,-1]}})")) ==
          "wrong_type");
    CHECK(firstProblem(projectWith(R"({"source":{"type":"values","x":[1,2]}})")) ==
          "missing_field");
    // A label that the loss ignores is not a class.
    for (const int ignored : {-1, 255}) {
      Project project = projectWith(R"({"source":{"type":"values","x":[1,2,3],"y":[0,)" +
                                    std::to_string(ignored) + ",1]}}");
      project.document()["training"]["loss"] = {{"type", "sparse_categorical_crossentropy"},
                                                {"ignore_class", ignored}};
      CHECK(firstProblem(project) == "");
      CHECK(loadDataset(project)->targets[0].classes == 2);
      CHECK(loadDataset(project)->train->y[0].as<int32_t>()[1] == ignored);
      project.document()["training"]["loss"]["ignore_class"] = -2;
      CHECK(firstProblem(project) == (ignored == -1 ? "wrong_type" : ""));
    }
    CHECK(firstProblem(projectWith(R"({"source":{"type":"mnits"}})")) == "unknown_type");
    CHECK(firstProblem(projectWith(R"({"source":"mnist","validation_split":1})")) ==
          "out_of_range");
    Diagnostics skipped;
    describeDataset(
        projectWith(R"({"source":{"type":"random","samples":100,"shape":[2]},"skip":1000})"),
        skipped);
    REQUIRE(skipped.size() == 1);
    CHECK(skipped[0].line().find("(samples: 100, skip: 1000, validation_split: 0.0). Lower skip") !=
          std::string::npos);
    try {
      loadDataset(
          projectWith(R"({"source":{"type":"random","samples":10000000,"shape":[100000]}})"));
      CHECK(false);
    }
    catch (const Error& error) {
      CHECK_MESSAGE(error.code() == ErrorCode::OutOfMemory, error.line());
      CHECK(error.line().find("samples of [100000] do not fit into memory") != std::string::npos);
    }
    CHECK(firstProblem(projectWith(R"({"source":"mnist","validation_split":-0.1})")) ==
          "out_of_range");
    // null is not accepted as a number.
    for (const std::string field : {"validation_split", "test_split", "skip"}) {
      Diagnostics diagnostics;
      describeDataset(projectWith(R"({"source":"mnist",")" + field + "\":null}"), diagnostics);
      REQUIRE(diagnostics.size() == 1);
      CHECK(diagnostics[0].code == "wrong_type");
      CHECK(diagnostics[0].field == "/data/" + field);
      CHECK(diagnostics[0].line().find(field + " has the wrong type (expected a") !=
            std::string::npos);
      CHECK(diagnostics[0].line().find("got null)") != std::string::npos);
    }
    CHECK(firstProblem(projectWith(R"({"source":"mnist","validation_split":0.999999})")) ==
          "out_of_range");
    CHECK(firstProblem(projectWith(R"({})")) == "missing_field");
    CHECK_THROWS_AS(
        loadDataset(projectWith(R"({"source":{"type":"values","x":[[1],[2,3]],"y":[0,1]}})")),
        Error);
  }

  TEST_CASE("labels that a loss ignores are not counted as classes") {
    Samples samples, test;
    samples.x[0] = Tensor(DType::F32, Shape{10, 1});
    samples.y[0] = Tensor::from<int32_t>(
        Shape{10}, std::vector<int32_t>{-1, 0, 1, 1, 1, 1, /* validation */ 0, 0, 0, -1});
    test.x[0] = Tensor(DType::F32, Shape{0, 1});
    test.y[0] = Tensor(DType::I32, Shape{0});
    Dataset dataset;
    dataset.train = std::make_shared<const Samples>(samples);
    dataset.test = std::make_shared<const Samples>(test);
    dataset.trainCount = 6;
    dataset.validationCount = 4;
    Diagnostics problems;
    reportUnseenClasses(dataset, 0, problems);
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].line().find("has only 1 of the 2 classes (it lacks 1, such as \"1\")") !=
          std::string::npos);
  }

  TEST_CASE("the order of an epoch is a permutation that depends only on the epoch and the seed") {
    const auto order = epochOrder(1, 1, 1000, true);
    auto sorted = order;
    std::sort(sorted.begin(), sorted.end());
    CHECK(sorted == epochOrder(1, 1, 1000, false));
    CHECK(order == epochOrder(1, 1, 1000, true));
    CHECK(order != epochOrder(1, 2, 1000, true));
    CHECK(order != epochOrder(2, 1, 1000, true));
    CHECK(order != sorted);
    CHECK(epochOrder(1, 1, 0, true).empty());
  }

  TEST_CASE("batches contain converted and scaled samples, in any division into ranges") {
    Samples samples;
    samples.x[0] = Tensor(DType::U8, Shape{5, 33});
    for (size_t i = 0; i < 165; ++i)
      samples.x[0].as<uint8_t>()[i] = static_cast<uint8_t>(i * 3);
    samples.y[0] = Tensor::from<int32_t>(Shape{5}, std::vector<int32_t>{4, 3, 2, 1, 0});
    const std::vector<int32_t> indices{4, 0, 2};
    Tensor whole(DType::F32, Shape{3, 33}), parts = whole, targets(DType::I32, Shape{3}),
                                            floats(DType::F32, Shape{3});
    const InputTransform transform{1.0 / 255, -0.5};
    gatherInputs(samples.x[0], transform, indices.data(), 0, 3, whole.data(), DType::F32);
    gatherInputs(samples.x[0], transform, indices.data(), 1, 3, parts.data(), DType::F32);
    gatherInputs(samples.x[0], transform, indices.data(), 0, 1, parts.data(), DType::F32);
    CHECK(whole.isBitEqual(parts));
    CHECK(whole.as<float>()[33 + 7] ==
          static_cast<float>(samples.x[0].as<uint8_t>()[7]) * static_cast<float>(1.0 / 255) - 0.5f);
    gatherTargets(samples.y[0], indices.data(), 0, 3, targets.data(), DType::I32);
    CHECK(targets.as<int32_t>()[0] == 0);
    CHECK(targets.as<int32_t>()[2] == 2);
    gatherTargets(samples.y[0], indices.data(), 0, 3, floats.data(), DType::F32);
    CHECK(floats.as<float>()[1] == 4.0f);
  }
}
