// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/column_widths.h"

#include <QEvent>
#include <QHeaderView>
#include <QSettings>

namespace strata::ui {

ColumnWidths::ColumnWidths(QHeaderView* header, const QString& key, std::function<void()> changed)
    : QObject(header),
      m_header(header),
      m_key(QStringLiteral("layout/widths/") + key),
      m_changed(std::move(changed)) {
  const QVariantMap stored = QSettings().value(m_key).toMap();
  for (auto each = stored.begin(); each != stored.end(); ++each)
    m_widths[each.key().toInt()] = each.value().toInt();
  header->setSectionResizeMode(QHeaderView::Interactive);
  header->viewport()->installEventFilter(this);
  connect(header, &QHeaderView::sectionResized, this, [this](int column, int, int width) {
    // The table itself resizes sections, too.
    if (m_isDragging && width > 0) m_widths[column] = width;
  });
  // A double click on the edge fits the column to its contents again.
  connect(header, &QHeaderView::sectionHandleDoubleClicked, this, [this](int column) {
    m_widths.remove(column);
    store();
  });
}

std::optional<int> ColumnWidths::of(int column) const {
  const auto found = m_widths.find(column);
  return found == m_widths.end() ? std::nullopt : std::optional(*found);
}

void ColumnWidths::reset() {
  m_widths.clear();
  m_changed();
}

void ColumnWidths::store() {
  QVariantMap stored;
  for (auto each = m_widths.begin(); each != m_widths.end(); ++each)
    stored[QString::number(each.key())] = each.value();
  QSettings().setValue(m_key, stored);
  m_changed();
}

bool ColumnWidths::eventFilter(QObject* watched, QEvent* event) {
  // The header shows this cursor over the edge of a title.
  if (event->type() == QEvent::MouseButtonPress)
    m_isDragging = m_header->cursor().shape() == Qt::SplitHCursor;
  if (event->type() == QEvent::MouseButtonRelease && std::exchange(m_isDragging, false))
    QMetaObject::invokeMethod(this, &ColumnWidths::store, Qt::QueuedConnection);
  return QObject::eventFilter(watched, event);
}

}  // namespace strata::ui
