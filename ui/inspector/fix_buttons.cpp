// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/inspector/fix_buttons.h"

#include <QPushButton>
#include <QVBoxLayout>

#include "ui/format.h"

namespace strata::ui {

FixButtons::FixButtons(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this)) {
  m_column->setContentsMargins(0, 0, 0, 2);
  m_column->setSpacing(4);
  hide();
}

void FixButtons::setFixes(std::vector<Fix> fixes) {
  QStringList labels;
  for (const Fix& fix : fixes)
    labels << translated(fix.label, fix.arguments);
  m_fixes = std::move(fixes);
  setVisible(!m_fixes.empty());
  if (labels == m_labels) return;
  m_labels = labels;
  for (QPushButton* old : findChildren<QPushButton*>()) {
    old->hide();
    old->deleteLater();
  }
  for (qsizetype i = 0; i < labels.size(); ++i) {
    auto* button = new QPushButton(labels[i], this);
    button->setObjectName(QStringLiteral("fix"));
    button->setAccessibleName(labels[i]);
    button->setToolTip(labels[i]);
    m_column->addWidget(button, 0, Qt::AlignLeft);
    connect(button, &QPushButton::clicked, this, [this, at = static_cast<size_t>(i)] {
      if (at < m_fixes.size()) Q_EMIT chosen(ProjectEdit(m_fixes[at].edit));
    });
  }
}

}  // namespace strata::ui
