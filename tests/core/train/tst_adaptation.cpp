// SPDX-License-Identifier: Apache-2.0
// Tests layers that adapt to the training data: their statistics are computed before the first
// step.
#include <doctest/doctest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/compile/compile.h"
#include "core/train/adaptation.h"

using namespace strata;

namespace {

Project projectWith(const char* layer) {
  return Project(Json{
      {"format", "strata-project"},
      {"version", 1},
      {"data",
       {{"source",
         Json::parse(
             R"({"type": "random", "samples": 700, "shape": [4, 3], "classes": 2, "seed": 3})")},
        {"validation_split", 0.1},
        {"transforms", {{{"type", "rescale"}, {"scale", 2.0}}}}}},
      {"model",
       {{"layers",
         {Json::parse(R"({"type": "Input", "name": "x", "shape": [4, 3]})"),
          Json::parse(layer)}}}}});
}

std::map<std::string, Tensor> adaptedBy(const char* layer,
                                        std::shared_ptr<const Dataset>& dataset) {
  const Project project = projectWith(layer);
  Diagnostics diagnostics;
  const Model model = parseModel(project, diagnostics);
  for (const auto& each : diagnostics)
    MESSAGE(each.line());
  Graph graph;
  std::vector<VariableRequest> variables;
  NextValues nextValues;
  lowerLayers(graph, model, StepMode::Train, 2, variables, nextValues);
  dataset = loadDataset(project);
  return adaptedValues(variables, model.inputs, *dataset);
}

}  // namespace

TEST_SUITE("adaptation") {
  TEST_CASE("means and variances are those of the training samples in batches") {
    std::shared_ptr<const Dataset> dataset;
    const auto values = adaptedBy(R"({"type": "Normalization", "name": "n"})", dataset);
    REQUIRE(values.size() == 2);
    REQUIRE(dataset->trainCount < dataset->train->count());
    const auto x = dataset->train->x[0].as<float>();
    for (size_t c = 0; c < 3; ++c) {
      double mean = 0, variance = 0;
      const double count = static_cast<double>(dataset->trainCount) * 4;
      for (size_t i = 0; i < static_cast<size_t>(dataset->trainCount) * 4; ++i)
        mean += 2 * static_cast<double>(x[i * 3 + c]) / count;
      for (size_t i = 0; i < static_cast<size_t>(dataset->trainCount) * 4; ++i)
        variance += std::pow(2 * static_cast<double>(x[i * 3 + c]) - mean, 2) / count;
      CHECK(values.at("n/mean").as<float>()[c] == doctest::Approx(mean).epsilon(1e-5));
      CHECK(values.at("n/variance").as<float>()[c] == doctest::Approx(variance).epsilon(1e-5));
    }
    CHECK(adaptedBy(R"({"type": "Normalization", "name": "n", "axis": null})", dataset)
              .at("n/mean")
              .shape() == Shape{});
    CHECK(adaptedBy(R"({"type": "Normalization", "name": "n", "axis": [1, 2]})", dataset)
              .at("n/mean")
              .shape() == Shape{4, 3});
    CHECK(adaptedBy(R"({"type": "Normalization", "name": "n", "mean": 0, "variance": 1})", dataset)
              .empty());
  }

  TEST_CASE("bins contain equal numbers of values") {
    std::shared_ptr<const Dataset> dataset;
    const auto values =
        adaptedBy(R"({"type": "Discretization", "name": "d", "num_bins": 4})", dataset);
    const Tensor& boundaries = values.at("d/bin_boundaries");
    REQUIRE(boundaries.shape() == Shape{3});
    std::vector<int64_t> counts(4, 0);
    for (int64_t i = 0; i < dataset->trainCount * 12; ++i) {
      size_t bin = 0;
      while (bin < 3 && 2 * dataset->train->x[0].as<float>()[static_cast<size_t>(i)] >=
                            boundaries.as<float>()[bin])
        ++bin;
      ++counts[bin];
    }
    for (const int64_t count : counts)
      CHECK(std::abs(count - dataset->trainCount * 3) <= 2);
  }

  TEST_CASE("statistics of the data are computed only for layers directly after an Input") {
    const Project project(
        Json{{"model",
              {{"layers",
                {Json::parse(R"({"type": "Input", "name": "x", "shape": [4, 3]})"),
                 Json::parse(R"({"type": "Dense", "name": "d", "units": 3})"),
                 Json::parse(R"({"type": "Normalization", "name": "n"})")}}}}});
    Diagnostics diagnostics;
    const Model model = parseModel(project, diagnostics);
    summarizeModel(model, project, 2, diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == "not_adaptable");
    CHECK(diagnostics[0].line() ==
          "n: it adapts to the training data, but its input is d (expected an Input layer). "
          "Place it directly after the Input layer, or set its values.");
  }
}
