// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/models/selection_link.h"

#include <QAbstractItemView>
#include <QItemSelectionModel>
#include <QScopedValueRollback>
#include <algorithm>

#include "ui/document/document.h"
#include "ui/models/layer_item_model.h"

namespace strata::ui {

SelectionLink::SelectionLink(QAbstractItemView* view, LayerItemModel* model)
    : QObject(view), m_view(view), m_model(model) {
  connect(view->selectionModel(), &QItemSelectionModel::selectionChanged, this,
          &SelectionLink::fromView);
  connect(view, &QAbstractItemView::clicked, this, [this] {
    if (m_document) Q_EMIT m_document->selectionClicked();
  });
}

void SelectionLink::setDocument(Document* document) {
  if (m_document) m_document->disconnect(this);
  m_document = document;
  if (!document) return;
  connect(document, &Document::selectionChanged, this, &SelectionLink::fromDocument);
  // The connection is queued, so that the model updates its rows first.
  connect(document, &Document::changed, this, &SelectionLink::fromDocument, Qt::QueuedConnection);
  fromDocument();
}

void SelectionLink::fromView() {
  if (m_isSyncing || !m_document) return;
  QModelIndexList rows = m_view->selectionModel()->selectedRows();
  std::sort(rows.begin(), rows.end());
  QList<LayerPath> layers;
  for (const QModelIndex& row : rows)
    layers << m_model->pathAt(row);
  const QScopedValueRollback syncing(m_isSyncing, true);
  m_document->select(layers);
}

void SelectionLink::fromDocument() {
  if (m_isSyncing || !m_document) return;
  const QScopedValueRollback syncing(m_isSyncing, true);
  QItemSelection selection;
  QModelIndex first;
  for (const LayerPath& layer : m_document->selectedLayers()) {
    const QModelIndex index = m_model->indexOf(layer);
    if (!index.isValid()) continue;
    if (!first.isValid()) first = index;
    selection.select(index, index.siblingAtColumn(m_model->columnCount() - 1));
  }
  QItemSelectionModel* model = m_view->selectionModel();
  if (first.isValid() && !selection.contains(model->currentIndex())) {
    model->setCurrentIndex(first, QItemSelectionModel::NoUpdate);
    m_view->scrollTo(first);
  }
  model->select(selection, QItemSelectionModel::ClearAndSelect);
}

}  // namespace strata::ui
