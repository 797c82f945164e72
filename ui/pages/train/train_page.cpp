// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/train/train_page.h"

#include <QFileDialog>
#include <QFrame>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabBar>
#include <QVBoxLayout>
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/train/network.h"
#include "core/train/plan_edits.h"
#include "ui/dialogs/memory_panel.h"
#include "ui/document/document.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/layout_boundary.h"
#include "ui/lenses/overview.h"
#include "ui/pages/design_change_line.h"
#include "ui/pages/pages.h"
#include "ui/pages/train/replay_bar.h"
#include "ui/run/replay.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/run/run_view.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/navigation.h"
#include "ui/workspace/page_context.h"
#include "ui/workspace/per_document.h"
#include "ui/workspace/runs.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Tabs with room for the fractions of a pixel that their texts need.
class RoomyTabs : public QTabBar {
 public:
  using QTabBar::QTabBar;

 protected:
  QSize tabSizeHint(int index) const override { return QTabBar::tabSizeHint(index) + QSize(2, 0); }
};

bool isTooLarge(const RunOutcome& outcome) {
  return outcome.error && outcome.error->code() == ErrorCode::OutOfMemory &&
         outcome.error->subject() == kMemoryLimit;
}

}  // namespace

Page makeTrainPage(const PageContext& context) {
  auto* view =
      new PerDocument(context.workspace,
                      [&runs = context.runs, &navigation = context.navigation](
                          Document& document, QWidget* parent) -> QWidget* {
                        return new TrainPage({document, runs.of(&document), runs.viewOf(&document),
                                              [&navigation](const QString& layer) {
                                                navigation.showLayer(layer);
                                              }},
                                             navigation, parent);
                      });
  return {view, nullptr};
}

TrainPage::TrainPage(const LensContext& context, Navigation& navigation, QWidget* parent)
    : QWidget(parent), m_context(context), m_navigation(navigation) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(18, 14, 18, 14);
  layout->setSpacing(10);
  makeBanner();
  layout->addWidget(m_banner);
  m_stack = new QStackedWidget(this);
  layout->addWidget(m_stack, 1);
  m_stack->addWidget(makeEmptyView());
  m_stack->addWidget(makeLensView());

  connect(&m_context.view, &RunView::stateChanged, this, &TrainPage::onState);
  connect(&m_context.view, &RunView::changed, this, [this] {
    showReplayBar();
    onState();
    if (m_context.view.shown().outcome) showOutcome();
  });
  connect(&m_context.view, &RunView::ended, this, &TrainPage::showOutcome);
  connect(&m_context.document, &Document::estimateChanged, this, [this] {
    const auto& outcome = m_context.view.shown().outcome;
    if (!m_banner->isHidden() && outcome && isTooLarge(*outcome) && refusal().words != m_refusal)
      showOutcome();
  });
  connect(&navigation, &Navigation::actionRequested, this, [this](const QString& action) {
    if (action == "train.time"_L1 && isVisible()) showTime();
  });
  showReplayBar();
  connect(&navigation, &Navigation::lensRequested, this, [this](const QString& lens) {
    if (isVisible()) showLens(lens.toStdString());
  });
  onState();
  if (m_context.view.shown().outcome) showOutcome();
}

void TrainPage::showReplayBar() {
  if (m_replayBar || !m_context.view.replay()) return;
  m_replayBar = new ReplayBar(*m_context.view.replay(), this);
  // The banner says what it is a recording of
  static_cast<QHBoxLayout*>(m_banner->layout())->insertWidget(1, m_replayBar, 2);
}

/// Makes the lenses, with their tabs and the line about changes of the design in one row.
QWidget* TrainPage::makeLensView() {
  auto* view = new QWidget(this);
  auto* layout = new QVBoxLayout(view);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  auto* views = m_lenses = new QStackedWidget(view);
  auto* row = new QHBoxLayout;
  row->setSpacing(12);
  auto* tabs = new RoomyTabs(view);
  tabs->setAccessibleName(tr("Views of the run"));
  tabs->setDrawBase(false);
  tabs->setExpanding(false);
  for (const LensEntry& lens : allLenses())
    tabs->addTab(translated(lens.title));
  connect(tabs, &QTabBar::currentChanged, views, &QStackedWidget::setCurrentIndex);
  connect(views, &QStackedWidget::currentChanged, tabs, &QTabBar::setCurrentIndex);
  row->addWidget(tabs);
  m_changes = new DesignChangeLine(m_context.document, view);
  row->addWidget(m_changes, 1);
  layout->addLayout(row);
  layout->addSpacing(12);
  for (const LensEntry& lens : allLenses())
    views->addWidget(new LayoutBoundary(lens.make(m_context, views), views));
  layout->addWidget(views, 1);
  return view;
}

