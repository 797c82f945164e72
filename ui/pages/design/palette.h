// SPDX-License-Identifier: GPL-3.0-or-later
// The left pane of Design: the layers one can add, by group, with a filter. Drag to the list,
// double-click or Enter adds after the selection.
// Thread: the window's.
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
