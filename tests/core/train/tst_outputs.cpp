// SPDX-License-Identifier: Apache-2.0
// Tests networks with several outputs and Input layers. Training two separate networks together
// must equal training each network alone. Metrics have the same names as in Keras, and lists are
// accepted where Keras accepts them. Errors say what was expected.
#include <cmath>
#include <random>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/validate.h"
#include "core/interchange/safetensors.h"
#include "core/train/evaluator.h"
#include "core/train/export_weights.h"
#include "core/train/plan.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

constexpr int kSamples = 26;

/// Returns a project of two separate networks. The first maps a to age, a number; the second maps b
/// to kind, one of three classes.
Json twoNetworks() {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Json a = Json::array(), b = Json::array(), age = Json::array(), kind = Json::array();
  for (int i = 0; i < kSamples; ++i) {
    a.push_back({normal(random), normal(random)});
    b.push_back({normal(random), normal(random), normal(random)});
    age.push_back(Json::array({normal(random)}));
    kind.push_back(i % 3);
  }
  Json document = Json::parse(
      R"({"format": "strata-project", "version": 1, "name": "two", "data": {"validation_split": 0.2}, "model": {"layers": [
    {"type": "Input", "name": "a", "shape": [2]},
    {"type": "Dense", "name": "wide", "units": 5, "activation": "tanh"},
    {"type": "Dense", "name": "age", "units": 1},
    {"type": "Input", "name": "b", "shape": [3]},
    {"type": "Dense", "name": "deep", "units": 6, "activation": "relu"},
    {"type": "Dense", "name": "kind", "units": 3, "activation": "softmax"}]},
    "training": {"loss": {"kind": "sparse_categorical_crossentropy", "age": "mse"}, "metrics": {"kind": ["accuracy"], "age": "mae"},
      "optimizer": {"type": "sgd", "learning_rate": 0.125}, "batch_size": 8, "epochs": 3, "seed": 4}})");
  document["data"]["source"] = {
      {"type", "values"}, {"x", {{"a", a}, {"b", b}}}, {"y", {{"kind", kind}, {"age", age}}}};
  return document;
}

/// Returns a project with only one of the two networks. Its loss, metrics and targets are not given
/// by name.
Json alone(const Json& both, const std::string& input, const std::string& output) {
  Json document = both;
  const size_t first = input == "a" ? 0 : 3;
  const Json layers = both["model"]["layers"];
  document["model"]["layers"] = Json::array({layers[first], layers[first + 1], layers[first + 2]});
  document["data"]["source"]["x"] = both["data"]["source"]["x"][input];
  document["data"]["source"]["y"] = both["data"]["source"]["y"][output];
  for (const char* name : {"loss", "metrics"})
    document["training"][name] = both["training"][name][output];
  if (document["training"]["metrics"].is_string())
    document["training"]["metrics"] = Json::array({document["training"]["metrics"]});
  document["training"].erase("loss_weights");
  return document;
}

struct Trained {
  Recorder recorder;
  RunOutcome outcome;
  std::map<std::string, Tensor> weights;
  double metric(size_t step, const std::string& name) const {
    const auto& names = recorder.start.metricNames;
    const auto at = std::find(names.begin(), names.end(), name) - names.begin();
    REQUIRE_MESSAGE(static_cast<size_t>(at) < names.size(), name);
    return recorder.steps[step].metrics[static_cast<size_t>(at)];
  }
};

std::unique_ptr<Trained> train(const Json& document, const std::filesystem::path& run) {
  auto result = std::make_unique<Trained>();
  SessionOptions options = optionsFor(Project(document), run);
  options.threads = 1;
  result->outcome = trainAll(options, result->recorder);
  REQUIRE_MESSAGE(result->outcome.outcome == Outcome::Finished, messageOf(result->outcome));
  result->weights = weightsIn(run);
  return result;
}

std::string firstError(const Json& document) {
  for (const Diagnostic& each : validate(Project(document)))
    if (each.severity == Severity::Error)
      return each.code + " | " + each.subject() + " | " + each.sentence();
  return "none";
}

}  // namespace

