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

/// Returns the width of a text with everything that its last letter, for example an italic one,
/// draws beyond its advance.
static int inkWidth(const QString& text, const QLabel& label) {
  return std::max(
      label.fontMetrics().horizontalAdvance(text),
      static_cast<int>(std::ceil(QFontMetricsF(label.font()).tightBoundingRect(text).right())));
}

namespace {

/// Breaks a text into lines that fit into `width`.
QStringList wrapped(const QString& words, const QFont& font, int width) {
  QStringList lines;
  for (const QString& paragraph : words.split(u'\n')) {
    QTextLayout layout(paragraph, font);
    layout.beginLayout();
    for (QTextLine line = layout.createLine(); line.isValid(); line = layout.createLine()) {
      line.setLineWidth(width);
      lines << paragraph.mid(line.textStart(), line.textLength());
    }
    layout.endLayout();
  }
  return lines;
}

}  // namespace

ElidedLabel::ElidedLabel(QWidget* parent, int lines) : QLabel(parent), m_lines(lines) {
  setTextFormat(Qt::PlainText);
  setAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed);
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

QStringList ElidedLabel::wholeLines() const {
  return m_lines == 1 ? QStringList(text()) : wrapped(text(), font(), contentsRect().width());
}

QStringList ElidedLabel::shownLines() const {
  const int width = contentsRect().width();
  if (m_lines == 1) return {fontMetrics().elidedText(text(), m_mode, width)};
  QStringList lines = wholeLines();
  if (lines.size() <= m_lines) return lines;
  lines = lines.mid(0, m_lines - 1);
  // The last line shows the rest, with a space between two paragraphs.
  const QString words = text();
  qsizetype at = 0;
  for (const QString& line : lines) {
    at += line.size();
    if (at < words.size() && words[at] == u'\n') ++at;
  }
  const QString rest = words.mid(at).replace(u'\n', u' ');
  return lines << fontMetrics().elidedText(rest, Qt::ElideRight, width);
}

bool ElidedLabel::event(QEvent* event) {
  if (event->type() == QEvent::ToolTip && toolTip().isEmpty() && isElided()) {
    QToolTip::showText(static_cast<QHelpEvent*>(event)->globalPos(), text(), this);
    return true;
  }
  return QLabel::event(event);
}

void ElidedLabel::paintEvent(QPaintEvent*) {
  QPainter painter(this);
  const QStringList lines = shownLines();
  QRect place = contentsRect();
  auto align = alignment();
  // The style would align the advance of the text, and its last letter may draw beyond it
  if (lines.size() == 1 && (align & Qt::AlignRight) != 0) {
    place.setLeft(std::max(place.left(), place.right() + 1 - inkWidth(lines[0], *this)));
    align = (align & ~Qt::AlignRight) | Qt::AlignLeft;
  }
  style()->drawItemText(&painter, place,
                        static_cast<int>(align) | Qt::TextSingleLine * (m_lines == 1), palette(),
                        isEnabled(), lines.join(u'\n'), foregroundRole());
}

}  // namespace strata::ui
