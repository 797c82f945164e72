// SPDX-License-Identifier: GPL-3.0-or-later
// A line such as "Run 3. The design has changed since: 2 layers", with a button that reverts to the
// design of the run. The line is hidden if nothing has changed, and keeps its place. Thread: GUI
// thread.
#pragma once

#include <QFrame>
#include <memory>
#include <string>

#include "core/project/project.h"

class QPushButton;

namespace strata::ui {

class Document;
class ElidedLabel;

class DesignChangeLine : public QFrame {
  Q_OBJECT
 public:
  DesignChangeLine(Document& document, QWidget* parent);
  /// Sets the run to compare. `project` is the run's own copy of the project. If it is null, the
  /// line is hidden.
  void setRun(const std::string& directory, std::shared_ptr<const Project> project);
  /// Returns the text of an action that calls revert(). It names the run.
  QString revertText() const;
  bool canRevert() const;
  void revert();

 Q_SIGNALS:
  void reverted();

 private:
  void refresh();

  Document& m_document;
  std::string m_directory;
  std::shared_ptr<const Project> m_project;
  ElidedLabel* m_words;
  QPushButton* m_revert;
};

}  // namespace strata::ui
