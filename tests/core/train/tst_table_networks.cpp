// SPDX-License-Identifier: Apache-2.0
// Tests that the network which is offered for a table predicts better than a constant guess.
#include <cmath>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/data/table_edits.h"
#include "core/data/table_network.h"
#include "gpu/base/rng.h"
#include "tests/support/csv_file.h"
#include "tests/support/small_run.h"

using namespace strata;

namespace {

/// Returns a project for the table as a newcomer makes it: the first fix for missing values, and
/// the first network.
Project projectFor(const std::string& path, const std::string& label = "") {
  Project project = emptyProject();
  Json& json = project.document();
  applyEdit(json, chooseTableEdit(json, path));
  const auto described = [&] {
    return describeTable(json["data"]["source"], "");
  };
  if (!label.empty())
    applyEdit(json, setRoleEdit(json, described(), label, ColumnDescription::Role::Label));
  const std::vector<Fix> networks = networkFixes(project, described());
  REQUIRE_FALSE(networks.empty());
  applyEdit(json, networks[0].edit);
  if (const std::vector<Fix> missing = missingFixes(json, described()); !missing.empty())
    applyEdit(json, missing[0].edit);
  return project;
}

/// The validation of a run, and that of the best constant guess.
struct Scores {
  double accuracy = 0, guessedAccuracy = 0, error = 0, guessedError = 0;
};

Scores trained(const Project& project) {
  Recorder recorder;
  SessionOptions options = optionsFor(project);
  options.device = "cpu";
  const RunOutcome outcome = trainAll(options, recorder);
  INFO(messageOf(outcome));
  REQUIRE(outcome.outcome == Outcome::Finished);
  Scores scores;
  const EpochMetrics& last = recorder.epochs.back();
  REQUIRE(last.hasValidation);
  const auto data = loadDataset(project);
  const auto begin = static_cast<size_t>(data->trainCount),
             count = static_cast<size_t>(data->validationCount);
  const Tensor values = data->train->y[0].converted(DType::F64);
  const std::vector<double> targets(values.as<double>().begin() + begin,
                                    values.as<double>().begin() + begin + count);
  if (data->targets[0].hasLabels) {
    scores.accuracy = last.validationMetrics.at(0);
    std::map<double, double> counts;
    for (const double each : targets)
      scores.guessedAccuracy =
          std::max(scores.guessedAccuracy, ++counts[each] / static_cast<double>(count));
    return scores;
  }
  scores.error = std::sqrt(last.validationLoss);
  double mean = 0, squares = 0;
  for (const double each : targets)
    mean += each / static_cast<double>(count);
  for (const double each : targets)
    squares += (each - mean) * (each - mean) / static_cast<double>(count);
  scores.guessedError = std::sqrt(squares);
  return scores;
}

/// A number from -1 to 1.
double between(RandomStream& random) { return random.below(2001) / 1000.0 - 1; }

}  // namespace

TEST_SUITE("table networks") {
  TEST_CASE("penguins") {
    const Scores scores =
        trained(projectFor((sourceDir() / "projects/data/penguins.csv").string(), "species"));
    CHECK(scores.accuracy > 0.9);
    CHECK(scores.guessedAccuracy < 0.6);
  }

  TEST_CASE("prices of about 100000") {
    CsvFile table;
    RandomStream random(3, 1);
    std::string text = "area,rooms,district,price\n";
    for (int i = 0; i < 300; ++i) {
      const auto area = 40 + static_cast<int>(random.below(160)), rooms = 1 + area / 30;
      const uint32_t district = random.below(3);
      const double price =
          30000 + 900 * area + 40000 * static_cast<double>(district) + 8000 * between(random);
      text += std::to_string(area) + "," + std::to_string(rooms) + ",d" + std::to_string(district) +
              "," + std::to_string(static_cast<int>(price)) + "\n";
    }
    table.write(text);
    const Scores scores = trained(projectFor(table.path()));
    CHECK(scores.error < 0.3 * scores.guessedError);
  }

  TEST_CASE("small and large values without a label scale near 1") {
    for (const double scale : {1e-6, 1.0, 1e9}) {
      CsvFile table;
      RandomStream random(4, 1);
      std::string text = "a,b,y\n";
      for (int i = 0; i < 200; ++i) {
        const double a = between(random), b = between(random);
        text +=
            Json(a).dump() + "," + Json(b).dump() + "," + Json(scale * (a - 2 * b)).dump() + "\n";
      }
      table.write(text);
      const Scores scores = trained(projectFor(table.path()));
      CAPTURE(scale);
      CHECK(scores.error < 0.3 * scores.guessedError);
    }
  }

  TEST_CASE("yes or no, with missing cells and sorted rows") {
    CsvFile table;
    RandomStream random(5, 1);
    std::string yes, no;
    for (int i = 0; i < 240; ++i) {
      const double a = between(random), b = between(random);
      const bool isYes = a + b + 0.2 * between(random) > 0.2;
      (isYes ? yes : no) += (i % 9 == 0 ? "" : Json(a).dump()) + "," + Json(b).dump() + "," +
                            (i % 7 == 0 ? "NA" : (i % 2 ? "red" : "blue")) +
                            (isYes ? ",yes\n" : ",no\n");
    }
    table.write("a,b,colour,bought\n" + no + yes);
    const Project project = projectFor(table.path());
    CHECK(project.document()["training"]["loss"]["type"] == "binary_crossentropy");
    CHECK(project.document()["data"]["source"]["missing"] == "mean");
    const Scores scores = trained(project);
    CHECK(scores.accuracy > scores.guessedAccuracy + 0.1);
  }
}
