// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_controller.h"

#include <QMetaObject>
#include <QSettings>
#include <algorithm>
#include <atomic>
#include <ctime>
#include <mutex>
#include <nlohmann/json.hpp>

#include "core/recipe/run_edits.h"
#include "ui/document/latest_worker.h"
#include "ui/format.h"
#include "ui/run/history_filler.h"

namespace strata::ui {

namespace {

// The first columns of a staged row. The metrics follow.
enum Column : size_t {
  kStep,
  kEpoch,
  kLoss,
  kLearningRate,
  kSamplesPerSecond,
  kMemory,
  kSeconds,
  kMeasures,
  kFixedColumns = kMeasures + kNumMeasures
};

double threadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

}  // namespace

/// Receives the events of a run on the training thread. Passes states and outcomes to the GUI
/// thread in queued calls, and steps in staged rows.
class RunController::Observer : public RunObserver {
 public:
  explicit Observer(RunController& controller) : m_controller(controller) {}

  void onState(RunState state) override {
    post([state](RunController& c) { c.setState(state); });
  }
  void onStart(const RunStart& start) override {
    m_row.resize(kFixedColumns + start.metricNames.size());
    m_staged.reset(m_row.size());
    m_validationRow.resize(2 + start.metricNames.size());
    m_stagedValidation.reset(m_validationRow.size());
    // A continued run shows the curves before its checkpoint, too.
    auto before = std::make_shared<MetricHistory>();
    auto own = std::make_shared<RunInfo>();
    auto devices = std::make_shared<std::vector<DeviceHistory>>();
    auto classes = std::make_shared<ClassHistory>();
    auto layers = std::make_shared<LayerHistory>();
    if (start.firstStep > 0) {
      std::string problem;
      *layers = readLayerHistory(start.runDirectory, start.firstStep, problem, {});
      if (!problem.empty()) onWarning(problem);
      *classes = readClassHistory(start.runDirectory);
      addSamples(*devices, readDeviceSamples(start.runDirectory));
      try {
        *before = readHistory(start.runDirectory, start.totalSteps, start.firstStep);
        *own = readRun(start.runDirectory);
      }
      catch (const Error& error) {
        onWarning(error.line());
      }
    }
    post([shared = std::make_shared<const RunStart>(start), before, own, devices, classes,
          layers](RunController& c) {
      c.m_shown.start = shared;
      c.m_shown.step = shared->firstStep;
      c.m_shown.history = std::move(*before);
      c.m_shown.marks = std::move(own->marks);
      if (shared->firstStep > 0)
        addMark(c.m_shown.marks, {RunMark::Kind::Continuation, shared->firstStep});
      c.m_shown.settings = std::move(own->settings);
      c.m_shown.devices = std::move(*devices);
      c.m_shown.classes = std::move(*classes);
      c.m_shown.layers = std::move(*layers);
      c.m_filler.emplace(c.m_shown.history, shared->metricNames, shared->totalSteps);
      Q_EMIT c.started();
    });
  }
  void onStep(const StepMetrics& step) override {
    m_row[kStep] = static_cast<double>(step.step);
    m_row[kEpoch] = static_cast<double>(step.epoch);
    m_row[kLoss] = step.loss;
    m_row[kLearningRate] = step.learningRate;
    m_row[kSamplesPerSecond] = step.samplesPerSecond;
    m_row[kMemory] = static_cast<double>(step.memoryBytes);
    m_row[kSeconds] = step.seconds;
    std::ranges::copy(step.measures, m_row.begin() + kMeasures);
    std::copy_n(step.metrics.begin(), std::min(step.metrics.size(), m_row.size() - kFixedColumns),
                m_row.begin() + kFixedColumns);
    m_staged.append(m_row.data());
  }
  // Epochs and checkpoints make no queued calls, because there may be many of them within a
  // millisecond.
  void onEpoch(const EpochMetrics& epoch) override {
    if (!epoch.hasValidation) return;
    m_validationRow[0] = static_cast<double>(epoch.step);
    m_validationRow[1] = epoch.validationLoss;
    std::copy_n(epoch.validationMetrics.begin(),
                std::min(epoch.validationMetrics.size(), m_validationRow.size() - 2),
                m_validationRow.begin() + 2);
    m_stagedValidation.append(m_validationRow.data());
  }
  void onClasses(const std::shared_ptr<const ClassValidation>& classes) override {
    const std::lock_guard lock(m_mutex);
    m_classes.push_back(classes);
  }
  void onCheckpoint(const CheckpointSaved& saved) override {
    m_checkpointStep = saved.step;
    const std::lock_guard lock(m_mutex);
    addMark(m_marks, markOf(saved));
  }
  /// Combines the times of phases in one profile with the times of nodes in another.
  static std::shared_ptr<const ProfileSnapshot> withPhasesOf(const ProfileSnapshot& phases,
                                                             const ProfileSnapshot& nodes) {
    auto both = std::make_shared<ProfileSnapshot>(phases);
    both->steps = nodes.steps;
    both->rows = nodes.rows;
    return both;
  }
  void onProfile(const std::shared_ptr<const ProfileSnapshot>& profile) override {
    post([profile](RunController& c) {
      // While nodes are not measured, their last known times are kept.
      c.m_shown.profile = profile->steps == 0 && c.m_shown.profile
                              ? withPhasesOf(*profile, *c.m_shown.profile)
                              : profile;
      // The last profile of a run is already the mean
      const bool isOfRun = !profile->overTime.empty();
      if (profile->steps > 0 && !isOfRun) c.m_meanProfile.add(*profile);
      if (profile->steps > 0) c.m_shown.times = isOfRun ? profile : c.m_meanProfile.mean();
      c.m_shown.stepTimes.add(breakdownOf(*profile));
      if (c.m_isRedrawing) Q_EMIT c.profileArrived();
    });
  }
  void onTrace(const StepsTraced& traced) override {
    post([traced](RunController& c) {
      c.m_shown.traced = traced;
      Q_EMIT c.traceArrived();
    });
  }
  void onLayerSampling(const LayerSampling& sampling) override {
    post([sampling](RunController& c) {
      c.m_shown.layers.setSampling(sampling);
      Q_EMIT c.layersArrived();
    });
  }
  void onLayerSample(const std::shared_ptr<const LayerSample>& sample) override {
    post([sample](RunController& c) {
      c.m_shown.layers.add(sample);
      if (c.m_isRedrawing) Q_EMIT c.layersArrived();
    });
  }
  void onKeptBatch(const KeptBatch& batch) override {
    post([batch](RunController& c) {
      c.m_shown.keptBatch = batch;
      Q_EMIT c.layersArrived();
    });
  }
  void onReplicas(const ReplicaReport& report) override {
    post([report](RunController& c) {
      c.m_shown.replicas = report;
      Q_EMIT c.devicesArrived();
    });
  }
  void onDeviceState(const DeviceSample& sample) override {
    const std::lock_guard lock(m_mutex);
    m_samples.push_back(sample);
  }
  void onSetting(const SettingChanged& setting) override {
    post([setting](RunController& c) {
      addMark(c.m_shown.marks, markOf(setting));
      if (setting.cause.empty()) c.m_shown.settings.insert_or_assign(setting.name, setting.value);
      Q_EMIT c.settingChanged();
    });
  }
  void onWarning(const std::string& warning) override {
    post([line = QString::fromStdString(warning)](RunController& c) { Q_EMIT c.warned(line); });
  }
  void onDiskProblem(const Error& error) override {
    post([error](RunController& c) {
      // The step of the problem is among the waiting ones.
      c.drain();
      c.m_shown.diskProblem = error;
      c.m_shown.diskTriedAt.reset();
      if (c.m_retriedStep == c.m_shown.step) c.m_shown.diskTriedAt = QTime::currentTime();
      c.m_retriedStep = -1;
      Q_EMIT c.warned(text(error.line()));
      Q_EMIT c.stateChanged();
    });
  }
  void onMoved(const std::string& directory) override {
    post([directory](RunController& c) {
      if (!c.m_shown.start) return;
      auto moved = std::make_shared<RunStart>(*c.m_shown.start);
      moved->runDirectory = directory;
      c.m_shown.start = std::move(moved);
      Q_EMIT c.warned(tr("The run goes on in %1").arg(text(directory)));
      Q_EMIT c.stateChanged();
    });
  }
  void onOutcome(const RunOutcome& outcome) override {
    post([outcome](RunController& c) { c.finish(outcome); });
  }

