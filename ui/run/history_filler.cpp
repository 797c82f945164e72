// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/history_filler.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "core/runs/rate_meter.h"
#include "gpu/base/error.h"

namespace strata::ui {

double smoothingSteps(int64_t totalSteps) {
  return std::max(10.0, static_cast<double>(totalSteps) / 100);
}

namespace {

/// Finds the measures of this version in a file that may have others.
class MeasureOrder {
 public:
  explicit MeasureOrder(const std::vector<std::string>& names) {
    for (size_t i = 0; i < kNumMeasures; ++i)
      m_places[i] = static_cast<size_t>(
          std::ranges::find(names, measureName(static_cast<Measure>(i))) - names.begin());
  }
  Measures of(const HistoryRecord& record) const {
    Measures measures;
    for (size_t i = 0; i < kNumMeasures; ++i)
      measures[i] = m_places[i] < record.measures.size() ? record.measures[m_places[i]]
                                                         : std::numeric_limits<float>::quiet_NaN();
    return measures;
  }

 private:
  std::array<size_t, kNumMeasures> m_places{};
};

}  // namespace

void visitHistory(const HistoryReader& reader, int64_t lastStep, const std::stop_token& stop,
                  const std::function<void(const HistoryStep&)>& onStep,
                  const std::function<void(const HistoryValidation&)>& onValidation) {
  const MeasureOrder order(reader.measureNames());
  RateMeter rate;
  // The time at the end of the last step
  double seconds = 0;
  // Whether a validation followed it, whose time the next step contains
  bool isAfterEpoch = false;
  for (size_t i = 0; i < reader.size(); ++i) {
    if (i % 65536 == 0 && stop.stop_requested())
      throw Error(ErrorCode::Stopped, "history.bin", "reading was canceled.");
    const HistoryRecord record = reader[i];
    if (record.step > lastStep) return;
    const auto step = static_cast<double>(record.step);
    if (record.kind != HistoryKind::Step) {
      isAfterEpoch = true;
      if (record.kind == HistoryKind::Validation) onValidation({step, record.loss, record.metrics});
      continue;
    }
    if (!isAfterEpoch) rate.add(static_cast<double>(record.samples), record.seconds - seconds);
    seconds = record.seconds;
    isAfterEpoch = false;
    const Measures measures = order.of(record);
    onStep({step, record.seconds, record.loss, record.learningRate, rate.perSecond(),
            record.metrics, measures});
  }
}

HistoryFiller::HistoryFiller(MetricHistory& history, const std::vector<std::string>& metricNames,
                             int64_t totalSteps)
    : m_history(history),
      m_loss{&history.series("loss"), &history.series("val_loss")},
      m_rate(history.series("learning_rate")),
      m_speed(history.series("samples_per_second")) {
  for (const std::string& name : metricNames)
    m_metrics.push_back({&history.series(name), &history.series("val_" + name)});
  for (size_t i = 0; i < kNumMeasures; ++i)
    m_measures.push_back(&history.series(measureName(static_cast<Measure>(i))));
  const double steps = smoothingSteps(totalSteps);
  m_loss.training->setSmoothingSteps(steps);
  m_speed.setSmoothingSteps(steps);
  for (const Pair& pair : m_metrics)
    pair.training->setSmoothingSteps(steps);
  for (MetricSeries* measure : m_measures)
    measure->setSmoothingSteps(steps);
}

void HistoryFiller::add(const HistoryStep& step) {
  m_history.clock().append(step.step, step.seconds);
  m_loss.training->append(step.step, step.loss);
  for (size_t i = 0; i < std::min(m_metrics.size(), step.metrics.size()); ++i)
    m_metrics[i].training->append(step.step, step.metrics[i]);
  m_rate.append(step.step, step.learningRate);
  if (step.samplesPerSecond > 0) m_speed.append(step.step, step.samplesPerSecond);
  for (size_t i = 0; i < std::min(m_measures.size(), step.measures.size()); ++i)
    if (!std::isnan(step.measures[i]))
      m_measures[i]->append(step.step, static_cast<double>(step.measures[i]));
}

void HistoryFiller::add(const HistoryValidation& validation) {
  m_loss.validation->append(validation.step, validation.loss);
  for (size_t i = 0; i < std::min(m_metrics.size(), validation.metrics.size()); ++i)
    m_metrics[i].validation->append(validation.step, validation.metrics[i]);
}

}  // namespace strata::ui
