// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/lenses/figure_grid.h"

#include <QGridLayout>
#include <QLabel>

#include "ui/theme/style_sheet.h"

namespace strata::ui {

FigureGrid::FigureGrid(QWidget* parent) : QWidget(parent), m_grid(new QGridLayout(this)) {
  m_grid->setContentsMargins(0, 0, 0, 0);
  m_grid->setHorizontalSpacing(14);
  m_grid->setVerticalSpacing(4);
}

void FigureGrid::setRows(const std::vector<Row>& rows) {
  while (m_cells.size() < rows.size()) {
    const auto row = static_cast<int>(m_cells.size());
    std::vector<QLabel*> cells;
    for (int column = 0; column < rows.front().words.size(); ++column) {
      auto* cell = new QLabel(this);
      if (row == 0) {
        setRole(cell, "muted");
        cell->setWordWrap(true);
      }
      if (column > 0) cell->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
      m_grid->addWidget(cell, row, column);
      cells.push_back(cell);
    }
    m_cells.push_back(std::move(cells));
  }
  for (size_t i = 0; i < m_cells.size(); ++i) {
    const bool isShown = i < rows.size();
    for (size_t column = 0; column < m_cells[i].size(); ++column) {
      QLabel* cell = m_cells[i][column];
      cell->setVisible(isShown);
      if (!isShown) continue;
      cell->setText(rows[i].words[static_cast<qsizetype>(column)]);
      QFont font = cell->font();
      font.setItalic(static_cast<int>(column) >= rows[i].firstPredicted);
      cell->setFont(font);
    }
  }
}

}  // namespace strata::ui
