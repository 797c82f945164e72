// SPDX-License-Identifier: GPL-3.0-or-later
#include "app/cli/figures.h"

#include <algorithm>
#include <iostream>

#include <nlohmann/json.hpp>

#include "app/cli/command.h"
#include "gpu/base/printable.h"

namespace strata::cli {

namespace {

/// Returns the figure as `toJson` prints it, or why it is unknown.
template <class T, class ToJson>
Json jsonOf(const Figure<T>& figure, ToJson&& toJson) {
  if (!figure) return {{"unknown", figure.reason().sentence()}};
  return toJson(*figure);
}

Json jsonOf(const Figure<double>& figure) { return jsonOf(figure, jsonNumber); }

Json jsonOf(const std::vector<double>& values) {
  Json list = Json::array();
  for (const double value : values)
    list.push_back(jsonNumber(value));
  return list;
}

Json jsonOf(const std::optional<double>& value) { return value ? jsonNumber(*value) : Json(); }

Json rocJson(const RocCurve& curve) {
  return {{"auc", curve.area},
          {"fpr", jsonOf(curve.falsePositiveRates)},
          {"tpr", jsonOf(curve.truePositiveRates)},
          {"thresholds", jsonOf(curve.thresholds)}};
}

Json precisionRecallJson(const PrecisionRecallCurve& curve) {
  return {{"average_precision", curve.averagePrecision},
          {"precision", jsonOf(curve.precisions)},
          {"recall", jsonOf(curve.recalls)},
          {"thresholds", jsonOf(curve.thresholds)}};
}

Json calibrationJson(const Reliability& calibration) {
  Json bins = Json::array();
  for (const ReliabilityBin& bin : calibration.bins)
    bins.push_back({{"low", bin.low},
                    {"high", bin.high},
                    {"samples", bin.samples},
                    {"confidence", jsonOf(bin.confidence)},
                    {"share", jsonOf(bin.share)}});
  return {{"ece", calibration.expectedError}, {"bins", bins}};
}

Json scoresJson(const ClassScores& scores) {
  return {{"precision", scores.precision},
          {"recall", scores.recall},
          {"f1", scores.f1},
          {"samples", scores.samples}};
}

Json meansJson(const ScoreMeans& means) {
  const auto of = [](const MeanScores& scores) {
    return Json{{"precision", scores.precision}, {"recall", scores.recall}, {"f1", scores.f1}};
  };
  return {{"macro", of(means.macro)}, {"micro", of(means.micro)}, {"weighted", of(means.weighted)}};
}

void addCurves(Json& place, const ClassCurves& curves) {
  place["roc"] = jsonOf(curves.roc, rocJson);
  place["precision_recall"] = jsonOf(curves.precisionRecall, precisionRecallJson);
}

const char* kindName(OutputKind kind) {
  switch (kind) {
    case OutputKind::Classes: return "classes";
    case OutputKind::Binary: return "binary";
    case OutputKind::Labels: return "labels";
    default: return "values";
  }
}

Json classifierJson(const CollectedOutput& output, const ClassificationFigures& figures) {
  Json classes = Json::array();
  const auto nameOf = [&](int64_t index) {
    return output.classNames[static_cast<size_t>(index)];
  };
  if (figures.negativeScores) {
    Json each{{"name", nameOf(0)}};
    each.update(scoresJson(*figures.negativeScores));
    classes.push_back(std::move(each));
  }
  for (const ClassFigures& figure : figures.classes) {
    Json each{{"name", nameOf(figure.index)}};
    each.update(scoresJson(figure.scores));
    addCurves(each, figure.curves);
    each["calibration"] = jsonOf(figure.calibration, calibrationJson);
    each["brier"] = jsonOf(figure.brierScore);
    classes.push_back(std::move(each));
  }
  Json result{{"kind", kindName(output.kind)},
              {"samples", figures.samples},
              {"ignored", figures.ignored},
              {"means", jsonOf(figures.means, meansJson)},
              {"mean_auc", jsonOf(figures.meanArea)},
              {"mean_average_precision", jsonOf(figures.meanAveragePrecision)},
              {"calibration", jsonOf(figures.calibration, calibrationJson)},
              {"brier", jsonOf(figures.brierScore)}};
  addCurves(result["micro"], figures.micro);
  if (figures.confusion) result["confusion_matrix"] = confusionRows(*figures.confusion);
  result["classes"] = std::move(classes);
  return result;
}

Json regressionScoresJson(const RegressionScores& scores) {
  return {{"mae", scores.meanAbsoluteError},
          {"rmse", scores.rootMeanSquaredError},
          {"median_absolute_error", scores.medianAbsoluteError},
          {"r2", jsonOf(scores.determination)},
          {"true_range", {scores.minTrue, scores.maxTrue}},
          {"predicted_range", {scores.minPredicted, scores.maxPredicted}}};
}

Json regressionJson(const RegressionFigures& figures) {
  Json result{{"kind", "values"}, {"samples", figures.samples}};
  result.update(regressionScoresJson(figures.overall));
  if (figures.columns.size() > 1)
    for (const RegressionScores& scores : figures.columns)
      result["columns"].push_back(regressionScoresJson(scores));
  result["residuals"] = {{"mean", figures.residuals.moments->mean},
                         {"standard_deviation", figures.residuals.moments->standardDeviation},
                         {"counts", figures.residuals.counts},
                         {"edges", jsonOf(figures.residuals.edges)}};
  return result;
}

Figure<RegressionFigures> regressionOf(const CollectedOutput& output, int64_t bins) {
  return regressionFigures(output.predicted, output.truth, output.columns, bins);
}

std::string textOf(const Figure<double>& figure) {
  return figure ? formatNumber(*figure, 4) : "unknown, because " + figure.reason().sentence();
}

/// Returns a cell of a table, which has no room for a reason.
std::string cellOf(const Figure<double>& figure) {
  const std::string text = figure ? formatNumber(*figure, 4) : "-";
  return std::string(text.size() < 9 ? 9 - text.size() : 0, ' ') + text;
}

void printClassifier(const CollectedOutput& output, const ClassificationFigures& figures) {
  const auto print = [](const char* name, const MeanScores& scores) {
    std::cout << "  " << name << " precision " << formatNumber(scores.precision, 4) << ", recall "
              << formatNumber(scores.recall, 4) << ", f1 " << formatNumber(scores.f1, 4) << "\n";
  };
  if (figures.means) {
    print("macro mean:   ", figures.means->macro);
    print("micro mean:   ", figures.means->micro);
    print("weighted mean:", figures.means->weighted);
  }
  else {
    std::cout << "  means: unknown, because " << figures.means.reason().sentence() << "\n";
  }
  const auto error = [](const Figure<Reliability>& calibration) -> Figure<double> {
    if (!calibration) return calibration.reason();
    return calibration->expectedError;
  };
  std::cout << "  mean area under the ROC curve: " << textOf(figures.meanArea)
            << "\n  mean average precision: " << textOf(figures.meanAveragePrecision)
            << "\n  expected calibration error: " << textOf(error(figures.calibration))
            << "\n  Brier score: " << textOf(figures.brierScore)
            << "\n  ROC area  avg.prec      ECE    Brier  class\n";
  for (const ClassFigures& each : figures.classes) {
    const ClassCurves& curves = each.curves;
    const Figure<double> area = curves.roc ? Figure<double>(curves.roc->area) : curves.roc.reason();
    const Figure<double> precision = curves.precisionRecall
                                         ? Figure<double>(curves.precisionRecall->averagePrecision)
                                         : curves.precisionRecall.reason();
    std::cout << " " << cellOf(area) << " " << cellOf(precision) << cellOf(error(each.calibration))
              << cellOf(each.brierScore) << "  "
              << printable(output.classNames[static_cast<size_t>(each.index)]) << "\n";
  }
}

void printRegression(const RegressionFigures& figures) {
  const RegressionScores& all = figures.overall;
  const auto number = [](double value) {
    return formatNumber(value, 4);
  };
  std::cout << "  mean absolute error " << number(all.meanAbsoluteError)
            << ", root mean squared error " << number(all.rootMeanSquaredError)
            << ", median absolute error " << number(all.medianAbsoluteError) << "\n  R2 "
            << textOf(all.determination) << "\n  true values " << number(all.minTrue) << " to "
            << number(all.maxTrue) << ", predicted values " << number(all.minPredicted) << " to "
            << number(all.maxPredicted) << "\n  residuals (true - predicted): mean "
            << number(figures.residuals.moments->mean) << ", standard deviation "
            << number(figures.residuals.moments->standardDeviation) << "\n";
}

}  // namespace

Json confusionRows(const Confusion& confusion) {
  Json rows = Json::array();
  for (int64_t i = 0; i < confusion.classes; ++i)
    rows.push_back(std::vector<int64_t>(confusion.counts.begin() + i * confusion.classes,
                                        confusion.counts.begin() + (i + 1) * confusion.classes));
  return rows;
}

Json figuresJson(const Figure<CollectedOutput>& output, const FigureOptions& options) {
  return jsonOf(output, [&](const CollectedOutput& collected) {
    if (collected.kind == OutputKind::Values)
      return jsonOf(regressionOf(collected, options.bins), regressionJson);
    return classifierJson(collected,
                          classificationFigures(collected, {options.curvePoints, options.bins}));
  });
}

void printFigures(const std::string& name, const Figure<CollectedOutput>& output,
                  const FigureOptions& options) {
  std::cout << "Figures of " << printable(name);
  if (!output) {
    std::cout << ": unknown, because " << output.reason().sentence() << "\n";
    return;
  }
  std::cout << "\n";
  if (output->kind != OutputKind::Values) {
    printClassifier(*output, classificationFigures(*output, {options.curvePoints, options.bins}));
    return;
  }
  const Figure<RegressionFigures> figures = regressionOf(*output, options.bins);
  if (figures)
    printRegression(*figures);
  else
    std::cout << "  unknown, because " << figures.reason().sentence() << "\n";
}

}  // namespace strata::cli
