// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/language_notice.h"

#include <QHBoxLayout>
#include <QToolButton>

#include "ui/elided_label.h"
#include "ui/language.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

LanguageNotice::LanguageNotice(QWidget* parent) : QFrame(parent) {
  setRole(this, "strip");
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(10, 0, 2, 0);
  row->setSpacing(6);
  m_words = new ElidedLabel(this);
  row->addWidget(m_words, 1);
  auto* close = new QToolButton(this);
  close->setIcon(icon(u"close"_s));
  close->setToolTip(tr("Hide this line"));
  close->setAccessibleName(close->toolTip());
  connect(close, &QToolButton::clicked, this, &QWidget::hide);
  row->addWidget(close);
  hide();
}

void LanguageNotice::refresh() {
  const Language next = languageOfNextStart();
  if (next != loadedLanguage())
    m_words->setText(
        u"%1 %2"_s.arg(tr("Restart Strata to change the language."), nextStartSentence(next)));
  setVisible(next != loadedLanguage());
}

}  // namespace strata::ui
