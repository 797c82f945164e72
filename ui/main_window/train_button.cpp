// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/train_button.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QMenu>
#include <QPushButton>
#include <QWidgetAction>

#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

TrainButton::TrainButton(QList<QAction*> actions, QWidget* parent)
    : QWidget(parent),
      m_actions(std::move(actions)),
      m_button(new QPushButton(this)),
      m_more(new QPushButton(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(1);
  setRole(m_button, "primary");
  setRole(m_more, "primaryMenu");
  m_more->setFixedWidth(26);
  m_more->setAccessibleName(tr("Other ways to start training"));
  m_more->setToolTip(m_more->accessibleName());
  row->addWidget(m_button);
  row->addWidget(m_more);
  auto* menu = new QMenu(m_more);
  constexpr int kNoticeWidth = 320;
  m_notice = new QLabel(menu);
  m_notice->setWordWrap(true);
  m_notice->setFixedWidth(kNoticeWidth);
  m_notice->setContentsMargins(12, 6, 12, 6);
  setRole(m_notice, "muted");
  m_noticeAction = new QWidgetAction(menu);
  m_noticeAction->setDefaultWidget(m_notice);
  m_noticeAction->setVisible(false);
  menu->addAction(m_noticeAction);
  for (QAction* action : m_actions) {
    menu->addAction(action);
    connect(action, &QAction::changed, this, &TrainButton::refresh);
  }
  menu->setToolTipsVisible(true);
  m_more->setMenu(menu);
  connect(m_button, &QPushButton::clicked, this, [this] {
    if (m_first) m_first->trigger();
  });
  refresh();
}

void TrainButton::reserve(const QStringList& texts) {
  fixWidth(m_button, texts);
  // A button without text is as wide as some letters
  QFont bold = m_button->font();
  bold.setWeight(QFont::DemiBold);
  const QString letter(u'X');
  m_button->setText(letter);
  m_padding = m_button->sizeHint().width() - QFontMetrics(bold).horizontalAdvance(letter);
  refresh();
}

void TrainButton::setNotice(const QString& sentence) {
  if (sentence == m_notice->text()) return;
  m_notice->setText(sentence);
  m_notice->setFixedHeight(m_notice->heightForWidth(m_notice->width()));
  m_noticeAction->setVisible(!sentence.isEmpty());
}

QString TrainButton::notice() const { return m_notice->text(); }

void TrainButton::refresh() {
  QList<QAction*> offered;
  for (QAction* action : m_actions)
    if (action->isVisible()) offered << action;
  m_first = offered.value(0);
  for (QAction* action : offered) {
    if (action->priority() != QAction::HighPriority) continue;
    m_first = action;
    break;
  }
  m_more->setEnabled(offered.size() > 1);
  if (!m_first) return;
  const QString words = m_first->iconText();
  const int room = m_button->maximumWidth() - m_padding;
  QFont bold = m_button->font();
  bold.setWeight(QFont::DemiBold);
  m_button->setText(m_padding > 0 ? QFontMetrics(bold).elidedText(words, Qt::ElideRight, room)
                                  : words);
  m_button->setEnabled(m_first->isEnabled());
  m_button->setAccessibleName(m_first->text());
  m_button->setToolTip(m_first->toolTip());
}

}  // namespace strata::ui