QWidget* TrainPage::makeEmptyView() {
  auto* view = new QWidget(this);
  auto* layout = new QVBoxLayout(view);
  layout->addStretch();
  auto* sentence = new QLabel(translated(allLenses().front().whatFillsIt), view);
  sentence->setAlignment(Qt::AlignCenter);
  sentence->setWordWrap(true);
  setRole(sentence, "muted");
  layout->addWidget(sentence);
  auto* train = new QPushButton(tr("Train"), view);
  setRole(train, "primary");
  connect(train, &QPushButton::clicked, this, [this] { m_navigation.trigger(u"run.train"_s); });
  layout->addWidget(train, 0, Qt::AlignCenter);
  layout->addStretch();
  return view;
}

void TrainPage::makeBanner() {
  m_banner = new QFrame(this);
  auto* layout = new QHBoxLayout(m_banner);
  layout->setContentsMargins(14, 4, 12, 4);
  layout->setSpacing(8);
  constexpr int kLines = 2;
  m_bannerText = new ElidedLabel(m_banner, kLines);
  m_bannerText->offerCopy();
  layout->addWidget(m_bannerText, 1);
  auto* actions = new QWidget(m_banner);
  m_bannerActions = new QHBoxLayout(actions);
  m_bannerActions->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(actions);
  QPushButton sample(tr("Export"), m_banner);
  sample.ensurePolished();
  const int content = std::max(sample.sizeHint().height(), m_bannerText->sizeHint().height());
  m_banner->setFixedHeight(content + 10);
  keepPlace(m_banner);
  m_banner->hide();
}

void TrainPage::clearBanner() {
  while (QLayoutItem* item = m_bannerActions->takeAt(0)) {
    item->widget()->hide();
    // Delete the button later, because it may have emitted the current signal.
    item->widget()->deleteLater();
    delete item;
  }
}

void TrainPage::onState() {
  const RunView& run = m_context.view;
  if (run.isLive()) {
    clearBanner();
    const bool isFull = run.shown().diskProblem.has_value();
    setRole(m_banner, isFull ? "banner" : "strip");
    const QString activity = run.replay() ? RunText::recording(run.replay()->recording())
                                          : RunText::activity(run.shown().start.get());
    if (isFull)
      m_bannerText->setText(RunText::diskProblem(run.shown()));
    else if (run.shown().isWithoutFiles)
      m_bannerText->setText(tr("%1. Checkpoints are off until the end of the run.").arg(activity));
    else
      m_bannerText->setText(activity);
    if (isFull) offerDiskAnswers();
    m_banner->show();
  }
  else if (!run.shown().outcome) {
    m_banner->hide();
  }
  const bool isRefused = run.shown().outcome && isTooLarge(*run.shown().outcome);
  m_stack->setCurrentIndex(run.isLive() || run.shown().start || isRefused ? 1 : 0);
  m_changes->setRun(run.shown().start ? run.shown().start->runDirectory : std::string(),
                    run.shown().start ? run.shown().project : nullptr);
}

/// Offers how a run whose files cannot be written goes on. It is paused, so nothing is lost.
void TrainPage::offerDiskAnswers() {
  using Choice = DiskAnswer::Choice;
  connect(offer(tr("Retry")), &QPushButton::clicked, this, [this] {
    m_context.run.answerDisk({Choice::Retry, {}});
  });
  connect(offer(tr("Another folder…")), &QPushButton::clicked, this, [this] {
    auto* dialog = new QFileDialog(window(), tr("Choose a folder for the run"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setFileMode(QFileDialog::Directory);
    dialog->setOption(QFileDialog::ShowDirsOnly);
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString& folder) {
      m_context.run.answerDisk({Choice::OtherFolder, folder.toStdString()});
    });
    dialog->open();
  });
  QPushButton* without = offer(m_context.view.shown().isEnding() ? tr("End without saving")
                                                                 : tr("Go on without checkpoints"));
  connect(without, &QPushButton::clicked, this, [this] {
    m_context.run.answerDisk({Choice::WithoutFiles, {}});
  });
}