TEST_SUITE("outputs") {
  TEST_CASE(
      "two networks trained together equal each one alone, and the loss is their weighted sum") {
    TemporaryFolder folder;
    for (const int64_t pieces : {1, 2}) {
      Json both = twoNetworks();
      both["training"]["gradient_accumulation_steps"] = pieces;
      // The loss weight is a power of two, so that products are exact.
      both["training"]["loss_weights"] = {{"age", 0.5}};
      const std::string name = "run" + std::to_string(pieces);
      const auto joint = train(both, folder / (name + "joint"));
      CHECK(joint->recorder.start.metricNames ==
            std::vector<std::string>{"age_loss", "kind_loss", "age_mae", "kind_accuracy"});
      Json slower = alone(both, "a", "age");
      slower["training"]["optimizer"]["learning_rate"] = 0.0625;
      const auto age = train(slower, folder / (name + "age")),
                 kind = train(alone(both, "b", "kind"), folder / (name + "kind"));
      REQUIRE(joint->recorder.steps.size() == 9);
      for (size_t i = 0; i < joint->recorder.steps.size(); ++i) {
        CHECK(joint->metric(i, "age_loss") ==
              doctest::Approx(age->recorder.steps[i].loss).epsilon(1e-6));
        CHECK(joint->metric(i, "kind_loss") ==
              doctest::Approx(kind->recorder.steps[i].loss).epsilon(1e-6));
        CHECK(joint->metric(i, "age_mae") == age->metric(i, "mae"));
        CHECK(joint->metric(i, "kind_accuracy") == kind->metric(i, "accuracy"));
        CHECK(joint->recorder.steps[i].loss ==
              doctest::Approx(0.5 * age->recorder.steps[i].loss + kind->recorder.steps[i].loss)
                  .epsilon(1e-6));
      }
      for (const auto* one : {&age->weights, &kind->weights})
        for (const auto& [variable, tensor] : *one)
          CHECK_MESSAGE(joint->weights.at(variable).isBitEqual(tensor), variable);
      CHECK(joint->recorder.epochs.back().validationLoss ==
            doctest::Approx(0.5 * age->recorder.epochs.back().validationLoss +
                            kind->recorder.epochs.back().validationLoss)
                .epsilon(1e-6));
      CHECK(joint->outcome.testLoss ==
            doctest::Approx(0.5 * age->outcome.testLoss + kind->outcome.testLoss).epsilon(1e-6));
    }
  }

  TEST_CASE(
      "with sample weights, each output has the bits of a separate network, also in validation and "
      "test") {
    TemporaryFolder folder;
    Json ofAge = Json::array(), ofKind = Json::array();
    for (int i = 0; i < kSamples; ++i) {
      ofAge.push_back((i * 7 % 5) * 0.5);
      ofKind.push_back(1 + i % 4);
    }
    int count = 0;
    for (const Json& weights : {Json{{"age", ofAge}, {"kind", ofKind}},
                                Json{{"kind", ofKind}, {"age", nullptr}}, ofAge, Json{}}) {
      CAPTURE(weights.dump());
      for (const int64_t pieces : {1, 2}) {
        Json both = twoNetworks();
        both["training"]["gradient_accumulation_steps"] = pieces;
        both["data"]["source"]["weights"] = weights;
        const std::filesystem::path runs = folder / std::to_string(++count);
        const auto joint = train(both, runs / "joint");
        double validationLoss = 0, testLoss = 0;
        for (const auto& [input, output] : {std::pair{"a", "age"}, std::pair{"b", "kind"}}) {
          Json one = alone(both, input, output);
          one["data"]["source"]["weights"] = weights.is_object() ? weights[output] : weights;
          const auto single = train(one, runs / output);
          for (size_t i = 0; i < joint->recorder.steps.size(); ++i)
            CHECK(joint->metric(i, output + std::string("_loss")) ==
                  doctest::Approx(single->recorder.steps[i].loss).epsilon(1e-6));
          for (const auto& [variable, tensor] : single->weights)
            CHECK_MESSAGE(joint->weights.at(variable).isBitEqual(tensor), variable);
          validationLoss += single->recorder.epochs.back().validationLoss;
          testLoss += single->outcome.testLoss;
        }
        CHECK(joint->recorder.epochs.back().validationLoss ==
              doctest::Approx(validationLoss).epsilon(1e-6));
        CHECK(joint->outcome.testLoss == doctest::Approx(testLoss).epsilon(1e-6));
      }
    }
    const auto weighed = [](const Json& weights) {
      Json document = twoNetworks();
      document["data"]["source"]["weights"] = weights;
      return firstError(document);
    };
    CHECK(weighed({{"age", ofAge}})
              .find("weights has no entry for the output \"kind\" (expected age, kind, got age)") !=
          std::string::npos);
    CHECK(weighed({{"age", ofAge}, {"kind", ofKind}, {"size", ofAge}})
              .find("no output with this name (expected age, kind)") != std::string::npos);
    Json misnamed = twoNetworks();
    misnamed["data"]["source"]["weights"] = {{"agee", ofAge}, {"kind", ofKind}};
    const Diagnostics problems = validate(Project(misnamed));
    REQUIRE(problems.size() == 1);
    CHECK(problems[0].line().find("weights contains \"agee\", but there is no output with this "
                                  "name (expected age, kind)") != std::string::npos);
    Json wrong = ofAge;
    wrong[3] = -2;
    CHECK(weighed({{"age", wrong}, {"kind", nullptr}})
              .find("weights/age must contain a weight for each sample (expected 26 numbers of at "
                    "least 0, got -2.0)") != std::string::npos);
    wrong.erase(3);
    CHECK(
        weighed(wrong).find("weights must contain a weight for each sample (expected 26 numbers of "
                            "at least 0, got [25])") != std::string::npos);
    CHECK(weighed("age").find("weights has the wrong type") != std::string::npos);
  }

  TEST_CASE("lists follow the order of the outputs, which /model/outputs may set") {
    TemporaryFolder folder;
    Json listed = twoNetworks();
    const auto expected = train(listed, folder / "object");
    listed["training"]["loss"] = Json::array({"mse", "sparse_categorical_crossentropy"});
    listed["training"]["loss_weights"] = Json::array({1.0, 1.0});
    listed["training"]["metrics"] = Json::parse(R"([["mae"], ["accuracy"]])");
    CHECK(train(listed, folder / "list")->outcome.weightsHash == expected->outcome.weightsHash);
    Json named = twoNetworks();
    named["model"]["outputs"] = Json::array({"kind", "age"});
    const auto other = train(named, folder / "named");
    CHECK(other->recorder.start.metricNames ==
          std::vector<std::string>{"kind_loss", "age_loss", "kind_accuracy", "age_mae"});
    CHECK(other->outcome.weightsHash == expected->outcome.weightsHash);
    // A layer that is the input of another layer may also be an output.
    Json inner = twoNetworks();
    inner["model"]["outputs"] = Json::array({"wide", "age", "kind"});
    inner["training"]["loss"] = "mse";
    inner["training"].erase("metrics");
    inner["data"]["source"]["y"]["wide"] = Json::array();
    inner["data"]["source"]["y"]["kind"] = Json::array();
    for (int i = 0; i < kSamples; ++i) {
      inner["data"]["source"]["y"]["wide"].push_back({0, 0, 0, 0, 0});
      inner["data"]["source"]["y"]["kind"].push_back({0, 0.5, 1});
    }
    const auto three = train(inner, folder / "inner");
    CHECK(three->recorder.start.metricNames ==
          std::vector<std::string>{"wide_loss", "age_loss", "kind_loss"});
  }

  TEST_CASE("predict, evaluate, export, plan and resumed runs support several outputs") {
    TemporaryFolder folder;
    const Json document = twoNetworks();
    const auto whole = train(document, folder / "whole");
    Evaluator evaluator(Project(document), (folder / "whole").string(), "cpu", 1);
    CHECK(evaluator.outputNames() == std::vector<std::string>{"age", "kind"});
    REQUIRE(evaluator.inputs().size() == 2);
    CHECK(evaluator.inputs()[1].name == "b");
    CHECK(evaluator.inputs()[1].shape == Shape{3});
    const EvaluationResult evaluation = evaluator.evaluate("test");
    CHECK(evaluation.loss == doctest::Approx(whole->outcome.testLoss));
    REQUIRE(evaluation.outputs.size() == 2);
    CHECK(evaluation.outputs[0].predictedClasses.empty());
    CHECK(evaluation.outputs[1].classes[4] == 1);
    const auto dataset = loadDataset(Project(document));
    const auto said = evaluator.predict(sampleOf(*dataset->test, 4));
    REQUIRE(said.size() == 2);
    CHECK(said[0].size() == 1);
    CHECK(said[1].size() == 3);
    CHECK(!evaluator.classOf(0, said[0]));
    CHECK(evaluator.classOf(1, said[1])->index == evaluation.outputs[1].predictedClasses[4]);
    CHECK(
        exportWeights(Project(document), (folder / "whole").string(), (folder / "out.npz").string())
            .largestDifference == 0);
    PlanOptions options;
    options.device = "reference";
    options.threads = 1;
    options.measuresStepTime = false;
    CHECK(planTraining(Project(document), options).peakBytes == whole->outcome.peakBytes);

    const auto run = folder / "stopped";
    Recorder first, recorder;
    CHECK(trainUntil(5, optionsFor(Project(document), run), first).outcome == Outcome::Stopped);
    const RunOutcome outcome = trainAll(resumeOptions(Project(document), run), recorder);
    CHECK(recorder.start.firstStep == 5);
    CHECK(outcome.testLoss == doctest::Approx(whole->outcome.testLoss).epsilon(1e-6));
  }

  TEST_CASE("each Input has its own statistics, transforms and encodings") {
    Json document = twoNetworks();
    Json& layers = document["model"]["layers"];
    layers[4] = {{"type", "Normalization"}, {"name", "deep"}, {"axis", -1}};
    document["data"]["transforms"] = Json::parse(
        R"([{"type": "rescale", "scale": 4, "input": "b"}, {"type": "one_hot", "output": "kind"}])");
    document["training"]["loss"]["kind"] = "categorical_crossentropy";
    CHECK(firstError(document) == "none");
    const auto dataset = loadDataset(Project(document));
    CHECK(dataset->transforms[0].scale == 1);
    CHECK(dataset->transforms[1].scale == 4);
    CHECK(dataset->targets[1].shape == Shape{3});
    TemporaryFolder folder;
    const auto trained = train(document, folder / "run");
    double mean = 0;
    for (int64_t i = 0; i < dataset->trainCount; ++i)
      mean += 4 *
              static_cast<double>(dataset->train->x[1].as<float>()[static_cast<size_t>(3 * i)]) /
              static_cast<double>(dataset->trainCount);
    CHECK(static_cast<double>(trained->weights.at("deep/mean").as<float>()[0]) ==
          doctest::Approx(mean).epsilon(1e-4));
  }

  TEST_CASE("an output whose loss is null is predicted but not trained") {
    TemporaryFolder folder;
    Json document = twoNetworks();
    document["training"]["loss"]["kind"] = nullptr;
    document["training"]["metrics"].erase("kind");
    CHECK(firstError(document) == "none");
    const auto both = train(document, folder / "object");
    CHECK(both->recorder.start.metricNames == std::vector<std::string>{"age_mae"});
    const auto age = train(alone(twoNetworks(), "a", "age"), folder / "age");
    for (const auto& [variable, tensor] : age->weights)
      CHECK_MESSAGE(both->weights.at(variable).isBitEqual(tensor), variable);
    CHECK(both->outcome.testLoss == age->outcome.testLoss);
    // Layers that only the output "kind" uses keep their initial values.
    Json still = document;
    still["training"]["optimizer"]["learning_rate"] = 0.0;
    const auto begun = train(still, folder / "still");
    for (const char* variable : {"deep/kernel", "kind/kernel"})
      CHECK(both->weights.at(variable).isBitEqual(begun->weights.at(variable)));
    CHECK(!both->weights.at("age/kernel").isBitEqual(begun->weights.at("age/kernel")));
    Evaluator evaluator(Project(document), (folder / "object").string(), "cpu", 1);
    CHECK(evaluator.outputNames() == std::vector<std::string>{"age", "kind"});
    const auto said = evaluator.predict(sampleOf(*loadDataset(Project(document))->test, 4));
    REQUIRE(said.size() == 2);
    CHECK(said[1].size() == 3);
    CHECK(said[1][0] + said[1][1] + said[1][2] == doctest::Approx(1));
    CHECK(!evaluator.classOf(1, said[1]));
    // The targets of "kind" may be missing, and the losses may be a list.
    document["data"]["source"]["y"].erase("kind");
    document["training"]["loss"] = Json::array({"mse", nullptr});
    CHECK(train(document, folder / "list")->outcome.weightsHash == both->outcome.weightsHash);
    document["data"]["source"]["y"] = Json(document["data"]["source"]["y"]["age"]);
    CHECK(train(document, folder / "one")->outcome.weightsHash == both->outcome.weightsHash);
  }

  TEST_CASE("errors name the output or Input, and expected and actual values") {
    const auto wrong = [](const std::function<void(Json&)>& change) {
      Json document = twoNetworks();
      change(document);
      return firstError(document);
    };
    const auto has = [](const std::string& text, std::initializer_list<const char*> parts) {
      bool isThere = true;
      for (const char* part : parts)
        isThere = isThere && text.find(part) != std::string::npos;
      CHECK_MESSAGE(isThere, text);
    };
    has(wrong([](Json& d) { d["training"]["loss"].erase("age"); }),
        {"missing_field", "age has no loss", "(expected one for each of age, kind, got kind)"});
    has(wrong([](Json& d) { d["training"]["loss"]["kind"] = nullptr; }),
        {"conflict", "kind has no loss", "got [\"accuracy\"]"});
    has(wrong([](Json& d) {
          d["training"]["loss"] = {{"age", nullptr}, {"kind", nullptr}};
        }),
        {"missing_field",
         "no output has a loss (expected one for at least one of age, kind, got null)"});
    has(wrong([](Json& d) { d["training"]["loss"]["agee"] = "mse"; }),
        {"unknown_name", "agee", "(expected age, kind, got agee)"});
    has(wrong([](Json& d) { d["training"]["loss"] = Json::array({"mse"}); }),
        {"shape_mismatch", "(expected 2, for age, kind, got 1)"});
    has(wrong([](Json& d) { d["training"]["loss"] = "mse"; }), {"several_outputs", "age", "kind"});
    has(wrong([](Json& d) {
          d["training"]["loss_weights"] = Json::array({1, 2, 3});
        }),
        {"shape_mismatch", "loss_weights", "a list of 2", "got [1,2,3]"});
    has(wrong([](Json& d) {
          d["training"]["loss_weights"] = {{"age", "x"}};
        }),
        {"wrong_type", "age", "(expected a number, got \"x\")"});
    has(wrong([](Json& d) {
          d["training"]["loss_weights"] = {{"old", 1}};
        }),
        {"unknown_name", "old"});
    has(wrong([](Json& d) { d["training"]["metrics"] = Json::array({"accuracy"}); }),
        {"shape_mismatch", "metrics", "for age, kind"});
    has(wrong([](Json& d) { d["training"]["metrics"]["age"] = Json::array({"accuracyy"}); }),
        {"accuracyy"});
    has(wrong([](Json& d) {
          d["training"]["metrics"]["age"] =
              Json::parse(R"([{"type": "mean_absolute_error", "name": "loss"}])");
        }),
        {"duplicate_name", "age_loss is listed twice"});
    has(wrong([](Json& d) {
          d["training"]["class_weight"] = {{"0", 2.0}};
        }),
        {"conflict", "class_weight", "(expected 1, got 2)"});
    has(wrong([](Json& d) {
          d["training"]["callbacks"] =
              Json::array({Json{{"type", "EarlyStopping"}, {"monitor", "val_agee_loss"}}});
        }),
        {"unknown_monitor", "val_age_loss"});
    has(wrong([](Json& d) { d["data"]["source"]["y"].erase("age"); }),
        {"missing_field", "output \"age\"", "got kind"});
    has(wrong([](Json& d) { d["data"]["source"]["y"]["sex"] = d["data"]["source"]["y"]["age"]; }),
        {"unknown_name", "sex", "expected age, kind"});
    has(wrong([](Json& d) { d["data"]["source"]["y"] = Json(d["data"]["source"]["y"]["age"]); }),
        {"wrong_type", "for each output", "age, kind"});
    has(wrong([](Json& d) { d["data"]["source"]["x"].erase("b"); }),
        {"missing_field", "Input layer \"b\"", "got a"});
    has(wrong([](Json& d) { d["data"]["source"]["x"]["b"].erase(0); }),
        {"shape_mismatch", "x/b", "expected 26, got 25"});
    has(wrong([](Json& d) { d["data"]["source"]["y"]["kind"][3] = 0.5; }),
        {"wrong_type", "y/kind"});
    has(wrong([](Json& d) { d["data"]["source"]["y"]["kind"][3] = 7; }),
        {"shape_mismatch", "kind", "expected at least 8"});
    has(wrong([](Json& d) { d["data"]["source"] = "mnist"; }),
        {"shape_mismatch", "Input layers a, b"});
    has(wrong([](Json& d) {
          d["data"]["transforms"] = Json::array({Json{{"type", "rescale"}, {"input", "c"}}});
        }),
        {"unknown_name", "\"c\"", "expected one of: a, b"});
    has(wrong([](Json& d) { d["model"]["layers"][3]["shape"] = Json::array({4}); }),
        {"shape_mismatch", "b", "shape is [4] (expected [3]"});
    has(wrong([](Json& d) { d["model"]["layers"][2]["units"] = 2; }),
        {"shape_mismatch", "age", "the output has the shape [2] (expected 1 value"});
    has(wrong([](Json& d) { d["model"]["outputs"] = Json::array({"age"}); }),
        {"several_outputs", "kind", "(expected age)"});
    has(wrong([](Json& d) {
          d["model"]["outputs"] = Json::array({"age", "kin"});
        }),
        {"wrong_outputs", "kin"});
    has(wrong([](Json& d) {
          d["model"]["outputs"] = Json::array({"age", "age"});
        }),
        {"wrong_outputs", "twice"});
    has(wrong([](Json& d) { d["model"]["outputs"] = "age"; }), {"wrong_outputs", "got \"age\""});
    CHECK(firstError(twoNetworks()) == "none");
  }
}
