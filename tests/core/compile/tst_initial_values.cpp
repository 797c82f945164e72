// SPDX-License-Identifier: Apache-2.0
// Tests the initial values of variables by their moments or exact values, and the errors that
// invalid initializers cause.
#include <doctest/doctest.h>

#include <cmath>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"

using namespace strata;

namespace {

Tensor drawn(const char* json, const Shape& shape, int64_t fanIn = 100, int64_t fanOut = 300) {
  Diagnostics diagnostics;
  VariableRequest request;
  request.name = "layer/kernel";
  request.shape = shape;
  request.initializer = readInitializer(checkTyped(initializerSchemas(), "initializer",
                                                   Json::parse(json), "/i", "layer", diagnostics));
  CHECK(diagnostics.empty());
  request.fanIn = fanIn;
  request.fanOut = fanOut;
  return initialValue(request, 3);
}

struct InitializerRow {
  const char* json;
  // `largest` is the largest possible magnitude; 0 means that there is no bound.
  double mean, deviation, largest;
};

}  // namespace

TEST_SUITE("initial values") {
  TEST_CASE("random initializers have the right moments") {
    const double glorot = std::sqrt(2.0 / 400), he = std::sqrt(2.0 / 100),
                 lecun = std::sqrt(1.0 / 100), cut = 2 / 0.87962566103423978;
    const InitializerRow rows[] = {
        {R"("zeros")", 0, 0, 0},
        {R"("ones")", 1, 0, 1},
        {R"({"type": "constant", "value": 0.3})", 0.3, 0, 0.3001},
        {R"({"type": "random_uniform", "minval": -1, "maxval": 3})", 1, 4 / std::sqrt(12.0), 3},
        {R"({"type": "random_normal", "mean": 2, "stddev": 0.5})", 2, 0.5, 0},
        {R"({"type": "truncated_normal", "stddev": 0.5})", 0, 0.5 * 0.87962566103423978, 1},
        {R"("glorot_uniform")", 0, glorot, glorot * std::sqrt(3.0)},
        {R"("glorot_normal")", 0, glorot, glorot * cut},
        {R"("he_uniform")", 0, he, he * std::sqrt(3.0)},
        {R"("he_normal")", 0, he, he * cut},
        {R"("lecun_uniform")", 0, lecun, lecun * std::sqrt(3.0)},
        {R"("lecun_normal")", 0, lecun, lecun * cut},
        {R"("variance_scaling")", 0, lecun, lecun * cut},
        {R"({"type": "variance_scaling", "scale": 3, "mode": "fan_out", "distribution": "uniform"})",
         0, 0.1, 0.1 * std::sqrt(3.0)},
        {R"({"type": "variance_scaling", "scale": 2, "mode": "fan_avg", "distribution": "untruncated_normal"})",
         0, 0.1, 0},
    };
    for (const auto& row : rows) {
      CAPTURE(row.json);
      const Tensor x = drawn(row.json, {200, 300});
      double mean = 0, square = 0, largest = 0;
      for (const float value : x.as<float>()) {
        mean += static_cast<double>(value) / 60000;
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
      for (const float value : x.as<float>())
        square += std::pow(static_cast<double>(value) - mean, 2) / 60000;
      CHECK(std::abs(mean - row.mean) < 0.015 * std::max(0.01, row.deviation) + 1e-6);
      CHECK(std::abs(std::sqrt(square) - row.deviation) < 0.015 * row.deviation + 1e-6);
      if (row.largest > 0) CHECK(largest <= row.largest * 1.0001);
    }
  }

  TEST_CASE("orthogonal: rows or columns are orthogonal and have the length gain") {
    for (const Shape& shape :
         {Shape{7, 12}, Shape{12, 7}, Shape{9, 9}, Shape{3, 2, 5}, Shape{1, 4}}) {
      CAPTURE(shape.toString());
      const Tensor x = drawn(R"({"type": "orthogonal", "gain": 1.5})", shape);
      const int64_t columns = shape.dim(-1), rows = x.numElements() / columns,
                    count = std::min(rows, columns), length = std::max(rows, columns);
      const auto at = [&](int64_t i, int64_t k) {
        return static_cast<double>(x.as<float>()[static_cast<size_t>(
            rows >= columns ? k * columns + i : i * columns + k)]);
      };
      for (int64_t i = 0; i < count; ++i)
        for (int64_t j = 0; j < count; ++j) {
          double product = 0;
          for (int64_t k = 0; k < length; ++k)
            product += at(i, k) * at(j, k);
          CHECK(std::abs(product - (i == j ? 2.25 : 0)) < 1e-5);
        }
    }
  }

  TEST_CASE("identity: the gain is on the diagonal") {
    const Tensor x = drawn(R"({"type": "identity", "gain": 2})", {2, 3});
    CHECK(std::vector<float>(x.as<float>().begin(), x.as<float>().end()) ==
          std::vector<float>{2, 0, 0, 0, 2, 0});
  }

  TEST_CASE("stft: values equal those of Keras 3.15") {
    const auto check = [](const char* initializer, Shape shape, std::vector<double> expected) {
      CAPTURE(initializer);
      const Tensor x = drawn(initializer, shape);
      REQUIRE(x.numElements() == static_cast<int64_t>(expected.size()));
      for (size_t i = 0; i < expected.size(); ++i)
        CHECK(x.as<float>()[i] == doctest::Approx(expected[i]).epsilon(1e-5).scale(1));
    };
    check(R"({"type": "stft"})", {4, 1, 3},
          {0, 0, 0, 0.70710683, 0, -0.70710683, 0.70710683, -0.70710683, 0.70710683, 0, 0, 0});
    check(
        R"({"type": "stft", "side": "imag", "window": "hamming", "scaling": "spectrum", "periodic": true})",
        {3, 1, 3}, {0, 0, 0, 0, -0.47530866, 0, 0, 0, 0});
    check(R"({"type": "stft", "side": "real", "window": null})", {2, 1, 3}, {1, 1, 1, 1, 0, -1});
    check(R"({"type": "stft", "side": "imag", "window": "blackman", "scaling": null})", {5, 1, 2},
          {0, 0, 0, 0, 0, -1.7484555e-07, 0, 0, 0, 0});
  }

  TEST_CASE("alternative names of Keras are accepted") {
    CHECK(fullObjectName("initializer", "uniform") == "random_uniform");
    CHECK(fullObjectName("regularizer", "l1l2") == "l1_l2");
    CHECK(fullObjectName("activation", "uniform") == "uniform");
  }

  TEST_CASE("an initializer for matrices is refused for other shapes, and the field is named") {
    const auto problem = [](const char* layer) {
      const Project project(
          Json{{"model",
                {{"layers",
                  {Json::parse(R"({"type": "Input", "name": "x", "shape": [6, 6, 2]})"),
                   Json::parse(layer)}}}}});
      Diagnostics diagnostics;
      const Model model = parseModel(project, diagnostics);
      summarizeModel(model, project, 2, diagnostics);
      return diagnostics.empty()
                 ? std::string()
                 : diagnostics[0].code + " " + diagnostics[0].field + " " + diagnostics[0].line();
    };
    CHECK(
        problem(
            R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 3, "kernel_initializer": "orthogonal"})")
            .empty());
    CHECK(
        problem(
            R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 3, "kernel_initializer": "identity"})")
            .starts_with("shape_mismatch kernel_initializer c: identity does not support weights "
                         "of shape [3,3,2,2]"));
    CHECK(
        problem(
            R"({"type": "Dense", "name": "c", "units": 2, "kernel_initializer": {"type": "normal"}, "kernel_regularizer": "l1l2"})")
            .empty());
    CHECK(
        problem(
            R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 3, "kernel_initializer": "stft"})")
            .starts_with("shape_mismatch kernel_initializer c: stft initializes only the kernel of "
                         "a Conv1D"));
    CHECK(problem(R"({"type": "Dense", "name": "c", "units": 2, "bias_initializer": "orthogonal"})")
              .starts_with("shape_mismatch bias_initializer"));
    CHECK(
        problem(
            R"({"type": "Conv2D", "name": "c", "filters": 2, "kernel_size": 3, "kernel_regularizer": "orthogonal_regularizer"})")
            .starts_with("shape_mismatch kernel_regularizer"));
    CHECK(
        problem(
            R"({"type": "Dense", "name": "c", "units": 2, "kernel_constraint": {"type": "max_norm", "axis": 2}})")
            .starts_with("out_of_range kernel_constraint"));
    CHECK(
        problem(
            R"({"type": "Dense", "name": "c", "units": 2, "kernel_constraint": {"type": "max_norm", "max_value": -1}})")
            .starts_with("out_of_range"));
  }

  TEST_CASE("a standard deviation starts at the square root of the variance") {
    VariableRequest request;
    request.name = "bn/moving_stddev";
    request.shape = {3};
    request.initializer.type = "constant";
    request.initializer.numbers = {{"value", 2.25}};
    request.initializer.isRooted = true;
    const Tensor value = initialValue(request, 1);
    for (const float each : value.as<float>())
      CHECK(each == 1.5f);
  }
}
