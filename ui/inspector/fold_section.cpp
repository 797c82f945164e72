// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/fold_section.h"

#include <QLabel>
#include <QPushButton>
#include <QSettings>
#include <QVBoxLayout>

#include "ui/theme/icons.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

FoldSection::FoldSection(const QString& title, const QString& key, QWidget* parent)
    : QWidget(parent),
      m_title(title),
      m_key(u"inspector/open/%1"_s.arg(key)),
      m_head(new QPushButton(title, this)),
      m_body(new QWidget(this)) {
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(4);
  setRole(m_head, "fold");
  m_head->setCheckable(true);
  m_head->setObjectName(u"fold/%1"_s.arg(key));
  m_head->setAccessibleName(title);
  column->addWidget(m_head);
  auto* inner = new QVBoxLayout(m_body);
  inner->setContentsMargins(0, 0, 0, 6);
  inner->setSpacing(6);
  column->addWidget(m_body);
  connect(m_head, &QPushButton::toggled, this, [this](bool isOn) {
    setOpen(isOn);
    QSettings().setValue(m_key, isOn);
  });
  const bool isOpen = QSettings().value(m_key, false).toBool();
  {
    const QSignalBlocker blocker(m_head);
    m_head->setChecked(isOpen);
  }
  setOpen(isOpen);
}

void FoldSection::add(QWidget* content) { m_body->layout()->addWidget(content); }

bool FoldSection::isOpen() const { return m_head->isChecked(); }

void FoldSection::setOpen(bool isOpen) {
  m_body->setVisible(isOpen);
  m_head->setIcon(icon(isOpen ? u"down"_s : u"chevron-right"_s));
  m_head->setAccessibleDescription(isOpen ? tr("open") : tr("closed"));
}

void FoldSection::refresh() {
  int problems = 0;
  for (const QLabel* label : m_body->findChildren<QLabel*>())
    if (label->property("role").toString() == u"problem"_s && !label->text().isEmpty()) ++problems;
  m_head->setText(problems == 0 ? m_title
                                : tr("%1: %n problem(s)", nullptr, problems).arg(m_title));
  setRole(m_head, problems == 0 ? "fold" : "foldProblem");
}

}  // namespace strata::ui
