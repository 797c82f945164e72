// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/design/graph_tables.h"

#include <QHeaderView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QTreeView>
#include <algorithm>
#include <map>

#include "ui/column_widths.h"
#include "ui/models/node_item_model.h"
#include "ui/row_view.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

constexpr int kRowHeight = 26;

class RowDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const QSize size = QStyledItemDelegate::sizeHint(option, index);
    constexpr int kPad = 14;
    return {size.width() + kPad, std::max(size.height(), kRowHeight)};
  }
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override {
    constexpr int kPad = 6, kMarkWidth = 3;
    const Colors& colors = colorsOf(option.palette);
    const bool isSelected = option.state & QStyle::State_Selected;
    QColor fill = option.state & QStyle::State_MouseOver ? colors.hover : colors.card;
    if (isSelected) fill = colors.accentSoft;
    painter->fillRect(option.rect, fill);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1),
                      colors.hairline);
    QStyleOptionViewItem inner = option;
    inner.state &= ~(QStyle::State_Selected | QStyle::State_MouseOver | QStyle::State_HasFocus);
    inner.rect = option.rect.adjusted(kPad, 0, -kPad, -1);
    // The style draws the edge of the check box in a darker shade of this colour.
    inner.palette.setColor(QPalette::Window, colors.isDark ? colors.muted : colors.faint);
    QStyledItemDelegate::paint(painter, inner, index);
    if (index.column() != NodeItemModel::Op) return;
    QColor mark;
    switch (static_cast<TraceNode::Change>(index.data(NodeItemModel::ChangeRole).toInt())) {
      case TraceNode::Change::Same: return;
      case TraceNode::Change::Added: mark = colors.good; break;
      case TraceNode::Change::Changed:
      case TraceNode::Change::Moved: mark = colors.accent; break;
      case TraceNode::Change::Removed: mark = colors.faint; break;
    }
    painter->fillRect(
        QRect(option.rect.left(), option.rect.top() + 3, kMarkWidth, option.rect.height() - 7),
        mark);
  }
  /// Uses the same rectangle as paint(), so that clicks hit the check box of a pass.
  bool editorEvent(QEvent* event, QAbstractItemModel* model, const QStyleOptionViewItem& option,
                   const QModelIndex& index) override {
    QStyleOptionViewItem inner = option;
    constexpr int kPad = 6;
    inner.rect = option.rect.adjusted(kPad, 0, -kPad, -1);
    return QStyledItemDelegate::editorEvent(event, model, inner, index);
  }
};

/// Makes sizeHintForColumn() public.
class Table : public QTreeView {
 public:
  using QTreeView::QTreeView;
  using QTreeView::sizeHintForColumn;
};

}  // namespace

QTreeView* makeGraphTable(QAbstractItemModel* model, const QString& name, const QString& key,
                          const std::function<void()>& layOut, QWidget* parent) {
  auto* view = new Table(parent);
  view->setModel(model);
  view->setAccessibleName(name);
  setRole(view, "card");
  view->setItemDelegate(new RowDelegate(view));
  showRows(view);
  new ColumnWidths(view->header(), key, layOut);
  // The number of rows that determine a column's width. A graph may have tens of thousands of rows.
  constexpr int kRowsMeasured = 100;
  view->header()->setResizeContentsPrecision(kRowsMeasured);
  return view;
}

int columnNeed(const QTreeView* table, int column, int maximum) {
  return std::min(std::max(static_cast<const Table*>(table)->sizeHintForColumn(column),
                           table->header()->sectionSizeHint(column)),
                  maximum);
}

void layOutColumns(QTreeView* table, std::vector<int> shown, const std::vector<int>& dropped,
                   const std::vector<int>& narrowed) {
  const int total = table->viewport()->width(), columns = table->model()->columnCount();
  const auto* chosen = table->header()->findChild<ColumnWidths*>();
  std::map<int, int> widths;
  for (const int column : shown) {
    // A hidden column would report a width of 0.
    if (table->isColumnHidden(column)) table->setColumnHidden(column, false);
    widths[column] = columnNeed(table, column, kMaxColumnWidth);
  }
  const auto missing = [&] {
    int sum = -total;
    for (const int column : shown)
      sum += widths[column];
    return sum;
  };
  for (size_t i = 0; i < dropped.size(); ++i) {
    const auto at = std::find(shown.begin(), shown.end(), dropped[i]);
    if (missing() > 0 && at != shown.end()) shown.erase(at);
    if (i > 0) continue;
    constexpr int kNarrowColumn = 96;
    for (const int column : narrowed)
      if (missing() > 0 && widths[column] > kNarrowColumn)
        widths[column] = std::max(kNarrowColumn, widths[column] - missing());
  }
  // The user's widths may exceed the table, which can then be scrolled.
  for (const int column : shown)
    widths[column] = chosen->of(column).value_or(widths[column]);
  for (int column = 0; column < columns; ++column) {
    const bool isShown = std::find(shown.begin(), shown.end(), column) != shown.end();
    table->setColumnHidden(column, !isShown);
    if (!isShown) continue;
    const int wanted = widths[column] + (column == 0 ? std::max(0, -missing()) : 0);
    if (table->header()->sectionSize(column) != wanted)
      table->header()->resizeSection(column, wanted);
  }
}

}  // namespace strata::ui
