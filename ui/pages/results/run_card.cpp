// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/run_card.h"

#include <QBoxLayout>
#include <QGridLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>
#include <algorithm>

#include "gpu/devices/device_name.h"
#include "ui/device_text.h"
#include "ui/elided_label.h"
#include "ui/format.h"
#include "ui/models/run_item_model.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

// The margins of the page and of the card, and the room of the page's scroll bar
static constexpr int kFigureGap = 28, kPageMargins = 36, kCardSides = 34, kScrollBar = 10;

RunCard::RunCard(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(16, 12, 16, 14);
  layout->setSpacing(8);
  m_head = new QBoxLayout(QBoxLayout::LeftToRight);
  auto* titles = new QVBoxLayout;
  titles->setSpacing(2);
  m_title = new ElidedLabel(this);
  setRole(m_title, "muted");
  m_headline = new QLabel(this);
  m_headline->setWordWrap(true);
  m_headline->setTextFormat(Qt::PlainText);
  setRole(m_headline, "title");
  m_measuredOn = new QLabel(this);
  m_measuredOn->setWordWrap(true);
  setRole(m_measuredOn, "muted");
  // It keeps its place, which needs a text.
  m_measuredOn->setText(u" "_s);
  keepPlace(m_measuredOn);
  m_measuredOn->hide();
  titles->addWidget(m_headline);
  titles->addWidget(m_measuredOn);
  m_head->addLayout(titles, 1);
  m_continue = new QPushButton(this);
  fixWidth(m_continue, {tr("Continue (step %1)").arg(formatCount(888'888)),
                        tr("Train %Ln more epoch(s)", nullptr, 888)});
  m_export = new QPushButton(tr("Export weights"), this);
  m_more = new QPushButton(tr("More"), this);
  setRole(m_more, "menu");
  makeMenu();
  auto* buttons = new QHBoxLayout;
  for (QPushButton* button : {m_continue, m_export, m_more})
    buttons->addWidget(button, 0, Qt::AlignTop);
  buttons->addStretch();
  m_head->addLayout(buttons);
  // It may be a long sentence, so it takes the whole width.
  layout->addWidget(m_title);
  layout->addLayout(m_head);
  m_figures = new QGridLayout;
  m_figures->setHorizontalSpacing(kFigureGap);
  m_figures->setVerticalSpacing(2);
  layout->addLayout(m_figures);
  connect(m_continue, &QPushButton::clicked, this, &RunCard::continueRequested);
  connect(m_export, &QPushButton::clicked, this, &RunCard::exportRequested);
}

void RunCard::makeMenu() {
  auto* menu = new QMenu(m_more);
  menu->setToolTipsVisible(true);
  m_more->setMenu(menu);
  m_html = menu->addAction(tr("Save report as HTML…"), this,
                           [this] { Q_EMIT reportRequested(u"html"_s); });
  m_pdf = menu->addAction(tr("Save report as PDF…"), this,
                          [this] { Q_EMIT reportRequested(u"pdf"_s); });
  menu->addSeparator();
  menu->addAction(tr("Train again"), this, &RunCard::trainAgainRequested)
      ->setToolTip(tr("Trains a new run with the design and the settings of this run, from "
                      "initial weights. It waits while another run is active."));
  menu->addAction(tr("Clone as a new project"), this, &RunCard::cloneRequested);
  menu->addSeparator();
  menu->addAction(tr("Delete"), this, &RunCard::deleteRequested);
}

/// Returns the most important result of a run, or "" if it has none.
static QString resultOf(const RunInfo& run) {
  const auto accuracyIn = [](const auto& metrics) {
    return !metrics.empty() && metrics.front().first.ends_with("accuracy");
  };
  if (accuracyIn(run.testMetrics))
    return RunCard::tr("%1 on new samples").arg(formatPercent(run.testMetrics.front().second));
  if (run.testLoss) return RunCard::tr("Test loss %1").arg(formatValue(*run.testLoss));
  if (accuracyIn(run.validationMetrics))
    return RunCard::tr("%1 on the validation data")
        .arg(formatPercent(run.validationMetrics.front().second));
  if (run.validationLoss)
    return RunCard::tr("Validation loss %1").arg(formatValue(*run.validationLoss));
  return {};
}

QString RunCard::headlineOf(const RunInfo& run) const {
  if (!run.error.empty()) return text(run.error);
  const QString result = resultOf(run);
  if (result.isEmpty()) return runStatusText(run);
  // The time of an interrupted run is unknown.
  return run.seconds > 0 ? tr("%1, %2").arg(result, formatSeconds(run.seconds)) : result;
}

void RunCard::setRun(const RunInfo& run, const Project* project) {
  // Without a result, the headline has the status
  const QString device = deviceTitle(run.device);
  const QString title = run.error.empty() && resultOf(run).isEmpty()
                            ? tr("%1, %2").arg(runTitle(run), device)
                            : tr("%1, %2, %3").arg(runTitle(run), runStatusText(run), device);
  RunOutcome outcome;
  outcome.endedBy = run.endedBy;
  outcome.restoredBy = run.restoredBy;
  outcome.restoredEpoch = run.restoredEpoch;
  const int64_t perEpoch = std::max<int64_t>(1, run.start.stepsPerEpoch);
  outcome.epochs = (run.steps + perEpoch - 1) / perEpoch;
  const QString end = RunText::earlyEnd(outcome, project);
  m_title->setText(end.isEmpty() ? title : tr("%1. %2").arg(title, end));
  const QString headline = headlineOf(run);
  // An error message starts with a name, which keeps its case.
  m_headline->setText(run.error.empty() ? headline.left(1).toUpper() + headline.mid(1) : headline);

  for (const auto& [name, value] : m_cells) {
    delete name;
    delete value;
  }
  m_cells.clear();
  const auto figure = [&](const QString& name, const QString& value) {
    auto* nameLabel = new QLabel(name, this);
    setRole(nameLabel, "muted");
    auto* valueLabel = new QLabel(value, this);
    valueLabel->setTextFormat(Qt::RichText);
    m_cells.emplace_back(nameLabel, valueLabel);
  };
  if (run.testLoss) figure(tr("Test loss"), formatValue(*run.testLoss));
  for (const auto& [name, value] : run.testMetrics)
    figure(tr("Test %1").arg(metricTitle(name).toLower()),
           name.ends_with("accuracy") ? formatPercent(value) : formatValue(value));
  if (run.validationLoss) figure(tr("Validation loss"), formatValue(*run.validationLoss));
  if (!run.testLoss)
    for (const auto& [name, value] : run.validationMetrics)
      figure(tr("Validation %1").arg(metricTitle(name).toLower()),
             name.ends_with("accuracy") ? formatPercent(value) : formatValue(value));
  figure(tr("Steps"), {});
  m_steps = m_cells.back().second;
  m_totalSteps = run.totalSteps;
  // The figures after it do not move while the run trains
  if (run.status == RunStatus::Running) {
    setStep(m_totalSteps);
    m_steps->setMinimumWidth(m_steps->sizeHint().width());
  }
  setStep(run.steps);
  if (run.seconds > 0) figure(tr("Time"), formatSeconds(run.seconds));
  // Only real cards may know it. The device decides, so that nothing moves when a run ends.
  if (DeviceName(run.device).isCuda()) {
    const RunEnergy energy = energyOf(run.start, run.devices, run.trainedSamples);
    figure(tr("Energy"), energy.isKnown() ? RunText::energy(energy) : tr("unknown"));
    m_cells.back().second->setToolTip(RunText::energy(energy));
  }
  const QString peak = formatBytes(static_cast<double>(run.peakBytes));
  if (run.peakBytes > 0)
    figure(tr("Peak memory"),
           run.plannedPeakBytes > 0
               ? tr("%1, <i>predicted %2</i>&nbsp;")
                     .arg(peak, formatBytes(static_cast<double>(run.plannedPeakBytes)))
               : peak);
  figure(tr("Parameters"), formatCount(run.parameters));
  layOut(m_width, m_isNarrow);
  m_export->setEnabled(!run.weightsPath.empty());
}

void RunCard::setStep(int64_t step) {
  const QString steps = formatCount(step);
  m_steps->setText(m_totalSteps > 0 ? tr("%1 of %2").arg(steps, formatCount(m_totalSteps)) : steps);
}

void RunCard::setMeasuredOn(const QString& sentence) {
  if (!sentence.isEmpty()) m_measuredOn->setText(sentence);
  m_measuredOn->setVisible(!sentence.isEmpty());
}

void RunCard::setContinue(bool isEnabled, const QString& words, bool hasCheckpoint) {
  m_continue->setEnabled(isEnabled);
  m_continue->setText(words);
  const QFontMetrics metrics = m_continue->fontMetrics();
  const int sides = m_continue->sizeHint().width() - metrics.horizontalAdvance(words);
  m_continue->setText(
      metrics.elidedText(words, Qt::ElideRight, m_continue->maximumWidth() - sides));
  if (hasCheckpoint)
    m_continue->setToolTip(m_continue->text() == words ? QString() : words);
  else
    m_continue->setToolTip(tr("The run has no checkpoint from which it could continue"));
  m_continue->setAccessibleName(words);
}

/// Arranges the values in as many columns as fit without cutting text off.
void RunCard::layOut(int pageWidth, bool isNarrow) {
  m_width = pageWidth;
  m_isNarrow = isNarrow;
  // Next to the buttons, a headline may need two lines
  m_head->setDirection(isNarrow ? QBoxLayout::TopToBottom : QBoxLayout::LeftToRight);
  const int room = pageWidth - kScrollBar - kPageMargins - kCardSides,
            count = static_cast<int>(m_cells.size());
  std::vector<int> widths;
  for (const auto& [name, value] : m_cells) {
    for (QLabel* label : {name, value})
      label->ensurePolished();
    widths.push_back(
        std::max({name->sizeHint().width(), value->sizeHint().width(), value->minimumWidth()}) +
        kFigureGap);
  }
  // In a narrow page the number of rows must not depend on digits, which would move the cards.
  constexpr int kNarrowColumns = 3;
  int columns = std::max(1, isNarrow ? std::min(count, kNarrowColumns) : count);
  for (; columns > 1; --columns) {
    int total = 0;
    for (int column = 0; column < columns; ++column) {
      int widest = 0;
      for (int i = column; i < count; i += columns)
        widest = std::max(widest, widths[static_cast<size_t>(i)]);
      total += widest;
    }
    if (total <= room) break;
  }
  for (int column = 0; column < m_figures->columnCount(); ++column)
    m_figures->setColumnStretch(column, 0);
  for (int row = 0; row < m_figures->rowCount(); ++row)
    m_figures->setRowMinimumHeight(row, 0);
  for (int i = 0; i < count; ++i) {
    const auto& [name, value] = m_cells[static_cast<size_t>(i)];
    const int row = i / columns * 2;
    m_figures->removeWidget(name);
    m_figures->removeWidget(value);
    m_figures->addWidget(name, row, i % columns, Qt::AlignBottom);
    m_figures->addWidget(value, row + 1, i % columns);
    if (row > 0) m_figures->setRowMinimumHeight(row, name->sizeHint().height() + 6);
  }
  m_figures->setColumnStretch(columns, 1);
}

}  // namespace strata::ui
