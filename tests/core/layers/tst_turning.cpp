// SPDX-License-Identifier: Apache-2.0
#include "core/layers/turning.h"

#include <doctest/doctest.h>

#include <cmath>

using namespace strata;

TEST_SUITE_BEGIN("turning");

TEST_CASE("values rotated step by step equal sine and cosine") {
  const std::vector<double> rates{0.0, 1e-4, 0.37, 1.0, 3.2, 1000.0};
  Turning turning(rates);
  for (int step = 0; step < 1000; ++step, turning.nextStep())
    for (size_t i = 0; i < rates.size(); ++i) {
      CHECK(std::abs(turning.cosines()[i] - std::cos(step * rates[i])) < 1e-9);
      CHECK(std::abs(turning.sines()[i] - std::sin(step * rates[i])) < 1e-9);
    }
}

TEST_SUITE_END();
