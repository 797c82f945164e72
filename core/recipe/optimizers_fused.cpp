// SPDX-License-Identifier: Apache-2.0
// Defines the common optimizers, which use one fused op per parameter. gpu/ops/update.cpp contains
// the formulas.
#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/optimizer_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

double get(const Json& fields, const char* name) { return fields.at(name).get<double>(); }
bool isSet(const Json& fields, const char* name) { return fields.at(name).get<bool>(); }

// --- SGD

std::vector<OptimizerState> sgdState(const Json& fields, const std::string&, const Shape& shape) {
  if (get(fields, "momentum") == 0) return {};
  return {{"velocity", shape}};
}
std::vector<ValueId> sgd(UpdateContext& c) {
  std::vector<ValueId> operands{c.weights, c.gradient, c.rate};
  operands.insert(operands.end(), c.state.begin(), c.state.end());
  return update(c.graph, "sgd_update", std::move(operands),
                {{"momentum", c.number("momentum")},
                 {"nesterov", isSet(c.fields, "nesterov")},
                 {"weight_decay", c.decay}});
}

// --- Adam, AdamW

/// Assigns the new weights and states for a gradient with parts. The in-place op cannot be used,
/// because it would square the total gradient.
std::vector<ValueId> assigned(UpdateContext& c, std::vector<ValueId> next) {
  for (size_t i = 0; i < next.size(); ++i)
    next[i] = assign(c.graph, i == 0 ? c.weights : c.state[i - 1], next[i]);
  return next;
}

ValueId decayed(UpdateContext& c) {
  if (c.decay == 0) return c.weights;
  return subtract(c.graph, c.weights,
                  multiply(c.graph, multiplyScalar(c.graph, c.weights, c.decay), c.rate));
}

std::vector<OptimizerState> adamState(const Json& fields, const std::string&, const Shape& shape) {
  std::vector<OptimizerState> state{{"m", shape}, {"v", shape}};
  if (isSet(fields, "amsgrad")) state.push_back({"v_max", shape});
  return state;
}
std::vector<ValueId> adamOfParts(UpdateContext& c) {
  Graph& g = c.graph;
  const double beta1 = c.number("beta_1"), beta2 = c.number("beta_2");
  const ValueId m =
      add(g, c.state[0], multiplyScalar(g, subtract(g, c.gradient, c.state[0]), 1 - beta1));
  const ValueId v =
      add(g, c.state[1], multiplyScalar(g, subtract(g, c.squares(), c.state[1]), 1 - beta2));
  const ValueId most = c.state.size() > 2 ? maximum(g, c.state[2], v) : v;
  const ValueId rate =
      divide(g, multiply(g, c.rate, sqrt(g, c.oneMinusPower(beta2))), c.oneMinusPower(beta1));
  const ValueId step =
      divide(g, multiply(g, m, rate), addScalar(g, sqrt(g, most), c.number("epsilon")));
  std::vector<ValueId> next{subtract(g, decayed(c), step), m, v};
  if (c.state.size() > 2) next.push_back(most);
  return assigned(c, std::move(next));
}
std::vector<ValueId> adam(UpdateContext& c) {
  if (c.isOfParts()) return adamOfParts(c);
  std::vector<ValueId> operands{c.weights, c.gradient, c.state[0], c.state[1], c.rate, c.step()};
  if (c.state.size() > 2) operands.push_back(c.state[2]);
  return update(c.graph, "adam_update", std::move(operands),
                {{"beta_1", c.number("beta_1")},
                 {"beta_2", c.number("beta_2")},
                 {"epsilon", c.number("epsilon")},
                 {"weight_decay", c.decay},
                 {"amsgrad", isSet(c.fields, "amsgrad")}});
}
std::vector<FieldSchema> adamFields() {
  return {
      betaField("beta_1", "0.9", false), betaField("beta_2", "0.999", true), epsilonField(),
      flagField("amsgrad", "false", STRATA_TEXT("training", "AMSGrad"),
                STRATA_TEXT(
                    "training",
                    "Uses the largest mean square so far, so that the step size never increases"))};
}

// --- RMSprop

