// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/design/layer_list.h"

#include <QContextMenuEvent>
#include <QHeaderView>
#include <QKeyEvent>
#include <QMenu>
#include <QMouseEvent>
#include <algorithm>
#include <array>
#include <numeric>

#include "ui/column_widths.h"
#include "ui/models/layer_delegate.h"
#include "ui/models/layer_item_model.h"
#include "ui/row_view.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

LayerList::LayerList(LayerItemModel* model, QWidget* parent) : QTreeView(parent), m_model(model) {
  setAccessibleName(tr("Layers"));
  setRole(this, "card");
  setModel(model);
  setItemDelegate(new LayerTableDelegate(this));
  showRows(this);
  setSelectionMode(QAbstractItemView::ExtendedSelection);
  setEditTriggers(QAbstractItemView::EditKeyPressed);
  setDragEnabled(true);
  setAcceptDrops(true);
  setDropIndicatorShown(true);
  setDragDropMode(QAbstractItemView::DragDrop);
  setDefaultDropAction(Qt::MoveAction);
  setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Maximum);
  m_widths = new ColumnWidths(header(), u"layers"_s, [this] { layOutColumns(); });
  header()->setTextElideMode(Qt::ElideRight);
  // Show the inputs next to the type.
  header()->moveSection(LayerItemModel::Inputs, LayerItemModel::Output);
  const auto relayout = [this] {
    layOutColumns();
    updateGeometry();
  };
  connect(model, &QAbstractItemModel::rowsInserted, this, relayout);
  connect(model, &QAbstractItemModel::rowsRemoved, this, relayout);
  connect(model, &QAbstractItemModel::modelReset, this, relayout);
  connect(model, &QAbstractItemModel::dataChanged, this, &LayerList::layOutColumns);
}

QSize LayerList::sizeHint() const {
  const int rows = m_model->rowCount();
  const int row = rows > 0 ? sizeHintForRow(0) : LayerTableDelegate::kRowHeight;
  return {700, header()->sizeHint().height() + std::max(1, rows) * row + 2};
}

/// Fits each column to its contents. In a narrow list, the least informative columns are hidden
/// first, and then texts are elided. The cost bars take the remaining width.
void LayerList::layOutColumns() {
  using Model = LayerItemModel;
  constexpr int kMinColumnWidth = 110, kCostBar = 34;
  const int total = viewport()->width();
  std::array<int, Model::NumColumns> widths{};
  // The header has no size of a column that is hidden now, so all titles are measured alike.
  const QFontMetrics metrics = header()->fontMetrics();
  const auto titleOf = [&](int column) {
    return m_model->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
  };
  const int margins =
      header()->sectionSizeHint(Model::Name) - metrics.horizontalAdvance(titleOf(Model::Name));
  const auto fit = [&](int column, const QString& title) {
    widths[static_cast<size_t>(column)] =
        std::max(sizeHintForColumn(column), margins + metrics.horizontalAdvance(title));
  };
  for (int column = 0; column < Model::NumColumns; ++column)
    fit(column, titleOf(column));
  fit(Model::MultiplyAdds, m_model->multiplyAddsTitle(false));
  if (!m_model->hasBranches()) widths[Model::Inputs] = 0;
  widths[Model::Cost] += kCostBar;
  const auto missing = [&] {
    return std::accumulate(widths.begin(), widths.end(), 0) - total;
  };
  const bool isCompact = missing() > 0;
  if (isCompact) fit(Model::MultiplyAdds, m_model->multiplyAddsTitle(true));
  for (const int column : {Model::MultiplyAdds, Model::Parameters, Model::Cost}) {
    if (missing() > 0) widths[static_cast<size_t>(column)] = 0;
  }
  for (const int column : {Model::Type, Model::Inputs, Model::Name}) {
    int& width = widths[static_cast<size_t>(column)];
    if (missing() > 0 && width > kMinColumnWidth)
      width = std::max(kMinColumnWidth, width - missing());
  }
  const int last = widths[Model::Cost] > 0 ? Model::Cost : Model::Type;
  // The user's widths may exceed the list, which can then be scrolled.
  for (int column = 0; column < Model::NumColumns; ++column)
    if (int& width = widths[static_cast<size_t>(column)]; width > 0)
      width = m_widths->of(column).value_or(width);
  widths[static_cast<size_t>(last)] += std::max(0, -missing());
  m_model->setCompact(isCompact);
  for (int column = 0; column < Model::NumColumns; ++column) {
    const int width = widths[static_cast<size_t>(column)];
    header()->setSectionHidden(column, width == 0);
    if (width > 0 && header()->sectionSize(column) != width) header()->resizeSection(column, width);
  }
}

