// SPDX-License-Identifier: Apache-2.0
// Tests layers with random numbers: their statistics, and that they do nothing outside training.
#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "gpu/ops/build.h"
#include "gpu/reference/evaluate.h"

using namespace strata;

namespace {

/// Returns the output of a layer with arbitrary weights. All of its inputs are `x`.
Tensor outputOf(const char* type, const std::string& fields, const Tensor& x,
                StepMode mode = StepMode::Train, int64_t step = 1, int64_t firstSample = 0,
                uint64_t seed = 5) {
  Diagnostics diagnostics;
  const Json checked =
      checkFields(findLayer(type)->schema, Json::parse(fields), "/l", "layer", diagnostics);
  for (const auto& each : diagnostics)
    MESSAGE(each.line());
  REQUIRE(diagnostics.empty());
  Graph graph;
  const ValueId in = graph.addInput("x", x.type());
  const auto inputs_ = static_cast<size_t>(findLayer(type)->minInputs);
  graph.addOutput("y",
                  lowerLayer(graph, {*findLayer(type), "layer", checked, std::vector(inputs_, in),
                                     std::vector<std::string>(inputs_, "x"), mode})
                      .value);
  NamedTensors weights;
  for (const Variable& variable : graph.variables()) {
    Tensor& values =
        weights.emplace(variable.name, Tensor(graph.type(variable.value))).first->second;
    for (size_t i = 0; i < values.as<float>().size(); ++i)
      values.as<float>()[i] = 0.1f * static_cast<float>(i % 7) - 0.2f;
  }
  NamedTensors inputs{{"x", x}};
  const auto give = [&](const char* name, int64_t value) {
    if (findInput(graph, name).isValid()) inputs.emplace(name, Tensor::scalar(value));
  };
  give("seed", static_cast<int64_t>(seed));
  give("step", step);
  give("first_sample", firstSample);
  return evaluateGraph(graph, inputs, weights).outputs.at("y");
}

Tensor ramp(const Shape& shape) {
  Tensor x(DType::F32, shape);
  for (size_t i = 0; i < x.as<float>().size(); ++i)
    x.as<float>()[i] = static_cast<float>(i % 97);
  return x;
}

bool isEqual(const Tensor& a, const Tensor& b) {
  return a.shape() == b.shape() &&
         std::equal(a.as<float>().begin(), a.as<float>().end(), b.as<float>().begin());
}

struct Moments {
  double mean = 0, deviation = 0;
};
Moments momentsOf(const Tensor& x) {
  Moments result;
  const auto values = x.as<float>();
  for (const float value : values)
    result.mean += static_cast<double>(value) / static_cast<double>(values.size());
  for (const float value : values)
    result.deviation +=
        std::pow(static_cast<double>(value) - result.mean, 2) / static_cast<double>(values.size());
  result.deviation = std::sqrt(result.deviation);
  return result;
}

struct AugmentationRow {
  const char* type;
  const char* fields;
};
const AugmentationRow kAugmentations[] = {
    {"RandomFlip", "{}"},
    {"RandomRotation", R"({"factor": 0.2})"},
    {"RandomZoom", R"({"height_factor": 0.3, "width_factor": [-0.2, 0.1]})"},
    {"RandomTranslation",
     R"({"height_factor": 0.3, "width_factor": 0.3, "fill_mode": "constant", "fill_value": 7})"},
    {"RandomContrast", R"({"factor": 0.3})"},
    {"RandomBrightness", R"({"factor": 0.3})"},
    {"RandomErasing", R"({"fill_value": 3})"},
    {"GaussianNoise", R"({"stddev": 0.5})"},
    {"GaussianDropout", R"({"rate": 0.5})"},
};

}  // namespace

