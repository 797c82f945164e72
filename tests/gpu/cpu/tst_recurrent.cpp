// SPDX-License-Identifier: Apache-2.0
// Compares recurrent cells on the CPU with the reference, for few and many samples. The tested
// numbers of units fill vectors, panels and blocks completely or partly.
#include <doctest/doctest.h>

#include <cmath>

#include "gpu/ops/recurrent.h"
#include "tests/gpu/cpu/kernel_check.h"

using namespace strata;
using namespace strata::test;

namespace {

struct Sequence {
  const char* cell;
  int64_t samples, steps, units;
  const char* activation = "tanh";
  const char* gate = "sigmoid";
  bool isBackwards = false, hasState = false, hasFactors = false, hasMask = false;
};

Tensor zerosAndOnes(Shape shape) {
  Tensor result(DType::F32, shape);
  const auto values = result.as<float>();
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = i % 3 == 0 ? 0.0f : 1.0f;
  return result;
}

void checkSequence(const Sequence& s) {
  CAPTURE(s.cell);
  CAPTURE(s.samples);
  CAPTURE(s.units);
  const bool isGru = std::string_view(s.cell) == "gru", isLstm = std::string_view(s.cell) == "lstm",
             isSimple = std::string_view(s.cell) == "simple";
  Attributes attributes{{"cell", std::string(s.cell)},
                        {"activation", std::string(s.activation)},
                        {"recurrent_activation", std::string(s.gate)},
                        {"backwards", s.isBackwards},
                        {"has_bias", isGru && s.hasState},
                        {"has_state", s.hasState},
                        {"has_factors", s.hasFactors},
                        {"has_mask", s.hasMask}};
  const int64_t width = recurrentForm(attributes).gates * s.units;
  const float least = -1 / std::sqrt(static_cast<float>(s.units));
  const Shape all{s.samples, s.steps, width}, one{s.samples, s.steps, s.units},
      last{s.samples, s.units};
  const Tensor kernel = randomTensor({s.units, width}, 2, least, -least);
  const auto shared = [&](std::vector<Tensor>& operands) {
    if (s.hasState) operands.push_back(randomTensor(last, 3));
    if (s.hasState && isLstm) operands.push_back(randomTensor(last, 4));
    if (s.hasFactors) operands.push_back(randomTensor(last, 5, 0, 2));
    if (s.hasMask) operands.push_back(zerosAndOnes({s.samples, s.steps}));
  };
  std::vector<Tensor> forward{randomTensor(all, 1, -2, 2), kernel};
  if (isGru && s.hasState) forward.push_back(randomTensor({width}, 6));
  shared(forward);
  checkKernel("recurrent", attributes, forward);

  attributes.remove("has_bias");
  for (const bool isWhole : {false, true}) {
    attributes.set("has_sequence", isWhole);
    attributes.set("has_last", !isWhole || s.hasState);
    attributes.set("has_last_cell", isLstm && s.hasState);
    std::vector<Tensor> backward{randomTensor(all, 7, 0.1f, 0.9f), kernel, randomTensor(one, 8)};
    if (!isSimple) backward.push_back(randomTensor(one, 9));
    shared(backward);
    if (isWhole) backward.push_back(randomTensor(one, 10));
    if (!isWhole || s.hasState) backward.push_back(randomTensor(last, 11));
    if (isLstm && s.hasState) backward.push_back(randomTensor(last, 12));
    checkKernel("recurrent_backward", attributes, backward);
  }
}

}  // namespace

TEST_SUITE("cpu recurrent") {
  TEST_CASE("cells of all sizes equal the reference") {
    for (const char* cell : {"simple", "lstm", "gru", "gru_reset_before"}) {
      checkSequence({cell, 3, 4, 5});
      checkSequence({cell, 1, 2, 1});
      checkSequence({cell, 9, 3, 16});
      checkSequence({cell, 14, 3, 33});
      checkSequence({cell, 150, 2, 40});
      checkSequence({cell, 6, 2, 96});
      checkSequence({cell, 5, 2, 270});
      checkSequence({cell, 4, 1, 20});
    }
  }
  TEST_CASE("cells may have states, factors, masks, reversed order and other functions") {
    for (const char* cell : {"simple", "lstm", "gru", "gru_reset_before"}) {
      checkSequence({.cell = cell,
                     .samples = 5,
                     .steps = 4,
                     .units = 18,
                     .isBackwards = true,
                     .hasState = true});
      checkSequence({.cell = cell,
                     .samples = 7,
                     .steps = 5,
                     .units = 9,
                     .hasState = true,
                     .hasFactors = true,
                     .hasMask = true});
      checkSequence({.cell = cell,
                     .samples = 7,
                     .steps = 5,
                     .units = 20,
                     .isBackwards = true,
                     .hasMask = true});
      checkSequence({.cell = cell,
                     .samples = 6,
                     .steps = 3,
                     .units = 19,
                     .activation = "silu",
                     .gate = "hard_sigmoid",
                     .hasFactors = true});
      checkSequence({.cell = cell,
                     .samples = 6,
                     .steps = 3,
                     .units = 19,
                     .activation = "relu",
                     .gate = "softsign"});
    }
  }
}
