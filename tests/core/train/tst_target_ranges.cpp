// SPDX-License-Identifier: Apache-2.0
// Tests that targets, inputs and outputs are judged by the ranges that losses, metrics and layers
// state, in check and in a run.
#include <fstream>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/check/data_fit.h"
#include "core/check/validate.h"
#include "core/recipe/losses.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// A project with these targets, whose network ends in one Dense layer.
Project projectWith(const Json& targets, int64_t units, const char* activation, const Json& loss,
                    const Json& metrics = Json::array()) {
  Json x = Json::array();
  for (size_t i = 0; i < targets.size(); ++i)
    x.push_back({static_cast<double>(i), 1.0});
  return Project(
      Json{{"format", "strata-project"},
           {"version", 1},
           {"data", {{"source", {{"type", "values"}, {"x", x}, {"y", targets}}}}},
           {"model",
            {{"layers",
              {{{"type", "Input"}, {"name", "x"}, {"shape", {2}}},
               {{"type", "Dense"}, {"name", "d"}, {"units", units}, {"activation", activation}}}}}},
           {"training",
            {{"loss", loss},
             {"optimizer", "sgd"},
             {"metrics", metrics},
             {"batch_size", 1},
             {"epochs", 1}}}});
}

/// Returns the problems as "severity code: sentence [fix, fix]", one a line.
std::string problemsOf(const Project& project) {
  std::string text;
  for (const Diagnostic& each : validate(project)) {
    text += (each.severity == Severity::Error ? "error " : "warning ") + each.code + ": " +
            each.sentence() + " [";
    for (const Fix& fix : each.fixes)
      text += formatText(fix.label, fix.arguments) + ";";
    text += "]\n";
  }
  return text;
}

std::string failureOf(const Project& project) {
  Recorder recorder;
  return messageOf(trainAll(optionsFor(project), recorder));
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

// The last layer of a network with probabilities, scores or positive values
const char* activationOf(const LossDef& loss) {
  switch (loss.ranges.outputs) {
    case OutputRange::Unit: return "sigmoid";
    case OutputRange::Distribution: return "softmax";
    case OutputRange::Positive: return "softplus";
    case OutputRange::Any:
    case OutputRange::Scores: return "linear";
  }
  return "linear";
}

}  // namespace

