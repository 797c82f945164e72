// SPDX-License-Identifier: Apache-2.0
// Compares the figures of predictions with those of scikit-learn and NumPy (cases.json, which
// make_cases.py wrote), and tests which figures are unknown.
#include <algorithm>
#include <cmath>
#include <limits>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "core/evaluation/agreement.h"
#include "core/evaluation/classification.h"
#include "core/evaluation/histogram.h"
#include "core/evaluation/regression.h"
#include "core/project/json.h"
#include "core/project/project.h"
#include "gpu/base/error.h"
#include "gpu/base/rng.h"
#include "tests/support/paths.h"

using namespace strata;

namespace {

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

Json cases(const char* list) {
  const std::string path = (sourceDir() / "tests/core/evaluation/cases.json").string();
  Json found = parseJson(readFile(path, kMaxJsonBytes), path).at(list);
  REQUIRE(found.size() > 5);
  return found;
}

double number(const Json& json) {
  if (json.is_number()) return json.get<double>();
  const std::string& text = json.get_ref<const std::string&>();
  if (text == "nan") return kNan;
  return text == "inf" ? kInfinity : -kInfinity;
}

template <class Value>
std::vector<Value> numbers(const Json& json) {
  std::vector<Value> result;
  for (const Json& each : json)
    result.push_back(static_cast<Value>(number(each)));
  return result;
}

/// Whether the values are equal to about nine digits, which is what cases.json has.
bool isClose(double value, double expected) {
  return value == expected ||
         std::abs(value - expected) <= 2e-9 * std::max(1.0, std::abs(expected));
}

void checkAll(const std::vector<double>& values, const Json& expected) {
  REQUIRE(values.size() == expected.size());
  for (size_t i = 0; i < values.size(); ++i) {
    CAPTURE(i);
    CHECK_MESSAGE(isClose(values[i], number(expected[i])), values[i], " for ", number(expected[i]));
  }
}

CollectedOutput outputOf(const Json& test) {
  const std::string& kind = test["kind"].get_ref<const std::string&>();
  CollectedOutput output;
  output.kind = OutputKind::Values;
  if (kind == "classes") output.kind = OutputKind::Classes;
  if (kind == "binary") output.kind = OutputKind::Binary;
  if (kind == "labels") output.kind = OutputKind::Labels;
  output.columns = test["columns"].get<int64_t>();
  output.predicted = numbers<float>(test["predicted"]);
  output.samples = std::ssize(output.predicted) / output.columns;
  if (test.contains("truth")) output.truth = numbers<float>(test["truth"]);
  if (test.contains("classes")) output.classes = numbers<int32_t>(test["classes"]);
  for (size_t i = 0; i < output.classes.size(); ++i) {
    const auto row = output.predicted.begin() + static_cast<std::ptrdiff_t>(i) * output.columns;
    output.predictedClasses.push_back(
        output.kind == OutputKind::Binary
            ? (*row > 0.5f ? 1 : 0)
            : static_cast<int32_t>(std::max_element(row, row + output.columns) - row));
  }
  return output;
}

void checkCurves(const ClassCurves& curves, const Json& expected) {
  const Json &roc = expected["roc"], &pr = expected["pr"];
  REQUIRE(static_cast<bool>(curves.roc) == !roc.is_null());
  if (curves.roc) {
    checkAll(curves.roc->falsePositiveRates, roc["false"]);
    checkAll(curves.roc->truePositiveRates, roc["true"]);
    checkAll(curves.roc->thresholds, roc["thresholds"]);
    CHECK(isClose(curves.roc->area, number(roc["area"])));
  }
  REQUIRE(static_cast<bool>(curves.precisionRecall) == !pr.is_null());
  if (!curves.precisionRecall) return;
  checkAll(curves.precisionRecall->precisions, pr["precisions"]);
  checkAll(curves.precisionRecall->recalls, pr["recalls"]);
  std::vector<double> thresholds = curves.precisionRecall->thresholds;
  CHECK(std::isinf(thresholds.back()));
  thresholds.pop_back();
  checkAll(thresholds, pr["thresholds"]);
  CHECK(isClose(curves.precisionRecall->averagePrecision, number(pr["average"])));
}

void checkDiagram(const Figure<Reliability>& diagram, const Json& expected) {
  REQUIRE(diagram);
  std::vector<double> counts, confidences, shares;
  for (const ReliabilityBin& bin : diagram->bins) {
    counts.push_back(static_cast<double>(bin.samples));
    if (bin.confidence) confidences.push_back(*bin.confidence);
    if (bin.share) shares.push_back(*bin.share);
  }
  checkAll(counts, expected["counts"]);
  checkAll(confidences, expected["confidence"]);
  checkAll(shares, expected["share"]);
  CHECK(isClose(diagram->expectedError, number(expected["error"])));
}

void checkScores(const ClassScores& scores, const Json& expected) {
  checkAll({scores.precision, scores.recall, scores.f1, static_cast<double>(scores.samples)},
           expected);
}

void checkMeans(const Figure<ScoreMeans>& means, const Json& expected) {
  REQUIRE(means);
  const auto check = [&](const MeanScores& scores, const char* name) {
    CAPTURE(name);
    checkAll({scores.precision, scores.recall, scores.f1}, expected[name]);
  };
  check(means->macro, "macro");
  check(means->micro, "micro");
  check(means->weighted, "weighted");
}

void checkClassifier(const Json& test) {
  const CollectedOutput output = outputOf(test);
  const ClassificationFigures figures = classificationFigures(output, {1000000, 10});
  const Json& want = test["want"];
  REQUIRE(figures.confusion.has_value() == !want["confusion"].is_null());
  if (figures.confusion) CHECK(figures.confusion->counts == numbers<int64_t>(want["confusion"]));
  checkMeans(figures.means, want["means"]);
  REQUIRE(figures.classes.size() == want["each"].size());
  if (figures.negativeScores) checkScores(*figures.negativeScores, want["scores"][0]);
  for (size_t i = 0; i < figures.classes.size(); ++i) {
    CAPTURE(i);
    const ClassFigures& figure = figures.classes[i];
    const Json& each = want["each"][i];
    checkScores(figure.scores, want["scores"][static_cast<size_t>(figure.index)]);
    checkCurves(figure.curves, each);
    checkDiagram(figure.calibration, each["calibration"]);
    REQUIRE(figure.brierScore);
    CHECK(isClose(*figure.brierScore, number(each["brier"])));
  }
  checkCurves(figures.micro, want["micro"]);
  checkDiagram(figures.calibration, want["calibration"]);
  REQUIRE(figures.brierScore);
  CHECK(isClose(*figures.brierScore, number(want["brier"])));
}

void checkRegression(const RegressionScores& scores, const Json& expected) {
  CHECK(isClose(scores.meanAbsoluteError, number(expected[0])));
  CHECK(isClose(scores.rootMeanSquaredError, number(expected[1])));
  CHECK(isClose(scores.medianAbsoluteError, number(expected[2])));
  REQUIRE(static_cast<bool>(scores.determination) == !expected[3].is_null());
  if (scores.determination) CHECK(isClose(*scores.determination, number(expected[3])));
}

/// An output with the probabilities of two or more classes.
CollectedOutput classesOutput(std::vector<float> predicted, int64_t columns,
                              std::vector<int32_t> classes) {
  CollectedOutput output;
  output.kind = OutputKind::Classes;
  output.columns = columns;
  output.samples = std::ssize(classes);
  output.predicted = std::move(predicted);
  output.predictedClasses.assign(classes.size(), 0);
  output.classes = std::move(classes);
  return output;
}

}  // namespace

