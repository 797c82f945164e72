// SPDX-License-Identifier: Apache-2.0
// Defines the optimizers that are composed of basic ops. In comments, g is the gradient, and t is
// the number of the update, which starts at 1. Numerics are float32; 1 - beta^t uses expm1.
#include <algorithm>
#include <cmath>

#include <nlohmann/json.hpp>

#include "core/recipe/entry_fields.h"
#include "core/recipe/loss_parts.h"
#include "core/recipe/optimizer_parts.h"
#include "gpu/ops/build.h"

namespace strata {

namespace {

/// Returns a * keep + b * (1 - keep).
ValueId mixed(Graph& g, ValueId a, ValueId b, double keep) {
  return add(g, multiplyScalar(g, a, keep), multiplyScalar(g, b, 1 - keep));
}
/// Returns state + (value - state) * (1 - beta), which rounds like Keras.
ValueId followed(Graph& g, ValueId state, ValueId value, double beta) {
  return add(g, state, multiplyScalar(g, subtract(g, value, state), 1 - beta));
}
ValueId norm(Graph& g, ValueId x) { return sqrt(g, sumAll(g, square(g, x))); }
ValueId rootMeanSquare(Graph& g, ValueId x) { return sqrt(g, meanAll(g, square(g, x))); }
ValueId scalar(Graph& g, double value) { return constantScalar(g, DType::F32, value); }
/// Returns a / b if both a and b are above 0, otherwise 1.
ValueId ratioOrOne(Graph& g, ValueId a, ValueId b) {
  const ValueId isFound = multiply(g, greater(g, a, scalar(g, 0)), greater(g, b, scalar(g, 0)));
  return select(g, isFound, divide(g, a, b), scalar(g, 1));
}

template <const char*... suffixes>
std::vector<OptimizerState> zeros(const Json&, const std::string&, const Shape& shape) {
  return {{suffixes, shape}...};
}
constexpr char kM[] = "m", kV[] = "v", kU[] = "u", kGradients[] = "accumulated_grad",
               kDeltas[] = "accumulated_delta_var", kVelocity[] = "velocity";

// --- Adamax

std::vector<ValueId> adamax(UpdateContext& c) {
  Graph& g = c.graph;
  const ValueId m = followed(g, c.state[0], c.gradient, c.number("beta_1"));
  const ValueId u = maximum(g, multiplyScalar(g, c.state[1], c.number("beta_2")), c.magnitudes());
  const ValueId rate = divide(g, c.rate, c.oneMinusPower(c.number("beta_1")));
  return {
      subtract(g, c.weights, multiply(g, rate, divide(g, m, addScalar(g, u, c.number("epsilon"))))),
      m, u};
}

// --- Nadam. The state u_product is the product of u_t = beta_1 (1 - 0.96^t / 2) over all updates.

std::vector<OptimizerState> nadamState(const Json&, const std::string&, const Shape& shape) {
  return {{"m", shape}, {"v", shape}, {"u_product", {}, 1.0}};
}
std::vector<ValueId> nadam(UpdateContext& c) {
  Graph& g = c.graph;
  const double beta = c.number("beta_1");
  const auto momentumAt = [&](double offset) {
    const ValueId power =
        exp(g, multiplyScalar(g, addScalar(g, c.floatStep(), offset), std::log(0.96)));
    return affine(g, power, -0.5 * beta, beta);
  };
  const ValueId now = momentumAt(0), next = momentumAt(1), product = multiply(g, c.state[2], now);
  const ValueId m = followed(g, c.state[0], c.gradient, beta),
                v = followed(g, c.state[1], c.squares(), c.number("beta_2"));
  const ValueId ofMean = divide(g, next, affine(g, multiply(g, product, next), -1, 1));
  const ValueId ofGradient = divide(g, affine(g, now, -1, 1), affine(g, product, -1, 1));
  const ValueId mean = add(g, multiply(g, m, ofMean), multiply(g, c.gradient, ofGradient));
  const ValueId size =
      addScalar(g, sqrt(g, divide(g, v, c.oneMinusPower(c.number("beta_2")))), c.number("epsilon"));
  return {subtract(g, c.weights, multiply(g, c.rate, divide(g, mean, size))), m, v, product};
}

// --- Adadelta

std::vector<ValueId> adadelta(UpdateContext& c) {
  Graph& g = c.graph;
  const double rho = c.number("rho"), epsilon = c.number("epsilon");
  const auto root = [&](ValueId x) {
    return sqrt(g, addScalar(g, x, epsilon));
  };
  const ValueId gradients = mixed(g, c.state[0], c.squares(), rho);
  const ValueId delta = divide(g, multiply(g, root(c.state[1]), c.gradient), root(gradients));
  const ValueId ofDelta =
      c.isOfParts()
          ? multiply(g, c.squares(), square(g, divide(g, root(c.state[1]), root(gradients))))
          : square(g, delta);
  return {subtract(g, c.weights, multiply(g, c.rate, delta)), gradients,
          mixed(g, c.state[1], ofDelta, rho)};
}

// --- Ftrl

std::vector<OptimizerState> ftrlState(const Json& fields, const std::string&, const Shape& shape) {
  return {{"accumulator", shape, fields.at("initial_accumulator_value").get<double>()},
          {"linear", shape}};
}
std::vector<ValueId> ftrl(UpdateContext& c) {
  Graph& g = c.graph;
  const double exponent = -c.number("learning_rate_power"),
               l1 = c.number("l1_regularization_strength"),
               l2 = c.number("l2_regularization_strength"),
               shrinkage = c.number("l2_shrinkage_regularization_strength"),
               beta = c.number("beta");
  const auto powered = [&](ValueId x) {
    return exponent == 0 ? constantFill(g, g.type(x), 1) : raised(g, x, exponent);
  };
  const ValueId sum = add(g, c.state[0], c.squares()), now = powered(sum);
  ValueId gradient = c.gradient;
  if (shrinkage != 0) gradient = add(g, gradient, multiplyScalar(g, c.weights, 2 * shrinkage));
  const ValueId shift =
      multiply(g, divide(g, subtract(g, now, powered(c.state[0])), c.rate), c.weights);
  const ValueId linear = add(g, c.state[1], subtract(g, gradient, shift));
  ValueId quadratic = divide(g, beta == 0 ? now : addScalar(g, now, beta), c.rate);
  if (l2 != 0) quadratic = addScalar(g, quadratic, 2 * l2);
  const ValueId kept =
      l1 == 0 ? negate(g, linear)
              : subtract(g, maximum(g, minimum(g, linear, scalar(g, l1)), scalar(g, -l1)), linear);
  // The formula divides by the learning rate, which may be 0 in a schedule. The weights then do not
  // change.
  const ValueId isMoving = greater(g, c.rate, scalar(g, 0));
  return {select(g, isMoving, divide(g, kept, quadratic), c.weights),
          select(g, isMoving, sum, c.state[0]), select(g, isMoving, linear, c.state[1])};
}

// --- Lion

std::vector<ValueId> lion(UpdateContext& c) {
  Graph& g = c.graph;
  const ValueId direction = sign(g, mixed(g, c.state[0], c.gradient, c.number("beta_1")));
  return {subtract(g, c.weights, multiply(g, c.rate, direction)),
          mixed(g, c.state[0], c.gradient, c.number("beta_2"))};
}

// --- Lamb and LARS. The norm of a variable's step is proportional to the norm of its weights.

std::vector<ValueId> lamb(UpdateContext& c) {
  Graph& g = c.graph;
  const ValueId m = followed(g, c.state[0], c.gradient, c.number("beta_1"));
  const ValueId v = followed(g, c.state[1], c.squares(), c.number("beta_2"));
  const ValueId size =
      addScalar(g, sqrt(g, divide(g, v, c.oneMinusPower(c.number("beta_2")))), c.number("epsilon"));
  const ValueId step = divide(g, divide(g, m, c.oneMinusPower(c.number("beta_1"))), size);
  const ValueId rate = multiply(g, c.rate, ratioOrOne(g, norm(g, c.weights), norm(g, step)));
  return {subtract(g, c.weights, multiply(g, rate, step)), m, v};
}

std::vector<ValueId> lars(UpdateContext& c) {
  Graph& g = c.graph;
  ValueId gradient = c.gradient, rate = c.rate;
  if (c.shape().rank() > 1) {
    const ValueId weights = norm(g, c.weights);
    ValueId size = addScalar(g, norm(g, gradient), c.number("epsilon"));
    if (c.decay > 0) size = add(g, size, multiplyScalar(g, weights, c.decay));
    rate = multiply(g, rate,
                    ratioOrOne(g, multiplyScalar(g, weights, c.number("trust_coefficient")), size));
  }
  if (c.decay > 0) gradient = add(g, gradient, multiplyScalar(g, c.weights, c.decay));
  const ValueId step = multiply(g, rate, gradient),
                v = add(g, multiplyScalar(g, c.state[0], c.number("momentum")), step);
  const bool isNesterov = c.fields.at("nesterov").get<bool>();
  const ValueId taken = isNesterov ? add(g, multiplyScalar(g, v, c.number("momentum")), step) : v;
  return {subtract(g, c.weights, taken), v};
}

// --- Adafactor. It approximates the mean squared gradients of a matrix by the product of a column
// and a row.

std::vector<OptimizerState> adafactorState(const Json&, const std::string&, const Shape& shape) {
  const int rank = shape.rank();
  if (rank < 2) return {{"v", shape}};
  return {{"r", shape.without(rank - 1)}, {"c", shape.without(rank - 2)}};
}
std::vector<ValueId> adafactor(UpdateContext& c) {
  Graph& g = c.graph;
  const Shape shape = c.shape();
  const int rank = shape.rank();
  const ValueId relative = rsqrt(g, c.floatStep());
  const ValueId rate =
      multiply(g, maximum(g, rootMeanSquare(g, c.weights), scalar(g, c.number("epsilon_2"))),
               minimum(g, c.rate, relative));
  // fresh = 1 - beta_t = t^decay = exp(decay log t)
  const ValueId fresh = exp(g, multiplyScalar(g, log(g, c.floatStep()), c.number("beta_2_decay"))),
                kept = affine(g, fresh, -1, 1);
  const ValueId squares = addScalar(g, c.squares(), c.number("epsilon_1"));
  const auto follow = [&](ValueId state, ValueId value) {
    return add(g, multiply(g, state, kept), multiply(g, value, fresh));
  };
  std::vector<ValueId> next{{}};
  ValueId meanSquare;
  if (rank < 2) {
    meanSquare = follow(c.state[0], squares);
    next.push_back(meanSquare);
  }
  else {
    const ValueId rows = follow(c.state[0], reduceMean(g, squares, {-1})),
                  columns = follow(c.state[1], reduceMean(g, squares, {-2}));
    Shape tall = shape, wide = shape;
    tall.set(rank - 1, 1);
    wide.set(rank - 2, 1);
    const ValueId share = divide(g, rows, reduceMean(g, rows, {-1}, true));
    meanSquare = multiply(g, reshape(g, share, tall), reshape(g, columns, wide));
    next.insert(next.end(), {rows, columns});
  }
  const ValueId step = multiply(g, c.gradient, rsqrt(g, meanSquare));
  const ValueId size = c.isOfParts() ? sqrt(g, meanAll(g, divide(g, c.squares(), meanSquare)))
                                     : rootMeanSquare(g, step);
  const ValueId limit =
      maximum(g, multiplyScalar(g, size, 1 / c.number("clip_threshold")), scalar(g, 1));
  next[0] = subtract(g, c.weights, multiply(g, divide(g, rate, limit), step));
  return next;
}

// --- Muon. It updates matrices with an orthogonalized momentum, and other parameters with Adam.

bool isMuon(const Json& fields, const std::string& name, const Shape& shape) {
  if (shape.rank() != 2) return false;
  std::string lower = name;
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char ch) { return ch >= 'A' && ch <= 'Z' ? static_cast<char>(ch + 32) : ch; });
  if (fields.at("exclude_embeddings").get<bool>() && lower.find("embedding") != std::string::npos)
    return false;
  for (const Json& part : fields.at("exclude_layers"))
    if (name.find(part.get_ref<const std::string&>()) != std::string::npos) return false;
  return true;
}
std::vector<OptimizerState> muonState(const Json& fields, const std::string& name,
                                      const Shape& shape) {
  if (isMuon(fields, name, shape)) return {{"m", shape}};
  return {{"m", shape}, {"v", shape}};
}
/// Approximates U V^T for the singular value decomposition U S V^T of x by Newton-Schulz
/// iterations.
ValueId orthogonalized(UpdateContext& c, ValueId x) {
  Graph& g = c.graph;
  const bool isTall = g.shape(x)[0] > g.shape(x)[1];
  if (isTall) x = transpose(g, x, {1, 0});
  x = divide(g, x, addScalar(g, norm(g, x), 1e-7));
  for (int64_t i = 0; i < c.fields.at("ns_steps").get<int64_t>(); ++i) {
    const ValueId a = matmul(g, x, x, false, true);
    const ValueId b = add(g, multiplyScalar(g, a, c.number("muon_b")),
                          multiplyScalar(g, matmul(g, a, a), c.number("muon_c")));
    x = add(g, multiplyScalar(g, x, c.number("muon_a")), matmul(g, b, x));
  }
  return isTall ? transpose(g, x, {1, 0}) : x;
}
std::vector<ValueId> muon(UpdateContext& c) {
  Graph& g = c.graph;
  const bool isMatrix = isMuon(c.fields, c.name, c.shape());
  const Json& ownDecay = c.fields.at("adam_weight_decay");
  double decay = isMatrix ? c.decay : 0;
  if (!isMatrix && !ownDecay.is_null() && c.decay != 0) decay = ownDecay.get<double>();
  const ValueId w =
      decay > 0 ? subtract(g, c.weights, multiply(g, multiplyScalar(g, c.weights, decay), c.rate))
                : c.weights;
  if (isMatrix) {
    const double momentum = c.number("momentum");
    const ValueId m = add(g, multiplyScalar(g, c.state[0], momentum), c.gradient);
    const bool isNesterov = c.fields.at("nesterov").get<bool>();
    const ValueId direction =
        orthogonalized(c, isNesterov ? add(g, c.gradient, multiplyScalar(g, m, momentum)) : m);
    const Shape shape = c.shape();
    const Json& size = c.fields.at("rms_rate");
    const double scale =
        size.is_null()
            ? 1
            : std::sqrt(static_cast<double>(std::max(shape[0], shape[1]))) * size.get<double>();
    return {subtract(g, w, multiply(g, multiplyScalar(g, c.rate, scale), direction)), m};
  }
  const double beta1 = c.number("adam_beta_1"), beta2 = c.number("adam_beta_2");
  const ValueId m = followed(g, c.state[0], c.gradient, beta1),
                v = followed(g, c.state[1], c.squares(), beta2);
  const ValueId rate = divide(g,
                              multiply(g, multiplyScalar(g, c.rate, c.number("adam_lr_ratio")),
                                       sqrt(g, c.oneMinusPower(beta2))),
                              c.oneMinusPower(beta1));
  return {subtract(g, w,
                   multiply(g, rate, divide(g, m, addScalar(g, sqrt(g, v), c.number("epsilon"))))),
          m, v};
}

