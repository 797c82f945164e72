// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/steady_layout.h"

#include <QAbstractButton>
#include <QAbstractScrollArea>
#include <QLabel>
#include <QScrollBar>
#include <QTextDocument>
#include <algorithm>
#include <cmath>

namespace strata::ui {

void fixWidth(QAbstractButton* button, const QStringList& texts) {
  button->ensurePolished();
  const QString now = button->text();
  int width = 0;
  for (const QString& each : texts) {
    button->setText(each);
    width = std::max(width, button->sizeHint().width());
  }
  button->setText(now);
  button->setFixedWidth(width);
}

int widthOf(const QLabel* label, const QStringList& texts) {
  label->ensurePolished();
  QTextDocument document;
  document.setDefaultFont(label->font());
  document.setDocumentMargin(0);
  double width = 0;
  for (const QString& each : texts) {
    document.setHtml(each);
    width = std::max(width, document.idealWidth());
  }
  return static_cast<int>(std::ceil(width)) + 2;
}

void reserveLines(QLabel* label, int lines, const QString& sample) {
  label->ensurePolished();
  const QString text = QStringList(lines, sample).join(u'\n');
  label->setMinimumHeight(label->fontMetrics()
                              .boundingRect({0, 0, QWIDGETSIZE_MAX, QWIDGETSIZE_MAX}, 0, text)
                              .height());
}

void keepScrollBarRoom(QAbstractScrollArea* area) {
  area->setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOn);
  QScrollBar* bar = area->verticalScrollBar();
  const auto follow = [bar](int least, int most) {
    bar->setEnabled(most > least);
  };
  QObject::connect(bar, &QScrollBar::rangeChanged, bar, follow);
  follow(bar->minimum(), bar->maximum());
}

void keepPlace(QWidget* widget) {
  QSizePolicy policy = widget->sizePolicy();
  policy.setRetainSizeWhenHidden(true);
  widget->setSizePolicy(policy);
}

}  // namespace strata::ui
