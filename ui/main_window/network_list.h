// SPDX-License-Identifier: GPL-3.0-or-later
// The left pane of the pages Data, Train and Results. It lists each layer with its name, its shape
// and a bar for the selected cost. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/workspace/page_context.h"

namespace strata::ui {

class Document;
class ElidedLabel;
class LayerItemModel;
class ShownTimes;

class NetworkList : public QWidget {
  Q_OBJECT
 public:
  explicit NetworkList(const PageContext& context, QWidget* parent = nullptr);

 private:
  void refreshTimes();
  void refreshSource();

  QPointer<Document> m_document;
  ShownTimes* m_times;
  ElidedLabel* m_source;
  LayerItemModel* m_model;
};

}  // namespace strata::ui