/// Shows the lens with this identifier.
void TrainPage::showLens(std::string_view id) {
  const std::span<const LensEntry> lenses = allLenses();
  for (size_t i = 0; i < lenses.size(); ++i)
    if (lenses[i].id == id) m_lenses->setCurrentIndex(static_cast<int>(i));
}

void TrainPage::showTime() {
  for (int i = 0; i < m_lenses->count(); ++i) {
    auto* overview =
        qobject_cast<OverviewLens*>(static_cast<LayoutBoundary*>(m_lenses->widget(i))->content());
    if (!overview) continue;
    m_lenses->setCurrentIndex(i);
    overview->focusTime();
  }
}

void TrainPage::showOutcome() {
  const RunView& run = m_context.view;
  const RunOutcome& outcome = *run.shown().outcome;
  const bool isRefused = !run.shown().start && isTooLarge(outcome);
  m_stack->setCurrentIndex(run.shown().start || isRefused ? 1 : 0);
  // The Memory lens explains what does not fit, and offers what would
  if (isRefused) showLens("memory");
  clearBanner();
  setRole(m_banner, outcome.outcome == Outcome::Failed ? "banner" : "strip");
  m_bannerText->setText(
      RunText::outcome(outcome, run.shown().start.get(), run.shown().project.get()));
  if (!run.shown().problem.empty()) m_bannerText->setText(text(run.shown().problem));
  if (run.replay()) {
    // A recording is only looked at
    m_bannerText->setText(RunText::recording(run.replay()->recording()) + u'\n' +
                          m_bannerText->text());
    m_banner->show();
    return;
  }
  if (run.isChosen()) {
    const QString back = tr("Back to the last run");
    connect(offer(back), &QPushButton::clicked, &m_context.view, &RunView::showCurrent);
  }
  if (isTooLarge(outcome) && !run.isChosen()) showTooLarge();
  if (outcome.outcome != Outcome::Failed && !outcome.weightsPath.empty()) {
    if (run.shown().project && takesDigits(*run.shown().project))
      offer(tr("Draw a digit"), u"results.draw"_s);
    if (outcome.hasTest && run.shown().project && hasClasses(*run.shown().project))
      offer(tr("See mistakes"), u"results.mistakes"_s);
    if (run.shown().profile) offer(tr("Slowest layers"), u"train.time"_s);
    offer(tr("Export"), u"results.export"_s);
  }
  m_banner->show();
}

/// Explains that the step does not fit in memory, and names the fastest option that fits if it is
/// known. Predicted figures are in italics. Without a current estimate, returns the error of the
/// run.
TrainPage::Refusal TrainPage::refusal() const {
  const Document& document = m_context.document;
  const Estimate& estimate = document.checks().estimate();
  if (estimate.revision != document.revision() || !estimate.hasMemory || estimate.fits)
    return {italic(RunText::outcome(*m_context.view.shown().outcome,
                                    m_context.view.shown().start.get())),
            nullptr};
  const QString words = RunText::doesNotFit(estimate.peakBytes, estimate.limitBytes);
  if (estimate.remedies.empty()) return {words, nullptr};
  const PlanRemedy& fastest = estimate.remedies.front();
  return {tr("%1 The fastest option that fits: %2.").arg(words, MemoryPanel::remedyText(fastest)),
          &fastest};
}

void TrainPage::showTooLarge() {
  const auto [words, fastest] = refusal();
  m_refusal = words;
  m_bannerText->setTextWithItalics(words);
  if (fastest) {
    QPushButton* use = offer(tr("Use this"));
    use->setAccessibleName(tr("Use this: %1").arg(MemoryPanel::remedyText(*fastest)));
    connect(use, &QPushButton::clicked, this, [&document = m_context.document, remedy = *fastest] {
      document.submit(useRemedyEdit(document.json(), remedy));
    });
  }
  offer(tr("Options that fit"), u"view.memory"_s);
}

QPushButton* TrainPage::offer(const QString& caption) {
  auto* button = new QPushButton(caption, m_banner);
  m_bannerActions->addWidget(button);
  // In a visible banner, the layout would show it later
  button->show();
  return button;
}

void TrainPage::offer(const QString& caption, const QString& action) {
  connect(offer(caption), &QPushButton::clicked, this,
          [this, action] { m_navigation.trigger(action); });
}

}  // namespace strata::ui
