// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/status_row.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>

#include "core/recipe/options.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_text.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/action_table.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSavedRefreshMilliseconds = 5000;

QPushButton* switchFor(QAction* action, QWidget* parent) {
  auto* button = new QPushButton(action->text(), parent);
  setRole(button, "link");
  button->setCheckable(true);
  button->setAccessibleName(action->text());
  QObject::connect(button, &QPushButton::clicked, action, &QAction::trigger);
  QObject::connect(action, &QAction::toggled, button, &QPushButton::setChecked);
  return button;
}

}  // namespace

StatusRow::StatusRow(const PageContext& context, ActionTable& actions, QWidget* parent)
    : QWidget(parent),
      m_context(context),
      m_problems(new QPushButton(this)),
      m_run(new QLabel(this)),
      m_saved(new QLabel(this)) {
  setRole(this, "bar");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 2, 12, 2);
  row->setSpacing(10);
  setRole(m_problems, "link");
  QFont bold = m_problems->font();
  bold.setWeight(QFont::DemiBold);
  m_problems->setFont(bold);
  setRole(m_run, "muted");
  setRole(m_saved, "muted");
  m_run->setMinimumWidth(60);
  m_run->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_problems);
  row->addWidget(m_run, 1);
  row->addWidget(switchFor(actions[u"view.problems"_s], this));
  row->addWidget(switchFor(actions[u"view.log"_s], this));
  row->addWidget(m_saved);
  connect(m_problems, &QPushButton::clicked, actions[u"view.problems"_s], &QAction::trigger);

  m_timer.setInterval(kSavedRefreshMilliseconds);
  connect(&m_timer, &QTimer::timeout, this, &StatusRow::refreshSaved);
  m_timer.start();
  connect(&m_context.workspace, &Workspace::currentChanged, this, [this](Document* document) {
    if (m_document) m_document->disconnect(this);
    m_document = document;
    if (document) {
      connect(document, &Document::inspectionChanged, this, &StatusRow::refreshProblems);
      connect(document, &Document::savedChanged, this, &StatusRow::refreshSaved);
      connect(document, &Document::changed, this, &StatusRow::refreshRun);
      connect(document, &Document::estimateChanged, this, &StatusRow::refreshRun);
    }
    refreshProblems();
    refreshRun();
    refreshSaved();
  });
  refreshProblems();
  connect(&m_context.runs, &Runs::stateChanged, this, &StatusRow::refreshRun);
  connect(&m_context.runs, &Runs::progressed, this, &StatusRow::refreshRun);
}

void StatusRow::refreshProblems() {
  const int errors = m_document ? m_document->checks().errorCount() : 0;
  const int all =
      m_document ? static_cast<int>(m_document->checks().inspection().diagnostics.size()) : 0;
  const int hints = all - errors;
  const QString errorWords = tr("%n problem(s)", nullptr, errors);
  const QString hintWords = tr("%n hint(s)", nullptr, hints);
  QString words = tr("No problems");
  if (errors > 0 && hints > 0)
    words = tr("%1, %2").arg(errorWords, hintWords);
  else if (errors > 0)
    words = errorWords;
  else if (hints > 0)
    words = hintWords;
  m_problems->setVisible(m_document != nullptr);
  m_problems->setText(words);
  m_problems->setAccessibleName(words);
  refreshRun();
}

QString StatusRow::idleText() const {
  if (!m_document) return {};
  if (m_document->checks().errorCount() > 0) return tr("Not ready to train");
  if (const Estimate& estimate = m_document->checks().estimate();
      estimate.hasMemory && !estimate.fits)
    return tr("Does not fit in memory: needs %1, limit %2")
        .arg(formatBytes(estimate.peakBytes), formatBytes(estimate.limitBytes));
  const TrainingOptions& training = m_document->checked().recipe();
  // The name of a schedule is more useful than its first rate, which may be 0.
  const Json schedule = m_document->json().value(
      Json::json_pointer("/training/optimizer/learning_rate/type"), Json());
  return tr("Ready to train: %1, batch %2, %3 %4")
      .arg(tr("%Ln epoch(s)", nullptr, pluralOf(training.epochs)), formatCount(training.batchSize),
           text(training.optimizer.type),
           schedule.is_string() ? text(schedule.get<std::string>())
                                : formatValue(training.learningRate, 3));
}

void StatusRow::refreshRun() {
  const RunController* run = m_context.runs.active();
  QString words;
  if (!run) {
    words = m_context.runs.waiting()
                ? tr("%1 is waiting for the run to end").arg(m_context.runs.waiting()->name())
                : idleText();
  }
  else if (!run->shown().start || run->shown().step == 0) {
    words = tr("Preparing the run");
  }
  else {
    const RunStart& start = *run->shown().start;
    words = RunText::progress(run->shown().epoch, start.epochs, run->shown().step, start.totalSteps,
                              run->shown().secondsLeft(), run->shown().samplesPerSecond);
    if (run->state() == RunState::Paused) words = tr("%1, paused").arg(words);
  }
  if (words != m_run->text()) m_run->setText(words);
}

void StatusRow::refreshSaved() {
  const auto ago = [](std::chrono::steady_clock::time_point at) {
    return formatAgo(std::chrono::duration<double>(std::chrono::steady_clock::now() - at).count());
  };
  const RunController* run = m_context.runs.active();
  if (run && run->shown().checkpointAt) {
    const QString checkpoint = tr("checkpoint %1").arg(ago(*run->shown().checkpointAt));
    m_saved->setText(m_document && m_document->isModified()
                         ? tr("%1, unsaved changes").arg(checkpoint)
                         : checkpoint);
  }
  else if (!m_document) {
    m_saved->clear();
  }
  else if (m_document->path().isEmpty()) {
    m_saved->setText(tr("not saved yet"));
  }
  else if (m_document->isModified()) {
    m_saved->setText(tr("unsaved changes"));
  }
  else if (const auto at = m_document->file().savedAt()) {
    m_saved->setText(tr("saved %1").arg(ago(*at)));
  }
  else {
    m_saved->setText(tr("saved"));
  }
}

}  // namespace strata::ui
