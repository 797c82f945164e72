// SPDX-License-Identifier: Apache-2.0
// Tests masked steps in losses that ignore a class and in stateful layers, and the gradient of the
// cosine similarity for a row of zeros.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns the loss of an epoch. The learning rate is so small that the weights hardly change.
double lossOfEpoch(const Json& layers, const Json& loss, const Json& x, const Json& y) {
  Json document = {{"format", "strata-project"}, {"version", 1}, {"name", "masked"}};
  document["data"]["source"] = {{"type", "values"}, {"x", x}, {"y", y}};
  document["model"]["layers"] = layers;
  document["training"] = {
      {"loss", loss},    {"optimizer", {{"type", "sgd"}, {"learning_rate", 1e-12}}},
      {"batch_size", 1}, {"epochs", 1},
      {"seed", 3},       {"shuffle", false}};
  TemporaryFolder folder;
  Recorder recorder;
  REQUIRE_MESSAGE(trainAll(optionsFor(Project(document), folder / "run"), recorder).outcome ==
                      Outcome::Finished,
                  messageOf(recorder.outcome));
  REQUIRE(recorder.epochs.size() == 1);
  return recorder.epochs[0].loss;
}

}  // namespace

TEST_SUITE("masked steps") {
  TEST_CASE(
      "a loss that ignores a class is the mean over steps that are neither ignored nor masked") {
    const Json layers = Json::parse(
        R"([{"type": "Input", "name": "x", "shape": [4, 1]}, {"type": "Masking", "name": "m"},
      {"type": "Dense", "name": "out", "units": 2, "kernel_initializer": "zeros"}])");
    const Json x = Json::parse("[[[1], [2], [3], [0]]]"), y = Json::parse("[[0, 1, 0, 0]]");
    for (const int ignored : {1, -5})
      CHECK(lossOfEpoch(layers,
                        {{"type", "sparse_categorical_crossentropy"},
                         {"from_logits", true},
                         {"ignore_class", ignored}},
                        x, y) == doctest::Approx(std::log(2)));
  }

  TEST_CASE("a stateful layer outputs 0 before the first unmasked step, and keeps its state") {
    const Json x = Json::parse("[[[1], [1]], [[0], [0]], [[0], [1]]]"),
               y = Json::parse("[[0], [0], [0]]");
    const double h2 = std::tanh(1 + std::tanh(1)), h3 = std::tanh(1 + h2);
    Json layers = Json::parse(
        R"([{"type": "Input", "name": "x", "shape": [2, 1]}, {"type": "Masking", "name": "m"},
      {"type": "SimpleRNN", "name": "rnn", "units": 1, "kernel_initializer": "ones", "recurrent_initializer": "ones", "stateful": true}])");
    CHECK(lossOfEpoch(layers, "mse", x, y) == doctest::Approx((h2 * h2 + h3 * h3) / 3));
    layers[2]["return_sequences"] = true;
    layers.push_back({{"type", "Flatten"}, {"name", "flat"}});
    const double h1 = std::tanh(1);
    CHECK(lossOfEpoch(layers, "mse", x, Json::parse("[[0, 0], [0, 0], [0, 0]]")) ==
          doctest::Approx((h1 * h1 + h2 * h2 + h3 * h3) / 6));
  }

  TEST_CASE("the similarity of a row of zeros has a gradient") {
    const Json layers = Json::parse(R"([{"type": "Input", "name": "x", "shape": [2]},
      {"type": "Dense", "name": "out", "units": 2, "kernel_initializer": "zeros"}])");
    CHECK(lossOfEpoch(layers, "cosine_similarity", Json::parse("[[1, 2]]"),
                      Json::parse("[[3, 4]]")) == 0);
  }
}
