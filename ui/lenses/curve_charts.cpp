// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/curve_charts.h"

#include <QCoreApplication>
#include <QSettings>
#include <algorithm>

#include "core/check/checked_project.h"
#include "core/project/text.h"
#include "core/train/class_reading.h"
#include "ui/format.h"
#include "ui/language.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QLatin1String kPinnedKey("curves/pinned"), kOrderKey("curves/order");

/// What the loop measures, in the order of the charts.
struct MeasureText {
  const char* series;
  Text title;
  Text unit;
  Text whyEmpty;
};

constexpr MeasureText kMeasures[] = {
    {"learning_rate", STRATA_TEXT("Curves", "Learning rate"), STRATA_TEXT("Curves", "rate"),
     STRATA_TEXT("Curves", "This run has no learning rate.")},
    {"samples_per_second", STRATA_TEXT("Curves", "Throughput"), STRATA_TEXT("Curves", "samples/s"),
     STRATA_TEXT("Curves", "The throughput is unknown, because the run was too short.")},
    {"gradient_norm", STRATA_TEXT("Curves", "Gradient norm"), STRATA_TEXT("Curves", "norm"),
     STRATA_TEXT("Curves", "The gradient norm is unknown, because this run did not measure it.")},
    {"data_wait", STRATA_TEXT("Curves", "Waiting for data"), STRATA_TEXT("Curves", "per step"),
     STRATA_TEXT("Curves", "The waiting time is unknown, because this run did not measure it.")},
    {"replica_wait", STRATA_TEXT("Curves", "Waiting for other devices"),
     STRATA_TEXT("Curves", "per step"),
     STRATA_TEXT("Curves", "The waiting time is unknown, because this run did not measure it.")},
    {"loss_scale", STRATA_TEXT("Curves", "Loss scale"), STRATA_TEXT("Curves", "scale"),
     STRATA_TEXT("Curves", "The loss scale is unknown, because this run did not record it.")},
};

/// Returns whether a run can have the measure, as far as its project and figures say.
bool canHave(const ShownRun& run, const std::string& series) {
  if (const MetricSeries* known = run.history.find(series); known && !known->isEmpty()) return true;
  if (series == "replica_wait") return !run.replicas.replicas.empty();
  if (series == "loss_scale") {
    const LossScale scale =
        run.project ? CheckedProject(*run.project).execution().lossScale() : LossScale();
    return scale.isDynamic;
  }
  return true;
}

}  // namespace

std::vector<CurveChart> chartsOf(const ShownRun& run) {
  std::vector<CurveChart> charts;
  const QString whyEmpty =
      QCoreApplication::translate("Curves", "This run recorded no values of this series.");
  const auto addMetric = [&](const std::string& name) {
    CurveChart chart{name,    "val_" + name, metricTitle(name), {}, MetricPlot::Scale::Value,
                     whyEmpty};
    if (name.ends_with("accuracy")) chart.scale = MetricPlot::Scale::Percent;
    charts.push_back(std::move(chart));
  };
  addMetric("loss");
  if (run.start)
    for (const std::string& name : run.start->metricNames)
      addMetric(name);
  for (const MeasureText& each : kMeasures)
    if (canHave(run, each.series))
      charts.push_back({each.series,
                        {},
                        translated(each.title),
                        translated(each.unit),
                        std::string_view(each.series).ends_with("_wait")
                            ? MetricPlot::Scale::Seconds
                            : MetricPlot::Scale::Value,
                        translated(each.whyEmpty)});
  return charts;
}

bool mayHaveClasses(const ShownRun& run) {
  if (!run.project || !run.start || run.start->validationSamples == 0) return false;
  return mayClassify(CheckedProject(*run.project).recipe());
}

ChartOrder::ChartOrder()
    : m_pinned(QSettings().value(kPinnedKey).toStringList()),
      m_order(QSettings().value(kOrderKey).toStringList()) {}

void ChartOrder::sort(std::vector<CurveChart>& charts) const {
  const auto placeOf = [this](const CurveChart& chart) {
    const qsizetype place = m_order.indexOf(text(chart.series));
    return std::pair(!isPinned(chart.series), place < 0 ? m_order.size() : place);
  };
  std::ranges::stable_sort(charts, {}, placeOf);
}

bool ChartOrder::isPinned(const std::string& series) const {
  return m_pinned.contains(text(series));
}

void ChartOrder::setPinned(const std::string& series, bool isPinned) {
  m_pinned.removeAll(text(series));
  if (isPinned) m_pinned << text(series);
  store();
}

void ChartOrder::moveBefore(const std::string& series, const std::string& other,
                            const std::vector<CurveChart>& shown) {
  QStringList order;
  for (const CurveChart& chart : shown)
    if (chart.series != series) order << text(chart.series);
  const qsizetype place = order.indexOf(text(other));
  order.insert(place < 0 ? order.size() : place, text(series));
  // A chart that moves among pinned ones becomes one of them, and the other way round
  if (const bool isBeforePinned = isPinned(other); isBeforePinned != isPinned(series))
    setPinned(series, isBeforePinned);
  // Charts that this run does not have keep their places at the end
  for (const QString& each : m_order)
    if (!order.contains(each)) order << each;
  m_order = order;
  store();
}

void ChartOrder::store() const {
  QSettings().setValue(kPinnedKey, m_pinned);
  QSettings().setValue(kOrderKey, m_order);
}

}  // namespace strata::ui
