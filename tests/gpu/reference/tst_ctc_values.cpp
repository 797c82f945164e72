// SPDX-License-Identifier: Apache-2.0
// Compares CTC with values that Keras 3.15 computed with TensorFlow.
#include <cmath>

#include <doctest/doctest.h>

#include "gpu/graph/op.h"
#include "gpu/reference/evaluate.h"

TEST_SUITE_BEGIN("ctc");

namespace strata::test {

TEST_CASE("loss and gradient equal those of Keras, also for no, repeated and too many labels") {
  Tensor logits(DType::F64, Shape{5, 4, 3});
  for (int i = 0; i < 60; ++i)
    logits.as<double>()[static_cast<size_t>(i)] = (i * 7 % 13 - 6) / 4.0;
  const Tensor labels = Tensor::from<int32_t>(
      Shape{5, 3}, std::vector<int32_t>{1, 2, 0, 2, 2, 0, 0, 0, 0, 1, 2, 1, 1, 1, 1});
  const std::vector<Tensor> result = evaluateOp(opNamed("ctc_loss"), {}, {logits, labels});
  const auto loss = result[0].as<double>();
  const std::vector<double> expected{1.6474688053, 3.7897696495, 4.1638679504, 1.0897290707,
                                     709.2208251953};
  for (size_t i = 0; i < expected.size(); ++i)
    CHECK(loss[i] == doctest::Approx(expected[i]).epsilon(1e-6));
  const std::vector<double> gradient{0.2192623, 0.0889973,  -0.3082597, -0.4653986,
                                     0.7158687, -0.2504701, -0.1909397, 0.0889973,
                                     0.1019423, -0.0551967, 0.7158687,  -0.6606721};
  for (size_t i = 0; i < gradient.size(); ++i)
    CHECK(result[1].as<double>()[12 + i] == doctest::Approx(gradient[i]).epsilon(1e-5));
}

TEST_CASE("a label outside the classes gives NaN") {
  const std::vector<Tensor> result =
      evaluateOp(opNamed("ctc_loss"), {},
                 {Tensor(DType::F32, Shape{2, 3, 2}),
                  Tensor::from<int32_t>(Shape{2, 1}, std::vector<int32_t>{2, 1})});
  CHECK(std::isnan(result[0].as<float>()[0]));
  CHECK(std::isfinite(result[0].as<float>()[1]));
}

}  // namespace strata::test

TEST_SUITE_END();
