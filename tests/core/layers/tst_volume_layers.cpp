// SPDX-License-Identifier: Apache-2.0
// Tests layers for volumes against their definitions: a transposed convolution is the adjoint of
// the convolution with the same kernel, and adaptive pooling is a loop over windows.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "gpu/base/rng.h"
#include "gpu/reference/evaluate.h"

using namespace strata;

namespace {

Tensor noise(const Shape& shape, uint64_t stream) {
  Tensor x(DType::F32, shape);
  RandomStream numbers(7, stream);
  for (float& value : x.as<float>())
    value = static_cast<float>(numbers.normal());
  return x;
}

Tensor outputOfVolume(const char* type, const std::string& fields, const Tensor& x,
                      const Tensor& kernel = {}) {
  Diagnostics diagnostics;
  const Json checked =
      checkFields(findLayer(type)->schema, Json::parse(fields), "/l", "layer", diagnostics);
  REQUIRE(diagnostics.empty());
  Graph graph;
  const ValueId in = graph.addInput("x", x.type());
  graph.addOutput("y", lowerLayer(graph, {*findLayer(type), "layer", checked, {in}, {"x"}}).value);
  NamedTensors variables;
  if (kernel.numElements() > 0) variables.emplace("layer/kernel", kernel);
  return evaluateGraph(graph, {{"x", x}}, variables).outputs.at("y");
}

double dot(const Tensor& a, const Tensor& b) {
  REQUIRE(a.shape() == b.shape());
  double sum = 0;
  for (size_t i = 0; i < a.as<float>().size(); ++i)
    sum += static_cast<double>(a.as<float>()[i]) * static_cast<double>(b.as<float>()[i]);
  return sum;
}

}  // namespace

TEST_SUITE("volume layers") {
  TEST_CASE("Conv3DTranspose is the adjoint of Conv3D") {
    struct Row {
      const char* fields;
      Shape volume;
    };
    // The strides divide the sizes, so that the transposed convolution restores the volume's size.
    const Row rows[] = {
        {R"("kernel_size": [2, 3, 2], "strides": 1)", {2, 5, 4, 4, 2}},
        {R"("kernel_size": [2, 2, 2], "dilation_rate": [2, 1, 2])", {2, 5, 4, 6, 2}},
        {R"("kernel_size": [3, 2, 1], "dilation_rate": [2, 3, 1])", {2, 7, 6, 3, 2}},
        {R"("kernel_size": [2, 3, 2], "strides": [2, 1, 2])", {2, 6, 5, 4, 2}},
        {R"("kernel_size": [3, 3, 3], "strides": 2, "padding": "same")", {2, 6, 4, 8, 2}},
        {R"("kernel_size": [1, 2, 1], "strides": 1, "padding": "same")", {2, 3, 4, 3, 2}}};
    for (const Row& row : rows) {
      CAPTURE(row.fields);
      const std::string rest = std::string(row.fields) + R"(, "use_bias": false})";
      const Json sizes = Json::parse(std::string("{") + row.fields + "}");
      const auto kernel = sizes.at("kernel_size").get<std::vector<int64_t>>();
      const Tensor x = noise(row.volume, 1), w = noise({kernel[0], kernel[1], kernel[2], 2, 3}, 2);
      const Tensor forward = outputOfVolume("Conv3D", R"({"filters": 3, )" + rest, x, w),
                   y = noise(forward.shape(), 3);
      CHECK(dot(forward, y) ==
            doctest::Approx(
                dot(x, outputOfVolume("Conv3DTranspose", R"({"filters": 2, )" + rest, y, w)))
                .epsilon(1e-4));
    }
  }

  TEST_CASE("adaptive pooling of volumes: windows begin at the floor and end at the ceiling") {
    const Tensor x = noise({2, 5, 4, 7, 2}, 1);
    const int64_t sizes[] = {5, 4, 7}, counts[] = {2, 4, 3};
    const Tensor mean =
                     outputOfVolume("AdaptiveAveragePooling3D", R"({"output_size": [2, 4, 3]})", x),
                 largest =
                     outputOfVolume("AdaptiveMaxPooling3D", R"({"output_size": [2, 4, 3]})", x);
    REQUIRE(mean.shape() == Shape{2, 2, 4, 3, 2});
    const auto first = [&](int axis, int64_t i) {
      return i * sizes[axis] / counts[axis];
    };
    const auto last = [&](int axis, int64_t i) {
      return ((i + 1) * sizes[axis] + counts[axis] - 1) / counts[axis];
    };
    size_t at = 0;
    for (int64_t n = 0; n < 2; ++n)
      for (int64_t p = 0; p < 2; ++p)
        for (int64_t q = 0; q < 4; ++q)
          for (int64_t r = 0; r < 3; ++r)
            for (int64_t c = 0; c < 2; ++c, ++at) {
              double sum = 0, most = -1e9, count = 0;
              for (int64_t d = first(0, p); d < last(0, p); ++d)
                for (int64_t h = first(1, q); h < last(1, q); ++h)
                  for (int64_t w = first(2, r); w < last(2, r); ++w) {
                    const double value = static_cast<double>(x.as<float>()[static_cast<size_t>(
                        (((n * 5 + d) * 4 + h) * 7 + w) * 2 + c)]);
                    sum += value;
                    most = std::max(most, value);
                    ++count;
                  }
              CHECK(std::abs(static_cast<double>(mean.as<float>()[at]) - sum / count) < 1e-5);
              CHECK(static_cast<double>(largest.as<float>()[at]) == doctest::Approx(most));
            }
  }
}
