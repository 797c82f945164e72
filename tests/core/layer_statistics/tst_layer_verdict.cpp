// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <functional>
#include <limits>

#include <doctest/doctest.h>

#include "core/layer_statistics/layer_verdict.h"
#include "core/project/text.h"
#include "tests/core/layer_statistics/sample_layers.h"
#include "tests/support/has.h"

using namespace strata;

namespace {

/// Returns the verdicts on samples that `change` has changed.
std::vector<LayerVerdict> verdictsOn(
    const std::function<void(std::vector<LayerStatistics>&, int64_t)>& change) {
  const auto layers = watchedLayers();
  std::vector<LayerSample> samples;
  for (int64_t step = 1; step <= 5; ++step) {
    samples.push_back(sampleAt(step, layers));
    change(samples.back().layers, step);
  }
  return layerVerdicts(samples);
}

std::string evidenceOf(const LayerVerdict& verdict) {
  return formatText(verdict.evidence.text, verdict.evidence.arguments);
}

}  // namespace

TEST_SUITE("layer_verdict") {
  TEST_CASE("layers without problems are fine, with the figure of their updates") {
    const auto verdicts = verdictsOn([](auto&, int64_t) {});
    REQUIRE(verdicts.size() == 4);
    for (const LayerVerdict& verdict : verdicts) {
      CHECK(verdict.health == LayerHealth::Fine);
      CHECK_FALSE(verdict.isProblem());
      CHECK(verdict.advice.text.isEmpty());
    }
    CHECK(verdicts[0].figure == doctest::Approx(0.001));
    CHECK(evidenceOf(verdicts[0]) == "A step changes the weights by 0.1% of their norm");
    CHECK(layerVerdicts({}).empty());
    // The sentence is about the sample whose figures are next to it
    const auto changed = verdictsOn([](auto& layers, int64_t step) {
      layers[0].updateRatio = step == 5 ? std::log10(0.0013f) : std::log10(0.0018f);
    });
    CHECK(evidenceOf(changed[0]) == "A step changes the weights by 0.13% of their norm");
  }

  TEST_CASE("large updates explode, but one large update does not") {
    const auto once = verdictsOn([](auto& layers, int64_t step) {
      if (step == 5) layers[0].updateRatio = 1;
    });
    CHECK(once[0].health == LayerHealth::Fine);
    const auto often = verdictsOn([](auto& layers, int64_t step) {
      if (step >= 4) layers[0].updateRatio = std::log10(0.46f);
    });
    CHECK(often[0].health == LayerHealth::Exploding);
    CHECK(often[0].figure == doctest::Approx(0.46));
    CHECK(often[0].limit == kMaxUpdateRatio);
    CHECK(has(evidenceOf(often[0]), "46%"));
    CHECK(has(formatText(often[0].advice.text), "learning rate"));
    CHECK(often[2].health == LayerHealth::Fine);
    // A single sample does not decide
    const auto watched = watchedLayers();
    std::vector<LayerSample> first{sampleAt(1, watched)};
    first[0].layers[0].updateRatio = 1;
    CHECK(layerVerdicts(first)[0].health == LayerHealth::Fine);
    first.push_back(first[0]);
    CHECK(layerVerdicts(first)[0].health == LayerHealth::Exploding);
    const auto atLimit = verdictsOn([](auto& layers, int64_t) { layers[0].updateRatio = -1; });
    CHECK(atLimit[0].health == LayerHealth::Fine);
  }

  TEST_CASE("percentages are short, and have no exponent") {
    CHECK(percentText(0.00123) == "0.12%");
    CHECK(percentText(0.994) == "99%");
    CHECK(percentText(0.995) == "100%");
    CHECK(percentText(0.9999) == "100%");
    CHECK(percentText(12.34) == "1234%");
  }

  TEST_CASE("values that are not finite explode") {
    const auto verdicts = verdictsOn([](auto& layers, int64_t) {
      layers[1].activations.nonFinite = 3;
      layers[3].gradients.nonFinite = 2;
    });
    CHECK(verdicts[1].health == LayerHealth::Exploding);
    CHECK(has(evidenceOf(verdicts[1]), "3 outputs are NaN"));
    CHECK(has(evidenceOf(verdicts[3]), "2 gradients are NaN"));
  }

  TEST_CASE("half of the units make a layer dead, if it has weights or an activation") {
    const auto verdicts = verdictsOn([](auto& layers, int64_t) {
      layers[0].deadUnits = 4;
      layers[1].deadUnits = 8;
      layers[3].deadUnits = 1;
    });
    CHECK(verdicts[0].health == LayerHealth::Dead);
    CHECK(verdicts[0].figure == 0.5);
    CHECK(evidenceOf(verdicts[0]) == "4 of 8 units have the same output for all samples");
    CHECK(verdicts[1].health == LayerHealth::Fine);
    CHECK(verdicts[3].health == LayerHealth::Fine);
  }

  TEST_CASE("saturated outputs count in hidden layers only") {
    const auto verdicts = verdictsOn([](auto& layers, int64_t step) {
      layers[2].saturated = step == 3 ? 0.4f : 0.7f;
      layers[3].saturated = 1;
    });
    CHECK(verdicts[2].health == LayerHealth::Saturated);
    CHECK(verdicts[2].figure == doctest::Approx(0.6));
    CHECK(has(evidenceOf(verdicts[2]), "tanh"));
    CHECK(verdicts[3].health == LayerHealth::Fine);
  }

  TEST_CASE("a gradient vanishes if it is small in itself and next to that of another layer") {
    const auto scaled = [](float conv, float others) {
      return verdictsOn([=](auto& layers, int64_t) {
        for (size_t i = 0; i < layers.size(); ++i)
          if (layers[i].gradients.isKnown())
            layers[i].gradients.meanMagnitude = i == 0 ? conv : others;
      });
    };
    CHECK(scaled(1e-9f, 1e-2f)[0].health == LayerHealth::Vanishing);
    CHECK(scaled(1e-9f, 1e-2f)[0].figure == doctest::Approx(1e-9));
    CHECK(scaled(1e-9f, 1e-2f)[2].health == LayerHealth::Fine);
    // The network has learned its data
    CHECK(scaled(1e-9f, 1e-8f)[0].health == LayerHealth::Fine);
    CHECK(scaled(0, 0)[0].health == LayerHealth::Fine);
    // Larger than the limit
    CHECK(scaled(1e-6f, 1)[0].health == LayerHealth::Fine);
  }

  TEST_CASE("a dead layer is not called vanishing, and unknown figures give no verdict") {
    const auto dead = verdictsOn([](auto& layers, int64_t) {
      layers[0].deadUnits = 8;
      layers[0].gradients.meanMagnitude = 0;
    });
    CHECK(dead[0].health == LayerHealth::Dead);
    const auto unknown = verdictsOn([](auto& layers, int64_t) { layers[1] = LayerStatistics{}; });
    CHECK(unknown[1].health == LayerHealth::Unknown);
    CHECK(unknown[1].evidence.text.isEmpty());
    CHECK(healthName(LayerHealth::Vanishing) == "vanishing");
    CHECK(std::string(healthText(LayerHealth::Dead).source) == "dead");
  }
}
