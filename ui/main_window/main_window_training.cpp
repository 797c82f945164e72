// SPDX-License-Identifier: GPL-3.0-or-later
// Starts and continues training, and shows recordings.
#include <QMetaObject>
#include <nlohmann/json.hpp>

#include "core/runs/run_directory.h"
#include "ui/dialogs/checkpoint_dialog.h"
#include "ui/dialogs/continue_question.h"
#include "ui/dialogs/file_desk.h"
#include "ui/format.h"
#include "ui/main_window/drawer.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/train_button.h"
#include "ui/run/run_text.h"
#include "ui/workspace/continuation.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

/// Updates the actions that start training. They continue the last run, start from its weights, or
/// start from initial weights.
void MainWindow::refreshTrainActions() {
  QAction* train = m_actions[u"run.train"_s];
  QAction* resume = m_actions[u"run.continue"_s];
  QAction* keep = m_actions[u"run.keep"_s];
  QAction* later = m_actions[u"run.later"_s];
  const RunController* run = m_document ? &m_runs.of(m_document) : nullptr;
  if (m_runs.replayOf(m_document)) {
    refuseTraining(
        tr("This window shows a recording, which cannot be trained. Open the project to "
           "train it."));
    return;
  }
  const Continuation next =
      run && !m_runs.isActive() ? continuationOf(*m_document, usedRun(*run)) : Continuation();
  resume->setVisible(next.canContinue);
  later->setVisible(m_runs.isActive());
  // In the project that trains, a double click on Train must not queue another run.
  later->setPriority(m_runs.activeDocument() == m_document ? QAction::NormalPriority
                                                           : QAction::HighPriority);
  const bool hasRun = run && !m_runs.isActive() && m_runs.viewOf(m_document).shown().start;
  m_actions[u"run.checkpoint"_s]->setVisible(hasRun);
  keep->setVisible(next.canKeepWeights());
  resume->setPriority(next.canContinue && next.changes.isEmpty() ? QAction::HighPriority
                                                                 : QAction::NormalPriority);
  // If the split has changed, the weights are not offered first. The network may have been trained
  // on samples that are now test samples.
  const bool isLeak = next.canContinue && next.changes.hasSplit;
  keep->setPriority(next.canKeepWeights() && !isLeak ? QAction::HighPriority
                                                     : QAction::NormalPriority);
  train->setPriority(next.canContinue && !next.changes.isEmpty() ? QAction::HighPriority
                                                                 : QAction::NormalPriority);
  train->setText(next.canContinue ? tr("New run") : tr("Train"));
  const QString leak = isLeak ? tr("The split has changed: the network may have been trained on "
                                   "samples that are now test samples.")
                              : QString();
  if (auto* button = findChild<TrainButton*>()) button->setNotice(leak);
  refreshTrainToolTip();
  if (!next.canContinue) return;
  const QString title = RunText::title(run->shown().start->runDirectory);
  const bool isFinished = next.moreEpochs > 0;
  resume->setText(next.text());
  const QString what = isFinished ? tr("Continue %1 beyond its planned end").arg(title.toLower())
                                  : tr("Continue %1 where it stopped").arg(title.toLower());
  const QStringList used = usedSettings(*m_document, usedRun(*run));
  resume->setToolTip(used.isEmpty()
                         ? what
                         : tr("%1\nThe run used other settings than the project has now.\n%2")
                               .arg(what, used.join(u'\n')));
  if (!next.canKeepWeights()) return;
  const auto names = [](const std::vector<std::string>& layers) {
    QStringList list;
    for (const std::string& layer : layers)
      list << text(layer);
    return list.join(u", "_s);
  };
  const size_t all = next.layers.kept.size() + next.layers.fresh.size();
  QStringList lines{
      tr("Start a new run of the open design from the weights of %1").arg(title.toLower()),
      tr("Layers that keep their weights: %1").arg(names(next.layers.kept))};
  if (!next.layers.fresh.empty())
    lines << tr("Layers that start from initial weights: %1").arg(names(next.layers.fresh));
  if (isLeak) lines << leak;
  keep->setText(next.layers.fresh.empty()
                    ? tr("New run, starting from %1's weights").arg(title.toLower())
                    : tr("New run, starting from %1's weights (%2 of %3 layer(s))", nullptr,
                         static_cast<int>(all))
                          .arg(title.toLower())
                          .arg(next.layers.kept.size())
                          .arg(all));
  keep->setIconText(tr("New run from %1").arg(title.toLower()));
  keep->setToolTip(lines.join(u'\n'));
}

