// SPDX-License-Identifier: GPL-3.0-or-later
// A row of two parts: its title in bold, below it what the title does not say.
// Thread: the window's.
#pragma once

#include <QStyledItemDelegate>

namespace strata::ui {

class TitleDelegate : public QStyledItemDelegate {
  Q_OBJECT
 public:
  /// The words below the title; wrapped, or shortened in the middle where they name a file.
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