  StagedSteps& staged() { return m_staged; }
  StagedSteps& stagedValidation() { return m_stagedValidation; }
  /// Replaces `samples` by the waiting samples.
  void takeSamples(std::vector<DeviceSample>& samples) {
    samples.clear();
    const std::lock_guard lock(m_mutex);
    samples.swap(m_samples);
  }
  /// Adds the classes of the validations since the last call.
  void takeClasses(ClassHistory& history) {
    std::vector<std::shared_ptr<const ClassValidation>> classes;
    {
      const std::lock_guard lock(m_mutex);
      classes.swap(m_classes);
    }
    for (auto& each : classes)
      history.add(std::move(each));
  }
  /// Adds the checkpoints that were saved since the last call.
  void takeMarks(std::vector<RunMark>& marks) {
    const std::lock_guard lock(m_mutex);
    for (RunMark& mark : m_marks)
      addMark(marks, std::move(mark));
    m_marks.clear();
  }
  /// Returns the step of a checkpoint that was saved since the last call, or -1.
  int64_t takeCheckpoint() { return m_checkpointStep.exchange(-1); }

 private:
  /// Calls `f` on the GUI thread, unless the run has ended by then.
  template <class F>
  void post(F f) {
    QMetaObject::invokeMethod(
        &m_controller,
        [controller = &m_controller, self = this, f = std::move(f)] {
          if (controller->m_observer.get() == self) f(*controller);
        },
        Qt::QueuedConnection);
  }
  RunController& m_controller;
  StagedSteps m_staged, m_stagedValidation;
  std::atomic<int64_t> m_checkpointStep{-1};
  std::mutex m_mutex;
  // m_mutex protects these members.
  std::vector<DeviceSample> m_samples;
  std::vector<RunMark> m_marks;
  std::vector<std::shared_ptr<const ClassValidation>> m_classes;
  // Only the training thread uses these rows.
  std::vector<double> m_row, m_validationRow;
};

RunController::RunController(QObject* parent) : QObject(parent) {
  m_timer.setSingleShot(true);
  m_timer.setTimerType(Qt::CoarseTimer);
  connect(&m_timer, &QTimer::timeout, this, &RunController::drain);
}

RunController::~RunController() {
  // The session ends its thread, which must happen before the observer is destroyed.
  m_session.reset();
}

void RunController::start(const Project& project, bool startsPaused, const QString& weightsFrom,
                          const Json* design) {
  SessionOptions options;
  options.project = project;
  options.weightsFrom = weightsFrom.toStdString();
  options.startsPaused = startsPaused;
  launch(std::move(options));
  follow(design ? *design : project.document());
}

void RunController::resumeRun(const Project& project, const QString& runDirectory,
                              const Json& design, const Resumption& how) {
  SessionOptions options;
  const Json limit = design.value(Json::json_pointer("/execution/memory_limit"), Json());
  if (limit.is_number_integer() && limit.get<int64_t>() > 0)
    options.memoryLimitBytes = limit.get<size_t>();
  options.project = project;
  options.resumeFrom = runDirectory.toStdString();
  options.epochs = how.epochs;
  options.branchStep = how.branchStep;
  launch(std::move(options));
}

void RunController::show(PastRun&& run) {
  if (isActive() || m_shown.start) return;
  m_shown = ShownRun(std::move(run));
  Q_EMIT loaded();
  if (m_shown.profile) Q_EMIT profileArrived();
  Q_EMIT stateChanged();
}

bool RunController::canContinue() const {
  if (isActive() || !m_shown.start || !m_shown.checkpointStep || !m_shown.outcome) return false;
  const RunOutcome& outcome = *m_shown.outcome;
  // Without a checkpoint of its last step, a finished run would lose what it has learned since.
  return outcome.steps > 0 &&
         (outcome.outcome == Outcome::Stopped ||
          (outcome.outcome == Outcome::Finished && *m_shown.checkpointStep >= outcome.steps));
}

void RunController::launch(SessionOptions options) {
  Q_ASSERT(!isActive());
  options.niceness = kNice;
  options.isProfiling = m_isProfiling;
  options.samplesLayers = samplesLayers();
  options.asksAboutDisk = true;
  m_filler.reset();
  m_shown = ShownRun();
  m_retriedStep = -1;
  m_meanProfile = {};
  m_shown.project = std::make_shared<const Project>(options.project);
  const std::vector<std::string> settings = changeableSettings(m_shown.project->document());
  m_settings = {settings.begin(), settings.end()};
  m_followed.reset();
  m_observer = std::make_unique<Observer>(*this);
  m_session = std::make_unique<TrainingSession>(std::move(options), *m_observer);
  m_state = RunState::Preparing;
  m_session->start();
  m_timer.start(33);
  Q_EMIT stateChanged();
}

bool RunController::forgetRefused() {
  if (isActive() || m_shown.start || !m_shown.outcome ||
      m_shown.outcome->outcome != Outcome::Failed)
    return false;
  m_shown.outcome.reset();
  Q_EMIT stateChanged();
  return true;
}

void RunController::forget() {
  if (isActive()) return;
  m_filler.reset();
  // Views may still read the former run until they know
  const ShownRun former = std::exchange(m_shown, ShownRun());
  Q_EMIT loaded();
  Q_EMIT stateChanged();
}

void RunController::pause() {
  if (m_session) m_session->pause();
}
void RunController::resume() {
  if (m_shown.diskProblem) m_retriedStep = m_shown.step;
  m_shown.diskProblem.reset();
  if (m_session) m_session->resume();
}
void RunController::step() {
  if (m_session) m_session->step();
}
void RunController::stop() {
  m_shown.isStopping = true;
  const bool hadProblem = m_shown.diskProblem.has_value();
  m_shown.diskProblem.reset();
  if (m_session) m_session->stop();
  if (hadProblem) Q_EMIT stateChanged();
}
void RunController::answerDisk(DiskAnswer answer) {
  m_shown.diskProblem.reset();
  m_retriedStep = answer.choice == DiskAnswer::Choice::Retry ? m_shown.step : -1;
  m_shown.isWithoutFiles = answer.choice == DiskAnswer::Choice::WithoutFiles;
  if (m_session) m_session->answerDisk(std::move(answer));
  Q_EMIT stateChanged();
}
void RunController::change(const std::string& setting, double value) {
  if (m_session) m_session->change(setting, value);
}

bool RunController::takes(const Json& design, const std::string& setting) const {
  if (!m_session || !m_settings.contains(setting)) return false;
  const auto typeOf = [](const Json& document) {
    const Json optimizer = document.value(Json::json_pointer("/training/optimizer"), Json());
    return optimizer.is_object() ? optimizer.value("type", Json()) : optimizer;
  };
  // If the type of the optimizer changes, its settings apply only to the next run.
  return setting.find('/') != std::string::npos ||
         typeOf(design) == typeOf(m_shown.project->document());
}

void RunController::follow(const Json& design) {
  if (!m_session) return;
  const bool isFirst = !m_followed;
  if (isFirst) m_followed = liveSettings(m_shown.project->document());
  for (const auto& [name, value] : liveSettings(design)) {
    if (!takes(design, name)) continue;
    const auto [known, isNew] = m_followed->try_emplace(name, value);
    // The setting is new if a number replaced a schedule.
    const bool isOther = std::exchange(known->second, value) != value || isNew;
    if (isOther && !isFirst) change(name, value);
  }
}

static constexpr QLatin1String kLayersKey("layers/sampled");

bool RunController::samplesLayers() const { return QSettings().value(kLayersKey, true).toBool(); }
void RunController::setSamplesLayers(bool on) {
  QSettings().setValue(kLayersKey, on);
  if (m_session) m_session->setLayerSampling(on);
}

void RunController::recordSteps(int64_t steps) {
  if (m_session) m_session->capture(steps);
}

void RunController::setProfiling(bool on) {
  m_isProfiling = on;
  if (m_session) m_session->setProfiling(on);
}

void RunController::setState(RunState state) {
  // finish() reports the end.
  if (state == RunState::Ended || state == m_state) return;
  m_state = state;
  Q_EMIT stateChanged();
}

void RunController::drain() {
  if (!m_observer) return;
  // The rows stay staged until the names of their columns are known.
  if (!m_shown.start) {
    if (isActive()) m_timer.start(33);
    m_lastDrain = 0;
    return;
  }
  const double before = threadSeconds(), sinceLast = m_lastDrain > 0 ? before - m_lastDrain : 0;
  m_lastDrain = before;
  const size_t columns = m_observer->staged().take(m_rows);
  const bool hasSteps = columns >= kFixedColumns && !m_rows.empty();
  if (hasSteps) {
    MetricSeries& memory = m_shown.history.series("memory");
    Measures measures;
    for (size_t at = 0; at + columns <= m_rows.size(); at += columns) {
      const double* row = &m_rows[at];
      std::transform(row + kMeasures, row + kFixedColumns, measures.begin(),
                     [](double value) { return static_cast<float>(value); });
      m_filler->add(HistoryStep{row[kStep],
                                row[kSeconds],
                                row[kLoss],
                                row[kLearningRate],
                                row[kSamplesPerSecond],
                                {row + kFixedColumns, columns - kFixedColumns},
                                measures});
      memory.append(row[kStep], row[kMemory]);
    }
    const double* last = &m_rows[m_rows.size() - columns];
    m_shown.step = static_cast<int64_t>(last[kStep]);
    m_shown.epoch = static_cast<int64_t>(last[kEpoch]);
    m_shown.seconds = last[kSeconds];
    m_shown.samplesPerSecond = last[kSamplesPerSecond];
    m_shown.memoryBytes = static_cast<size_t>(last[kMemory]);
  }
  m_observer->takeClasses(m_shown.classes);
  const bool hasValidation = takeValidation();
  if (m_isRedrawing && (hasSteps || hasValidation)) Q_EMIT metricsArrived();
  m_observer->takeSamples(m_samples);
  addSamples(m_shown.devices, m_samples);
  if (m_isRedrawing && !m_samples.empty()) Q_EMIT devicesArrived();
  if (const int64_t step = m_observer->takeCheckpoint(); step >= 0) {
    m_shown.checkpointAt = std::chrono::steady_clock::now();
    m_shown.checkpointStep = step;
    m_observer->takeMarks(m_shown.marks);
    Q_EMIT checkpointArrived();
  }
  // The interval is 50 times the cost of redrawing, within limits, so that redrawing takes about a
  // fiftieth of a core. The cost is the processor time of this call, or of this thread since the
  // previous call if that is longer. The latter includes painting.
  const double cost = std::max(threadSeconds() - before, sinceLast);
  if (isActive()) m_timer.start(static_cast<int>(std::clamp(50'000 * cost, 33.0, 500.0)));
}

bool RunController::takeValidation() {
  const size_t columns = m_observer->stagedValidation().take(m_validationRows);
  for (size_t at = 0; columns > 0 && at + columns <= m_validationRows.size(); at += columns) {
    const double* row = &m_validationRows[at];
    m_filler->add(HistoryValidation{row[0], row[1], {row + 2, columns - 2}});
  }
  return !m_validationRows.empty();
}

void RunController::finish(const RunOutcome& outcome) {
  drain();
  m_timer.stop();
  m_shown.outcome = outcome;
  m_shown.diskProblem.reset();
  m_shown.weightsFile = outcome.weightsPath;
  m_shown.settleSpeed();
  m_state = RunState::Ended;
  m_session.reset();
  m_observer.reset();
  Q_EMIT stateChanged();
  Q_EMIT ended();
}

}  // namespace strata::ui