TEST_SUITE("evaluation") {
  TEST_CASE("figures of classifiers are those of scikit-learn") {
    int checked = 0;
    for (const Json& test : cases("outputs")) {
      if (test["kind"] == "values") continue;
      CAPTURE(test["name"].get<std::string>());
      checkClassifier(test);
      ++checked;
    }
    CHECK(checked >= 10);
  }

  TEST_CASE("figures of regressions are those of scikit-learn") {
    int checked = 0;
    for (const Json& test : cases("outputs")) {
      if (test["kind"] != "values") continue;
      CAPTURE(test["name"].get<std::string>());
      const CollectedOutput output = outputOf(test);
      const auto figures = regressionFigures(output.predicted, output.truth, output.columns,
                                             test["bins"].get<int64_t>());
      const Json& want = test["want"];
      REQUIRE(figures);
      checkRegression(figures->overall, want["overall"]);
      REQUIRE(figures->columns.size() == want["each"].size());
      for (size_t i = 0; i < figures->columns.size(); ++i)
        checkRegression(figures->columns[i], want["each"][i]);
      CHECK(figures->residuals.counts == numbers<int64_t>(want["counts"]));
      checkAll(figures->residuals.edges, want["edges"]);
      checkAll({figures->overall.minTrue, figures->overall.maxTrue, figures->overall.minPredicted,
                figures->overall.maxPredicted},
               want["extremes"]);
      ++checked;
    }
    CHECK(checked >= 4);
  }

  TEST_CASE("two classifiers agree on the samples that both or neither predict correctly") {
    const std::vector<int32_t> classes{0, 1, 2, 1, -1, 0}, first{0, 1, 0, 2, 1, 0},
        second{0, 0, 2, 0, 1, 0};
    const Agreement agreement = agreementOf(classes, first, second);
    CHECK(agreement.both == std::vector<int64_t>{0, 5});
    CHECK(agreement.onlyFirst == std::vector<int64_t>{1});
    CHECK(agreement.onlySecond == std::vector<int64_t>{2});
    CHECK(agreement.neither == std::vector<int64_t>{3});
    CHECK_THROWS_AS(agreementOf(classes, first, std::vector<int32_t>{0}), Error);
  }

  TEST_CASE("histograms are those of NumPy") {
    for (const Json& test : cases("histograms")) {
      CAPTURE(test["name"].get<std::string>());
      const Histogram found =
          histogram(numbers<float>(test["values"]), test["bins"].get<int64_t>());
      const Json& want = test["want"];
      CHECK(found.counts == numbers<int64_t>(want["counts"]));
      checkAll(found.edges, want["edges"]);
      CHECK(found.nan == want["others"][0].get<int64_t>());
      CHECK(found.infinite == want["others"][1].get<int64_t>());
      REQUIRE(found.moments.has_value() == !want["moments"].is_null());
      if (found.moments)
        checkAll({found.moments->mean, found.moments->standardDeviation, found.moments->min,
                  found.moments->max},
                 want["moments"]);
    }
    CHECK_THROWS_AS(histogram(std::vector<float>{1}, 0), Error);
    CHECK_THROWS_AS(histogram(std::vector<float>{1}, kMaxBins + 1), Error);
    // numpy.histogram refuses equal values of this size, because 0.5 does not change them
    const Histogram large = histogram(std::vector<float>{1e30f, 1e30f}, 3);
    CHECK(large.counts == std::vector<int64_t>{0, 2, 0});
    CHECK(large.edges[0] < large.edges[1]);
  }

  TEST_CASE("every value is in the bin whose edges enclose it") {
    RandomStream random(3, 1);
    for (const int64_t bins : {1, 2, 3, 7, 64, 1000}) {
      std::vector<float> values;
      for (int i = 0; i < 500; ++i)
        values.push_back(static_cast<float>(random.uniform() * 7 - 2));
      const Histogram found = histogram(values, bins);
      std::vector<int64_t> counts(static_cast<size_t>(bins));
      for (const float value : values)
        for (size_t i = 0; i < counts.size(); ++i)
          if (value >= found.edges[i] && (value < found.edges[i + 1] ||
                                          (i + 1 == counts.size() && value <= found.edges[i + 1])))
            ++counts[i];
      CHECK(found.counts == counts);
    }
  }

  TEST_CASE("the area is the share of pairs that are in the right order") {
    RandomStream random(9, 1);
    for (int round = 0; round < 20; ++round) {
      std::vector<float> scores;
      std::vector<uint8_t> isPositive;
      for (int i = 0; i < 40; ++i) {
        scores.push_back(static_cast<float>(std::floor(random.uniform() * 12) / 12));
        isPositive.push_back(i < 2 ? static_cast<uint8_t>(i) : random.uniform() < 0.4);
      }
      double right = 0, pairs = 0;
      for (size_t i = 0; i < scores.size(); ++i)
        for (size_t k = 0; k < scores.size(); ++k) {
          if (isPositive[i] == 0 || isPositive[k] != 0) continue;
          pairs += 1;
          if (scores[i] > scores[k]) right += 1;
          if (scores[i] == scores[k]) right += 0.5;
        }
      CHECK(rocCurve(*countsByThreshold(scores, isPositive))->area ==
            doctest::Approx(right / pairs).epsilon(1e-12));
    }
  }

  TEST_CASE("a thinned curve keeps its ends, its area and the order of its points") {
    RandomStream random(5, 1);
    std::vector<float> scores;
    std::vector<uint8_t> isPositive;
    for (int i = 0; i < 3000; ++i) {
      isPositive.push_back(random.uniform() < 0.3);
      scores.push_back(static_cast<float>(random.uniform() + 0.2 * isPositive.back()));
    }
    const ThresholdCounts counts = *countsByThreshold(scores, isPositive);
    const RocCurve roc = *rocCurve(counts);
    const PrecisionRecallCurve pr = *precisionRecallCurve(counts);
    for (const int64_t points : {2, 3, 10, 200, 2999, 100000}) {
      CAPTURE(points);
      const RocCurve few = thinned(roc, points);
      CHECK(std::ssize(few.thresholds) <= points);
      CHECK((few.thresholds.size() > static_cast<size_t>(points) / 2 ||
             few.thresholds.size() == roc.thresholds.size()));
      CHECK(few.area == roc.area);
      CHECK(few.falsePositiveRates.front() == 0);
      CHECK(few.truePositiveRates.back() == 1);
      CHECK(std::ranges::is_sorted(few.falsePositiveRates));
      CHECK(std::ranges::adjacent_find(few.thresholds) == few.thresholds.end());
      double largestStep = 0;
      for (size_t i = 1; i < few.thresholds.size(); ++i)
        largestStep =
            std::max(largestStep, few.falsePositiveRates[i] - few.falsePositiveRates[i - 1]);
      CHECK(largestStep <= 4.0 / static_cast<double>(few.thresholds.size()));
      const PrecisionRecallCurve fewer = thinned(pr, points);
      CHECK(std::ssize(fewer.thresholds) <= points);
      CHECK(fewer.averagePrecision == pr.averagePrecision);
      CHECK(fewer.recalls.front() == 1);
      CHECK(fewer.precisions.back() == 1);
    }
    CHECK_THROWS_AS(thinned(roc, 1), Error);
  }

  TEST_CASE("figures that the data does not define are unknown, and say why") {
    const std::vector<uint8_t> none{0, 0}, all{1, 1}, both{0, 1};
    const std::vector<float> scores{0.2f, 0.7f};
    const auto counts = [](const std::vector<float>& of, const std::vector<uint8_t>& truth) {
      return *countsByThreshold(of, truth);
    };
    CHECK(rocCurve(counts(scores, none)).reason().sentence() == "no sample belongs to this class");
    CHECK(rocCurve(counts(scores, all)).reason().sentence() == "all samples belong to this class");
    CHECK_FALSE(precisionRecallCurve(counts(scores, none)));
    CHECK(precisionRecallCurve(counts(scores, all))->averagePrecision == 1);
    CHECK_FALSE(countsByThreshold({}, {}));
    for (const float bad : {kNan, kInfinity}) {
      const std::vector<float> broken{0.1f, bad};
      CHECK(countsByThreshold(broken, both).reason().sentence() ==
            "some values are NaN or infinite");
      CHECK_FALSE(reliabilityOf(broken, both, 10));
      CHECK_FALSE(brierScore(broken, both));
      CHECK_FALSE(regressionFigures(broken, scores, 1, 4));
      CHECK_FALSE(regressionFigures(scores, broken, 1, 4));
    }
    const std::vector<float> outside{0.1f, 1.5f};
    CHECK(reliabilityOf(outside, both, 10).reason().sentence().find("probabilities") !=
          std::string::npos);
    CHECK(countsByThreshold(outside, both));
    CHECK_FALSE(reliabilityOf({}, {}, 10));
    CHECK_FALSE(brierScore({}, {}));
    CHECK_FALSE(regressionFigures({}, {}, 2, 4));
    const std::vector<float> one{3};
    CHECK(regressionFigures(one, one, 1, 4)->overall.determination.reason().sentence() ==
          "it needs at least two samples");
  }

  TEST_CASE("an output without samples that count has no figures") {
    for (const CollectedOutput& output :
         {classesOutput({0.5f, 0.5f, 0.2f, 0.8f}, 2, {-1, -1}), classesOutput({}, 2, {})}) {
      const ClassificationFigures figures = classificationFigures(output);
      CHECK(figures.samples == 0);
      CHECK(figures.ignored == output.samples);
      CHECK_FALSE(figures.means);
      CHECK_FALSE(figures.calibration);
      CHECK_FALSE(figures.brierScore);
      CHECK_FALSE(figures.meanArea);
      CHECK_FALSE(figures.micro.roc);
      for (const ClassFigures& each : figures.classes) {
        CHECK_FALSE(each.curves.roc);
        CHECK_FALSE(each.curves.precisionRecall);
        CHECK_FALSE(each.calibration);
      }
    }
  }

  TEST_CASE("a score that is NaN makes only the figures of its class unknown") {
    const ClassificationFigures figures =
        classificationFigures(classesOutput({0.7f, kNan, 0.3f, 0.2f, 0.1f, 0.7f}, 3, {0, 1}));
    CHECK(figures.classes[0].curves.roc);
    CHECK_FALSE(figures.classes[1].curves.roc);
    CHECK_FALSE(figures.micro.roc);
    CHECK_FALSE(figures.meanArea);
    CHECK_FALSE(figures.brierScore);
  }

  TEST_CASE("a classifier with very many classes has no confusion matrix") {
    const int64_t classes = kMaxConfusionClasses + 1;
    const CollectedOutput output =
        classesOutput(std::vector<float>(static_cast<size_t>(2 * classes), 0.0f), classes, {0, 1});
    const ClassificationFigures figures = classificationFigures(output);
    CHECK_FALSE(figures.confusion);
    REQUIRE(figures.means);
    CHECK(figures.means->micro.f1 == doctest::Approx(0.5));
  }
}