FieldSchema strength(const char* name, Text title, Text help) {
  return numberField(name, "0.0", 0.0, {}, title, help);
}

FieldSchema withHelp(FieldSchema field, Text help) {
  field.help = help;
  return field;
}

std::vector<FieldSchema> betasAndEpsilon() {
  return {betaField("beta_1", "0.9", false), betaField("beta_2", "0.999", true), epsilonField()};
}

std::vector<FieldSchema> muonFields() {
  FieldSchema layers{.name = "exclude_layers", .type = FieldType::StringList, .defaultJson = "[]"};
  layers.help =
      STRATA_TEXT("training", "Variables whose names contain one of these words use Adam");
  layers.title = STRATA_TEXT("training", "Variables that use Adam");
  const auto coefficient = [](const char* name, const char* value) {
    return numberField(
        name, value, {}, {}, STRATA_TEXT("training", "Coefficient"),
        STRATA_TEXT("training", "Coefficient of the polynomial that orthogonalizes the update"));
  };
  const auto optional = [](const char* name, const char* value, double minimum,
                           std::optional<double> maximum, Text title, Text help) {
    FieldSchema field = numberField(name, value, minimum, maximum, title, help);
    field.isNullable = true;
    return field;
  };
  return {
      betaField("adam_beta_1", "0.9", false),
      betaField("adam_beta_2", "0.999", true),
      optional("adam_weight_decay", "0.004", 0.0, {}, STRATA_TEXT("training", "Adam weight decay"),
               STRATA_TEXT("training", "Weight decay of the variables that use Adam")),
      epsilonField(),
      layers,
      flagField("exclude_embeddings", "true", STRATA_TEXT("training", "Use Adam for embeddings"),
                STRATA_TEXT("training", "Variables with embedding in their name use Adam")),
      coefficient("muon_a", "3.4445"),
      coefficient("muon_b", "-4.775"),
      coefficient("muon_c", "2.0315"),
      positiveField(
          "adam_lr_ratio", "1.0", STRATA_TEXT("training", "Adam learning rate factor"),
          STRATA_TEXT(
              "training",
              "Factor by which the learning rate is multiplied for variables that use Adam")),
      withHelp(momentumField("0.95"),
               STRATA_TEXT("training",
                           "Fraction of the accumulated gradients that is kept at each step")),
      integerField("ns_steps", "5", 1, 100, STRATA_TEXT("training", "Newton-Schulz steps"),
                   STRATA_TEXT("training", "Number of iterations that orthogonalize the update")),
      nesterovField("true"),
      optional("rms_rate", "0.2", 0.0, {}, STRATA_TEXT("training", "Step size"),
               STRATA_TEXT("training",
                           "Root mean square of the update at learning rate 1; none: the update is "
                           "not scaled"))};
}

}  // namespace