TEST_SUITE("random layers") {
  TEST_CASE("noise has the requested mean and deviation") {
    Tensor ones(DType::F32, Shape{200, 300});
    for (float& value : ones.as<float>())
      value = 1;
    const Moments noise = momentsOf(outputOf("GaussianNoise", R"({"stddev": 0.3})", ones));
    CHECK(noise.mean == doctest::Approx(1).epsilon(0.005));
    CHECK(noise.deviation == doctest::Approx(0.3).epsilon(0.01));
    const Moments product = momentsOf(outputOf("GaussianDropout", R"({"rate": 0.2})", ones));
    CHECK(product.mean == doctest::Approx(1).epsilon(0.01));
    CHECK(product.deviation == doctest::Approx(0.5).epsilon(0.01));
  }

  TEST_CASE(
      "random layers act only in training, change at each step, and do not depend on the batch") {
    const Tensor x = ramp({4, 6, 7, 3});
    Tensor half(DType::F32, Shape{2, 6, 7, 3});
    std::copy(x.as<float>().begin() + 2 * 126, x.as<float>().end(), half.as<float>().begin());
    for (const auto& row : kAugmentations) {
      CAPTURE(row.type);
      CHECK(isEqual(outputOf(row.type, row.fields, x, StepMode::Evaluate), x));
      CHECK(isEqual(outputOf(row.type, row.fields, x, StepMode::Predict), x));
      const Tensor first = outputOf(row.type, row.fields, x);
      CHECK_FALSE(isEqual(first, x));
      CHECK(isEqual(first, outputOf(row.type, row.fields, x)));
      CHECK_FALSE(isEqual(first, outputOf(row.type, row.fields, x, StepMode::Train, 2)));
      CHECK_FALSE(isEqual(first, outputOf(row.type, row.fields, x, StepMode::Train, 1, 0, 6)));
      const Tensor end = outputOf(row.type, row.fields, half, StepMode::Train, 1, 2);
      // RandomContrast uses means, which are rounded differently in another batch.
      if (std::string_view(row.type) != "RandomContrast")
        CHECK(std::equal(end.as<float>().begin(), end.as<float>().end(),
                         first.as<float>().begin() + 2 * 126));
    }
  }

  TEST_CASE(
      "inside TimeDistributed and attention, random numbers do not depend on the batch and are all "
      "different") {
    Tensor x(DType::F32, Shape{6, 5, 7, 3});
    for (float& value : x.as<float>())
      value = 1;
    const Tensor half =
        Tensor::from<float>(Shape{3, 5, 7, 3}, x.as<float>().subspan(0, x.as<float>().size() / 2));
    for (
        const AugmentationRow& row : std::initializer_list<AugmentationRow>{
            {"TimeDistributed", R"({"layer": {"type": "Dropout", "rate": 0.5}})"},
            {"TimeDistributed", R"({"layer": {"type": "SpatialDropout1D", "rate": 0.5}})"},
            {"TimeDistributed", R"({"layer": {"type": "GaussianNoise", "stddev": 0.5}})"},
            {"TimeDistributed",
             R"({"layer": {"type": "TimeDistributed", "layer": {"type": "Dropout", "rate": 0.5}}})"},
            {"TimeDistributed",
             R"({"layer": {"type": "LSTM", "units": 8, "dropout": 0.3, "recurrent_dropout": 0.3}})"},
            {"TimeDistributed",
             R"({"layer": {"type": "Bidirectional", "layer": {"type": "GRU", "units": 8, "dropout": 0.3}}})"},
            {"MultiHeadAttention",
             R"({"num_heads": 2, "key_dim": 3, "attention_axes": [2], "dropout": 0.5})"},
            {"MultiHeadAttention",
             R"({"num_heads": 2, "key_dim": 3, "attention_axes": [1, 2], "dropout": 0.5})"}}) {
      CAPTURE(row.type);
      CAPTURE(row.fields);
      const Tensor whole = outputOf(row.type, row.fields, x),
                   end = outputOf(row.type, row.fields, half, StepMode::Train, 1, 3);
      const auto all = whole.as<float>(), last = end.as<float>();
      CHECK(std::equal(last.begin(), last.end(),
                       all.begin() + static_cast<std::ptrdiff_t>(last.size())));
      // All samples have the same input, so equal outputs would mean equal random numbers.
      const size_t sample = all.size() / 6;
      for (size_t a = 0; a < 6; ++a)
        for (size_t b = 0; b < a; ++b)
          CHECK_FALSE(std::equal(&all[a * sample], &all[a * sample] + sample, &all[b * sample]));
    }
  }

  TEST_CASE("flips: whole images are flipped, half of them in each direction") {
    const Tensor x = ramp({400, 1, 5, 1});
    const Tensor y = outputOf("RandomFlip", R"({"mode": "horizontal"})", x);
    int flipped = 0;
    for (size_t n = 0; n < 400; ++n) {
      const bool isFlipped = y.as<float>()[n * 5] != x.as<float>()[n * 5];
      flipped += isFlipped;
      for (size_t i = 0; i < 5; ++i)
        CHECK(y.as<float>()[n * 5 + i] == x.as<float>()[n * 5 + (isFlipped ? 4 - i : i)]);
    }
    CHECK(flipped > 160);
    CHECK(flipped < 240);
  }

  TEST_CASE("geometry: quarter turns, shifts and zooms give known values") {
    Tensor x(DType::F32, Shape{1, 3, 3, 1});
    for (size_t i = 0; i < 9; ++i)
      x.as<float>()[i] = static_cast<float>(i);
    const auto values = [&](const char* type, const char* fields) {
      const Tensor y = outputOf(type, fields, x);
      return std::vector<float>(y.as<float>().begin(), y.as<float>().end());
    };
    const auto isNear = [](const std::vector<float>& a, const std::vector<float>& b) {
      for (size_t i = 0; i < a.size(); ++i)
        if (std::abs(a[i] - b[i]) > 1e-4f) return false;
      return a.size() == b.size();
    };
    // A positive factor rotates counterclockwise, as in Keras.
    CHECK(isNear(values("RandomRotation", R"({"factor": [0.25, 0.25]})"),
                 {2, 5, 8, 1, 4, 7, 0, 3, 6}));
    CHECK(isNear(
        values(
            "RandomTranslation",
            R"({"height_factor": [0.33333333, 0.33333333], "width_factor": [0, 0], "fill_mode": "constant", "fill_value": 9})"),
        {9, 9, 9, 0, 1, 2, 3, 4, 5}));
    CHECK(isNear(
        values(
            "RandomTranslation",
            R"({"height_factor": [0, 0], "width_factor": [0.33333333, 0.33333333], "fill_mode": "reflect", "interpolation": "nearest"})"),
        {0, 0, 1, 3, 3, 4, 6, 6, 7}));
    CHECK(isNear(
        values(
            "RandomTranslation",
            R"({"height_factor": [0, 0], "width_factor": [0.33333333, 0.33333333], "fill_mode": "wrap", "interpolation": "nearest"})"),
        {2, 0, 1, 5, 3, 4, 8, 6, 7}));
    // As in TensorFlow, there is no interpolation between the last pixel and the first.
    CHECK(isNear(
        values("RandomTranslation",
               R"({"height_factor": [0, 0], "width_factor": [0.5, 0.5], "fill_mode": "wrap"})"),
        {1.5, 2, 0.5, 4.5, 5, 3.5, 7.5, 8, 6.5}));
    CHECK(isNear(values("RandomZoom", R"({"height_factor": [-0.5, -0.5]})"),
                 {2, 2.5, 3, 3.5, 4, 4.5, 5, 5.5, 6}));
  }

  TEST_CASE("crops are random parts of the image, and its centre outside training") {
    const Tensor x = ramp({64, 5, 6, 1});
    const Tensor y = outputOf("RandomCrop", R"({"height": 4, "width": 3})", x);
    REQUIRE(y.shape() == Shape{64, 4, 3, 1});
    std::set<std::pair<int, int>> places;
    for (size_t n = 0; n < 64; ++n) {
      int found = 0;
      for (int r = 0; r <= 1; ++r)
        for (int c = 0; c <= 3; ++c) {
          bool fits = true;
          for (int i = 0; i < 4; ++i)
            for (int j = 0; j < 3; ++j)
              fits = fits && y.as<float>()[n * 12 + static_cast<size_t>(i * 3 + j)] ==
                                 x.as<float>()[n * 30 + static_cast<size_t>((r + i) * 6 + c + j)];
          if (fits) {
            ++found;
            places.emplace(r, c);
          }
        }
      CHECK(found == 1);
    }
    CHECK(places.size() == 8);
    // Outside training, the layer resizes the largest centred window with the requested aspect
    // ratio, like Resizing with crop_to_aspect_ratio.
    for (const auto& [height, width] :
         std::vector<std::pair<int, int>>{{4, 3}, {2, 6}, {5, 6}, {8, 7}}) {
      const std::string size =
          R"("height": )" + std::to_string(height) + R"(, "width": )" + std::to_string(width);
      const Tensor middle = outputOf("RandomCrop", "{" + size + "}", x, StepMode::Evaluate);
      const Tensor resized = outputOf("Resizing", "{" + size + R"(, "crop_to_aspect_ratio": true})",
                                      x, StepMode::Evaluate);
      REQUIRE(middle.shape() == Shape{64, height, width, 1});
      CHECK(std::equal(middle.data(), middle.data() + middle.bytes(), resized.data(),
                       resized.data() + resized.bytes()));
    }
  }

  TEST_CASE("erasing: erased areas have the requested size") {
    Tensor x(DType::F32, Shape{300, 20, 20, 1});
    const Tensor y = outputOf("RandomErasing",
                              R"({"factor": [1, 1], "scale": [0.25, 0.25], "fill_value": 5})", x);
    double filled = 0;
    for (const float value : y.as<float>()) {
      CHECK((value == 0 || value == 5));
      filled += value == 5;
    }
    CHECK(filled / (300 * 400) == doctest::Approx(0.25).epsilon(0.05));
  }

  TEST_CASE("contrast and brightness stay within their ranges") {
    Tensor x(DType::F32, Shape{200, 2, 1, 1});
    for (size_t i = 0; i < 400; ++i)
      x.as<float>()[i] = i % 2 == 0 ? 100.0f : 140.0f;
    const Tensor contrast = outputOf("RandomContrast", R"({"factor": [0.5, 0.5]})", x),
                 bright = outputOf("RandomBrightness", R"({"factor": [0.1, 0.2]})", x);
    for (size_t i = 0; i < 400; i += 2) {
      const float spread = contrast.as<float>()[i + 1] - contrast.as<float>()[i],
                  more = bright.as<float>()[i] - 100;
      CHECK(spread >= 20 - 1e-3f);
      CHECK(spread <= 60 + 1e-3f);
      CHECK(more >= 25.5f - 1e-3f);
      CHECK(more <= 51 + 1e-3f);
      CHECK(bright.as<float>()[i + 1] - 140 == doctest::Approx(more));
    }
  }

  TEST_CASE("value ranges must be ascending") {
    const Tensor x = ramp({2, 4, 4, 3});
    for (const char* type : {"RandomContrast", "RandomBrightness", "RandomErasing"}) {
      CAPTURE(type);
      for (const char* range : {"[0, 0]", "[1, 0]", "[0]", "[-2, -2]"}) {
        CAPTURE(range);
        try {
          outputOf(type, R"({"factor": 0.5, "value_range": )" + std::string(range) + "}", x);
          FAIL("taken");
        }
        catch (const LayerProblem& problem) {
          CHECK(problem.diagnostic().code == "out_of_range");
          CHECK(problem.diagnostic().field == "value_range");
        }
      }
      CHECK_NOTHROW(outputOf(type, R"({"factor": 0.5, "value_range": [-1, 1]})", x));
      CHECK_NOTHROW(outputOf(type, R"({"factor": 0.5, "value_range": 1})", x));
    }
  }
}
