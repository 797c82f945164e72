// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <cmath>
#include <map>

#include <nlohmann/json.hpp>

#include "core/compile/compile.h"
#include "core/recipe/losses.h"
#include "core/recipe/metrics.h"
#include "core/recipe/optimizers.h"
#include "gpu/devices/devices.h"
#include "gpu/graph/op.h"
#include "gpu/graph/verify.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

struct Parsed {
  Model model;
  TrainingOptions training;
};

Parsed parse(const Json& layers, const Json& training) {
  const Project project(Json{{"model", {{"layers", layers}}}, {"training", training}});
  Diagnostics diagnostics;
  Parsed result{parseModel(project, diagnostics), parseTraining(project, diagnostics)};
  for (const auto& each : diagnostics)
    FAIL(each.line());
  return result;
}

Json mlp(const char* extra = "") {
  return Json::parse(
      std::string(
          R"([{"type": "Input", "name": "x", "shape": [6]}, {"type": "Dense", "name": "h", "units": 5, "activation": "relu" )") +
      extra + R"(}, {"type": "Dense", "name": "out", "units": 3, "activation": "softmax"}])");
}

Json adam() {
  return Json::parse(
      R"({"loss": "sparse_categorical_crossentropy", "optimizer": "adam", "metrics": ["accuracy"]})");
}

StepGraph build(const Json& layers, const Json& training, StepMode mode = StepMode::Train,
                Stage stage = Stage::Differentiated) {
  const Parsed parsed = parse(layers, training);
  StepOptions options;
  options.mode = mode;
  options.batchSize = 4;
  options.stopAfter = stage;
  options.device = processorTraits();
  StepGraph step = buildStep(parsed.model, parsed.training, options);
  verify(step.graph);
  return step;
}

int count(const Graph& graph, std::string_view op) {
  int result = 0;
  for (const NodeId id : graph.order())
    result += graph.node(id).op->name == op;
  return result;
}

}  // namespace

