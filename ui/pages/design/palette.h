// SPDX-License-Identifier: GPL-3.0-or-later
// The left pane of Design. It lists the available layers by group, with a filter. Dragging a layer
// to the list adds it there. A double-click or Enter adds it after the selection. Thread: GUI
// thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/workspace/page_context.h"

class QLineEdit;
class QListWidget;

namespace strata {
struct LayerDef;
}

namespace strata::ui {

class Document;

class Palette : public QWidget {
  Q_OBJECT
 public:
  explicit Palette(const PageContext& context, QWidget* parent = nullptr);

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void refill();
  void listGroups();
  void listMatches(const QString& wanted);
  void addLayer(const LayerDef& layer);
  void addCurrent();

  PageContext m_context;
  QLineEdit* m_filter;
  QListWidget* m_list;
};

}  // namespace strata::ui
