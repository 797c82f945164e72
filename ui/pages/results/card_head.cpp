// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/card_head.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QVBoxLayout>

#include "ui/theme/style_sheet.h"

namespace strata::ui {

CardHead makeCardHead(QWidget* card, const QString& title) {
  auto* column = new QVBoxLayout(card);
  column->setContentsMargins(14, 10, 14, 12);
  column->setSpacing(8);
  auto* line = new QHBoxLayout;
  auto* name = new QLabel(title, card);
  setRole(name, "section");
  line->addWidget(name);
  line->addStretch();
  auto* sentence = new QLabel(card);
  setRole(sentence, "muted");
  line->addWidget(sentence);
  column->addLayout(line);
  return {column, sentence};
}

}  // namespace strata::ui
