// SPDX-License-Identifier: GPL-3.0-or-later
// Synchronizes the selection of a view with the selected layers of the document. Thread: GUI
// thread.
#pragma once

#include <QObject>
#include <QPointer>

class QAbstractItemView;

namespace strata::ui {

class Document;
class LayerItemModel;

class SelectionLink : public QObject {
  Q_OBJECT
 public:
  /// Links the selection of `view`, which must show `model`.
  SelectionLink(QAbstractItemView* view, LayerItemModel* model);
  void setDocument(Document* document);

 private:
  void fromView();
  void fromDocument();

  QAbstractItemView* m_view;
  LayerItemModel* m_model;
  QPointer<Document> m_document;
  bool m_isSyncing = false;
};

}  // namespace strata::ui