TEST_SUITE("compile") {
  TEST_CASE("a training step has its inputs, outputs and state, and one stable loss op") {
    const StepGraph step = build(mlp(), adam());
    const Graph& g = step.graph;
    CHECK(step.inputs[0].type.toString() == "f32[4,6]");
    CHECK(step.targets[0].type.toString() == "i32[4]");
    for (const char* name : {"x", "target", "learning_rate", "step"})
      CHECK(findInput(g, name).isValid());
    CHECK_FALSE(findInput(g, "seed").isValid());
    CHECK(g.shape(findOutput(g, "loss")).rank() == 0);
    CHECK(findOutput(g, "metric/accuracy").isValid());
    CHECK(step.metricNames == std::vector<std::string>{"accuracy"});
    CHECK(count(g, "softmax_cross_entropy") == 1);
    CHECK(count(g, "softmax_cross_entropy_backward") == 1);
    CHECK(count(g, "adam_update") == 4);
    REQUIRE(step.variables.size() == 4);
    REQUIRE(step.optimizerState.size() == 8);
    CHECK(step.optimizerState[0].name == "h/kernel:m");
    const Variable* m = g.findVariable("h/kernel:m");
    REQUIRE(m != nullptr);
    CHECK(g.value(m->value).category == Category::Optimizer);
    CHECK(m->next.isValid());
    CHECK(g.node(g.value(g.findVariable("out/bias")->next).producer).layer == "out");
    // The gradients of weights have the category Gradient.
    bool hasGradient = false;
    for (int i = 0; i < g.numValues(); ++i)
      hasGradient = hasGradient || g.value(ValueId{i}).category == Category::Gradient;
    CHECK(hasGradient);
  }

  TEST_CASE("evaluation and prediction have no updates") {
    const StepGraph evaluation = build(mlp(), adam(), StepMode::Evaluate, Stage::Optimized);
    CHECK(findOutput(evaluation.graph, "prediction").isValid());
    CHECK(findOutput(evaluation.graph, "loss").isValid());
    CHECK(evaluation.optimizerState.empty());
    const StepGraph prediction = build(mlp(), adam(), StepMode::Predict, Stage::Optimized);
    CHECK_FALSE(findOutput(prediction.graph, "loss").isValid());
    CHECK(count(prediction.graph, "softmax") == 1);
  }

  TEST_CASE("stages are reported in their order") {
    const Parsed parsed = parse(mlp(), adam());
    std::vector<Stage> stages;
    StepOptions options;
    options.device = processorTraits();
    options.batchSize = 4;
    options.onStage = [&](Stage stage, const Graph&) {
      stages.push_back(stage);
    };
    buildStep(parsed.model, parsed.training, options);
    CHECK(stages == std::vector<Stage>{Stage::Lowered, Stage::Differentiated, Stage::Optimized});
  }

  TEST_CASE(
      "a frozen layer is not updated, and a frozen BatchNormalization uses its moving statistics") {
    const StepGraph frozen = build(mlp(R"(, "trainable": false)"), adam());
    CHECK(count(frozen.graph, "adam_update") == 2);
    CHECK_FALSE(frozen.graph.findVariable("h/kernel")->next.isValid());
    const auto layers = [](const char* extra) {
      return Json::parse(
          std::string(
              R"([{"type": "Input", "name": "x", "shape": [6]}, {"type": "BatchNormalization", "name": "bn")") +
          extra + R"(}, {"type": "Dense", "name": "out", "units": 3}])");
    };
    const Json training = Json::parse(R"({"loss": "mean_squared_error", "optimizer": "sgd"})");
    CHECK(count(build(layers(""), training).graph, "batch_norm") == 1);
    CHECK(count(build(layers(""), training).graph, "assign") == 2);
    CHECK(count(build(layers(R"(, "trainable": false)"), training).graph, "batch_norm") == 0);
    CHECK(count(build(layers(R"(, "trainable": false)"), training).graph, "assign") == 0);
    CHECK(count(build(layers(""), training, StepMode::Evaluate).graph, "batch_norm") == 0);
  }

  TEST_CASE("state is written at the end, after everything that reads it") {
    const StepGraph step = build(
        Json::parse(
            R"([{"type": "Input", "name": "x", "shape": [6]}, {"type": "BatchNormalization", "name": "bn"}, {"type": "Dropout", "name": "d", "rate": 0.5},
      {"type": "Dense", "name": "out", "units": 3}])"),
        Json::parse(
            R"({"loss": "mean_squared_error", "optimizer": {"type": "sgd", "global_clipnorm": 1.0}})"));
    bool isUpdating = false;
    for (const NodeId id : step.graph.order()) {
      const Node& node = step.graph.node(id);
      if (node.op->kind == OpKind::Update)
        isUpdating = true;
      else if (node.op->kind != OpKind::Source)
        CHECK((!isUpdating || node.phase == Phase::Update));
    }
    CHECK(isUpdating);
    for (const char* name : {"seed", "step", "first_sample"})
      CHECK(findInput(step.graph, name).isValid());
  }

  TEST_CASE("regularizers are added to the loss, and learning_rate_factor scales the rate") {
    const StepGraph
        plain = build(mlp(), adam()),
        with = build(
            mlp(R"(, "kernel_regularizer": {"type": "l1_l2", "l1": 0.1, "l2": 0.2}, "learning_rate_factor": 0.5)"),
            adam());
    CHECK(count(with.graph, "abs") == count(plain.graph, "abs") + 1);
    CHECK(count(with.graph, "square") == count(plain.graph, "square") + 1);
    const Node& h =
        with.graph.node(with.graph.value(with.graph.findVariable("h/kernel")->next).producer);
    const Node& out =
        with.graph.node(with.graph.value(with.graph.findVariable("out/kernel")->next).producer);
    CHECK(out.inputs[4] == findInput(with.graph, "learning_rate"));
    CHECK(h.inputs[4] != out.inputs[4]);
  }

  TEST_CASE("every registered loss, optimizer and metric can be built and has a description") {
    for (const LossDef* loss : allLosses()) {
      CAPTURE(loss->schema.type);
      CHECK_FALSE(loss->schema.help.isEmpty());
      for (const auto& field : loss->schema.fields)
        CHECK_FALSE(field.help.isEmpty());
      if (loss->target == TargetKind::Sequences)
        build(
            Json::parse(
                R"([{"type": "Input", "name": "x", "shape": [5, 4]}, {"type": "Dense", "name": "out", "units": 3}])"),
            {{"loss", loss->schema.type}, {"optimizer", "sgd"}}, StepMode::Train, Stage::Optimized);
      else
        build(mlp(), {{"loss", loss->schema.type}, {"optimizer", "sgd"}, {"metrics", {"accuracy"}}},
              StepMode::Train, Stage::Optimized);
    }
    for (const OptimizerDef* optimizer : allOptimizers()) {
      CAPTURE(optimizer->schema.type);
      CHECK_FALSE(optimizer->schema.help.isEmpty());
      for (const auto& field : optimizer->schema.fields)
        CHECK_FALSE(field.help.isEmpty());
      CHECK_FALSE(optimizer->schema.formula.empty());
      CHECK_FALSE(optimizer->schema.source.empty());
      build(mlp(), {{"loss", "mean_squared_error"}, {"optimizer", optimizer->schema.type}},
            StepMode::Train, Stage::Optimized);
    }
    for (const MetricDef* metric : allMetrics()) {
      CAPTURE(metric->schema.type);
      CHECK_FALSE(metric->schema.help.isEmpty());
      for (const auto& field : metric->schema.fields)
        CHECK_FALSE(field.help.isEmpty());
      build(mlp(),
            {{"loss", "mean_squared_error"},
             {"optimizer", "sgd"},
             {"metrics", {metric->schema.type}}},
            StepMode::Evaluate, Stage::Optimized);
    }
  }

  TEST_CASE("\"accuracy\" is replaced by the metric that Keras chooses") {
    CHECK(resolveMetric("accuracy", TargetKind::Labels, {4, 3}) == "sparse_categorical_accuracy");
    CHECK(resolveMetric("accuracy", TargetKind::Values, {4, 3}) == "categorical_accuracy");
    CHECK(resolveMetric("accuracy", TargetKind::Values, {4, 1}) == "binary_accuracy");
    CHECK(resolveMetric("mean_absolute_error", TargetKind::Values, {4, 1}) ==
          "mean_absolute_error");
  }
}

