// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/elided_label.h"

#include <QAction>
#include <QClipboard>
#include <QGuiApplication>
#include <QHelpEvent>
#include <QPainter>
#include <QStyle>
#include <QTextLayout>
#include <QToolTip>
#include <algorithm>
#include <cmath>

namespace strata::ui {

using namespace Qt::StringLiterals;

/// Returns the width of a text with everything that its last letter, for example an italic one,
/// draws beyond its advance.
static int inkWidth(const QString& text, const QLabel& label) {
  return std::max(
      label.fontMetrics().horizontalAdvance(text),
      static_cast<int>(std::ceil(QFontMetricsF(label.font()).tightBoundingRect(text).right())));
}

ElidedLabel::ElidedLabel(QWidget* parent, int lines) : QLabel(parent), m_lines(lines) {
  setTextFormat(Qt::PlainText);
  setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
}

void ElidedLabel::setText(const QString& words) {
  m_italics.clear();
  QLabel::setText(words);
}

void ElidedLabel::setTextWithItalics(const QString& marked) {
  const QString begin = u"<i>"_s, end = u"</i>"_s;
  QString words;
  QList<QTextLayout::FormatRange> ranges;
  qsizetype at = 0;
  for (;;) {
    const qsizetype from = marked.indexOf(begin, at), to = marked.indexOf(end, from);
    if (from < 0 || to < 0) break;
    words += QStringView(marked).sliced(at, from - at);
    QTextLayout::FormatRange range;
    range.start = static_cast<int>(words.size());
    range.length = static_cast<int>(to - from - begin.size());
    range.format.setFontItalic(true);
    words += QStringView(marked).sliced(from + begin.size(), range.length);
    ranges << range;
    at = to + end.size();
  }
  words += QStringView(marked).sliced(at);
  setText(words);
  m_italics = std::move(ranges);
  update();
}

void ElidedLabel::setElideMode(Qt::TextElideMode mode) {
  m_mode = mode;
  update();
}

void ElidedLabel::offerCopy() {
  auto* copy = new QAction(tr("Copy"), this);
  connect(copy, &QAction::triggered, this,
          [this] { QGuiApplication::clipboard()->setText(text()); });
  addAction(copy);
  setContextMenuPolicy(Qt::ActionsContextMenu);
}

QSize ElidedLabel::sizeHint() const {
  return {inkWidth(text(), *this), m_lines * fontMetrics().lineSpacing()};
}

QSize ElidedLabel::minimumSizeHint() const { return {0, sizeHint().height()}; }

QList<ElidedLabel::Line> ElidedLabel::wholeLines() const {
  if (m_lines == 1) return {{text(), 0}};
  QList<Line> lines;
  qsizetype start = 0;
  for (const QString& paragraph : text().split(u'\n')) {
    QTextLayout layout(paragraph, font());
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
      line.setLineWidth(contentsRect().width());
      lines.append({paragraph.mid(line.textStart(), line.textLength()), start + line.textStart()});
    }
    layout.endLayout();
    start += paragraph.size() + 1;
  }
  return lines;
}

QList<ElidedLabel::Line> ElidedLabel::shownLines() const {
  const int width = contentsRect().width();
  if (m_lines == 1) return {{fontMetrics().elidedText(text(), m_mode, width), 0}};
  QList<Line> lines = wholeLines();
  if (lines.size() <= m_lines) return lines;
  // The last line shows the rest, with a space between two paragraphs.
  const qsizetype start = lines[m_lines - 1].start;
  const QString rest = text().mid(start).replace(u'\n', u' ');
  lines.resize(m_lines - 1);
  lines.append({fontMetrics().elidedText(rest, Qt::ElideRight, width), start});
  return lines;
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && isElided()) {
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
    return true;
  }
  return QLabel::event(event);
}

/// Draws a line, of which parts are in italics.
void ElidedLabel::draw(QPainter& painter, const Line& line, const QPointF& place) const {
  QList<QTextLayout::FormatRange> ranges;
  for (QTextLayout::FormatRange range : m_italics) {
    const qsizetype from = std::max<qsizetype>(range.start, line.start),
                    to = std::min<qsizetype>(range.start + range.length,
                                             line.start + line.words.size());
    if (to <= from) continue;
    range.start = static_cast<int>(from - line.start);
    range.length = static_cast<int>(to - from);
    ranges << range;
  }
  QTextLayout layout(line.words, font());
  layout.setFormats(ranges);
  layout.beginLayout();
  layout.createLine();
  layout.endLayout();
  painter.setPen(
      palette().color(isEnabled() ? QPalette::Normal : QPalette::Disabled, foregroundRole()));
  layout.draw(&painter, place);
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QList<Line> lines = shownLines();
  QRect place = contentsRect();
  auto align = alignment();
  if (!m_italics.isEmpty()) {
    const auto height = static_cast<qreal>(fontMetrics().lineSpacing());
    qreal top = place.top() + (place.height() - height * static_cast<qreal>(lines.size())) / 2;
    for (const Line& line : lines) {
      draw(painter, line, {static_cast<qreal>(place.left()), top});
      top += height;
    }
    return;
  }
  // The style would align the advance of the text, and its last letter may draw beyond it
  if (lines.size() == 1 && (align & Qt::AlignRight) != 0) {
    place.setLeft(std::max(place.left(), place.right() + 1 - inkWidth(lines[0].words, *this)));
    align = (align & ~Qt::AlignRight) | Qt::AlignLeft;
  }
  QStringList words;
  for (const Line& line : lines)
    words << line.words;
  style()->drawItemText(&painter, place,
                        static_cast<int>(align) | Qt::TextSingleLine * (m_lines == 1), palette(),
                        isEnabled(), words.join(u'\n'), foregroundRole());
}

}  // namespace strata::ui
