// SPDX-License-Identifier: GPL-3.0-or-later
// A label in a place of fixed size. A text that is too long ends with an ellipsis, and the tooltip
// shows all of it. The layout never depends on the text. Thread: GUI thread.
#pragma once

#include <QLabel>
#include <QTextLayout>

namespace strata::ui {

class ElidedLabel : public QLabel {
  Q_OBJECT
 public:
  explicit ElidedLabel(QWidget* parent = nullptr, int lines = 1);
  void setText(const QString& words);
  /// Sets a text whose parts between <i> and </i> are in italics. text() has no such marks.
  void setTextWithItalics(const QString& marked);
  /// Sets where a text of one line is cut. The default is its end.
  void setElideMode(Qt::TextElideMode mode);
  /// Adds a context menu that copies the whole text.
  void offerCopy();
  /// Returns whether the label shows only a part of the text.
  bool isElided() const { return shownLines() != wholeLines(); }
  QSize sizeHint() const override;
  QSize minimumSizeHint() const override;

 protected:
  bool event(QEvent* event) override;
  void paintEvent(QPaintEvent* event) override;

 private:
  /// A shown line, and where it begins in the text.
  struct Line {
    QString words;
    qsizetype start = 0;
    friend bool operator==(const Line&, const Line&) = default;
  };
  QList<Line> shownLines() const;
  QList<Line> wholeLines() const;
  void draw(QPainter& painter, const Line& line, const QPointF& place) const;

  const int m_lines;
  // In italics
  QList<QTextLayout::FormatRange> m_italics;
  Qt::TextElideMode m_mode = Qt::ElideRight;
};

}  // namespace strata::ui
