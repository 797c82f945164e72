// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/status_row.h"

#include <QHBoxLayout>
#include <QPushButton>

#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/main_window/problem_list.h"
#include "ui/main_window/queue_button.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/action_table.h"
#include "ui/workspace/runs.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kSavedRefreshMilliseconds = 5000;
// Room for the times of a run that takes less than an hour
const QString kUsualClock = u"00:00"_s;

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
      m_run(new ElidedLabel(this)),
      m_saved(new ElidedLabel(this)) {
  setRole(this, "bar");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(6, 2, 12, 2);
  row->setSpacing(10);
  // The room is that of the longest text
  m_problems->setProperty("isLeft", true);
  setRole(m_problems, "link");
  QFont bold = m_problems->font();
  bold.setWeight(QFont::DemiBold);
  m_problems->setFont(bold);
  const QString problems = tr("%n problem(s)", nullptr, 88), hints = tr("%n hint(s)", nullptr, 88);
  fixWidth(m_problems, {tr("No problems"), tr("%1, %2").arg(problems, hints), tr("Checking…"),
                        tr("A field has an invalid value"), tr("Does not fit in memory"),
                        tr("The last run failed")});
  setRole(m_run, "muted");
  setRole(m_saved, "muted");
  m_saved->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  const QString checkpoint = tr("checkpoint %1").arg(formatAgo(3599));
  m_saved->setFixedWidth(
      widthOf(m_saved, {tr("%1, unsaved changes").arg(checkpoint),
                        tr("saved %1").arg(formatAgo(3599)), tr("checkpoints are off")}));
  m_saved->setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Preferred);
  m_run->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
  row->addWidget(m_problems);
  row->addWidget(m_run, 1);
  row->addWidget(new QueueButton(m_context.runs.queue(), this));
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
      connect(document, &Document::changed, this, &StatusRow::refreshProblems);
      connect(document, &Document::estimateChanged, this, &StatusRow::refreshProblems);
      connect(document, &Document::refusedValuesChanged, this, &StatusRow::refreshProblems);
    }
    refreshProblems();
    refreshRun();
    refreshSaved();
  });
  refreshProblems();
  connect(&m_context.runs, &Runs::stateChanged, this, &StatusRow::refreshProblems);
  connect(&m_context.runs, &Runs::stateChanged, this, &StatusRow::refreshSaved);
  connect(&m_context.runs, &Runs::progressed, this, &StatusRow::refreshRun);
}

bool StatusRow::hasFailedRun() const {
  const RunController& run = m_context.runs.of(m_document);
  return run.shown().outcome && run.shown().outcome->outcome == Outcome::Failed;
}

void StatusRow::refreshProblems() {
  const int errors = m_document ? m_document->checks().errorCount() : 0;
  const int all =
      m_document ? static_cast<int>(m_document->checks().inspection().diagnostics.size()) : 0;
  const int hints = all - errors;
  const QString errorWords = tr("%n problem(s)", nullptr, errors);
  const QString hintWords = tr("%n hint(s)", nullptr, hints);
  QString words = hints > 0 ? hintWords : tr("No problems");
  switch (m_document ? readinessOf(*m_document) : Readiness::Ready) {
    case Readiness::HasProblems:
      words = hints > 0 ? tr("%1, %2").arg(errorWords, hintWords) : errorWords;
      break;
    case Readiness::RefusedValue: words = tr("A field has an invalid value"); break;
    case Readiness::Checking: words = tr("Checking…"); break;
    case Readiness::DoesNotFit: words = tr("Does not fit in memory"); break;
    case Readiness::Ready:
      if (m_document && hasFailedRun()) words = tr("The last run failed");
  }
  m_problems->setVisible(m_document != nullptr);
  m_problems->setText(words);
  m_problems->setAccessibleName(words);
  refreshRun();
}

/// Returns what is shown while nothing trains. Predicted figures are in italics.
QString StatusRow::idleText() const {
  if (!m_document) return {};
  const Readiness readiness = readinessOf(*m_document);
  if (readiness == Readiness::HasProblems || readiness == Readiness::RefusedValue)
    return tr("Not ready to train");
  if (const Estimate& estimate = m_document->checks().estimate();
      estimate.hasMemory && !estimate.fits)
    return tr("Does not fit in memory: predicted %1, limit %2")
        .arg(italic(formatBytes(estimate.peakBytes)), formatBytes(estimate.limitBytes));
  return tr("Ready to train: %1").arg(RunText::settings(m_document->checked()));
}

void StatusRow::refreshRun() {
  const RunController* run = m_context.runs.active();
  const Replay* replay = m_document ? m_context.runs.replayOf(m_document) : nullptr;
  // The run that trains goes first, also while another document is shown
  const ShownRun* shown = run ? &run->shown() : nullptr;
  if (!run && replay) shown = &replay->shown();
  if (!shown || shown->step == 0) m_widestClock = kUsualClock;
  QString words;
  if (!shown) {
    m_run->setTextWithItalics(idleText());
    m_run->setToolTip({});
    return;
  }
  if (!run) {
    words = tr("Recording: %1").arg(progressOf(*shown));
  }
  else if (!shown->start || shown->step == 0) {
    words = tr("Preparing the run");
  }
  else {
    words = progressOf(*shown);
    if (run->state() == RunState::Paused) words = tr("%1, paused").arg(words);
  }
  if (words != m_run->text()) m_run->setText(words);
  const QString sleep = run ? m_context.runs.sleepGuard().problem() : QString();
  m_run->setToolTip(sleep.isEmpty() ? QString() : words + u'\n' + sleep);
}

QString StatusRow::progressOf(const ShownRun& run) {
  // It only grows, so that the texts after the times move at most once an hour
  const QString total = formatClock(run.seconds + run.secondsLeft());
  if (total.size() > m_widestClock.size()) m_widestClock = total;
  return RunText::progress(run, m_widestClock);
}

void StatusRow::refreshSaved() {
  const auto ago = [](std::chrono::steady_clock::time_point at) {
    return formatAgo(std::chrono::duration<double>(std::chrono::steady_clock::now() - at).count());
  };
  const RunController* run = m_context.runs.active();
  if (run && run->shown().isWithoutFiles) {
    m_saved->setText(tr("checkpoints are off"));
  }
  else if (run && run->shown().checkpointAt) {
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
