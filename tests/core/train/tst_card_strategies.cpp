// SPDX-License-Identifier: Apache-2.0
// The strategies on several simulated cards have the bits of one card.
#include <doctest/doctest.h>

#include "gpu/devices/devices.h"
#include "tests/support/replica_runs.h"
#include "tests/support/skip.h"

namespace strata {
namespace {

const std::string kCard = "simulated:H100 SXM";

std::string cards(int count) { return kCard + "*" + std::to_string(count); }

/// kReplicaLayers with devices: the layers go from card to card and back.
Values placed(const Values& more) {
  std::string layers = kReplicaLayers;
  const auto place = [&](const std::string& layer, int device) {
    const std::string name = "\"name\": \"" + layer + "\"";
    layers.insert(layers.find(name) + name.size(), R"(, "device": )" + std::to_string(device));
  };
  place("conv", 0);
  place("norm", 1);
  place("flat", 0);
  place("hidden", 2);
  place("out", 1);
  Values values = with({{"/model/layers", layers}, {"/training/batch_size", "25"}});
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

Values batches(const Values& more) {
  Values values = with({{"/training/batch_size", "25"}});
  values.insert(values.end(), more.begin(), more.end());
  return values;
}

void checkEqual(const Trained& several, const Trained& one) {
  CHECK(several.error == "");
  CHECK(one.error == "");
  CHECK(one.weights != "");
  CHECK(several.weights == one.weights);
}

Values pieces(int count) {
  return {{"/training/gradient_accumulation_steps", std::to_string(count)}};
}

}  // namespace

TEST_SUITE("strategies on cards") {
  TEST_CASE("replicas have the bits of accumulation") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const int count : {2, 3, 4})
      for (const char* precision : {"\"float32\"", "\"bfloat16\"", "\"float16\""}) {
        CAPTURE(count);
        CAPTURE(std::string(precision));
        const std::pair<std::string, std::string> option{"/execution/precision", precision};
        Values whole = batches({option}), parts = whole;
        parts.push_back(pieces(count)[0]);
        checkEqual(trainOn(cards(count), whole), trainOn(kCard, parts));
      }
  }

  TEST_CASE("layers on several cards and pipelines have the bits of one card") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* precision : {"\"float32\"", "\"bfloat16\""}) {
      CAPTURE(std::string(precision));
      const std::pair<std::string, std::string> option{"/execution/precision", precision};
      checkEqual(trainOn(cards(3), placed({option})), trainOn(kCard, batches({option})));
      Values parts = pieces(3);
      parts.push_back(option);
      Values pipeline = placed(parts);
      pipeline.emplace_back("/execution/strategy", "\"pipeline\"");
      checkEqual(trainOn(cards(3), pipeline), trainOn(kCard, batches(parts)));
    }
  }

  TEST_CASE("divided state and a server have the bits of replicas") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* precision : {"\"float32\"", "\"bfloat16\""}) {
      CAPTURE(std::string(precision));
      const std::pair<std::string, std::string> option{"/execution/precision", precision};
      const Trained replicas = trainOn(cards(3), batches({option}));
      checkEqual(trainOn(cards(3), batches({option, {"/execution/shard_optimizer", "true"}})),
                 replicas);
      const std::pair<std::string, std::string> server{"/execution/strategy",
                                                       "\"parameter_server\""};
      checkEqual(trainOn(cards(3), batches({option, server})), replicas);
    }
    const Values stale = batches({{"/execution/strategy", "\"parameter_server\""},
                                  {"/execution/staleness", "2"},
                                  {"/training/batch_size", "9"}});
    checkEqual(trainOn(cards(3), stale), trainOn(cards(3), stale));
  }

  TEST_CASE("divided state has the bits of replicas if gradients are summed in several buckets") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    for (const char* isSynchronized : {"true", "false"}) {
      // Two of the layers have more than 1 MiB of weights each
      const Values values = with({{"/model/layers", std::string(R"([
        {"type": "Input", "name": "image", "shape": [6, 6, 1]},
        {"type": "Flatten", "name": "flat"},
        {"type": "BatchNormalization", "name": "norm", "synchronized": )") +
                                                        isSynchronized + R"(},
        {"type": "Dense", "name": "wide", "units": 600, "activation": "relu"},
        {"type": "Dense", "name": "inner", "units": 600, "activation": "relu"},
        {"type": "Dense", "name": "other", "units": 600, "activation": "relu"},
        {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])"},
                                  {"/training/epochs", "1"}});
      Values divided = values;
      divided.emplace_back("/execution/shard_optimizer", "true");
      checkEqual(trainOn(cards(2), divided), trainOn(cards(2), values));
    }
  }

  TEST_CASE("synchronized statistics are those of the whole batch") {
    if (!test::canRun(whyNoSimulatedCards())) return;
    std::string layers = kReplicaLayers;
    const std::string norm = R"("name": "norm")";
    layers.insert(layers.find(norm) + norm.size(), R"(, "synchronized": true)");
    const Values values =
        batches({{"/model/layers", layers},
                 {"/training/optimizer", R"({"type": "sgd", "learning_rate": 0.05})"}});
    const Trained one = trainOn(kCard, values), several = trainOn(cards(3), values);
    CHECK(several.error == "");
    REQUIRE(one.losses.size() == several.losses.size());
    for (size_t i = 0; i < one.losses.size(); ++i)
      CHECK(several.losses[i] == doctest::Approx(one.losses[i]).epsilon(1e-5));
  }
}

}  // namespace strata