TEST_SUITE("target ranges") {
  TEST_CASE("each loss refuses targets outside its range, in check and in a run") {
    struct Wrong {
      Json right, wrong;
      const char* message;
      const char* fix;
    };
    const std::map<TargetRange, Wrong> rows{
        {TargetRange::Unit,
         {{{0}, {1}, {0.25}},
          {{0}, {7}, {1}},
          "the target is 7 (expected 0 to 1",
          "Use sparse_categorical_crossentropy;"}},
        {TargetRange::Distribution,
         {{{0, 1}, {0.5, 0.5}, {1, 0}},
          {{0, 1}, {1.5, -0.5}, {1, 0}},
          "the target is 1.5 (expected 0 to 1",
          "Use mean_squared_error;"}},
        {TargetRange::Signs,
         {{{-1}, {1}, {-1}}, {{1}, {2}, {1}}, "the target is 2 (expected -1 and 1", ""}},
        {TargetRange::NotNegative,
         {{{0}, {3}, {2.5}},
          {{0}, {3}, {-2}},
          "the target is -2 (expected 0 or more",
          "Use mean_squared_error;"}},
    };
    int judged = 0;
    for (const LossDef* loss : allLosses()) {
      const std::string& type = loss->schema.type;
      CAPTURE(type);
      if (loss->target != TargetKind::Values) continue;
      const auto row = rows.find(loss->ranges.targets);
      if (row == rows.end()) continue;
      const auto units = static_cast<int64_t>(row->second.right[0].size());
      const auto with = [&](const Json& targets) {
        return projectWith(targets, units, activationOf(*loss), type);
      };
      CHECK(problemsOf(with(row->second.right)) == "");
      CHECK(failureOf(with(row->second.right)) == "no error");
      const std::string problems = problemsOf(with(row->second.wrong));
      CHECK_MESSAGE(has(problems, "error target_out_of_range: sample "), problems);
      CHECK_MESSAGE(has(problems, row->second.message), problems);
      CHECK_MESSAGE(has(problems, std::string("[") + row->second.fix + "]"), problems);
      const std::string failure = failureOf(with(row->second.wrong));
      CHECK_MESSAGE(has(failure, row->second.message), failure);
      ++judged;
    }
    CHECK(judged == 13);
  }

  TEST_CASE("labels 1 and 2 of a binary loss are told to become 0 and 1") {
    const std::string problems =
        problemsOf(projectWith({{1}, {2}, {2}, {1}}, 1, "sigmoid", "binary_crossentropy"));
    CHECK(problems ==
          "error target_out_of_range: sample 1: the target is 2 (expected 0 to 1, because "
          "binary_crossentropy compares probabilities). Change the targets 1 and 2 to 0 and 1. "
          "[]\n");
  }

  TEST_CASE("targets of -1 and 0 together have no meaning for a hinge loss") {
    CHECK(has(problemsOf(projectWith({{-1}, {0}, {1}}, 1, "linear", "hinge")),
              "the target is 0 (expected -1 and 1, or 0 and 1"));
    CHECK(problemsOf(projectWith({{0}, {0}, {1}}, 1, "linear", "hinge")) == "");
  }

  TEST_CASE("one-hot targets and class numbers are told the loss that takes them") {
    const Json oneHot{{1, 0, 0}, {0, 0, 1}, {0, 1, 0}}, numbers{0, 2, 1};
    for (const char* loss :
         {"sparse_categorical_crossentropy", "categorical_generalized_cross_entropy"})
      CHECK(has(problemsOf(projectWith(oneHot, 3, "softmax", loss)),
                "one-hot (one 1 and otherwise 0). Choose categorical_crossentropy. [Use "
                "categorical_crossentropy;]"));
    for (const char* loss :
         {"categorical_crossentropy", "categorical_focal_crossentropy", "kl_divergence"}) {
      CAPTURE(loss);
      const std::string problems = problemsOf(projectWith(numbers, 3, "softmax", loss));
      CHECK_MESSAGE(has(problems, "the data has class numbers"), problems);
      CHECK_MESSAGE(has(problems, "[Use sparse_categorical_crossentropy;]"), problems);
    }
    // The fix keeps the fields that both losses have
    const Project project = projectWith(
        oneHot, 3, "linear", {{"type", "sparse_categorical_crossentropy"}, {"from_logits", true}});
    const Diagnostics problems = validate(project);
    REQUIRE((problems.size() == 1 && problems[0].fixes.size() == 1));
    Project changed = project;
    applyEdit(changed.document(), problems[0].fixes[0].edit);
    CHECK(changed.document()["training"]["loss"] ==
          Json{{"type", "categorical_crossentropy"}, {"from_logits", true}});
    CHECK(problemsOf(changed) == "");
  }

  TEST_CASE("targets that do not sum to 1, and targets of 0 for a percentage, are warnings") {
    CHECK(has(problemsOf(projectWith({{1, 0}, {1, 1}}, 2, "softmax", "categorical_crossentropy")),
              "warning target_out_of_range: sample 1: the targets of the sample sum to 2 "
              "(expected 1"));
    CHECK(has(problemsOf(projectWith({{1}, {0}}, 1, "linear", "mean_absolute_percentage_error")),
              "warning target_out_of_range: sample 1: the target is 0 (expected another value"));
  }

  TEST_CASE("labels beyond the outputs of the network are refused by each loss of labels") {
    for (const LossDef* loss : allLosses()) {
      if (loss->ranges.targets != TargetRange::Classes || loss->target != TargetKind::Labels)
        continue;
      CAPTURE(loss->schema.type);
      const Project project = projectWith({0, 3, 1}, 3, "softmax", loss->schema.type);
      CHECK(has(problemsOf(project), "expected at least 4"));
      CHECK(has(failureOf(project), "the label is 3 (expected 0 to 2, the outputs of d)"));
    }
  }

  TEST_CASE("a final activation outside the range of the loss is a warning with the right one") {
    const Json unit{{0}, {1}}, counts{{0}, {5}};
    const auto warningOf = [&](const Json& targets, const char* activation, const char* loss) {
      return problemsOf(projectWith(targets, 1, activation, loss));
    };
    CHECK(has(warningOf(unit, "tanh", "binary_crossentropy"),
              "warning not_probabilities: the loss binary_crossentropy expects probabilities, but "
              "the network ends in tanh (expected sigmoid)"));
    CHECK(has(warningOf(unit, "linear", "dice"), "ends in linear (expected sigmoid)"));
    CHECK(has(warningOf(counts, "linear", "poisson"),
              "warning not_positive: the loss poisson expects positive outputs, but the network "
              "ends in linear"));
    CHECK(has(warningOf(counts, "linear", "poisson"), "[Set activation to softplus;]"));
    CHECK(has(warningOf(unit, "sigmoid", "hinge"), "warning no_scores"));
    for (const char* activation : {"softplus", "exponential", "relu"})
      CHECK(warningOf(counts, activation, "poisson") == "");
    CHECK(warningOf(unit, "tanh", "hinge") == "");
    CHECK(warningOf(unit, "hard_sigmoid", "binary_crossentropy") == "");
  }

  TEST_CASE("metrics without a value, or with other targets than they compare, are warnings") {
    const auto warningOf = [](const Json& targets, int64_t units, const char* activation,
                              const char* loss, const Json& metric) {
      return problemsOf(projectWith(targets, units, activation, loss, Json::array({metric})));
    };
    const Json values{{3.5}, {1}, {2}}, labels{0, 1, 2}, ones{{1}, {1}};
    for (const char* type : {"pearson_correlation", "concordance_correlation"}) {
      const std::string text = warningOf(values, 1, "linear", "mean_squared_error", type);
      CHECK_MESSAGE(
          has(text, "warning no_value: the metric " + std::string(type) + " has no value"), text);
      CHECK_MESSAGE(has(text, "[Use r2_score;]"), text);
    }
    CHECK(has(warningOf(labels, 3, "softmax", "sparse_categorical_crossentropy",
                        {{"type", "sparse_top_k_categorical_accuracy"}, {"k", 3}}),
              "is always 1, because k is 3"));
    CHECK(has(warningOf(ones, 1, "sigmoid", "binary_crossentropy", "auc"),
              "the metric auc has no value for the training samples: all of their targets are 1"));
    for (const char* type : {"accuracy", "precision", "auc"})
      CHECK(has(warningOf(values, 1, "linear", "mean_squared_error", type),
                "compares targets of 0 and 1, but a target is 3.5"));
    CHECK(warningOf({{0}, {1}}, 1, "sigmoid", "binary_crossentropy", "auc") == "");
    CHECK(warningOf(values, 1, "linear", "mean_squared_error", "r2_score") == "");
  }

  TEST_CASE("an index must be a whole number in the table, and a sample must not be masked") {
    const auto with = [](const Json& x, const Json& layer, const Json& more) {
      Json layers{{{"type", "Input"}, {"name", "words"}, {"shape", {3}}}, layer};
      for (const Json& each : more)
        layers.push_back(each);
      layers.push_back({{"type", "Dense"}, {"name", "d"}, {"units", 1}});
      return Project(Json{{"format", "strata-project"},
                          {"version", 1},
                          {"data", {{"source", {{"type", "values"}, {"x", x}, {"y", {{1}, {2}}}}}}},
                          {"model", {{"layers", layers}}},
                          {"training",
                           {{"loss", "mean_squared_error"},
                            {"optimizer", "sgd"},
                            {"batch_size", 2},
                            {"epochs", 1}}}});
    };
    const Json embedding{{"type", "Embedding"},
                         {"name", "e"},
                         {"input_dim", 4},
                         {"output_dim", 2},
                         {"mask_zero", true}},
        average{{"type", "GlobalAveragePooling1D"}, {"name", "g"}},
        lstm{{"type", "LSTM"}, {"name", "l"}, {"units", 2}, {"return_sequences", true}},
        last{{"type", "LSTM"}, {"name", "l"}, {"units", 2}};
    struct Row {
      Json x, layer, more;
      const char* message;
    };
    const std::vector<Row> rows{
        {{{1, 2, 3}, {1, 1.5, 0}},
         embedding,
         Json::array({average}),
         "value 2 of the sample is 1.5 (expected a whole number from 0 to 3, an index of e)"},
        {{{1, 2, 3}, {1, -0.5, 0}},
         embedding,
         Json::array({average}),
         "value 2 of the sample is -0.5"},
        {{{1, 2, 4}, {1, 1, 0}},
         embedding,
         Json::array({average}),
         "value 3 of the sample is 4 (expected 0 to 3, the indices of e)"},
        {{{1, 2, 3}, {0, 0, 0}},
         embedding,
         Json::array({average}),
         "sample 1: all values of the sample are 0, so e masks all of its steps, and g has "
         "nothing to average"},
        {{{1, 2, 3}, {0, 0, 0}},
         embedding,
         Json::array({lstm, average}),
         "all values of the sample are 0"},
        {{{1, 2, 3}, {1, 9, 0}},
         {{"type", "CategoryEncoding"}, {"name", "c"}, {"num_tokens", 5}},
         Json::array(),
         "value 2 of the sample is 9 (expected 0 to 4, the indices of c). Correct the data, or "
         "raise num_tokens"}};
    for (const Row& row : rows) {
      CAPTURE(row.message);
      const Project project = with(row.x, row.layer, row.more);
      const std::string problems = problemsOf(project), failure = failureOf(project);
      CHECK_MESSAGE(has(problems, row.message), problems);
      CHECK_MESSAGE(has(failure, row.message), failure);
    }
    CHECK(problemsOf(with({{1, 2, 3}, {0, 0, 0}}, embedding, Json::array({last}))) == "");
  }

  TEST_CASE("measured targets that the last activation cannot output are reported") {
    const Json far{{-3.0}, {0.5}, {7.0}}, unit{{0.0}, {0.25}, {1.0}}, positive{{1.0}, {2.0}, {9.0}};
    for (const char* loss : {"mean_squared_error", "mean_absolute_error", "huber", "log_cosh"}) {
      CAPTURE(loss);
      for (const auto& [activation, part] : {std::pair{"sigmoid", "outputs only 0 to 1"},
                                             {"tanh", "outputs only -1 to 1"},
                                             {"relu", "outputs only 0 or more"},
                                             {"log_sigmoid", "outputs only 0 or less"}}) {
        CAPTURE(activation);
        const std::string problems = problemsOf(projectWith(far, 1, activation, loss));
        CHECK(has(problems,
                  "warning unreachable_targets: the targets of the data are from -3 to 7, "
                  "but it ends in " +
                      std::string(activation)));
        CHECK(has(problems, part));
        CHECK(has(problems, "[Set activation to linear;]"));
      }
      CHECK(problemsOf(projectWith(far, 1, "linear", loss)).empty());
      CHECK(problemsOf(projectWith(far, 1, "leaky_relu", loss)).empty());
      CHECK(problemsOf(projectWith(unit, 1, "sigmoid", loss)).empty());
      CHECK(problemsOf(projectWith(positive, 1, "relu", loss)).empty());
    }
  }

  TEST_CASE("a single output that means nothing to the loss is reported") {
    const Json targets{{0.0}, {0.25}, {1.0}};
    CHECK(has(problemsOf(projectWith(targets, 1, "softmax", "mean_squared_error")),
              "warning constant_output: it ends in softmax with one output, which is always 1"));
    CHECK(has(problemsOf(projectWith(targets, 1, "softmax", "dice")), "Set activation to sigmoid"));
    CHECK(has(problemsOf(projectWith(targets, 1, "sigmoid", "kl_divergence")), "one_class"));
    CHECK(has(problemsOf(projectWith(targets, 1, "linear", "cosine_similarity")),
              "Use mean_squared_error;"));
    CHECK(problemsOf(projectWith(targets, 1, "sigmoid", "mean_squared_error")).empty());
  }

  TEST_CASE("a label that marks samples without a class is proposed as ignore_class") {
    const char* const loss = "sparse_categorical_crossentropy";
    for (const int number : {255, 99}) {
      CAPTURE(number);
      const Project project = projectWith({0, 1, 2, number}, 3, "softmax", loss);
      const std::string problems = problemsOf(project);
      CHECK(has(problems, "the data has the label " + std::to_string(number) +
                              ", but the network has 3 outputs (expected 0 to 2)"));
      CHECK(has(problems, "[Set ignore_class to " + std::to_string(number) + ";Set units to"));
      // The fix makes the project right
      Project fixed = project;
      fixed.document()["training"]["loss"] = {{"type", loss}, {"ignore_class", number}};
      CHECK(problemsOf(fixed).empty());
    }
    CHECK(has(problemsOf(projectWith({0, 1, 2, 3}, 3, "softmax", loss)),
              "Increase the size of the last layer"));
    CHECK(has(problemsOf(projectWith({0, 1, 7, 9}, 3, "softmax", loss)),
              "Increase the size of the last layer"));
    CHECK(has(problemsOf(projectWith({1, 2, 3}, 3, "softmax", loss)),
              "the labels of the data begin at 1 (expected 0 to 2, got 1 to 3)"));
  }

  TEST_CASE("the size of an embedding does not depend on the number of classes") {
    const Json labels{0, 1, 2, 3, 4, 5};
    for (const char* loss : {"triplet", "circle"}) {
      CAPTURE(loss);
      CHECK(problemsOf(projectWith(labels, 4, "linear", loss)).empty());
      CHECK(problemsOf(projectWith({0, 1, 0, 1}, 4, "linear", loss)).empty());
    }
  }

  TEST_CASE("one-hot targets of a loss that needs class numbers are named") {
    for (const int hot : {1, 255}) {
      CAPTURE(hot);
      const Json targets{{hot, 0, 0}, {0, hot, 0}, {0, 0, hot}};
      for (const char* loss :
           {"sparse_categorical_crossentropy", "categorical_generalized_cross_entropy"}) {
        CAPTURE(loss);
        const std::string problems = problemsOf(projectWith(targets, 3, "softmax", loss));
        CHECK(has(problems, "one-hot (one " + std::to_string(hot) + " and otherwise 0)"));
        CHECK(has(problems, "Use categorical_crossentropy;"));
      }
      CHECK(has(problemsOf(projectWith(targets, 3, "linear", "triplet")),
                "Change them to class numbers."));
    }
  }

  TEST_CASE("check reports what a run would refuse: monitors and balanced classes") {
    Project project =
        projectWith({{0.5, 1.5}, {2.5, 3.5}, {4.5, 0.5}}, 2, "linear", "mean_squared_error");
    Json& training = project.document()["training"];
    training["metrics"] = Json::parse(R"([{"type": "r2_score", "class_aggregation": null}])");
    training["callbacks"] = Json::parse(R"([{"type": "EarlyStopping", "monitor": "r2_score"}])");
    CHECK(has(problemsOf(project),
              "r2_score is not measured (expected one of: loss, r2_score/0, r2_score/1)"));
    training["callbacks"][0]["monitor"] = "r2_score/1";
    CHECK_FALSE(has(problemsOf(project), "error"));
    project = projectWith({{0.5}, {2.5}, {4.5}}, 1, "linear", "mean_squared_error");
    project.document()["training"]["class_weight"] = "balanced";
    CHECK(has(problemsOf(project), "class_weight is \"balanced\", but the targets are not"));
    CHECK(has(failureOf(project), "class_weight"));
  }

  TEST_CASE("several labels, and equal targets, get a hint that fits them") {
    const Json several{{1, 1, 0}, {0, 1, 1}, {0, 0, 0}}, one{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const char* const loss = "binary_crossentropy";
    CHECK(has(problemsOf(projectWith(several, 3, "sigmoid", loss, {"accuracy"})),
              "[Use binary_accuracy;]"));
    CHECK_FALSE(has(problemsOf(projectWith(several, 3, "sigmoid", loss, {"binary_accuracy"})),
                    "metric_mismatch"));
    CHECK_FALSE(
        has(problemsOf(projectWith(one, 3, "sigmoid", loss, {"accuracy"})), "metric_mismatch"));
    CHECK(has(problemsOf(projectWith({{2}, {2}, {2}}, 1, "sigmoid", loss)),
              "all targets are 2 (expected 0 and 1"));
  }

  TEST_CASE("equal targets, and splits without a class, are reported with their fix") {
    const TemporaryFolder folder;
    const auto problemsFor = [&](const auto& targetOf, const char* loss, const Json& split) {
      std::ofstream file(folder / "t.csv");
      file << "a,b,y\n";
      for (int i = 0; i < 40; ++i)
        file << i % 7 << ",1," << targetOf(i) << "\n";
      file.close();
      const bool isBinary = std::string(loss) != "sparse_categorical_crossentropy";
      Project project =
          projectWith({0, 1}, isBinary ? 1 : 2, isBinary ? "linear" : "softmax", loss);
      Json& data = project.document()["data"];
      data = {{"source", {{"type", "csv"}, {"path", (folder / "t.csv").string()}, {"label", "y"}}}};
      data.update(split);
      return problemsOf(project);
    };
    const char* const sparse = "sparse_categorical_crossentropy";
    const auto same = [](int) {
      return 1;
    };
    const auto sorted = [](int i) {
      return i < 20 ? -1 : 1;
    };
    const auto rare = [](int i) {
      return i < 35 && i % 8 == 0 ? "z" : "x";
    };
    CHECK(has(problemsFor(same, "hinge", Json::object()),
              "warning one_class: All 40 samples have the same target (1)"));
    CHECK(has(problemsFor(same, sparse, Json::object()),
              "warning one_class: All 40 samples have the same target (1)"));
    std::string problems = problemsFor(sorted, "hinge", {{"validation_split", 0.2}});
    CHECK(has(problems,
              "The validation set has only 1 of the 2 classes (it lacks 1, such as \"-1\")"));
    CHECK(has(problems, "Set split to stratified"));
    CHECK(
        problemsFor(sorted, "hinge", {{"validation_split", 0.2}, {"split", "stratified"}}).empty());
    problems = problemsFor(sorted, "hinge", {{"test_split", 0.2}});
    CHECK(has(problems, "The test set has only 1 of the 2 classes"));
    CHECK(has(problems, "Set split to stratified"));
    CHECK(has(problemsFor(rare, sparse, {{"validation_split", 0.1}}),
              "The validation set has only 1 of the 2 classes (it lacks 1, such as \"z\")"));
  }
}
