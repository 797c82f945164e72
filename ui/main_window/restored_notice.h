// SPDX-License-Identifier: GPL-3.0-or-later
// The notice below the top row about restored unsaved changes. Each restored document has a row
// with a Discard button. A row disappears when its changes are saved, discarded or acknowledged.
// Thread: GUI thread.
#pragma once

#include <QFrame>
#include <QPointer>

class QPushButton;

namespace strata::ui {

class Document;
class ElidedLabel;
class Recovery;
class Workspace;

class RestoredNotice : public QFrame {
  Q_OBJECT
 public:
  RestoredNotice(Workspace& workspace, Recovery& recovery, QWidget* parent = nullptr);

 Q_SIGNALS:
  void discardRequested(Document* document);

 private:
  void refresh();

  Workspace& m_workspace;
  Recovery& m_recovery;
  // The project of the notice
  QPointer<Document> m_document;
  ElidedLabel* m_words;
  QPushButton* m_show;
  QPushButton* m_discard;
};

}  // namespace strata::ui
