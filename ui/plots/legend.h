// SPDX-License-Identifier: GPL-3.0-or-later
// Legends as rich text that breaks lines only between entries. Thread: any.
#pragma once

#include <QColor>
#include <QString>
#include <QStringList>

namespace strata::ui {

/// Returns an entry without line breaks. It begins with `mark` in `color`, if that is valid.
QString legendEntry(const QString& words, const QColor& color = {}, bool isPredicted = false,
                    QChar mark = u'■');
/// Joins entries.
QString legendOf(const QStringList& entries);

}  // namespace strata::ui
