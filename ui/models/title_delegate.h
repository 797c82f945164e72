// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a row with its title in bold and its notes below. Thread: GUI thread.
#pragma once

#include <QStyledItemDelegate>

class QListWidget;
class QListWidgetItem;

namespace strata::ui {

class TitleDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  /// The role of the notes. The notes wrap if the elide mode is Qt::ElideNone, and are elided in
  /// one line otherwise.
  static constexpr int kNotesRole = Qt::UserRole + 1;
  explicit TitleDelegate(Qt::TextElideMode elide, QObject* parent);
  /// Adds an item with these texts to a list with this delegate. The list owns it.
  static QListWidgetItem* addTo(QListWidget* list, const QString& title, const QString& notes);
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  bool isWrapped() const { return m_elide == Qt::ElideNone; }
  Qt::TextElideMode m_elide;
};

}  // namespace strata::ui