void LayerList::resizeEvent(QResizeEvent* event) {
  QTreeView::resizeEvent(event);
  layOutColumns();
}

void LayerList::changeEvent(QEvent* event) {
  QTreeView::changeEvent(event);
  if (event->type() == QEvent::FontChange || event->type() == QEvent::StyleChange) {
    updateGeometry();
    layOutColumns();
  }
}

void LayerList::dragMoveEvent(QDragMoveEvent* event) {
  QTreeView::dragMoveEvent(event);
  // Layers of this list are moved, and layer types from the palette are copied.
  if (event->isAccepted())
    event->setDropAction(event->mimeData()->hasFormat(kLayerTypeMime) ? Qt::CopyAction
                                                                      : Qt::MoveAction);
}

void LayerList::keyPressEvent(QKeyEvent* event) {
  if (state() == EditingState) {
    QTreeView::keyPressEvent(event);
    return;
  }
  const bool hasAlt = event->modifiers() & Qt::AltModifier;
  switch (event->key()) {
    case Qt::Key_Return:
    case Qt::Key_Enter: Q_EMIT addRequested(); return;
    case Qt::Key_Delete:
    case Qt::Key_Backspace: Q_EMIT actionRequested(u"edit.remove"_s); return;
    case Qt::Key_Up:
      if (!hasAlt) break;
      Q_EMIT actionRequested(u"edit.up"_s);
      return;
    case Qt::Key_Down:
      if (!hasAlt) break;
      Q_EMIT actionRequested(u"edit.down"_s);
      return;
    case Qt::Key_Left:
    case Qt::Key_Right: setFolded(event->key() == Qt::Key_Left); return;
    default: break;
  }
  QTreeView::keyPressEvent(event);
}

/// Folds or unfolds the current row if it is a Block.
void LayerList::setFolded(bool folded) {
  const QModelIndex current = currentIndex().siblingAtColumn(LayerItemModel::Name);
  if (current.data(LayerItemModel::FoldRole).toInt() != 0)
    m_model->setFolded(m_model->layerAt(current), folded);
}

void LayerList::mouseDoubleClickEvent(QMouseEvent* event) {
  const int fold = indexAt(event->pos())
                       .siblingAtColumn(LayerItemModel::Name)
                       .data(LayerItemModel::FoldRole)
                       .toInt();
  if (fold != 0)
    setFolded(fold == 2);
  else
    QTreeView::mouseDoubleClickEvent(event);
}

void LayerList::contextMenuEvent(QContextMenuEvent* event) {
  auto* menu = new QMenu(this);
  menu->setAttribute(Qt::WA_DeleteOnClose);
  const bool hasSelection = selectionModel()->hasSelection();
  const auto add = [&](const QString& title, const QString& action, bool isEnabled) {
    QAction* entry = menu->addAction(title);
    entry->setEnabled(isEnabled);
    connect(entry, &QAction::triggered, this, [this, action] { Q_EMIT actionRequested(action); });
  };
  add(tr("Add a layer"), u"edit.add"_s, true);
  add(tr("Duplicate"), u"edit.duplicate"_s, hasSelection);
  add(tr("Rename"), u"edit.rename"_s, hasSelection);
  menu->addSeparator();
  add(tr("Move up"), u"edit.up"_s, hasSelection);
  add(tr("Move down"), u"edit.down"_s, hasSelection);
  menu->addSeparator();
  const QModelIndex current = currentIndex().siblingAtColumn(LayerItemModel::Name);
  const int fold = current.data(LayerItemModel::FoldRole).toInt();
  add(tr("Group into a block"), u"edit.group"_s, hasSelection);
  if (fold != 0) {
    add(tr("Ungroup"), u"edit.ungroup"_s, hasSelection);
    connect(menu->addAction(fold == 1 ? tr("Show its layers") : tr("Hide its layers")),
            &QAction::triggered, this, [this, fold] { setFolded(fold == 2); });
  }
  menu->addSeparator();
  add(tr("Remove"), u"edit.remove"_s, hasSelection);
  menu->popup(event->globalPos());
}

}  // namespace strata::ui