std::vector<OptimizerState> rmspropState(const Json& fields, const std::string&,
                                         const Shape& shape) {
  std::vector<OptimizerState> state{{"v", shape}};
  if (get(fields, "momentum") != 0) state.push_back({"momentum", shape});
  if (isSet(fields, "centered")) state.push_back({"average_gradient", shape});
  return state;
}
std::vector<ValueId> rmspropOfParts(UpdateContext& c) {
  Graph& g = c.graph;
  const double rho = c.number("rho");
  const auto followed = [&](ValueId state, ValueId value) {
    return add(g, multiplyScalar(g, state, rho), multiplyScalar(g, value, 1 - rho));
  };
  const bool hasMomentum = get(c.fields, "momentum") != 0, isCentered = isSet(c.fields, "centered");
  const ValueId v = followed(c.state[0], c.squares());
  std::vector<ValueId> next{{}, v};
  ValueId divisor = addScalar(g, v, c.number("epsilon")), average;
  if (isCentered) {
    average = followed(c.state.back(), c.gradient);
    divisor = subtract(g, divisor, square(g, average));
  }
  ValueId step = multiply(g, multiply(g, c.gradient, c.rate), rsqrt(g, divisor));
  if (hasMomentum) {
    step = add(g, multiplyScalar(g, c.state[1], c.number("momentum")), step);
    next.push_back(step);
  }
  if (isCentered) next.push_back(average);
  next[0] = subtract(g, decayed(c), step);
  return assigned(c, std::move(next));
}
std::vector<ValueId> rmsprop(UpdateContext& c) {
  if (c.isOfParts()) return rmspropOfParts(c);
  std::vector<ValueId> operands{c.weights, c.gradient, c.state[0], c.rate};
  operands.insert(operands.end(), c.state.begin() + 1, c.state.end());
  return update(c.graph, "rmsprop_update", std::move(operands),
                {{"rho", c.number("rho")},
                 {"epsilon", c.number("epsilon")},
                 {"momentum", c.number("momentum")},
                 {"centered", isSet(c.fields, "centered")},
                 {"weight_decay", c.decay}});
}

// --- Adagrad

std::vector<OptimizerState> adagradState(const Json& fields, const std::string&,
                                         const Shape& shape) {
  return {{"accumulator", shape, get(fields, "initial_accumulator_value")}};
}
std::vector<ValueId> adagrad(UpdateContext& c) {
  if (c.isOfParts()) {
    Graph& g = c.graph;
    const ValueId sum = add(g, c.state[0], c.squares());
    const ValueId step =
        divide(g, multiply(g, c.gradient, c.rate), sqrt(g, addScalar(g, sum, c.number("epsilon"))));
    return assigned(c, {subtract(g, decayed(c), step), sum});
  }
  return update(c.graph, "adagrad_update", {c.weights, c.gradient, c.state[0], c.rate},
                {{"epsilon", c.number("epsilon")}, {"weight_decay", c.decay}});
}

}  // namespace

std::vector<OptimizerDef> fusedOptimizers() {
  return {
      {optimizerSchema("sgd", STRATA_TEXT("training", "Gradient descent with optional momentum"),
                       "v = momentum v - rate g; w += v", "Keras 3, keras.optimizers.SGD", "0.01",
                       "null", {momentumField(), nesterovField()}),
       sgdState, sgd, true},
      {optimizerSchema(
           "adam",
           STRATA_TEXT("training",
                       "Adapts the step size of each weight to its gradients; a good first choice"),
           "w -= rate m' / (sqrt(v') + epsilon)",
           "Kingma and Ba, 2014; Keras 3, keras.optimizers.Adam", "0.001", "null", adamFields()),
       adamState, adam, true},
      {optimizerSchema("adamw", STRATA_TEXT("training", "Adam with decoupled weight decay"),
                       "w -= rate weight_decay w + rate m' / (sqrt(v') + epsilon)",
                       "Loshchilov and Hutter, 2017; Keras 3, keras.optimizers.AdamW", "0.001",
                       "0.004", adamFields()),
       adamState, adam, true},
      {optimizerSchema(
           "rmsprop",
           STRATA_TEXT("training", "Divides each gradient by the root of its running mean square"),
           "v = rho v + (1 - rho) g^2; w -= rate g / sqrt(v + epsilon)",
           "Hinton, 2012; Keras 3, keras.optimizers.RMSprop", "0.001", "null",
           {shareField(
                "rho", "0.9", STRATA_TEXT("training", "Rho"),
                STRATA_TEXT("training", "Decay rate of the running mean of squared gradients")),
            momentumField(), epsilonField(),
            flagField("centered", "false", STRATA_TEXT("training", "Centered"),
                      STRATA_TEXT("training",
                                  "Divides by the standard deviation of the gradients instead of "
                                  "their root mean square"))}),
       rmspropState, rmsprop, true},
      {optimizerSchema(
           "adagrad",
           STRATA_TEXT("training",
                       "Reduces the step size of weights that have already received large updates"),
           "a += g^2; w -= rate g / sqrt(a + epsilon)",
           "Duchi et al., 2011; Keras 3, keras.optimizers.Adagrad", "0.001", "null",
           {numberField("initial_accumulator_value", "0.1", 0.0, {},
                        STRATA_TEXT("training", "Initial accumulator value"),
                        STRATA_TEXT("training", "Initial value of the sum of squared gradients")),
            epsilonField()}),
       adagradState, adagrad, true},
  };
}

}  // namespace strata
