// SPDX-License-Identifier: Apache-2.0
// Tests options of Keras's layers against their definitions: masks in merging layers, batch
// normalization per time step, attention along other axes, channels_first, aspect ratios of resized
// images, and composed activations.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/layers/layer.h"
#include "gpu/base/rng.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

using namespace strata;

namespace {

Tensor randomValues(const Shape& shape, uint64_t stream) {
  Tensor x(DType::F32, shape);
  RandomStream numbers(11, stream);
  for (float& value : x.as<float>())
    value = static_cast<float>(numbers.normal());
  return x;
}

struct Lowered {
  Tensor y, mask;
  NamedTensors next;
};

/// Lowers a layer and evaluates it. The random values of its variables depend only on their order
/// and shapes.
Lowered lowerAndRun(const char* type, const std::string& fields, const std::vector<Tensor>& inputs,
                    const std::vector<Tensor>& masks = {}, StepMode mode = StepMode::Predict) {
  Diagnostics diagnostics;
  const Json checked =
      checkFields(findLayer(type)->schema, Json::parse(fields), "/l", "layer", diagnostics);
  for (const Diagnostic& each : diagnostics)
    FAIL(each.line());
  Graph graph;
  NamedTensors values, variables;
  LayerCall call{*findLayer(type), "layer", checked, {}, {}};
  call.mode = mode;
  const auto input = [&](const std::string& name, const Tensor& value) {
    values.emplace(name, value);
    return graph.addInput(name, value.type());
  };
  for (size_t i = 0; i < inputs.size(); ++i) {
    call.inputs.push_back(input("x" + std::to_string(i), inputs[i]));
    call.inputNames.push_back("x" + std::to_string(i));
    call.masks.push_back(i < masks.size() && masks[i].numElements() > 1
                             ? input("m" + std::to_string(i), masks[i])
                             : ValueId());
  }
  call.batchSize = inputs[0].shape()[0];
  const LoweredLayer layer = lowerLayer(graph, std::move(call));
  for (size_t i = 0; i < layer.variables.size(); ++i)
    variables.emplace(layer.variables[i].name, randomValues(layer.variables[i].shape, 100 + i));
  graph.addOutput("y", layer.value);
  if (layer.mask.isValid()) graph.addOutput("mask", layer.mask);
  for (const auto& [name, value] : layer.nextValues)
    graph.addOutput("next:" + name, value);
  auto outputs = evaluateGraph(graph, values, variables).outputs;
  Lowered result{outputs.at("y"), layer.mask.isValid() ? outputs.at("mask") : Tensor(), {}};
  for (const auto& [name, value] : layer.nextValues)
    result.next.emplace(name, outputs.at("next:" + name));
  return result;
}

std::vector<float> listOf(const Tensor& x) { return {x.as<float>().begin(), x.as<float>().end()}; }

void checkNear(const Tensor& got, const std::vector<float>& wanted, double tolerance = 1e-5) {
  const std::vector<float> values = listOf(got);
  REQUIRE(values.size() == wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    CHECK(values[i] == doctest::Approx(wanted[i]).epsilon(tolerance));
}

/// Transposes a tensor from [N,a,b,c] to [N,c,a,b], or back if `toFront` is false.
Tensor turned(const Tensor& x, bool toFront) {
  const Shape in = x.shape();
  const Shape out = toFront ? Shape{in[0], in[3], in[1], in[2]} : Shape{in[0], in[2], in[3], in[1]};
  Tensor y(DType::F32, out);
  for (int64_t n = 0; n < in[0]; ++n)
    for (int64_t i = 0; i < in[1]; ++i)
      for (int64_t j = 0; j < in[2]; ++j)
        for (int64_t k = 0; k < in[3]; ++k) {
          const float value =
              x.as<float>()[static_cast<size_t>(((n * in[1] + i) * in[2] + j) * in[3] + k)];
          const int64_t place = toFront ? ((n * out[1] + k) * out[2] + i) * out[3] + j
                                        : ((n * out[1] + j) * out[2] + k) * out[3] + i;
          y.as<float>()[static_cast<size_t>(place)] = value;
        }
  return y;
}

}  // namespace

TEST_SUITE("options of layers") {
  TEST_CASE("products, maxima and minima ignore masked steps") {
    const auto steps = [](std::vector<float> values) {
      return Tensor::from<float>(Shape{1, 4, 1}, values);
    };
    const auto mask = [](std::vector<float> values) {
      return Tensor::from<float>(Shape{1, 4}, values);
    };
    const std::vector<Tensor> x{steps({2, 3, 4, 5}), steps({-7, 7, -9, 9})};
    const std::vector<Tensor> both{mask({1, 1, 0, 0}), mask({1, 0, 1, 0})};
    const Lowered product = lowerAndRun("Multiply", "{}", x, both);
    checkNear(product.y, {-14, 3, -9, 0});
    checkNear(product.mask, {1, 1, 1, 0});
    checkNear(lowerAndRun("Multiply", "{}", x, {both[0]}).y, {-14, 21, -9, 9});
    const Lowered largest = lowerAndRun("Maximum", "{}", x, both);
    checkNear(largest.y, {2, 3, -9, 5});
    checkNear(largest.mask, {1, 1, 1, 0});
    checkNear(lowerAndRun("Minimum", "{}", x, both).y, {-7, 3, -9, 5});
    CHECK(lowerAndRun("Minimum", "{}", x, {both[0]}).mask.numElements() <= 1);
    checkNear(lowerAndRun("Add", "{}", x, both).y, {-5, 10, -5, 14});
  }

  TEST_CASE("inputs of lower rank get dimensions after the batch axis") {
    const Tensor wide = randomValues({2, 2, 3}, 1), flat = randomValues({2, 3}, 2);
    const auto merged = [&](double (*merge)(double, double)) {
      std::vector<float> result;
      for (size_t n = 0; n < 2; ++n)
        for (size_t t = 0; t < 2; ++t)
          for (size_t i = 0; i < 3; ++i)
            result.push_back(
                static_cast<float>(merge(static_cast<double>(wide.as<float>()[(n * 2 + t) * 3 + i]),
                                         static_cast<double>(flat.as<float>()[n * 3 + i]))));
      return result;
    };
    const auto sum = merged([](double a, double b) { return a + b; });
    checkNear(lowerAndRun("Add", "{}", {wide, flat}).y, sum);
    checkNear(lowerAndRun("Add", "{}", {flat, wide}).y, sum);
    checkNear(lowerAndRun("Subtract", "{}", {wide, flat}).y,
              merged([](double a, double b) { return a - b; }));
    checkNear(lowerAndRun("Multiply", "{}", {flat, wide}).y,
              merged([](double a, double b) { return a * b; }));
    checkNear(lowerAndRun("Average", "{}", {flat, wide}).y,
              merged([](double a, double b) { return (a + b) / 2; }));
    checkNear(lowerAndRun("Minimum", "{}", {flat, wide}).y,
              merged([](double a, double b) { return std::min(a, b); }));
    const Lowered largest =
        lowerAndRun("Maximum", "{}", {wide, flat},
                    {Tensor::from<float>(Shape{2, 2}, std::vector<float>{1, 0, 1, 1})});
    // The result has no mask, because only one of the inputs has one.
    CHECK(largest.mask.numElements() <= 1);
    checkNear(lowerAndRun("Maximum", "{}", {wide, flat}).y,
              merged([](double a, double b) { return std::max(a, b); }));

    const auto said = [&](const Shape& a, const Shape& b,
                          const std::vector<Tensor>& masks) -> std::string {
      try {
        lowerAndRun("Add", "{}", {randomValues(a, 1), randomValues(b, 2)}, masks);
      }
      catch (const LayerProblem& problem) {
        return problem.diagnostic().field + ": " + problem.diagnostic().sentence();
      }
      return "";
    };
    CHECK(said({2, 3}, {2, 2, 4}, {}) ==
          "inputs: the input x1 has the shape [2,4] (expected [3], the shape of x0). Make the two "
          "shapes equal.");
    CHECK(said({2, 4, 3}, {2, 4}, {}) ==
          "inputs: the input x1 has the shape [4] (expected [4,3], the shape of x0). Make the two "
          "shapes equal.");
    const Tensor steps(DType::F32, {2, 4}), samples(DType::F32, {2});
    CHECK(said({2, 4, 3}, {2, 3}, {steps, samples}) ==
          "inputs: the mask of the input x1 has the shape [] (expected [4], like the mask of x0). "
          "Use inputs with the same number of steps, or without a mask.");
  }

  TEST_CASE("BatchNormalization with renorm corrects toward the moving statistics, within limits") {
    const Tensor x = randomValues({6, 2}, 8);
    // The variables have the same order as in Keras.
    const auto variable = [](uint64_t i) {
      return randomValues({2}, 100 + i);
    };
    const Lowered got = lowerAndRun(
        "BatchNormalization",
        R"({"renorm": true, "renorm_clipping": {"rmax": 1.1, "rmin": 0.2, "dmax": 0.4}, "renorm_momentum": 0.75,
                                        "momentum": 0.5, "epsilon": 0.01})",
        {x}, {}, StepMode::Train);
    for (size_t c = 0; c < 2; ++c) {
      const auto at = [c](const Tensor& values) {
        return static_cast<double>(values.as<float>()[c]);
      };
      double mean = 0, variance = 0;
      for (size_t n = 0; n < 6; ++n)
        mean += static_cast<double>(x.as<float>()[n * 2 + c]) / 6;
      for (size_t n = 0; n < 6; ++n)
        variance += std::pow(static_cast<double>(x.as<float>()[n * 2 + c]) - mean, 2) / 6;
      const double deviation = std::sqrt(variance + 0.01), kept = std::max(at(variable(6)), 0.1);
      const double r = std::clamp(deviation / kept, 0.2, 1.1),
                   d = std::clamp((mean - at(variable(5))) / kept, -0.4, 0.4);
      for (size_t n = 0; n < 6; ++n)
        CHECK(static_cast<double>(got.y.as<float>()[n * 2 + c]) ==
              doctest::Approx(
                  ((static_cast<double>(x.as<float>()[n * 2 + c]) - mean) / deviation * r + d) *
                      at(variable(0)) +
                  at(variable(1)))
                  .epsilon(1e-4));
      const auto next = [&](const char* name) {
        return at(got.next.at(std::string("layer/") + name));
      };
      const double movingDeviation = 0.5 * at(variable(4)) + 0.5 * deviation;
      CHECK(next("moving_mean") ==
            doctest::Approx(0.5 * at(variable(2)) + 0.5 * mean).epsilon(1e-4));
      CHECK(next("moving_stddev") == doctest::Approx(movingDeviation).epsilon(1e-4));
      CHECK(next("moving_variance") ==
            doctest::Approx(std::max(0.0, movingDeviation * movingDeviation - 0.01)).epsilon(1e-4));
      CHECK(next("renorm_mean") ==
            doctest::Approx(0.75 * at(variable(5)) + 0.25 * mean).epsilon(1e-4));
      CHECK(next("renorm_stddev") ==
            doctest::Approx(0.75 * at(variable(6)) + 0.25 * deviation).epsilon(1e-4));
    }
    CHECK_THROWS_AS(
        lowerAndRun("BatchNormalization",
                    R"({"renorm": true, "renorm_clipping": {"rmax": 1, "rmin": 2}})", {x}),
        LayerProblem);
    Diagnostics diagnostics;
    const FieldSchema& clipping = *findLayer("BatchNormalization")->schema.field("renorm_clipping");
    checkField(clipping, Json{{"dmax", -1}, {"rmx", 2}}, "/renorm_clipping", "layer", diagnostics);
    REQUIRE(diagnostics.size() == 2);
    CHECK(diagnostics[0].sentence() ==
          "dmax is out of range (expected at least 0, got -1). Set it to 0 or more.");
    CHECK(diagnostics[1].sentence().find("Did you mean rmax?") != std::string::npos);
    diagnostics.clear();
    checkField(clipping, Json{{"type", "x"}}, "/renorm_clipping", "layer", diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].code == "unknown_field");
    CHECK(diagnostics[0].sentence() ==
          "type is not a field of renorm_clipping and has no effect. Remove it.");
    diagnostics.clear();
    checkField(clipping, Json{{"type", "renorm_clipping"}, {"rmax", 2}}, "/renorm_clipping",
               "layer", diagnostics);
    CHECK(diagnostics.empty());
    checkField(clipping, 7.5, "/renorm_clipping", "layer", diagnostics);
    REQUIRE(diagnostics.size() == 1);
    CHECK(diagnostics[0].sentence() ==
          "renorm_clipping has the wrong type (expected an object, got 7.5). Correct it.");
  }

  TEST_CASE("Normalization takes lists of numbers with the shape of its axes") {
    const Tensor x = randomValues({2, 2, 2, 3}, 9);
    const std::string mean = "[[1, 2, 3], [4, 5, 6]]", variance = "[[1, 4, 9], [16, 25, 36]]";
    const auto run = [&](const std::string& axis, const std::string& m, const std::string& v) {
      return lowerAndRun(
                 "Normalization",
                 R"({"axis": )" + axis + R"(, "mean": )" + m + R"(, "variance": )" + v + "}", {x})
          .y;
    };
    const auto wanted = [&](auto&& place) {
      std::vector<float> result;
      for (size_t i = 0; i < 24; ++i) {
        const auto k = static_cast<float>(place((i / 6) % 2, (i / 3) % 2, i % 3));
        result.push_back((x.as<float>()[i] - k - 1) / (k + 1));
      }
      return result;
    };
    checkNear(run("[1, 3]", mean, variance),
              wanted([](size_t a, size_t, size_t c) { return a * 3 + c; }));
    checkNear(run("[-1, 2]", mean, variance),
              wanted([](size_t, size_t b, size_t c) { return b * 3 + c; }));
    checkNear(run("[2, 3]", "[1, 2, 3]", "[1, 4, 9]"),
              wanted([](size_t, size_t, size_t c) { return c; }));
    checkNear(run("[2, 3]", "[[1], [2]]", "[[1], [4]]"),
              wanted([](size_t, size_t b, size_t) { return b; }));
    checkNear(run("[1, 3]", "[1, 2, 3, 4, 5, 6]", "[1, 4, 9, 16, 25, 36]"),
              wanted([](size_t a, size_t, size_t c) { return a * 3 + c; }));
    CHECK_THROWS_AS(run("[1, 3]", "[[1, 2], [3, 4], [5, 6]]", variance), LayerProblem);
    CHECK_THROWS_AS(run("3", mean, variance), LayerProblem);
    for (const char* wrong :
         {"[[1, 2], [3]]", "[1, [2]]", R"([[1, "a"]])", "[[[1]], [2]]", "[[1, 2], [3, null]]"}) {
      Diagnostics diagnostics;
      checkField(*findLayer("Normalization")->schema.field("mean"), Json::parse(wrong), "/mean",
                 "layer", diagnostics);
      REQUIRE(diagnostics.size() == 1);
      CHECK(diagnostics[0].sentence().find(
                "expected numbers, or lists of numbers of equal length, got") != std::string::npos);
    }
  }

  TEST_CASE("BatchNormalization over another axis ignores masked steps") {
    const Tensor x = randomValues({3, 4, 2}, 10),
                 mask = Tensor::from<float>(Shape{3, 4},
                                            std::vector<float>{1, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0});
    const Lowered got = lowerAndRun("BatchNormalization", R"({"axis": 1, "momentum": 0})", {x},
                                    {mask}, StepMode::Train);
    for (size_t t = 0; t < 4; ++t) {
      double sum = 0, count = 0;
      for (size_t n = 0; n < 3; ++n)
        for (size_t c = 0; c < 2; ++c) {
          sum +=
              static_cast<double>(x.as<float>()[(n * 4 + t) * 2 + c] * mask.as<float>()[n * 4 + t]);
          count += static_cast<double>(mask.as<float>()[n * 4 + t]);
        }
      CHECK(static_cast<double>(got.next.at("layer/moving_mean").as<float>()[t]) ==
            doctest::Approx(sum / (count + 1e-7)).epsilon(1e-4));
    }
  }

  TEST_CASE("BatchNormalization in TimeDistributed updates its statistics step by step") {
    const Tensor x = randomValues({5, 3, 2}, 3);
    const Lowered got = lowerAndRun(
        "TimeDistributed",
        R"({"layer": {"type": "BatchNormalization", "momentum": 0.5, "scale": false, "center": false}})",
        {x}, {}, StepMode::Train);
    const auto at = [&](const Tensor& values, size_t n, size_t t, size_t c) {
      return static_cast<double>(values.as<float>()[(n * 3 + t) * 2 + c]);
    };
    for (size_t c = 0; c < 2; ++c) {
      // The first random variable is moving_mean.
      double moving = static_cast<double>(randomValues({2}, 100).as<float>()[c]);
      for (size_t t = 0; t < 3; ++t) {
        double mean = 0, variance = 0;
        for (size_t n = 0; n < 5; ++n)
          mean += at(x, n, t, c) / 5;
        for (size_t n = 0; n < 5; ++n)
          variance += (at(x, n, t, c) - mean) * (at(x, n, t, c) - mean) / 5;
        for (size_t n = 0; n < 5; ++n)
          CHECK(
              at(got.y, n, t, c) ==
              doctest::Approx((at(x, n, t, c) - mean) / std::sqrt(variance + 1e-3)).epsilon(1e-4));
        moving = 0.5 * moving + 0.5 * mean;
      }
      CHECK(static_cast<double>(
                got.next.at("layer/batch_normalization/moving_mean").as<float>()[c]) ==
            doctest::Approx(moving).epsilon(1e-4));
    }
  }

  TEST_CASE("attention along one of two dimensions is attention within each row") {
    const Tensor x = randomValues({2, 3, 4, 6}, 4);
    const std::string fields = R"("num_heads": 2, "key_dim": 3)";
    const Lowered rows = lowerAndRun("MultiHeadAttention", "{" + fields + "}",
                                     {x.reshaped({6, 4, 6}), x.reshaped({6, 4, 6})});
    checkNear(
        lowerAndRun("MultiHeadAttention", "{" + fields + R"(, "attention_axes": [2]})", {x, x}).y,
        listOf(rows.y), 1e-4);
    const Lowered all = lowerAndRun("MultiHeadAttention", "{" + fields + "}",
                                    {x.reshaped({2, 12, 6}), x.reshaped({2, 12, 6})});
    checkNear(lowerAndRun("MultiHeadAttention", "{" + fields + "}", {x, x}).y, listOf(all.y), 1e-4);
    // Attention with a window of one step equals attention over sequences of one step.
    const Lowered alone = lowerAndRun("MultiHeadAttention", "{" + fields + "}",
                                      {x.reshaped({24, 1, 6}), x.reshaped({24, 1, 6})});
    const Tensor sequences = x.reshaped({2, 12, 6});
    checkNear(lowerAndRun("MultiHeadAttention", "{" + fields + R"(, "sliding_window": 1})",
                          {sequences, sequences})
                  .y,
              listOf(alone.y), 1e-4);
    for (const char* wrong : {"[3]", "[1, 1]", "[1, -3]"})
      CHECK_THROWS_AS(lowerAndRun("MultiHeadAttention",
                                  "{" + fields + R"(, "attention_axes": )" + wrong + "}", {x, x}),
                      LayerProblem);
    CHECK_THROWS_AS(
        lowerAndRun("MultiHeadAttention", "{" + fields + R"(, "use_causal_mask": true})", {x, x}),
        LayerProblem);
  }

  TEST_CASE("if all keys of a step are masked, Attention and AdditiveAttention use all keys") {
    const Tensor x = randomValues({2, 3, 4}, 5),
                 none = Tensor::from<float>(Shape{2, 3}, std::vector<float>{0, 0, 0, 1, 1, 1});
    for (const char* type : {"Attention", "AdditiveAttention"}) {
      CAPTURE(type);
      checkNear(lowerAndRun(type, "{}", {x, x}, {Tensor(), none}).y,
                listOf(lowerAndRun(type, "{}", {x, x}).y), 1e-4);
    }
  }

  TEST_CASE("channels_first equals channels_last with transposed data") {
    const Tensor x = randomValues({2, 6, 5, 3}, 6);
    for (const auto& [type, fields] : std::vector<std::pair<const char*, std::string>>{
             {"Conv2D", R"("filters": 4, "kernel_size": 3, "padding": "same")"},
             {"Conv2DTranspose", R"("filters": 4, "kernel_size": 3, "strides": 2)"},
             {"SeparableConv2D", R"("filters": 4, "kernel_size": 2)"},
             {"MaxPooling2D", R"("pool_size": 2)"},
             {"GlobalAveragePooling2D", R"("keepdims": true)"},
             {"AdaptiveMaxPooling2D", R"("output_size": [2, 3])"},
             {"ZeroPadding2D", R"("padding": [[1, 2], [0, 3]])"},
             {"Resizing", R"("height": 3, "width": 9, "interpolation": "bicubic")"}}) {
      CAPTURE(type);
      const Lowered last = lowerAndRun(type, "{" + fields + "}", {x});
      const Lowered first = lowerAndRun(
          type, "{" + fields + R"(, "data_format": "channels_first"})", {turned(x, true)});
      checkNear(turned(first.y, false), listOf(last.y));
    }
    checkNear(lowerAndRun("Flatten", R"({"data_format": "channels_first"})", {turned(x, true)}).y,
              listOf(x));
    checkNear(lowerAndRun("Flatten", R"({"data_format": null})", {x}).y, listOf(x));
  }

  TEST_CASE("resizing keeps images of one colour, and crops or pads to other aspect ratios") {
    Tensor plain(DType::F32, {1, 6, 9, 1});
    std::fill(plain.as<float>().begin(), plain.as<float>().end(), 0.75f);
    for (const char* way : {"nearest", "bilinear", "bicubic", "lanczos3", "lanczos5"})
      for (const char* smooth : {"false", "true"})
        for (const char* size : {R"("height": 4, "width": 4)", R"("height": 13, "width": 17)"}) {
          CAPTURE(way);
          const Lowered y = lowerAndRun("Resizing",
                                        std::string("{") + size + R"(, "interpolation": ")" + way +
                                            R"(", "antialias": )" + smooth + "}",
                                        {plain});
          for (const float value : y.y.as<float>())
            CHECK(value == doctest::Approx(0.75).epsilon(1e-5));
        }
    // Padding adds three rows above and below. The result then consists of the second, fourth,
    // sixth and last of the eight rows.
    Tensor band(DType::F32, {1, 2, 8, 1});
    std::fill(band.as<float>().begin(), band.as<float>().end(), 0.75f);
    const Lowered filled = lowerAndRun(
        "Resizing",
        R"({"height": 4, "width": 4, "pad_to_aspect_ratio": true, "interpolation": "nearest"})",
        {band});
    checkNear(filled.y, {0, 0, 0, 0, 0.75f, 0.75f, 0.75f, 0.75f, 0, 0, 0, 0, 0, 0, 0, 0});
    CHECK_THROWS_AS(
        lowerAndRun(
            "Resizing",
            R"({"height": 3, "width": 3, "pad_to_aspect_ratio": true, "crop_to_aspect_ratio": true})",
            {plain}),
        LayerProblem);
  }

  TEST_CASE("activations that consist of several ops have the right values") {
    const Tensor x = Tensor::from<float>(Shape{1, 4}, std::vector<float>{-2, -0.5, 0.5, 3});
    const auto of = [&](const std::string& name) {
      return lowerAndRun("Activation", R"({"activation": )" + name + "}", {x}).y;
    };
    checkNear(of(R"("sparse_plus")"), {0, 0.0625f, 0.5625f, 3});
    checkNear(of(R"("sparse_sigmoid")"), {0, 0.25f, 0.75f, 1});
    checkNear(of(R"({"type": "threshold", "threshold": 0.2, "default_value": -9})"),
              {-9, -9, 0.5f, 3});
    checkNear(of(R"({"type": "squareplus", "b": 4})"),
              {0.41421357f, 0.78077644f, 1.2807764f, 3.3027756f});
    checkNear(of(R"("glu")"), {-2 * 0.62245934f, -0.5f * 0.95257413f});
    checkNear(of(R"({"type": "relu", "negative_slope": 0.5, "threshold": 1, "max_value": 2})"),
              {-1.5f, -0.75f, -0.25f, 2});
    checkNear(of(R"("sparsemax")"), {0, 0, 0, 1});
    CHECK_THROWS_AS(
        lowerAndRun("Activation", R"({"activation": "glu"})", {randomValues({1, 3}, 7)}),
        LayerProblem);
  }

  TEST_CASE("noise_shape of Dropout must match the input") {
    const Tensor x = randomValues({4, 5, 3}, 8);
    CHECK_THROWS_AS(lowerAndRun("Dropout", R"({"rate": 0.5, "noise_shape": [null, 2, 3]})", {x}),
                    LayerProblem);
    CHECK_THROWS_AS(lowerAndRun("Dropout", R"({"rate": 0.5, "noise_shape": [null, 1]})", {x}),
                    LayerProblem);
    checkNear(lowerAndRun("Dropout", R"({"rate": 0.5, "noise_shape": [null, 1, null]})", {x}).y,
              listOf(x));
  }

  TEST_CASE("Rescaling takes one number for each position of the last dimension") {
    const Tensor x = Tensor::from<float>(Shape{2, 2}, std::vector<float>{1, 2, 3, 4});
    checkNear(lowerAndRun("Rescaling", R"({"scale": [2, 10], "offset": 1})", {x}).y,
              {3, 21, 7, 41});
    CHECK_THROWS_AS(lowerAndRun("Rescaling", R"({"scale": [2, 10, 3]})", {x}), LayerProblem);
  }
}