/// Disables the actions that start training, and says why.
void MainWindow::refuseTraining(const QString& why) {
  for (const QString& name :
       {u"run.continue"_s, u"run.keep"_s, u"run.checkpoint"_s, u"run.later"_s})
    m_actions[name]->setVisible(false);
  for (const QString& name : {u"run.train"_s, u"run.launch"_s}) {
    m_actions[name]->setEnabled(false);
    m_actions[name]->setToolTip(why);
  }
  if (auto* button = findChild<TrainButton*>()) button->setNotice(QString());
}

void MainWindow::refreshTrainToolTip() {
  QAction* action = m_actions[u"run.train"_s];
  if (!m_document || m_document->checks().errorCount() == 0) {
    action->setToolTip(tr("Start a new run from initial weights (F5)"));
    return;
  }
  QStringList lines{tr("The network cannot be trained yet:")};
  for (const Diagnostic& diagnostic : m_document->checks().inspection().diagnostics) {
    if (diagnostic.severity != Severity::Error || lines.size() > 6) continue;
    const QString message = translated(diagnostic);
    lines << (diagnostic.layer.empty() ? message
                                       : tr("%1: %2").arg(text(diagnostic.layer), message));
  }
  action->setToolTip(lines.join(u'\n'));
}

/// Returns true and moves the focus to a refused value if there is one. The document does not have
/// the value, so a run would use the previous one.
bool MainWindow::showRefusedValue() {
  if (m_document->refusedValues().all().isEmpty()) return false;
  const RefusedValue value = m_document->refusedValues().all().first();
  m_navigation.log(
      tr("The value of %1 is invalid. Correct it, or press Escape in the field to discard it.")
          .arg(value.title));
  if (value.layer.steps.empty()) {
    m_navigation.showProjectField(text(value.field));
  }
  else {
    showPage(PageId::Design);
    m_document->select({value.layer});
    Q_EMIT m_navigation.fieldRequested(text(value.field));
  }
  return true;
}

/// Returns whether the document can be trained, and shows why if it cannot.
bool MainWindow::isReadyToTrain() {
  if (!m_document || m_runs.replayOf(m_document) || showRefusedValue()) return false;
  m_document->checks().inspectNow();
  if (m_document->checks().errorCount() == 0) return true;
  showDrawer(true, static_cast<int>(Drawer::Tab::Problems));
  m_drawer->showRefusal(m_document->checks().errorCount());
  return false;
}

void MainWindow::train(const QString& weightsFrom) {
  if (m_runs.isActive() || !isReadyToTrain()) return;
  m_runs.start(m_document, weightsFrom);
  showPage(PageId::Train);
}

/// Queues a run of the present design, which starts when those before it have ended.
void MainWindow::trainLater() {
  if (m_runs.isActive() && isReadyToTrain()) m_runs.start(m_document);
}

void MainWindow::continueRun() {
  if (!m_document || m_runs.isActive() || !m_runs.of(m_document).canContinue() ||
      showRefusedValue())
    return;
  continueOrAsk(
      this, *m_document, usedRun(m_runs.of(m_document)), m_runs.of(m_document),
      [this](const QString& weights) { train(weights); }, [this] { showPage(PageId::Train); });
}

/// Offers the checkpoints of the run that the lenses show.
void MainWindow::chooseCheckpoint() {
  if (!m_document || m_runs.isActive() || showRefusedValue()) return;
  const ShownRun& shown = m_runs.viewOf(m_document).shown();
  if (!shown.start) return;
  try {
    openCheckpoints(
        this, *m_document, usedRun(readRun(shown.start->runDirectory), shown.project),
        m_runs.of(m_document), [this] { showPage(PageId::Train); },
        [this](const QString& line) { m_navigation.log(line); });
  }
  catch (const Error& error) {
    m_navigation.log(text(error.line()));
  }
}

/// Reads a recording on a worker, and shows it.
void MainWindow::openRecording(const QString& path) {
  m_recordingReader = std::jthread([this, path = path.toStdString()](const std::stop_token& stop) {
    try {
      const auto recording = readRecording(path, stop);
      if (stop.stop_requested()) return;
      QMetaObject::invokeMethod(
          this, [this, recording] { showRecording(recording); }, Qt::QueuedConnection);
    }
    catch (const Error& error) {
      if (error.code() == ErrorCode::Stopped) return;
      QMetaObject::invokeMethod(
          this, [this, error] { m_files->showRecordingFailure(error); }, Qt::QueuedConnection);
    }
  });
}

void MainWindow::showRecording(std::shared_ptr<const Recording> recording) {
  Project project = recording->run.project ? *recording->run.project : emptyProject();
  const QString name = recording->run.project ? text(project.name()) : text(recording->name);
  project.document()["name"] = tr("Recording: %1").arg(name).toStdString();
  Document* document = m_workspace.addNew(std::move(project));
  Replay& replay = m_runs.play(document, std::move(recording));
  showPage(PageId::Train);
  replay.setPlaying(true);
}

}  // namespace strata::ui
