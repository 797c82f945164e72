// SPDX-License-Identifier: GPL-3.0-or-later
// The line below the top row that lists restored unsaved changes, with a Discard button. Each
// document has a row. It disappears when the changes are saved, discarded or acknowledged. Thread:
// GUI thread.
#pragma once

#include <QFrame>

class QVBoxLayout;

namespace strata::ui {

class Document;
class Recovery;
class Workspace;

class RestoredNotice : public QFrame {
  Q_OBJECT
 public:
  RestoredNotice(Workspace& workspace, Recovery& recovery, QWidget* parent = nullptr);

 Q_SIGNALS:
  void discardRequested(Document* document);

 private:
  void rebuild();

  Workspace& m_workspace;
  Recovery& m_recovery;
  QVBoxLayout* m_rows;
};

}  // namespace strata::ui
