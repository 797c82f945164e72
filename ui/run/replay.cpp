// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/replay.h"

#include <algorithm>
#include <ctime>
#include <span>
#include <utility>

namespace strata::ui {

namespace {

constexpr int kShortestTick = 33, kLongestTick = 500;

double processorSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// Returns the run of a recording after its end, without its history.
ShownRun wholeOf(const Recording& recording) {
  PastRun run;
  run.info = recording.run.info;
  run.project = recording.run.project;
  run.deviceSamples = recording.run.deviceSamples;
  run.profile = recording.run.profile;
  run.samplesPerSecond = recording.run.samplesPerSecond;
  run.problem = recording.run.problem;
  return ShownRun(std::move(run));
}

}  // namespace

Replay::Replay(std::shared_ptr<const Recording> recording, QObject* parent)
    : QObject(parent), m_recording(std::move(recording)), m_whole(wholeOf(*m_recording)) {
  m_timer.setSingleShot(true);
  connect(&m_timer, &QTimer::timeout, this, &Replay::tick);
  begin();
  if (!m_cursor || m_cursor->isAtEnd()) end();
}

/// Shows the run from its beginning again. Views may read the former data until they know.
void Replay::restart() {
  const ShownRun former = std::exchange(m_shown, ShownRun());
  begin();
  Q_EMIT changed();
  Q_EMIT stateChanged();
}

/// Sets up the run before its first step.
void Replay::begin() {
  m_shown.start = m_whole.start;
  m_shown.project = m_whole.project;
  m_shown.problem = m_whole.problem;
  m_filler.emplace(m_shown.history, m_whole.start->metricNames, m_whole.start->totalSteps);
  if (m_recording->history) m_cursor.emplace(*m_recording->history);
  if (const auto& sampling = m_recording->run.layers.sampling())
    m_shown.layers.setSampling(*sampling);
  m_nextSample = m_nextMark = m_nextLayers = m_nextClasses = 0;
  m_seconds = 0;
}

void Replay::setPlaying(bool on) {
  if (on && isAtEnd()) {
    if (!m_cursor || duration() <= 0) return;
    restart();
  }
  if (on == m_isPlaying) return;
  m_isPlaying = on;
  m_sinceTick.start();
  if (on)
    m_timer.start(kShortestTick);
  else
    m_timer.stop();
  Q_EMIT moved();
}

void Replay::setSpeed(double speed) {
  m_speed = speed;
  Q_EMIT moved();
}

void Replay::seek(double seconds) {
  const double wanted = std::clamp(seconds, 0.0, duration());
  if (wanted < m_seconds) restart();
  advanceTo(wanted);
  m_sinceTick.start();
  Q_EMIT moved();
}

void Replay::tick() {
  const double passed = static_cast<double>(m_sinceTick.nsecsElapsed()) * 1e-9;
  m_sinceTick.start();
  const double before = processorSeconds();
  advanceTo(m_seconds + passed * m_speed);
  Q_EMIT moved();
  // Drawing takes at most a fiftieth of a core, as during a run
  const double cost = processorSeconds() - before;
  if (m_isPlaying)
    m_timer.start(std::clamp(static_cast<int>(50'000 * cost), kShortestTick, kLongestTick));
}

/// Shows all that had happened at this time, and tells the views.
void Replay::advanceTo(double seconds) {
  if (isAtEnd()) return;
  m_seconds = std::min(seconds, duration());
  const bool hadSteps = m_shown.step > 0;
  bool hasNew = false;
  const auto onStep = [this](const HistoryStep& step) {
    m_filler->add(step);
    m_shown.step = static_cast<int64_t>(step.step);
    m_shown.seconds = step.seconds;
    m_shown.samplesPerSecond = step.samplesPerSecond;
  };
  const auto onValidation = [this](const HistoryValidation& each) {
    m_filler->add(each);
  };
  while (m_cursor && !m_cursor->isAtEnd() && m_cursor->nextSeconds() <= m_seconds) {
    m_cursor->visit(onStep, onValidation);
    hasNew = true;
  }
  const int64_t perEpoch = m_shown.start->stepsPerEpoch;
  if (perEpoch > 0) m_shown.epoch = (m_shown.step + perEpoch - 1) / perEpoch;
  m_shown.memoryBytes = m_whole.memoryBytes;
  if (hasNew && !hadSteps && m_shown.step > 0) {
    m_shown.profile = m_whole.profile;
    m_shown.times = m_whole.times;
    if (m_whole.profile) m_shown.replicas = m_whole.profile->replicas;
    Q_EMIT stateChanged();
    if (m_shown.profile) Q_EMIT profileArrived();
  }
  takeMarks();
  takeSamples();
  takeLayers();
  takeClasses();
  if (hasNew) Q_EMIT metricsArrived();
  if (!m_cursor || m_cursor->isAtEnd()) end();
}

void Replay::takeMarks() {
  const std::vector<RunMark>& marks = m_whole.marks;
  const size_t before = m_nextMark;
  while (m_nextMark < marks.size() && marks[m_nextMark].step <= m_shown.step)
    addMark(m_shown.marks, marks[m_nextMark++]);
  if (m_nextMark != before) Q_EMIT settingChanged();
}

void Replay::takeSamples() {
  const std::span<const DeviceSample> all = m_recording->run.deviceSamples;
  const size_t before = m_nextSample;
  while (m_nextSample < all.size() && all[m_nextSample].seconds <= m_seconds)
    ++m_nextSample;
  if (m_nextSample == before) return;
  addSamples(m_shown.devices, all.subspan(before, m_nextSample - before));
  Q_EMIT devicesArrived();
}

/// Takes the samples of layers that the run had at its present step.
void Replay::takeLayers() {
  const auto all = m_recording->run.layers.samples();
  const size_t before = m_nextLayers;
  while (m_nextLayers < all.size() && all[m_nextLayers]->step <= m_shown.step)
    m_shown.layers.add(all[m_nextLayers++]);
  if (m_nextLayers != before) Q_EMIT layersArrived();
}

void Replay::takeClasses() {
  const auto& all = m_recording->classes;
  while (m_nextClasses < all.size() && all[m_nextClasses]->step <= m_shown.step)
    m_shown.classes.add(all[m_nextClasses++]);
}

/// Shows the run as it is after its end.
void Replay::end() {
  m_seconds = duration();
  m_shown.marks = m_whole.marks;
  m_shown.settings = m_whole.settings;
  m_shown.devices = m_whole.devices;
  m_shown.layers = m_recording->run.layers;
  m_shown.classes = m_recording->run.classes;
  m_shown.keptBatch = m_recording->run.keptBatch;
  m_shown.profile = m_whole.profile;
  m_shown.times = m_whole.times;
  m_shown.step = m_whole.step;
  m_shown.epoch = m_whole.epoch;
  m_shown.seconds = m_whole.seconds;
  m_shown.samplesPerSecond = m_whole.samplesPerSecond;
  m_shown.memoryBytes = m_whole.memoryBytes;
  m_shown.outcome = m_whole.outcome;
  m_isPlaying = false;
  m_timer.stop();
  Q_EMIT stateChanged();
  Q_EMIT profileArrived();
  Q_EMIT devicesArrived();
  Q_EMIT layersArrived();
  Q_EMIT ended();
}

}  // namespace strata::ui
