// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/scores_card.h"

#include <QHeaderView>
#include <QLabel>
#include <QSortFilterProxyModel>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format.h"
#include "ui/pages/results/card_head.h"
#include "ui/pages/results/run_evaluator.h"
#include "ui/row_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

static constexpr int kSortRole = Qt::UserRole, kMostRows = 10;

ScoresCard::ScoresCard(QWidget* parent) : QWidget(parent) {
  const CardHead head = makeCardHead(this, tr("Scores by class"));
  m_sentence = head.sentence;
  m_rows = new QStandardItemModel(this);
  auto* sorted = new QSortFilterProxyModel(this);
  sorted->setSourceModel(m_rows);
  sorted->setSortRole(kSortRole);
  m_table = new QTableView(this);
  m_table->setModel(sorted);
  m_table->setAccessibleName(tr("Scores of each class"));
  m_table->setShowGrid(false);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionBehavior(QAbstractItemView::SelectRows);
  m_table->setTabKeyNavigation(false);
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 8);
  m_table->setSortingEnabled(true);
  alignTitles(m_table);
  m_table->horizontalHeader()->setSortIndicator(-1, Qt::AscendingOrder);
  head.column->addWidget(m_table);
  m_means = new QLabel(this);
  m_means->setWordWrap(true);
  m_means->setTextFormat(Qt::PlainText);
  setRole(m_means, "muted");
  head.column->addWidget(m_means);
}

void ScoresCard::addRow(const QString& name, const ClassScores& scores,
                        const ClassFigures* figures) {
  const auto cell = [](const QString& words, const QVariant& value) {
    auto* item = new QStandardItem(words);
    item->setData(value, kSortRole);
    item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
    return item;
  };
  const auto known = [&](const auto& figure, double value) {
    if (figure) return cell(formatPercent(value), value);
    QStandardItem* item = cell(tr("—"), -1.0);
    const Reason& reason = figure.reason();
    item->setToolTip(tr("unknown, because %1").arg(translated(reason.text, reason.arguments)));
    return item;
  };
  QList<QStandardItem*> row{
      cell(name, name), cell(formatPercent(scores.precision), scores.precision),
      cell(formatPercent(scores.recall), scores.recall), cell(formatPercent(scores.f1), scores.f1),
      cell(formatCount(scores.samples), static_cast<qlonglong>(scores.samples))};
  row[0]->setTextAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  if (figures) {
    const auto& roc = figures->curves.roc;
    const auto& recall = figures->curves.precisionRecall;
    row << known(roc, roc ? roc->area : 0) << known(recall, recall ? recall->averagePrecision : 0);
  }
  m_rows->appendRow(row);
}

void ScoresCard::setFigures(const OutputFigures& output) {
  const ClassificationFigures& figures = *output.classes;
  m_rows->clear();
  m_rows->setHorizontalHeaderLabels({tr("Class"), tr("Precision"), tr("Recall"), tr("F1"),
                                     tr("Samples"), tr("ROC area"), tr("Average precision")});
  const auto nameOf = [&](int64_t index) {
    const auto place = static_cast<size_t>(index);
    return place < output.classNames.size() ? text(output.classNames[place])
                                            : QString::number(index);
  };
  if (figures.negativeScores) addRow(nameOf(0), *figures.negativeScores, nullptr);
  for (const ClassFigures& each : figures.classes)
    addRow(nameOf(each.index), each.scores, &each);
  m_rows->setHeaderData(0, Qt::Horizontal, QVariant(Qt::AlignLeft | Qt::AlignVCenter),
                        Qt::TextAlignmentRole);
  for (int column = 1; column < m_rows->columnCount(); ++column)
    m_rows->setHeaderData(column, Qt::Horizontal, QVariant(Qt::AlignRight | Qt::AlignVCenter),
                          Qt::TextAlignmentRole);
  // The stretched column keeps room for its title
  m_table->horizontalHeader()->setMinimumSectionSize(
      m_table->horizontalHeader()->sectionSizeHint(0));
  m_table->horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  m_table->setFixedHeight(m_table->verticalHeader()->defaultSectionSize() *
                              std::min(kMostRows, m_rows->rowCount()) +
                          m_table->horizontalHeader()->sizeHint().height() + 4);
  m_sentence->setText(
      tr("%1 sample(s)", nullptr, pluralOf(figures.samples)).arg(formatCount(figures.samples)));
  if (!figures.means) {
    const Reason& reason = figures.means.reason();
    m_means->setText(
        tr("The means are unknown, because %1.").arg(translated(reason.text, reason.arguments)));
    return;
  }
  const ScoreMeans& means = *figures.means;
  m_means->setText(
      tr("Mean of the classes: precision %1, recall %2, F1 %3. Weighted by samples: precision %4, "
         "recall %5, F1 %6.")
          .arg(formatPercent(means.macro.precision), formatPercent(means.macro.recall),
               formatPercent(means.macro.f1), formatPercent(means.weighted.precision),
               formatPercent(means.weighted.recall), formatPercent(means.weighted.f1)));
}

}  // namespace strata::ui
