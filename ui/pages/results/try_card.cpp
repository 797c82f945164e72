// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/try_card.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QStandardItemModel>
#include <QTableView>
#include <QVBoxLayout>
#include <algorithm>

#include "ui/format.h"
#include "ui/models/bar_delegate.h"
#include "ui/pages/results/digit_pad.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kFractionRole = Qt::UserRole, kColorRole = Qt::UserRole + 1;

TryCard::TryCard(QWidget* parent) : QWidget(parent) {
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(14, 10, 14, 12);
  layout->setSpacing(8);
  auto* head = new QHBoxLayout;
  auto* title = new QLabel(tr("Try it"), this);
  setRole(title, "section");
  head->addWidget(title);
  head->addStretch();
  auto* clear = new QPushButton(tr("Clear"), this);
  head->addWidget(clear);
  layout->addLayout(head);
  auto* row = new QHBoxLayout;
  row->setSpacing(16);
  m_pad = new DigitPad(this);
  m_pad->setFixedSize(196, 196);
  row->addWidget(m_pad, 0, Qt::AlignTop);
  auto* answerColumn = new QVBoxLayout;
  m_answer = new QLabel(this);
  m_answer->setTextFormat(Qt::RichText);
  m_answer->setAccessibleName(tr("Prediction of the network"));
  m_answer->setMinimumHeight(fontMetrics().height() * 3);
  m_answer->setWordWrap(true);
  m_answer->setMinimumWidth(120);
  answerColumn->addWidget(m_answer);
  m_classes = new QStandardItemModel(0, 3, this);
  m_table = new QTableView(this);
  m_table->setModel(m_classes);
  m_table->setAccessibleName(tr("Probability of each class"));
  m_table->horizontalHeader()->hide();
  m_table->verticalHeader()->hide();
  m_table->setShowGrid(false);
  m_table->setSelectionMode(QAbstractItemView::NoSelection);
  m_table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  m_table->setTabKeyNavigation(false);
  m_table->setItemDelegateForColumn(1, new BarDelegate(kFractionRole, kColorRole, this));
  m_table->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_table->setFocusPolicy(Qt::NoFocus);
  m_table->verticalHeader()->setMinimumSectionSize(14);
  m_table->verticalHeader()->setDefaultSectionSize(fontMetrics().height() + 2);
  m_table->setMinimumHeight((fontMetrics().height() + 2) * 10 + 4);
  m_table->horizontalHeader()->setMinimumSectionSize(20);
  answerColumn->addWidget(m_table, 1);
  row->addLayout(answerColumn, 1);
  layout->addLayout(row);
  layout->addStretch();
  connect(clear, &QPushButton::clicked, m_pad, &DigitPad::clear);
  connect(m_pad, &DigitPad::drawn, this, &TryCard::ask);
  connect(m_pad, &DigitPad::cleared, this, &TryCard::clearAnswer);
  clearAnswer();
}

void TryCard::setInput(int height, int width) {
  m_height = height;
  m_width = width;
}

void TryCard::clear() { m_pad->clear(); }

void TryCard::focusPad() { m_pad->setFocus(); }

void TryCard::ask() {
  if (const auto sample = m_pad->sample(m_height, m_width)) Q_EMIT asked(*sample);
}

void TryCard::clearAnswer() {
  m_answer->setText(tr("The prediction updates as you draw."));
  m_classes->setRowCount(0);
}

void TryCard::setAnswer(const std::vector<float>& output) {
  if (output.empty() || m_pad->isEmpty()) return;
  const auto best = std::max_element(output.begin(), output.end());
  m_answer->setText(u"<span style='font-size:22pt; font-weight:600'>%1</span>&nbsp; %2"_s.arg(
      QString::number(best - output.begin()), formatPercent(static_cast<double>(*best))));
  m_classes->setRowCount(static_cast<int>(output.size()));
  const Colors& colors = colorsOf(this);
  for (int i = 0; i < m_classes->rowCount(); ++i) {
    const float value = output[static_cast<size_t>(i)];
    m_classes->setData(m_classes->index(i, 0), QString::number(i));
    m_classes->setData(m_classes->index(i, 1), value, kFractionRole);
    m_classes->setData(m_classes->index(i, 1),
                       &output[static_cast<size_t>(i)] == &*best ? colors.accent : colors.faint,
                       kColorRole);
    m_classes->setData(m_classes->index(i, 2), formatPercent(static_cast<double>(value)));
    m_classes->setData(m_classes->index(i, 2), QVariant(Qt::AlignRight | Qt::AlignVCenter),
                       Qt::TextAlignmentRole);
  }
  m_table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  m_table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::Stretch);
  m_table->horizontalHeader()->setSectionResizeMode(2, QHeaderView::Fixed);
  m_table->setColumnWidth(2, fontMetrics().horizontalAdvance(u"100.0%"_s) + 12);
}

}  // namespace strata::ui
