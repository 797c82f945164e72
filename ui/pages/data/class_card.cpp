// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/data/class_card.h"

#include <QEvent>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format.h"
#include "ui/models/bar_delegate.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kFractionRole = Qt::UserRole, kColorRole = Qt::UserRole + 1;

ClassCard::ClassCard(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 8, 10);
  layout->setSpacing(6);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Classes"), this);
  setRole(title, "section");
  head->addWidget(title);
  m_balance = new QLabel(this);
  setRole(m_balance, "muted");
  m_balance->setWordWrap(true);
  m_balance->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
  head->addWidget(m_balance, 1);
  layout->addLayout(head);
  m_classes = new QStandardItemModel(0, 5, this);
  m_classes->setHorizontalHeaderLabels(
      {tr("Class"), QString(), tr("Training"), tr("Validation"), tr("Test")});
  for (int column : {2, 3, 4})
    m_classes->horizontalHeaderItem(column)->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
  m_table = new QTableView(this);
  m_table->setModel(m_classes);
  m_table->setAccessibleName(tr("Samples per class"));
  m_table->verticalHeader()->hide();
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 6);
  m_table->setShowGrid(false);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setSelectionMode(QAbstractItemView::NoSelection);
  m_table->setTabKeyNavigation(false);
  m_table->setItemDelegateForColumn(1, new BarDelegate(kFractionRole, kColorRole, this));
  auto* header = m_table->horizontalHeader();
  // Allow the column of bars to become this narrow.
  header->setMinimumSectionSize(24);
  header->setStyleSheet(u"QHeaderView::section { padding: 5px 4px; }"_s);
  header->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  // The font determines these widths, because ResizeToContents ignores the margins of the cells.
  for (int column : {2, 3, 4}) {
    header->setSectionResizeMode(column, QHeaderView::Fixed);
    const QString heading = m_classes->horizontalHeaderItem(column)->text();
    m_table->setColumnWidth(column, std::max(fontMetrics().horizontalAdvance(heading),
                                             fontMetrics().horizontalAdvance(u"00,000"_s)) +
                                        14);
  }
  header->setSectionResizeMode(1, QHeaderView::Stretch);
  layout->addWidget(m_table, 1);
}

void ClassCard::setClasses(ClassCounts counts, std::vector<std::string> names) {
  m_counts = std::move(counts);
  m_names = std::move(names);
  fill();
}

/// Describes how evenly the training samples are distributed over the classes.
QString ClassCard::balanceText(int64_t least, int64_t most) {
  if (least == 0) return tr("some classes have no training samples");
  const double ratio = static_cast<double>(most) / static_cast<double>(least);
  if (ratio < 1.005) return tr("balanced");
  return tr("the largest class is %1 times the smallest").arg(formatValue(ratio, 3));
}

void ClassCard::fill() {
  m_classes->setRowCount(0);
  if (m_counts.empty()) return;
  int64_t most = 1, least = INT64_MAX;
  for (const auto& counts : m_counts) {
    most = std::max(most, counts[kTrain]);
    least = std::min(least, counts[kTrain]);
  }
  m_balance->setText(balanceText(least, most));
  const Colors& colors = colorsOf(this);
  for (size_t label = 0; label < m_counts.size(); ++label) {
    QList<QStandardItem*> row{
        new QStandardItem(label < m_names.size() ? text(m_names[label]) : QString::number(label)),
        new QStandardItem};
    row[1]->setData(static_cast<double>(m_counts[label][kTrain]) / static_cast<double>(most),
                    kFractionRole);
    row[1]->setData(colors.accent, kColorRole);
    for (size_t split : {kTrain, kValidation, kTest}) {
      auto* item = new QStandardItem(formatCount(m_counts[label][split]));
      item->setTextAlignment(Qt::AlignRight | Qt::AlignVCenter);
      row.append(item);
    }
    m_classes->appendRow(row);
  }
  // The minimum width prevents a narrow page from cutting numbers off.
  constexpr int kBar = 24, kScrollBar = 20;
  m_table->resizeColumnToContents(0);
  int needed = m_table->columnWidth(0) + kBar + kScrollBar;
  for (int column : {2, 3, 4})
    needed += m_table->columnWidth(column);
  m_table->setMinimumWidth(needed);
}

void ClassCard::changeEvent(QEvent* event) {
  QWidget::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_classes) fill();
}

}  // namespace strata::ui
