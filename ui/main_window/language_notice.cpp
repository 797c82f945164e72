// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/language_notice.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include "ui/language.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

LanguageNotice::LanguageNotice(QWidget* parent) : QFrame(parent) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(12, 8, 12, 8);
  auto* strip = new QFrame(this);
  setRole(strip, "strip");
  auto* row = new QHBoxLayout(strip);
  row->setContentsMargins(14, 4, 6, 4);
  row->setSpacing(8);
  m_words = new QLabel(strip);
  m_words->setTextFormat(Qt::PlainText);
  m_words->setWordWrap(true);
  row->addWidget(m_words, 1);
  auto* close = new QToolButton(strip);
  close->setIcon(icon(u"close"_s));
  close->setToolTip(tr("Hide this line"));
  close->setAccessibleName(close->toolTip());
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  row->addWidget(close);
  column->addWidget(strip);
  hide();
}

void LanguageNotice::refresh() {
  const Language next = languageOfNextStart();
  if (next != loadedLanguage())
    m_words->setText(
        u"%1\n%2"_s.arg(tr("Restart Strata to change the language."), nextStartSentence(next)));
  setVisible(next != loadedLanguage());
}

}  // namespace strata::ui
