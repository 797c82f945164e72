// SPDX-License-Identifier: GPL-3.0-or-later
// The widths that the user gives to columns by dragging the edges of their titles. A table fits its
// other columns to their contents. Thread: GUI thread.
#pragma once

#include <QMap>
#include <QObject>
#include <functional>
#include <optional>

class QHeaderView;

namespace strata::ui {

class ColumnWidths : public QObject {
  Q_OBJECT
 public:
  /// Lets the user resize the columns of `header`, and stores the widths in the layout settings as
  /// `key`. `changed` lays out the columns again. The header owns the object.
  ColumnWidths(QHeaderView* header, const QString& key, std::function<void()> changed);
  /// Returns the width that the user chose, if any.
  std::optional<int> of(int column) const;
  /// Forgets all widths.
  void reset();

 protected:
  bool eventFilter(QObject* watched, QEvent* event) override;

 private:
  void store();

  QHeaderView* m_header;
  const QString m_key;
  const std::function<void()> m_changed;
  QMap<int, int> m_widths;
  bool m_isDragging = false;
};

}  // namespace strata::ui
