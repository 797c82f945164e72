// SPDX-License-Identifier: GPL-3.0-or-later
// A side pane that folds to a strip with its title. The View menu folds it, and a click on the
// strip opens it. Thread: GUI thread.
#pragma once

#include <QWidget>

class QStackedWidget;

namespace strata::ui {

class SidePane : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kStripWidth = 30;

  /// An open pane is never narrower than `minimumWidth` or the minimum width of its content.
  SidePane(const QString& title, int minimumWidth, int preferredWidth, QWidget* parent = nullptr);
  void addContent(QWidget* content);
  /// Shows `content`. The strip of a folded pane shows the window title of `content`.
  void showContent(QWidget* content);
  QWidget* content() const;
  bool isFolded() const { return m_isFolded; }
  void setFolded(bool folded);
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 Q_SIGNALS:
  void foldedByPerson(bool folded);
  void foldedChanged(bool folded);

 private:
  QStackedWidget* m_contents;
  QWidget* m_strip;
  QString m_title;
  int m_minimumWidth, m_preferredWidth;
  bool m_isFolded = false;
};

}  // namespace strata::ui
