// SPDX-License-Identifier: GPL-3.0-or-later
// Draws a row with its title in bold and its notes below. Thread: GUI thread.
#pragma once

#include <QStyledItemDelegate>

namespace strata::ui {

class TitleDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  /// The role of the notes. The notes wrap if the elide mode is Qt::ElideNone, and are elided in
  /// one line otherwise.
  static constexpr int kNotesRole = Qt::UserRole + 1;
  explicit TitleDelegate(Qt::TextElideMode elide, QObject* parent);
  void paint(QPainter* painter, const QStyleOptionViewItem& option,
             const QModelIndex& index) const override;
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override;

 private:
  bool isWrapped() const { return m_elide == Qt::ElideNone; }
  Qt::TextElideMode m_elide;
};

}  // namespace strata::ui
