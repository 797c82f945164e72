// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/run_view.h"

#include <QMetaObject>
#include <utility>

#include "ui/document/document.h"
#include "ui/run/replay.h"
#include "ui/run/run_controller.h"

namespace strata::ui {

RunView::RunView(RunController& run, const Document& document, QObject* parent)
    : QObject(parent),
      m_run(run),
      m_document(document),
      m_reader(
          [this](const Request& request, const std::stop_token& stop) { read(request, stop); }) {
  connect(&run, &RunController::started, this, [this] {
    m_wanted.clear();
    replace(nullptr);
  });
  connect(&run, &RunController::stateChanged, this, [this] {
    // A run that begins takes the place of an earlier one at once
    if (m_run.isActive() && m_chosen) showCurrent();
    Q_EMIT stateChanged();
  });
  const auto forward = [&](auto signal, auto own) {
    connect(&run, signal, this, [this, own] {
      if (!m_chosen && !m_replay) Q_EMIT(this->*own)();
    });
  };
  forward(&RunController::loaded, &RunView::changed);
  forward(&RunController::metricsArrived, &RunView::metricsArrived);
  forward(&RunController::profileArrived, &RunView::profileArrived);
  forward(&RunController::traceArrived, &RunView::traceArrived);
  forward(&RunController::layersArrived, &RunView::layersArrived);
  forward(&RunController::devicesArrived, &RunView::devicesArrived);
  forward(&RunController::settingChanged, &RunView::settingChanged);
  forward(&RunController::checkpointArrived, &RunView::settingChanged);
  forward(&RunController::ended, &RunView::ended);
}

RunView::~RunView() = default;

const ShownRun& RunView::shown() const {
  if (m_replay) return m_replay->shown();
  return m_chosen ? *m_chosen : m_run.shown();
}

bool RunView::isLive() const {
  return m_replay ? !m_replay->isAtEnd() : !m_chosen && m_run.isActive();
}

void RunView::play(Replay& replay) {
  m_replay = &replay;
  const auto forward = [&](auto signal, auto own) {
    connect(&replay, signal, this, own);
  };
  forward(&Replay::changed, &RunView::changed);
  forward(&Replay::metricsArrived, &RunView::metricsArrived);
  forward(&Replay::profileArrived, &RunView::profileArrived);
  forward(&Replay::devicesArrived, &RunView::devicesArrived);
  forward(&Replay::layersArrived, &RunView::layersArrived);
  forward(&Replay::settingChanged, &RunView::settingChanged);
  forward(&Replay::stateChanged, &RunView::stateChanged);
  forward(&Replay::ended, &RunView::ended);
  Q_EMIT changed();
  Q_EMIT stateChanged();
}

void RunView::choose(const std::string& runDirectory) {
  const auto directoryOf = [](const ShownRun& run) {
    return run.start ? run.start->runDirectory : std::string();
  };
  if (m_replay || m_run.isActive() || runDirectory.empty() || runDirectory == m_wanted) return;
  m_wanted.clear();
  if (runDirectory == directoryOf(m_run.shown())) {
    showCurrent();
    return;
  }
  if (runDirectory == directoryOf(shown())) return;
  m_wanted = runDirectory;
  m_reader.post({runDirectory, m_document.project()});
}

void RunView::compareWith(std::vector<std::string> runDirectories) {
  m_compared = std::move(runDirectories);
  Q_EMIT comparedChanged();
}

void RunView::showCurrent() {
  m_wanted.clear();
  m_reader.cancel();
  if (!m_chosen) return;
  replace(nullptr);
  Q_EMIT stateChanged();
}

/// Shows another run. Views may still read the former one until they know.
void RunView::replace(std::unique_ptr<const ShownRun> chosen) {
  const std::unique_ptr<const ShownRun> former = std::exchange(m_chosen, std::move(chosen));
  Q_EMIT changed();
}

void RunView::read(const Request& request, const std::stop_token& stop) {
  std::shared_ptr<PastRun> past;
  try {
    past = std::make_shared<PastRun>(readPastRun(request.directory, request.project, stop));
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    past = std::make_shared<PastRun>();
    past->info.start.runDirectory = request.directory;
    past->problem = error.line();
  }
  if (stop.stop_requested()) return;
  QMetaObject::invokeMethod(
      this,
      [this, past, directory = request.directory] {
        if (directory != m_wanted || m_run.isActive()) return;
        m_wanted.clear();
        replace(std::make_unique<const ShownRun>(std::move(*past)));
        Q_EMIT stateChanged();
      },
      Qt::QueuedConnection);
}

}  // namespace strata::ui
