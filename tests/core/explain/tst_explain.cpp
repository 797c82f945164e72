// SPDX-License-Identifier: Apache-2.0
// Compares explanations with those that NumPy computes for the same small networks (cases.json,
// which make_cases.py wrote), with differences of scores, and with predictions of covered inputs.
#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/explain/class_maps.h"
#include "core/explain/explainer.h"
#include "core/explain/occlusion_patches.h"
#include "core/interchange/safetensors.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "gpu/devices/devices.h"
#include "tests/support/paths.h"
#include "tests/support/skip.h"

using namespace strata;

namespace {

Tensor tensorOf(const Json& json) {
  Shape shape;
  for (const Json& size : json["shape"])
    shape.append(size.get<int64_t>());
  return Tensor::from<float>(shape, json["values"].get<std::vector<float>>());
}

void checkClose(const Tensor& found, const Tensor& expected, double tolerance = 1e-5) {
  REQUIRE(found.shape() == expected.shape());
  double largest = 0;
  for (size_t i = 0; i < found.as<float>().size(); ++i)
    largest = std::max<double>(largest, std::abs(found.as<float>()[i] - expected.as<float>()[i]));
  CHECK(largest <= tolerance);
}

Tensor randomTensor(const Shape& shape, uint64_t seed, double scale = 1) {
  Tensor tensor(DType::F32, shape);
  RandomStream random(seed, 1);
  for (float& value : tensor.as<float>())
    value = static_cast<float>(random.normal() * scale);
  return tensor;
}

/// A network with random weights that a test gives.
class Trained {
 public:
  Trained(const Json& layers, const Json& training, const std::map<std::string, Tensor>& weights,
          const std::string& device = "reference", double scale = 1)
      : m_project(document(layers, training, scale)) {
    TensorFile file;
    file.tensors = weights;
    writeSafetensors((m_folder / "w.safetensors").string(), file, false);
    m_evaluator.emplace(m_project, (m_folder / "w.safetensors").string(), device);
    m_explainer.emplace(*m_evaluator);
  }
  Evaluator& evaluator() { return *m_evaluator; }
  Explainer& explainer() { return *m_explainer; }

 private:
  static Project document(const Json& layers, const Json& training, double scale) {
    Json json = Json::parse(
        R"({"format": "strata-project", "version": 1, "name": "explained",
            "data": {"source": {"type": "values", "x": [], "y": []}}, "model": {}})");
    json["data"]["transforms"] = {{{"type", "rescale"}, {"scale", scale}}};
    json["model"]["layers"] = layers;
    json["training"] = training;
    // The data is not used, but it must fit the network
    Json x = zeros(layers[0]["shape"], 0), y = Json::array();
    json["data"]["source"]["x"] = {x, x};
    json["data"]["source"]["y"] = training.contains("y") ? training["y"] : Json{{0}, {0}};
    json["training"].erase("y");
    return Project(std::move(json));
  }
  static Json zeros(const Json& shape, size_t axis) {
    if (axis == shape.size()) return 0;
    Json list = Json::array();
    for (int64_t i = 0; i < shape[axis].get<int64_t>(); ++i)
      list.push_back(zeros(shape, axis + 1));
    return list;
  }
  TemporaryFolder m_folder;
  Project m_project;
  std::optional<Evaluator> m_evaluator;
  std::optional<Explainer> m_explainer;
};

std::map<std::string, Tensor> weightsOf(const Json& json) {
  std::map<std::string, Tensor> weights;
  for (const auto& [name, value] : json.items())
    weights.emplace(name, tensorOf(value));
  return weights;
}

