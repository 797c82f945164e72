// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/matrix_view.h"

#include <QEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QScrollBar>
#include <QWheelEvent>
#include <algorithm>
#include <utility>

#include "ui/theme/colors.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

static constexpr int kSmallestCell = 4, kLargestCell = 64, kRowsShown = 14, kHeaderWidth = 110;

MatrixView::MatrixView(QWidget* parent)
    : QTableView(parent), m_model(new ConfusionItemModel(this)) {
  setModel(m_model);
  setAccessibleName(tr("Confusion matrix: rows are true classes, columns are predicted classes"));
  setEditTriggers(QAbstractItemView::NoEditTriggers);
  setShowGrid(false);
  setTabKeyNavigation(false);
  setSelectionMode(QAbstractItemView::SingleSelection);
  setHorizontalScrollBarPolicy(Qt::ScrollBarAsNeeded);
  setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
  setTextElideMode(Qt::ElideNone);
  setStyleSheet(
      u"QHeaderView::section { padding: 1px 3px; border: none; }"_s
      u" QTableView { font-size: 8pt; }"_s
      u" QTableView::item { padding: 0; }"_s);
  horizontalHeader()->setFixedHeight(fontMetrics().height() + 6);
  for (QHeaderView* header : {horizontalHeader(), verticalHeader()}) {
    header->setMinimumSectionSize(kSmallestCell);
    header->setHighlightSections(true);
  }
  m_model->setColors(colorsOf(this));
}

void MatrixView::setConfusion(std::optional<Confusion> confusion, QStringList names) {
  m_model->setConfusion(std::move(confusion), std::move(names));
  m_cell = fontMetrics().height() + 6;
  setToolTip(isLarge() ? tr("Rows: true class. Columns: predicted class. Click a cell to see its "
                            "samples. Zoom with Ctrl and the wheel.")
                       : tr("Rows: true class. Columns: predicted class. Click a cell to see its "
                            "samples."));
  layOut();
}

void MatrixView::layOut() {
  const int row = fontMetrics().height() + 6;
  const bool isStretched = !isLarge();
  horizontalHeader()->setSectionResizeMode(isStretched ? QHeaderView::Stretch : QHeaderView::Fixed);
  verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
  verticalHeader()->setDefaultSectionSize(isStretched ? row : m_cell);
  horizontalHeader()->setDefaultSectionSize(m_cell);
  verticalHeader()->setMaximumWidth(isStretched ? QWIDGETSIZE_MAX : kHeaderWidth);
  setVerticalScrollMode(isStretched ? QAbstractItemView::ScrollPerItem
                                    : QAbstractItemView::ScrollPerPixel);
  QFont small = font();
  small.setPointSizeF(8);
  const int needed = QFontMetrics(small).horizontalAdvance(QString::number(m_model->largest())) + 4;
  m_model->setCountsShown(isStretched || m_cell >= needed);
  // Names would overlap in narrow columns
  horizontalHeader()->setVisible(isStretched || m_cell >= fontMetrics().height());
  verticalHeader()->setVisible(isStretched || m_cell >= fontMetrics().height() - 2);
  const int rows = isStretched ? std::min(kRowsShown, m_model->rowCount()) : kRowsShown + 4;
  setFixedHeight((rows + 1) * row + 4);
}

void MatrixView::zoom(int steps) {
  if (!isLarge() || steps == 0) return;
  constexpr double kStep = 1.25;
  const QModelIndex middle = indexAt(viewport()->rect().center());
  int cell = m_cell;
  for (int i = 0; i < std::abs(steps); ++i)
    cell = steps > 0 ? std::max(cell + 1, static_cast<int>(cell * kStep))
                     : std::min(cell - 1, static_cast<int>(cell / kStep));
  m_cell = std::clamp(cell, kSmallestCell, kLargestCell);
  layOut();
  if (middle.isValid()) scrollTo(middle, QAbstractItemView::PositionAtCenter);
}

void MatrixView::wheelEvent(QWheelEvent* event) {
  if (isLarge() && event->modifiers() == Qt::ControlModifier) {
    zoom(event->angleDelta().y() > 0 ? 1 : -1);
    event->accept();
    return;
  }
  QTableView::wheelEvent(event);
  // A matrix without a scroll bar must not swallow the wheel of the page
  if (!verticalScrollBar()->isVisible()) event->ignore();
}

void MatrixView::keyPressEvent(QKeyEvent* event) {
  if (isLarge() && (event->key() == Qt::Key_Plus || event->key() == Qt::Key_Minus)) {
    zoom(event->key() == Qt::Key_Plus ? 1 : -1);
    return;
  }
  QTableView::keyPressEvent(event);
}

void MatrixView::changeEvent(QEvent* event) {
  QTableView::changeEvent(event);
  if (event->type() == QEvent::PaletteChange && m_model) m_model->setColors(colorsOf(this));
}

}  // namespace strata::ui
