// SPDX-License-Identifier: GPL-3.0-or-later
// The line under the top row that says which unsaved changes came back at the start, with Discard;
// gone when they are saved, discarded or waved away. One row a document. Thread: the window's.
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
