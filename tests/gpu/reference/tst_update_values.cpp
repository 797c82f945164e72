// SPDX-License-Identifier: Apache-2.0
// Compares optimizer updates with three steps of Keras 3.15 in float64. The steps start with w =
// (1, -2). The gradients are (0.5, -0.25), (1.5, 0.75) and (-2, 0.1), and the learning rate is 0.1.
#include <doctest/doctest.h>

#include "gpu/graph/op.h"
#include "gpu/reference/evaluate.h"
#include "tests/support/naive.h"

TEST_SUITE_BEGIN("reference_updates");

namespace strata::test {

namespace {

struct UpdateCase {
  const char* name;
  const char* op;
  Attributes attributes;
  int statesBeforeRate, statesAfterRate;
  bool hasStep;
  double firstState;
  double expected[6];
};

}  // namespace

TEST_CASE("three steps of every optimizer equal those of Keras") {
  const UpdateCase cases[] = {
      {"sgd", "sgd_update", {}, 0, 0, false, 0, {0.95, -1.975, 0.8, -2.05, 1.0, -2.06}},
      {"sgd momentum",
       "sgd_update",
       {{"momentum", 0.9}},
       0,
       1,
       false,
       0,
       {0.95, -1.975, 0.7550000011920928, -2.0275000005960466, 0.7795000069141387,
        -2.084749999880791}},
      {"sgd nesterov decay",
       "sgd_update",
       {{"momentum", 0.9}, {"nesterov", true}, {"weight_decay", 0.02}},
       0,
       1,
       false,
       0,
       {0.9030000012367964, -1.9485000006854534, 0.5756940069967358, -2.0668530000559313,
        0.7965926235741935, -2.1242442921395384}},
      {"adam",
       "adam_update",
       {},
       2,
       0,
       true,
       0,
       {0.9000013000212443, -1.9000019324605546, 0.8082239829265756, -1.9494203889775648,
        0.814364034452052, -1.9953394900538441}},
      {"adam amsgrad decay",
       "adam_update",
       {{"beta_1", 0.8},
        {"beta_2", 0.95},
        {"epsilon", 1e-4},
        {"amsgrad", true},
        {"weight_decay", 0.05}},
       2,
       1,
       true,
       0,
       {0.8950893448506699, -1.890178548011136, 0.7971822945478029, -1.9348043068886533,
        0.8063653615950167, -1.9725019949694478}},
      {"rmsprop",
       "rmsprop_update",
       {},
       1,
       0,
       false,
       0,
       {0.6837728664367966, -1.6837747637749327, 0.3822615827703972, -1.985285864707461,
        0.6357003764122664, -2.02728651017834}},
      {"rmsprop momentum",
       "rmsprop_update",
       {{"momentum", 0.5}},
       1,
       1,
       false,
       0,
       {0.6837728664367966, -1.6837747637749327, 0.22414801598879552, -1.827173246594927,
        0.24777438440666427, -1.9408731334758038}},
      {"rmsprop centered",
       "rmsprop_update",
       {{"centered", true}, {"epsilon", 1e-4}},
       1,
       1,
       false,
       0,
       {0.6674049473811303, -1.669590699772455, 0.33974638484426956, -1.9777899979349636,
        0.593287052869452, -2.0210197533250684}},
      {"rmsprop both",
       "rmsprop_update",
       {{"rho", 0.8},
        {"momentum", 0.9},
        {"centered", true},
        {"epsilon", 1e-4},
        {"weight_decay", 0.05}},
       1,
       2,
       false,
       0,
       {0.745311915206033, -1.741240702298491, 0.2617478045900916, -1.7342724449585885,
        0.0124756101520411, -1.7607920275879365}},
      {"adagrad",
       "adagrad_update",
       {},
       1,
       0,
       false,
       0.1,
       {0.915484586780689, -1.9379826520720016, 0.8224585376544027, -2.0260656788339957,
        0.9003084314719948, -2.0377299148990824}},
      {"adagrad decay",
       "adagrad_update",
       {{"epsilon", 1e-3}, {"weight_decay", 0.01}},
       1,
       0,
       false,
       0.3,
       {0.931641221949209, -1.9565344153189024, 0.8410834384782898, -2.0325170492818323,
        0.91693321504961, -2.0408207600945936}},
  };
  const double gradients[3][2] = {{0.5, -0.25}, {1.5, 0.75}, {-2.0, 0.1}}, start[2] = {1, -2};
  for (const UpdateCase& c : cases) {
    CAPTURE(c.name);
    // The operands are w, gradient, states, rate, step, and further states.
    std::vector<Tensor> operands{Tensor::from<double>({2}, start), Tensor(DType::F64, Shape{2})};
    const Tensor state = Tensor::from<double>({2}, std::vector<double>(2, c.firstState));
    for (int i = 0; i < c.statesBeforeRate; ++i)
      operands.push_back(state);
    operands.push_back(Tensor::scalar<double>(0.1));
    const size_t stepOperand = operands.size();
    if (c.hasStep) operands.push_back(Tensor::scalar<int64_t>(0));
    for (int i = 0; i < c.statesAfterRate; ++i)
      operands.push_back(state);
    const OpDef& op = opNamed(c.op);
    for (int step = 0; step < 3; ++step) {
      operands[1] = Tensor::from<double>({2}, gradients[step]);
      if (c.hasStep) operands[stepOperand] = Tensor::scalar<int64_t>(step + 1);
      const std::vector<Tensor> outputs = evaluateOp(op, c.attributes, operands);
      for (const auto& [output, input] : op.mustAlias)
        if (static_cast<size_t>(output) < outputs.size())
          operands[static_cast<size_t>(input)] = outputs[static_cast<size_t>(output)];
      // Keras stores some of its constants in float32, which has seven digits.
      for (size_t i = 0; i < 2; ++i)
        CHECK(operands[0].as<double>()[i] ==
              doctest::Approx(c.expected[2 * step + static_cast<int>(i)]).epsilon(2e-6));
    }
  }
}

TEST_CASE("assign copies any element type") {
  const std::vector<int64_t> before{1, 2, 3}, after{4, 5, 6};
  const Tensor next =
      evaluateOp(opNamed("assign"), {},
                 {Tensor::from<int64_t>({3}, before), Tensor::from<int64_t>({3}, after)})[0];
  CHECK(next.isBitEqual(Tensor::from<int64_t>({3}, after)));
}

}  // namespace strata::test

TEST_SUITE_END();