void checkCases(const std::string& device) {
  const std::string path = (sourceDir() / "tests/core/explain/cases.json").string();
  const Json cases = parseJson(readFile(path, kMaxJsonBytes), path);
  REQUIRE(cases.size() >= 5);
  for (const Json& test : cases) {
    CAPTURE(test["name"].get<std::string>());
    Trained trained(test["layers"], {{"loss", test["loss"]}, {"optimizer", "sgd"}},
                    weightsOf(test["weights"]), device, test["scale"].get<double>());
    Explainer& explainer = trained.explainer();
    const Tensor input = tensorOf(test["input"]);
    ExplainedScore score;
    score.index = test["index"].get<int64_t>();
    const Explanation saliency = explainer.saliency({&input, 1}, score);
    CHECK(saliency.output == "out");
    CHECK(saliency.input == "x");
    CHECK(saliency.index == *score.index);
    CHECK(saliency.score == doctest::Approx(test["score"].get<double>()).epsilon(1e-5));
    checkClose(saliency.map, tensorOf(test["saliency"]));
    const Json& occlusion = test["occlusion"];
    OcclusionOptions options;
    options.size = {occlusion["size"].get<int64_t>()};
    options.stride = {occlusion["stride"].get<int64_t>()};
    options.fill = occlusion["fill"].get<double>();
    checkClose(explainer.occlusion({&input, 1}, score, options).explanation.map,
               tensorOf(occlusion["map"]));
    if (test["cam"].is_null()) continue;
    const std::string& layer = test["cam_layer"].get_ref<const std::string&>();
    const Explanation cam = explainer.gradCam({&input, 1}, score, layer);
    CHECK(cam.layer == layer);
    checkClose(cam.layerMap, tensorOf(test["layer_map"]));
    checkClose(cam.map, tensorOf(test["cam"]));
    CHECK(cam.score == saliency.score);
  }
}

/// An image network with a Block, which repeats, and two outputs.
const char* const kBlockLayers = R"([
  {"type": "Input", "name": "x", "shape": [8, 8, 2]},
  {"type": "Block", "name": "block", "repeat": 2, "layers": [
    {"type": "Conv2D", "name": "conv", "filters": 2, "kernel_size": [3, 3], "padding": "same",
     "activation": "tanh"},
    {"type": "BatchNormalization", "name": "norm"},
    {"type": "Dropout", "name": "drop", "rate": 0.5}]},
  {"type": "Flatten", "name": "flat"},
  {"type": "Dense", "name": "classes", "units": 3, "activation": "softmax"},
  {"type": "Dense", "name": "value", "units": 1, "inputs": ["flat"]}])";

Json blockTraining() {
  return Json::parse(R"({"optimizer": "sgd",
    "loss": {"classes": "sparse_categorical_crossentropy", "value": "mean_squared_error"},
    "y": {"classes": [0, 1], "value": [[0], [1]]}})");
}

std::map<std::string, Tensor> blockWeights() {
  std::map<std::string, Tensor> weights;
  for (const std::string repeat : {"block/0/", "block/1/"}) {
    const uint64_t seed = repeat == "block/0/" ? 1 : 2;
    weights.emplace(repeat + "conv/kernel", randomTensor({3, 3, 2, 2}, seed, 0.4));
    weights.emplace(repeat + "conv/bias", randomTensor({2}, seed + 2, 0.1));
    for (const char* name : {"gamma", "beta", "moving_mean"})
      weights.emplace(repeat + "norm/" + name, randomTensor({2}, seed + 4, 0.5));
    weights.emplace(repeat + "norm/moving_variance",
                    Tensor::from<float>({2}, std::vector<float>{0.5f, 2}));
  }
  weights.emplace("classes/kernel", randomTensor({128, 3}, 10, 0.3));
  weights.emplace("classes/bias", randomTensor({3}, 11));
  weights.emplace("value/kernel", randomTensor({128, 1}, 12, 0.3));
  weights.emplace("value/bias", randomTensor({1}, 13));
  return weights;
}

std::string messageOf(const std::function<void()>& work) {
  try {
    work();
  }
  catch (const Error& error) {
    return error.line();
  }
  return "no error";
}

/// Whether the text contains the part. Prints the text if it does not.
bool contains(const std::string& text, const std::string& part) {
  if (text.find(part) != std::string::npos) return true;
  MESSAGE(text);
  return false;
}

}  // namespace