TEST_SUITE("initial values") {
  VariableRequest request(const char* type, Shape shape, int64_t fanIn, int64_t fanOut) {
    VariableRequest result;
    result.name = "layer/kernel";
    result.shape = shape;
    result.fanIn = fanIn;
    result.fanOut = fanOut;
    result.initializer.type = type;
    return result;
  }

  TEST_CASE("the scaled initializers have the right moments and bounds") {
    const Shape shape{200, 500};
    const std::map<std::string, double> variances{
        {"glorot_uniform", 2.0 / 700}, {"glorot_normal", 2.0 / 700}, {"he_uniform", 2.0 / 200},
        {"he_normal", 2.0 / 200},      {"lecun_uniform", 1.0 / 200}, {"lecun_normal", 1.0 / 200}};
    for (const auto& [type, variance] : variances) {
      CAPTURE(type);
      const Tensor tensor = initialValue(request(type.c_str(), shape, 200, 500), 1);
      double sum = 0, squares = 0, largest = 0;
      for (const float value : tensor.as<float>()) {
        sum += static_cast<double>(value);
        squares += static_cast<double>(value) * static_cast<double>(value);
        largest = std::max(largest, std::abs(static_cast<double>(value)));
      }
      const double n = 100000;
      CHECK(std::abs(sum / n) < 4 * std::sqrt(variance / n));
      CHECK(squares / n == doctest::Approx(variance).epsilon(0.02));
      CHECK(largest <= (type.ends_with("uniform") ? std::sqrt(3 * variance)
                                                  : 2 * std::sqrt(variance) / 0.87962566103423978) *
                           (1 + 1e-6));
    }
  }

  TEST_CASE("initial values depend only on the seed and the name") {
    VariableRequest a = request("glorot_uniform", {3, 4}, 3, 4), b = a;
    b.name = "other/kernel";
    CHECK(initialValue(a, 1).isBitEqual(initialValue(a, 1)));
    CHECK_FALSE(initialValue(a, 1).isBitEqual(initialValue(a, 2)));
    CHECK_FALSE(initialValue(a, 1).isBitEqual(initialValue(b, 1)));
    a.initializer.seed = 7;
    CHECK(initialValue(a, 1).isBitEqual(initialValue(a, 2)));
    a.initializer = {"constant", {{"value", 0.25}}, {}};
    CHECK(initialValue(a, 1).as<float>()[5] == 0.25f);
  }

  TEST_CASE("optimizer state starts at the optimizer's initial values") {
    const StepGraph step =
        build(mlp(), Json::parse(R"({"loss": "mean_squared_error", "optimizer": "adagrad"})"));
    const auto device = openDevice("reference", {1, 0});
    State state(*device);
    initializeState(state, step, 1);
    CHECK(state.read("h/kernel:accumulator").as<float>()[0] == 0.1f);
    CHECK(state.read("h/bias").as<float>()[0] == 0.0f);
    CHECK(state.read("h/kernel").as<float>()[0] != 0.0f);
    state.write("h/bias", Tensor::from<float>({5}, std::vector<float>{1, 2, 3, 4, 5}));
    // initializeState() does not change existing values.
    initializeState(state, step, 2);
    CHECK(state.read("h/bias").as<float>()[4] == 5.0f);
  }
}
