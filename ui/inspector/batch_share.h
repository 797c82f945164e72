// SPDX-License-Identifier: GPL-3.0-or-later
// How several devices share a batch, and a button that gives each of them the whole batch size and
// scales the learning rate with it (Goyal et al. 2017). It hides itself for one device and where
// devices share no batch. Thread: GUI thread.
#pragma once

#include <QPointer>
#include <QWidget>

#include "ui/document/document.h"

class QLabel;
class QPushButton;

namespace strata::ui {

class BatchShare : public QWidget {
  Q_OBJECT
 public:
  explicit BatchShare(QWidget* parent);
  /// Shows the batch of this document; null shows nothing.
  void refresh(Document* document);

 private:
  void scale();
  QPointer<Document> m_document;
  QLabel* m_words;
  QPushButton* m_scale;
};

}  // namespace strata::ui
