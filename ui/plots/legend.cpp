// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/plots/legend.h"

#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

QString legendEntry(const QString& words, const QColor& color, bool isPredicted, QChar mark) {
  QString unbroken;
  for (const QChar letter : words) {
    unbroken += letter == u' ' ? QChar(QChar::Nbsp) : letter;
    // Lines may break after each Chinese character
    constexpr char16_t kFirstEastAsian = 0x2E80, kJoiner = 0x200D;
    if (letter.unicode() >= kFirstEastAsian && !letter.isSurrogate()) unbroken += kJoiner;
  }
  return (color.isValid()
              ? u"<span style='color:%1'>%2</span>&nbsp;"_s.arg(color.name(), QString(mark))
              : QString()) +
         (isPredicted ? italic(unbroken) : unbroken.toHtmlEscaped());
}

QString legendOf(const QStringList& entries) { return entries.join(u" &nbsp; "_s); }

}  // namespace strata::ui
