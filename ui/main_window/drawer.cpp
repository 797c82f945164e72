// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/main_window/drawer.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTime>
#include <QTimer>
#include <QToolButton>
#include <QVBoxLayout>

#include "ui/main_window/problem_list.h"
#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxLogLines = 5000;

}  // namespace

Drawer::Drawer(const PageContext& context, QWidget* parent)
    : QWidget(parent),
      m_stack(new QStackedWidget(this)),
      m_problems(new ProblemList(context, this)),
      m_log(new QPlainTextEdit(this)) {
  setRole(this, "pane");
  setMinimumHeight(90);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  auto* head = new QHBoxLayout;
  head->setContentsMargins(8, 0, 6, 0);
  auto* group = new QButtonGroup(this);
  const QString titles[] = {tr("Problems"), tr("Log")};
  for (int i = 0; i < 2; ++i) {
    auto* button = new QPushButton(titles[i], this);
    setRole(button, "tab");
    button->setCheckable(true);
    button->setAccessibleName(titles[i]);
    // The style sheet makes the checked button bold, which the size hint does not consider.
    QFont bold = button->font();
    bold.setWeight(QFont::Bold);
    button->setMinimumWidth(QFontMetrics(bold).horizontalAdvance(titles[i]) + 36);
    group->addButton(button, i);
    head->addWidget(button);
    m_tabs[i] = button;
  }
  m_refusal = new QFrame(this);
  auto* refusal = new QHBoxLayout(m_refusal);
  refusal->setContentsMargins(10, 2, 10, 2);
  m_refusalWords = new QLabel(m_refusal);
  refusal->addWidget(m_refusalWords);
  m_refusal->hide();
  head->addSpacing(10);
  head->addWidget(m_refusal, 0, Qt::AlignVCenter);
  head->addStretch(1);
  auto* close = new QToolButton(this);
  close->setIcon(icon(u"close"_s));
  close->setAccessibleName(tr("Close the drawer"));
  close->setToolTip(close->accessibleName());
  head->addWidget(close);
  column->addLayout(head);
  auto* line = new QFrame(this);
  setRole(line, "line");
  line->setFixedHeight(1);
  column->addWidget(line);
  m_log->setReadOnly(true);
  m_log->setFrameShape(QFrame::NoFrame);
  m_log->setMaximumBlockCount(kMaxLogLines);
  m_log->setAccessibleName(tr("Log"));
  m_log->setStyleSheet(u"QPlainTextEdit { border: none; border-radius: 0; padding: 4px 10px; }"_s);
  m_stack->addWidget(m_problems);
  m_stack->addWidget(m_log);
  column->addWidget(m_stack, 1);
  connect(group, &QButtonGroup::idClicked, this, [this](int id) {
    m_stack->setCurrentIndex(id);
    Q_EMIT tabChosen(static_cast<Tab>(id));
  });
  connect(m_problems, &ProblemList::rebuilt, m_refusal, &QWidget::hide);
  connect(close, &QToolButton::clicked, this, &Drawer::closeRequested);
  showTab(Tab::Problems);
}

void Drawer::showTab(Tab tab) {
  m_tabs[static_cast<int>(tab)]->setChecked(true);
  m_stack->setCurrentIndex(static_cast<int>(tab));
}

void Drawer::showRefusal(int errors) {
  m_refusalWords->setText(tr("Training did not start: fix %n problem(s) first.", nullptr, errors));
  // The message flashes, because pressing Train again would otherwise change nothing visible.
  constexpr int kFlashMilliseconds = 160;
  setRole(m_refusal, "strip");
  m_refusal->show();
  QTimer::singleShot(kFlashMilliseconds, m_refusal, [this] { setRole(m_refusal, "banner"); });
  m_problems->focusFirstError();
}

Drawer::Tab Drawer::tab() const { return static_cast<Tab>(m_stack->currentIndex()); }

void Drawer::log(const QString& line) {
  m_log->appendPlainText(tr("%1  %2").arg(QTime::currentTime().toString(u"HH:mm:ss"_s), line));
}

}  // namespace strata::ui
