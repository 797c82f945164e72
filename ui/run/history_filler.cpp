// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/history_filler.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "gpu/base/error.h"

namespace strata::ui {

double smoothingSteps(int64_t totalSteps) {
  return std::max(10.0, static_cast<double>(totalSteps) / 100);
}

HistoryCursor::HistoryCursor(const HistoryReader& reader) : m_reader(reader) {
  const std::vector<std::string>& names = reader.measureNames();
  for (size_t i = 0; i < kNumMeasures; ++i)
    m_places[i] = static_cast<size_t>(
        std::ranges::find(names, measureName(static_cast<Measure>(i))) - names.begin());
}

double HistoryCursor::nextSeconds() const {
  const HistoryRecord record = m_reader[m_next];
  if (record.kind != HistoryKind::Step || !std::isfinite(record.seconds)) return m_seconds;
  return std::max(m_seconds, record.seconds);
}

void HistoryCursor::skip() {
  m_seconds = nextSeconds();
  ++m_next;
}

void HistoryCursor::visit(const OnStep& onStep, const OnValidation& onValidation) {
  const HistoryRecord record = m_reader[m_next];
  const double before = m_seconds;
  skip();
  const auto step = static_cast<double>(record.step);
  if (record.kind != HistoryKind::Step) {
    m_isAfterEpoch = true;
    if (record.kind == HistoryKind::Validation) onValidation({step, record.loss, record.metrics});
    return;
  }
  if (!m_isAfterEpoch) m_rate.add(static_cast<double>(record.samples), m_seconds - before);
  m_isAfterEpoch = false;
  Measures measures;
  for (size_t i = 0; i < kNumMeasures; ++i)
    measures[i] = m_places[i] < record.measures.size() ? record.measures[m_places[i]]
                                                       : std::numeric_limits<float>::quiet_NaN();
  onStep({step, m_seconds, record.loss, record.learningRate, m_rate.perSecond(), record.metrics,
          measures});
}

void visitHistory(const HistoryReader& reader, int64_t lastStep, const std::stop_token& stop,
                  const HistoryCursor::OnStep& onStep,
                  const HistoryCursor::OnValidation& onValidation) {
  HistoryCursor cursor(reader);
  for (size_t i = 0; !cursor.isAtEnd() && cursor.nextStep() <= lastStep; ++i) {
    if (i % 65536 == 0 && stop.stop_requested())
      throw Error(ErrorCode::Stopped, "history.bin", "reading was canceled.");
    cursor.visit(onStep, onValidation);
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