TEST_SUITE("explain") {
  TEST_CASE("maps are those of NumPy on each device") {
    for (const char* device : {"reference", "cpu", "detached"}) {
      CAPTURE(device);
      checkCases(device);
    }
    if (test::canRun(whyNoSimulatedCards())) checkCases("simulated:H100");
  }

  TEST_CASE("saliency and Grad-CAM agree with differences of the score") {
    Trained trained(Json::parse(kBlockLayers), blockTraining(), blockWeights());
    Explainer& explainer = trained.explainer();
    const Tensor input = randomTensor({8, 8, 2}, 20);
    for (const auto& [output, index] : {std::pair{"classes", 2}, {"classes", 0}, {"value", 0}}) {
      CAPTURE(output);
      CAPTURE(index);
      const ExplainedScore score{output, index, {}};
      const Explanation found = explainer.saliency({&input, 1}, score);
      CHECK(found.output == output);
      Tensor expected(DType::F32, Shape{8, 8});
      for (size_t place = 0; place < 64; ++place) {
        float largest = 0;
        for (size_t channel = 0; channel < 2; ++channel) {
          const auto scoreAt = [&](float change) {
            Tensor moved = input;
            moved.as<float>()[2 * place + channel] += change;
            return explainer.saliency({&moved, 1}, score).score;
          };
          largest = std::max(largest,
                             static_cast<float>(std::abs(scoreAt(0.01f) - scoreAt(-0.01f)) / 0.02));
        }
        expected.as<float>()[place] = largest;
      }
      checkClose(found.map, expected, 2e-3);
    }
    // The gradient with respect to the last Block's output is the kernel of the Dense layer
    const Explanation cam = explainer.gradCam({&input, 1}, {"value", 0, {}});
    CHECK(cam.layer == "block");
    const Tensor values = explainer.featureMaps({&input, 1}, "block"),
                 kernel = blockWeights().at("value/kernel").reshaped({8, 8, 2});
    checkClose(cam.layerMap, weightedChannels(values, kernel));
    checkClose(cam.map, cam.layerMap);
  }

  TEST_CASE("the score is the logit of the prediction") {
    Trained trained(Json::parse(kBlockLayers), blockTraining(), blockWeights());
    const Tensor input = randomTensor({8, 8, 2}, 21);
    const std::vector<std::vector<float>> outputs = trained.evaluator().predict({&input, 1});
    double sum = 0;
    std::vector<double> logits;
    for (int64_t index = 0; index < 3; ++index)
      logits.push_back(trained.explainer().saliency({&input, 1}, {"classes", index, {}}).score);
    for (const double logit : logits)
      sum += std::exp(logit);
    for (size_t index = 0; index < 3; ++index)
      CHECK(std::exp(logits[index]) / sum == doctest::Approx(outputs[0][index]).epsilon(1e-5));
    CHECK(trained.explainer().saliency({&input, 1}, {"value", 0, {}}).score ==
          doctest::Approx(outputs[1][0]).epsilon(1e-5));
    // Without an index, the predicted class is explained
    CHECK(trained.explainer().saliency({&input, 1}).index ==
          std::ranges::max_element(outputs[0]) - outputs[0].begin());
    CHECK(trained.explainer().numScores() == 3);
    CHECK(trained.explainer().numScores("value") == 1);
  }

  TEST_CASE("an occlusion map has the drops of the predictions of covered inputs") {
    Trained trained(Json::parse(kBlockLayers), blockTraining(), blockWeights(), "cpu", 0.5);
    const Tensor input = randomTensor({8, 8, 2}, 22, 2);
    OcclusionOptions options;
    options.size = {3, 2};
    options.stride = {2, 3};
    options.fill = 1.5;
    const OcclusionMap found =
        trained.explainer().occlusion({&input, 1}, {"value", 0, {}}, options);
    CHECK(found.size == std::vector<int64_t>{3, 2});
    CHECK(found.stride == std::vector<int64_t>{2, 3});
    const double whole = trained.evaluator().predict({&input, 1})[1][0];
    CHECK(found.explanation.score == doctest::Approx(whole).epsilon(1e-5));
    // Patches begin at 0, 2, 4, 6 and at 0, 3, 6. The last ones end at the border.
    Tensor expected(DType::F32, Shape{4, 3});
    for (size_t i = 0; i < 4; ++i)
      for (size_t k = 0; k < 3; ++k) {
        Tensor covered = input;
        for (size_t row = 2 * i; row < std::min<size_t>(8, 2 * i + 3); ++row)
          for (size_t column = 3 * k; column < 3 * k + 2; ++column)
            for (size_t channel = 0; channel < 2; ++channel)
              covered.as<float>()[(row * 8 + column) * 2 + channel] = 1.5f;
        expected.as<float>()[i * 3 + k] =
            static_cast<float>(whole - trained.evaluator().predict({&covered, 1})[1][0]);
      }
    checkClose(found.explanation.map, expected);
    CHECK(expected.as<float>()[0] != 0);
    // A stride that is larger than the patch makes no patch beyond the end
    CHECK(OcclusionPatches(input, "x", {.size = {2}, .stride = {5}}).mapShape() == Shape{2, 2});
    CHECK(OcclusionPatches(input, "x", {.size = {2}, .stride = {7}}).mapShape() == Shape{2, 2});
    // The default patch of 8 places is 1
    CHECK(trained.explainer().occlusion({&input, 1}).size == std::vector<int64_t>{1, 1});
  }

  TEST_CASE("a stopped occlusion fails with Stopped") {
    Trained trained(Json::parse(kBlockLayers), blockTraining(), blockWeights());
    const Tensor input = randomTensor({8, 8, 2}, 23);
    std::stop_source stop;
    stop.request_stop();
    OcclusionOptions options;
    options.stop = stop.get_token();
    try {
      trained.explainer().occlusion({&input, 1}, {}, options);
      FAIL("not stopped");
    }
    catch (const Error& error) {
      CHECK(error.code() == ErrorCode::Stopped);
    }
  }

  TEST_CASE("layers in Blocks have feature maps and filters") {
    Trained trained(Json::parse(kBlockLayers), blockTraining(), blockWeights());
    Explainer& explainer = trained.explainer();
    const Tensor input = randomTensor({8, 8, 2}, 24);
    std::vector<std::string> names;
    for (const ExplainableLayer& layer : explainer.layers()) {
      names.push_back(layer.name);
      CHECK(layer.hasFilters == layer.name.ends_with("/conv"));
      CHECK(layer.hasSpatialAxes == layer.name.starts_with("block"));
    }
    CHECK(names == std::vector<std::string>{"block/0/conv", "block/0/norm", "block/1/conv",
                                            "block/1/norm", "block", "flat", "classes", "value"});
    const auto maps = [&](const char* layer) {
      return explainer.featureMaps({&input, 1}, layer);
    };
    const std::map<std::string, Tensor> weights = blockWeights();
    const Tensor conv = maps("block/0/conv"), norm = maps("block/0/norm");
    REQUIRE(conv.shape() == Shape{8, 8, 2});
    // A place inside, computed by hand
    const Tensor& kernel = weights.at("block/0/conv/kernel");
    double sum = weights.at("block/0/conv/bias").as<float>()[1];
    for (size_t i = 0; i < 3; ++i)
      for (size_t k = 0; k < 3; ++k)
        for (size_t c = 0; c < 2; ++c)
          sum += static_cast<double>(input.as<float>()[((2 + i) * 8 + 3 + k) * 2 + c]) *
                 kernel.as<float>()[((i * 3 + k) * 2 + c) * 2 + 1];
    CHECK(conv.as<float>()[(3 * 8 + 4) * 2 + 1] == doctest::Approx(std::tanh(sum)).epsilon(1e-5));
    const auto weight = [&](const char* name) {
      return static_cast<double>(weights.at(std::string("block/0/norm/") + name).as<float>()[0]);
    };
    CHECK(norm.as<float>()[0] ==
          doctest::Approx((conv.as<float>()[0] - weight("moving_mean")) /
                              std::sqrt(weight("moving_variance") + 1e-3) * weight("gamma") +
                          weight("beta"))
              .epsilon(1e-4));
    // A name without the number of the repeat means the last one
    CHECK(maps("block/norm").isBitEqual(maps("block/1/norm")));
    CHECK_FALSE(maps("block/norm").isBitEqual(norm));
    CHECK(maps("block").isBitEqual(maps("block/1/norm")));
    CHECK(maps("x").isBitEqual(input));
    const Tensor filters = explainer.filters("block/0/conv");
    REQUIRE(filters.shape() == Shape{2, 3, 3, 2});
    CHECK(filters.as<float>()[((1 * 3 + 2) * 3 + 1) * 2 + 0] ==
          kernel.as<float>()[((2 * 3 + 1) * 2 + 0) * 2 + 1]);
    CHECK(explainer.filters("block/conv").isBitEqual(explainer.filters("block/1/conv")));
    CHECK_FALSE(explainer.filters("block/conv").isBitEqual(filters));
  }

  TEST_CASE("transposed and depthwise convolutions have filters in the same order") {
    Trained trained(Json::parse(R"([
      {"type": "Input", "name": "x", "shape": [4, 4, 2]},
      {"type": "DepthwiseConv2D", "name": "depth", "kernel_size": [2, 3], "depth_multiplier": 2},
      {"type": "Conv2DTranspose", "name": "wider", "filters": 3, "kernel_size": [2, 2]},
      {"type": "Flatten", "name": "flat"},
      {"type": "Dense", "name": "out", "units": 1}])"),
                    {{"loss", "mse"}, {"optimizer", "sgd"}},
                    {{"depth/kernel", randomTensor({2, 3, 2, 2}, 1)},
                     {"depth/bias", randomTensor({4}, 2)},
                     {"wider/kernel", randomTensor({2, 2, 3, 4}, 3)},
                     {"wider/bias", randomTensor({3}, 4)},
                     {"out/kernel", randomTensor({36, 1}, 5)},
                     {"out/bias", randomTensor({1}, 6)}});
    const Tensor depth = trained.explainer().filters("depth"),
                 wider = trained.explainer().filters("wider");
    CHECK(depth.shape() == Shape{4, 2, 3, 1});
    CHECK(depth.as<float>()[(2 * 2 + 1) * 3 + 2] ==
          randomTensor({2, 3, 2, 2}, 1).as<float>()[((1 * 3 + 2) * 2 + 1) * 2 + 0]);
    CHECK(wider.shape() == Shape{3, 2, 2, 4});
    CHECK(wider.as<float>()[((1 * 2 + 0) * 2 + 1) * 4 + 3] ==
          randomTensor({2, 2, 3, 4}, 3).as<float>()[((0 * 2 + 1) * 3 + 1) * 4 + 3]);
  }

  TEST_CASE("what cannot be explained is one clear error") {
    Trained trained(Json::parse(kBlockLayers), blockTraining(), blockWeights());
    Explainer& explainer = trained.explainer();
    const Tensor input = randomTensor({8, 8, 2}, 25);
    const std::span<const Tensor> sample(&input, 1);
    const auto message = [&](const std::function<void()>& work) {
      return messageOf(work);
    };
    CHECK(contains(message([&] {
                     explainer.saliency(sample, {"classes", 3, {}});
                   }),
                   "classes: the output has no class or value 3 (expected 0 to 2)"));
    CHECK(contains(message([&] { explainer.saliency(sample, {"classes", -1, {}}); }), "-1"));
    CHECK(contains(message([&] {
                     explainer.saliency(sample, {"flat", 0, {}});
                   }),
                   "there is no such output (expected one of: classes, value)"));
    CHECK(contains(message([&] { explainer.saliency(sample, {{}, 0, "y"}); }), "Input layer"));
    CHECK(contains(message([&] { explainer.gradCam(sample, {}, "conv"); }),
                   "there is no such layer (expected one of: block/0/conv"));
    CHECK(contains(message([&] { explainer.gradCam(sample, {}, "flat"); }), "no spatial axes"));
    CHECK(contains(message([&] { explainer.featureMaps(sample, "nothing"); }), "no such layer"));
    CHECK(contains(message([&] { explainer.filters("classes"); }), "no filters"));
    CHECK(contains(message([&] { explainer.filters("nothing"); }), "no such layer"));
    const Tensor wrong(DType::F32, Shape{8, 8, 1});
    CHECK(contains(message([&] { explainer.saliency({&wrong, 1}); }), "does not fit"));
    OcclusionOptions options;
    options.size = {9};
    const auto occlude = [&] {
      explainer.occlusion(sample, {}, options);
    };
    CHECK(contains(message(occlude), "size is out of range (expected 1 to 8, got 9)"));
    options.size = {1, 2, 3};
    CHECK(contains(message(occlude), "expected 1 or 2, got 3"));
    options.size = {2};
    options.stride = {0};
    CHECK(contains(message(occlude), "stride is out of range"));
    options.stride = {1};
    options.fill = std::nan("");
    CHECK(contains(message(occlude), "not finite"));
    // After an error, the next explanation works
    CHECK(explainer.saliency(sample).map.shape() == Shape{8, 8});
  }

  TEST_CASE("indices have no saliency, but occlusion and Grad-CAM") {
    Trained trained(Json::parse(R"([
      {"type": "Input", "name": "words", "shape": [6], "dtype": "int32"},
      {"type": "Embedding", "name": "embed", "input_dim": 5, "output_dim": 3},
      {"type": "Conv1D", "name": "conv", "filters": 2, "kernel_size": 3},
      {"type": "GlobalMaxPooling1D", "name": "pool"},
      {"type": "Dense", "name": "out", "units": 2, "activation": "softmax"}])"),
                    {{"loss", "sparse_categorical_crossentropy"}, {"optimizer", "sgd"}},
                    {{"embed/embeddings", randomTensor({5, 3}, 1)},
                     {"conv/kernel", randomTensor({3, 3, 2}, 2)},
                     {"conv/bias", randomTensor({2}, 3)},
                     {"out/kernel", randomTensor({2, 2}, 4)},
                     {"out/bias", randomTensor({2}, 5)}});
    const Tensor words = Tensor::from<float>({6}, std::vector<float>{1, 2, 3, 4, 0, 2});
    const std::string message = messageOf([&] {
      trained.explainer().saliency({&words, 1}, {{}, 0, {}});
    });
    CHECK(contains(message,
                   "words: the score has no gradient here, because the input has whole "
                   "numbers"));
    OcclusionOptions options;
    options.size = {1};
    CHECK(trained.explainer().occlusion({&words, 1}, {}, options).explanation.map.shape() ==
          Shape{6});
    options.fill = 7;
    CHECK(contains(messageOf([&] {
                     trained.explainer().occlusion({&words, 1}, {}, options);
                   }),
                   "is 7 (expected 0 to 4, the indices of embed)"));
    const Explanation cam = trained.explainer().gradCam({&words, 1});
    CHECK(cam.layer == "conv");
    CHECK(cam.layerMap.shape() == Shape{4});
  }

  TEST_CASE("a layer that only passes on its input has a Grad-CAM map") {
    for (const char* device : {"reference", "cpu", "detached"}) {
      CAPTURE(device);
      Trained trained(Json::parse(R"([{"type": "Input", "name": "x", "shape": [2, 3, 1]},
        {"type": "Dropout", "name": "drop", "rate": 0.5},
        {"type": "Flatten", "name": "flat"},
        {"type": "Dense", "name": "out", "units": 1}])"),
                      {{"loss", "mse"}, {"optimizer", "sgd"}},
                      {{"out/kernel", Tensor::from<float>({6, 1}, std::vector<float>(6, 2.0f))},
                       {"out/bias", randomTensor({1}, 2)}},
                      device);
      const Tensor input = Tensor::from<float>({2, 3, 1}, std::vector<float>{1, -1, 3, 0.5f, 0, 2});
      const Explanation cam = trained.explainer().gradCam({&input, 1});
      CHECK(cam.layer == "drop");
      CHECK(cam.map.isBitEqual(Tensor::from<float>({2, 3}, std::vector<float>{2, 0, 6, 1, 0, 4})));
      CHECK(trained.explainer().featureMaps({&input, 1}, "drop").isBitEqual(input));
    }
  }

  TEST_CASE("a class for each position is explained by the sum over the positions") {
    Trained trained(
        Json::parse(R"([{"type": "Input", "name": "x", "shape": [3, 2]},
      {"type": "Conv1D", "name": "conv", "filters": 2, "kernel_size": 1},
      {"type": "Block", "name": "end", "layers": [
        {"type": "Conv1D", "name": "conv", "filters": 3, "kernel_size": 1,
         "activation": "softmax"}]}])"),
        Json::parse(R"({"loss": "sparse_categorical_crossentropy", "optimizer": "sgd",
                                    "y": [[0, 1, 2], [0, 1, 2]]})"),
        {{"conv/kernel", Tensor::from<float>({1, 2, 2}, std::vector<float>{1, 0, 0, 1})},
         {"conv/bias", Tensor::from<float>({2}, std::vector<float>{0, 0})},
         {"end/0/conv/kernel", randomTensor({1, 2, 3}, 2)},
         {"end/0/conv/bias", randomTensor({3}, 3)}});
    const Tensor input = randomTensor({3, 2}, 4), kernel = randomTensor({1, 2, 3}, 2),
                 bias = randomTensor({3}, 3);
    double expected = 0;
    for (size_t step = 0; step < 3; ++step)
      expected += bias.as<float>()[1] + input.as<float>()[2 * step] * kernel.as<float>()[1] +
                  input.as<float>()[2 * step + 1] * kernel.as<float>()[4];
    const Explanation cam = trained.explainer().gradCam({&input, 1}, {{}, 1, {}});
    CHECK(cam.score == doctest::Approx(expected).epsilon(1e-5));
    // Neither the output nor the last layer of its Block is explained by itself
    CHECK(cam.layer == "conv");
    CHECK(trained.explainer().numScores() == 3);
  }

  TEST_CASE("a network without spatial axes has no Grad-CAM map") {
    Trained trained(Json::parse(R"([{"type": "Input", "name": "x", "shape": [3]},
      {"type": "Dropout", "name": "drop", "rate": 0.5},
      {"type": "Dense", "name": "out", "units": 2}])"),
                    {{"loss", {{"type", "sparse_categorical_crossentropy"}, {"from_logits", true}}},
                     {"optimizer", "sgd"}},
                    {{"out/kernel", randomTensor({3, 2}, 1)}, {"out/bias", randomTensor({2}, 2)}});
    const Tensor input = randomTensor({3}, 3);
    CHECK(contains(messageOf([&] {
                     trained.explainer().gradCam({&input, 1});
                   }),
                   "no layer before the output has spatial axes"));
    // A layer that does nothing in inference has the value of its input
    CHECK(trained.explainer().featureMaps({&input, 1}, "drop").isBitEqual(input));
    const Explanation found = trained.explainer().saliency({&input, 1}, {{}, 1, {}});
    for (size_t i = 0; i < 3; ++i)
      CHECK(found.map.as<float>()[i] == std::abs(randomTensor({3, 2}, 1).as<float>()[2 * i + 1]));
  }

  TEST_CASE("maps are interpolated with pixel centers at half coordinates") {
    const Tensor map = Tensor::from<float>({2, 2}, std::vector<float>{0, 4, 8, 12});
    const int64_t sizes[]{4, 2};
    const Tensor found = resizedMap(map, sizes);
    CHECK(found.isBitEqual(
        Tensor::from<float>({4, 2}, std::vector<float>{0, 4, 2, 6, 6, 10, 8, 12})));
    const int64_t smaller[]{1, 1};
    CHECK(resizedMap(map, smaller).as<float>()[0] == 6);
  }
}
