// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/verify/layer_check.h"
#include "gpu/devices/devices.h"
#include "tests/support/has.h"
#include "tests/support/skip.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

Tensor tensorOf(const std::vector<float>& values) {
  Tensor tensor(DType::F32, Shape{static_cast<int64_t>(values.size())});
  std::ranges::copy(values, tensor.as<float>().begin());
  return tensor;
}

TensorDifference compare(const std::vector<float>& expected, const std::vector<float>& got) {
  return differenceOf("output", tensorOf(expected), tensorOf(got), 1e-5);
}

LayerCheck checked(const Project& project, const std::string& layer, const std::string& device) {
  LayerCheckOptions options;
  options.layer = layer;
  options.device = device;
  options.threads = 1;
  Result<LayerCheck> check = checkLayer(project, options);
  REQUIRE_MESSAGE(check, check.error().line());
  return std::move(check).value();
}

}  // namespace

TEST_SUITE("layer_check") {
  TEST_CASE("differences are absolute, relative to the largest value, and in steps of floats") {
    const float next = std::nextafter(2.0f, 3.0f);
    const TensorDifference one = compare({1, -4, 2}, {1, -4, next});
    CHECK(one.absolute == static_cast<double>(next) - 2);
    CHECK(one.relative == one.absolute / 4);
    CHECK(one.ulps == 1);
    CHECK(one.index == 2);
    CHECK(one.isEqual());
    CHECK_FALSE(compare({1, -4, 2}, {1, -4.1f, 2}).isEqual());
    CHECK(compare({1, -4, 2}, {1, -4.1f, 2}).index == 1);
    // Steps across zero, and small values that do not count
    CHECK(compare({1e-45f}, {-1e-45f}).ulps == 2);
    CHECK(compare({1, 1e-9f}, {1, 2e-9f}).ulps == 0);
    const float nan = std::numeric_limits<float>::quiet_NaN(),
                infinity = std::numeric_limits<float>::infinity();
    CHECK(compare({nan, infinity}, {nan, infinity}).isEqual());
    CHECK_FALSE(compare({1, 2}, {nan, 2}).isEqual());
    CHECK_FALSE(compare({infinity, 2}, {1, 2}).isEqual());
    CHECK_FALSE(compare({0, 0}, {0, 1e-30f}).isEqual());
    CHECK(compare({0, 0}, {0, 0}).isEqual());
  }

  TEST_CASE("layers of a network equal the reference on each device") {
    const Project project = smallProject();
    std::vector<std::string> devices{"cpu", "detached", "reference"};
    if (test::canRun(whyNoSimulatedCards())) devices.emplace_back("simulated:H100");
    for (const std::string& device : devices)
      for (const char* layer : {"conv", "norm", "flat", "drop", "out"}) {
        CAPTURE(device);
        CAPTURE(layer);
        const LayerCheck check = checked(project, layer, device);
        CHECK(check.layer == layer);
        CHECK(check.usesData);
        CHECK(check.samples == 8);
        CHECK_MESSAGE(check.isEqual(), formatText(check.verdict.text, check.verdict.arguments));
        CHECK(check.tensors.front().name == "output");
      }
    const LayerCheck conv = checked(project, "conv", "cpu");
    std::vector<std::string> names;
    for (const TensorDifference& each : conv.tensors)
      names.push_back(each.name);
    CHECK(names == std::vector<std::string>{"output", "gradient of input 1",
                                            "gradient of conv/kernel", "gradient of conv/bias"});
    CHECK(conv.type == "Conv2D");
    CHECK(conv.tensors[0].shape == "[8,4,4,4]");
  }

  TEST_CASE("layers in Blocks, layers with several inputs, and whole Blocks are checked") {
    Project project = smallProject();
    project.document()["model"]["layers"] = Json::parse(R"([
      {"type": "Input", "name": "image", "shape": [6, 6, 1]}, {"type": "Flatten", "name": "flat"},
      {"type": "Block", "name": "block", "repeat": 2, "layers": [
        {"type": "Dense", "name": "hidden", "units": 36, "activation": "tanh"}]},
      {"type": "Add", "name": "sum", "inputs": ["flat", "block"]},
      {"type": "Reshape", "name": "rows", "target_shape": [6, 6]},
      {"type": "LSTM", "name": "rnn", "units": 5},
      {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])");
    CHECK(checked(project, "block/1/hidden", "cpu").layer == "block/1/hidden");
    CHECK(checked(project, "block/hidden", "cpu").layer == "block/0/hidden");
    const LayerCheck sum = checked(project, "sum", "cpu");
    CHECK(sum.tensors.size() == 3);
    CHECK(sum.isEqual());
    const LayerCheck rnn = checked(project, "rnn", "cpu");
    CHECK(rnn.isEqual());
    CHECK(rnn.tensors.size() >= 5);
    CHECK(checked(project, "block", "cpu").isEqual());
  }

  TEST_CASE("random inputs, and data that cannot be read") {
    LayerCheckOptions options;
    options.layer = "conv";
    options.device = "cpu";
    options.usesData = false;
    options.samples = 3;
    const Result<LayerCheck> random = checkLayer(smallProject(), options);
    REQUIRE(random);
    CHECK_FALSE(random->usesData);
    CHECK(random->whyRandom.empty());
    CHECK(random->samples == 3);
    Project project = smallProject();
    project.document()["data"] =
        Json::parse(R"({"source": {"type": "numpy", "path": "/nowhere/missing.npz"}})");
    options.usesData = true;
    const Result<LayerCheck> missing = checkLayer(project, options);
    REQUIRE_MESSAGE(missing, missing.error().line());
    CHECK_FALSE(missing->usesData);
    CHECK(has(missing->whyRandom, "missing.npz"));
    CHECK(missing->isEqual());
  }

  TEST_CASE("wrong names are refused") {
    LayerCheckOptions options;
    options.layer = "nope";
    const Result<LayerCheck> unknown = checkLayer(smallProject(), options);
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code() == ErrorCode::InvalidArgument);
    CHECK(has(unknown.error().line(), "conv, norm"));
    options.layer = "conv";
    options.device = "no such device";
    CHECK_FALSE(checkLayer(smallProject(), options));
    options.device = "cpu";
    options.weights = "/nowhere/weights.safetensors";
    CHECK_FALSE(checkLayer(smallProject(), options));
  }
}