std::vector<OptimizerDef> composedOptimizers() {
  std::vector<OptimizerDef> list;
  list.push_back(
      {optimizerSchema(
           "adamax",
           STRATA_TEXT("training",
                       "Variant of Adam that divides by the largest "
                       "gradient instead of the root mean square"),
           "u = max(beta_2 u, |g|); w -= rate m' / (u + epsilon)",
           "Kingma and Ba, 2014; Keras 3, keras.optimizers.Adamax", "0.001", "null",
           {betaField("beta_1", "0.9", false),
            withHelp(
                betaField("beta_2", "0.999", true),
                STRATA_TEXT("training", "Decay rate of the running maximum of absolute gradients")),
            epsilonField()}),
       zeros<kM, kU>, adamax});
  list.push_back({optimizerSchema("nadam", STRATA_TEXT("training", "Adam with Nesterov momentum"),
                                  "w -= rate (u_(t+1) m' + (1 - u_t) g') / (sqrt(v') + epsilon)",
                                  "Dozat, 2016; Keras 3, keras.optimizers.Nadam", "0.001", "null",
                                  betasAndEpsilon()),
                  nadamState, nadam});
  list.push_back(
      {optimizerSchema(
           "adadelta",
           STRATA_TEXT("training",
                       "Adapts the step size to the size of recent updates and gradients"),
           "d = sqrt(s + epsilon) / sqrt(v + epsilon) g; w -= rate d",
           "Zeiler, 2012; Keras 3, keras.optimizers.Adadelta", "0.001", "null",
           {shareField(
                "rho", "0.95", STRATA_TEXT("training", "Rho"),
                STRATA_TEXT("training", "Decay rate of the running mean of squared gradients")),
            epsilonField()}),
       zeros<kGradients, kDeltas>, adadelta});
  FieldSchema ratePower = numberField(
      "learning_rate_power", "-0.5", {}, 0.0, STRATA_TEXT("training", "Learning rate power"),
      STRATA_TEXT("training",
                  "Exponent with which the learning rate falls as the sum of squared gradients "
                  "grows; 0: constant"));
  list.push_back(
      {optimizerSchema(
           "ftrl",
           STRATA_TEXT("training",
                       "Follow the regularized leader: unimportant weights become zero"),
           "w = (clip(z, -l1, l1) - z) / ((sqrt(a) + beta) / rate + 2 l2)",
           "McMahan et al., 2013; Keras 3, keras.optimizers.Ftrl", "0.001", "null",
           {ratePower,
            numberField("initial_accumulator_value", "0.1", 0.0, {},
                        STRATA_TEXT("training", "Initial accumulator value"),
                        STRATA_TEXT("training", "Initial value of the sum of squared gradients")),
            strength("l1_regularization_strength", STRATA_TEXT("training", "L1"),
                     STRATA_TEXT("training", "Penalty on the absolute values of the weights")),
            strength("l2_regularization_strength", STRATA_TEXT("training", "L2"),
                     STRATA_TEXT("training", "Penalty on the squares of the weights")),
            strength(
                "l2_shrinkage_regularization_strength", STRATA_TEXT("training", "L2 shrinkage"),
                STRATA_TEXT("training",
                            "Penalty on the squares of the weights, added to the gradient only")),
            strength("beta", STRATA_TEXT("training", "Beta"),
                     STRATA_TEXT("training", "Reduces the size of the first updates"))}),
       ftrlState, ftrl});
  list.push_back(
      {optimizerSchema(
           "lion",
           STRATA_TEXT("training",
                       "Updates every weight by the same step size, using only the sign of the "
                       "mean gradient"),
           "w -= rate sign(beta_1 m + (1 - beta_1) g)",
           "Chen et al., 2023; Keras 3, keras.optimizers.Lion", "0.001", "null",
           {withHelp(betaField("beta_1", "0.9", false),
                     STRATA_TEXT("training",
                                 "Weight of the running mean of gradients in an update; the "
                                 "current gradient has the weight 1 - beta_1")),
            withHelp(betaField("beta_2", "0.99", true),
                     STRATA_TEXT("training", "Decay rate of the running mean of gradients"))}),
       zeros<kM>, lion});
  list.push_back({optimizerSchema("lamb",
                                  STRATA_TEXT("training",
                                              "Variant of Adam that scales each update by the norm "
                                              "of the variable's weights; for large batches"),
                                  "w -= rate |w| / |u| u, u = m' / (sqrt(v') + epsilon)",
                                  "You et al., 2019; Keras 3, keras.optimizers.Lamb", "0.001",
                                  "null", betasAndEpsilon()),
                  zeros<kM, kV>, lamb});
  list.back().isElementwise = false;
  list.push_back(
      {optimizerSchema(
           "adafactor",
           STRATA_TEXT("training",
                       "Saves memory by keeping mean squares of rows and columns instead of "
                       "individual weights"),
           "v = r c / mean r; w -= max(epsilon_2, rms w) min(rate, 1 / sqrt t) u, u = g / sqrt(v), "
           "clipped",
           "Shazeer and Stern, 2018; Keras 3, keras.optimizers.Adafactor", "0.001", "null",
           {numberField("beta_2_decay", "-0.8", {}, 0.0, STRATA_TEXT("training", "Beta 2 decay"),
                        STRATA_TEXT("training",
                                    "Exponent of the step number with which the weight of new "
                                    "squared gradients falls")),
            positiveField("epsilon_1", "1e-30", STRATA_TEXT("training", "Epsilon 1"),
                          STRATA_TEXT("training", "Small constant added to the squared gradients")),
            positiveField("epsilon_2", "0.001", STRATA_TEXT("training", "Epsilon 2"),
                          STRATA_TEXT("training",
                                      "Lower bound of the root mean square of the weights, by "
                                      "which updates are scaled")),
            positiveField("clip_threshold", "1.0", STRATA_TEXT("training", "Clip threshold"),
                          STRATA_TEXT("training",
                                      "Maximum root mean square of an update before it is "
                                      "multiplied by the learning rate")),
            flagField("relative_step", "true", STRATA_TEXT("training", "Relative step"),
                      STRATA_TEXT("training",
                                  "Limits the learning rate to 1 / sqrt(step); Keras always "
                                  "applies this limit"))}),
       adafactorState, adafactor});
  list.back().isElementwise = false;
  OptimizerDef muonDef{
      optimizerSchema(
          "muon",
          STRATA_TEXT("training",
                      "Orthogonalized updates for matrices, Adam for all other variables"),
          "w -= rate 0.2 sqrt(max(rows, columns)) U V^T of the momentum",
          "Jordan, 2024; Keras 3, keras.optimizers.Muon", "0.001", "0.004", muonFields()),
      muonState, muon};
  muonDef.decaysItself = true;
  muonDef.isElementwise = false;
  list.push_back(muonDef);
  OptimizerDef larsDef{
      optimizerSchema(
          "lars",
          STRATA_TEXT("training",
                      "Momentum with a learning rate that is scaled by the norm of each variable's "
                      "weights; for large batches"),
          "v = momentum v + rate trust |w| / (|g| + weight_decay |w|) (g + weight_decay w); w -= v",
          "You et al., 2017", "0.01", "null",
          {momentumField("0.9"), nesterovField(),
           positiveField("trust_coefficient", "0.001", STRATA_TEXT("training", "Trust coefficient"),
                         STRATA_TEXT("training",
                                     "Ratio of the norm of an update to the norm of the weights; "
                                     "biases use the unscaled learning rate")),
           epsilonField()}),
      zeros<kVelocity>, lars};
  larsDef.decaysItself = true;
  larsDef.isElementwise = false;
  for (FieldSchema& field : larsDef.schema.fields)
    if (field.name == "weight_decay")
      field.help = STRATA_TEXT("training", "Fraction of each weight that is added to its gradient");
  list.push_back(larsDef);
  return list;
}

}  // namespace strata
