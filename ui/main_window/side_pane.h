// SPDX-License-Identifier: GPL-3.0-or-later
// A pane at the side that folds to a strip with its title; the View menu folds it, the strip opens
// it. Thread: the window's.
#pragma once

#include <QWidget>

class QStackedWidget;

namespace strata::ui {

class SidePane : public QWidget {
  Q_OBJECT
 public:
  static constexpr int kStripWidth = 30;

  /// Narrower than `minimumWidth` and than what its contents need it is only when it is folded.
  SidePane(const QString& title, int minimumWidth, int preferredWidth, QWidget* parent = nullptr);
  void addContent(QWidget* content);
  /// Its window title names the folded pane.
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
