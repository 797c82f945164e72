// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/segments.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QPushButton>

#include "ui/theme/style_sheet.h"

namespace strata::ui {

Segments::Segments(QWidget* parent) : QWidget(parent), m_group(new QButtonGroup(this)) {
  auto* row = new QHBoxLayout(this);
  row->setContentsMargins(0, 0, 0, 0);
  row->setSpacing(0);
  setSizePolicy(QSizePolicy::Fixed, QSizePolicy::Fixed);
  connect(m_group, &QButtonGroup::idClicked, this, &Segments::chosen);
}

/// Returns the name that the style sheet uses for a segment's place in the row.
static const char* edgeOf(qsizetype place, qsizetype count) {
  if (count == 1) return "only";
  if (place == 0) return "first";
  return place == count - 1 ? "last" : "middle";
}

QPushButton* Segments::add(int id, const QString& title) {
  auto* button = new QPushButton(title, this);
  button->setCheckable(true);
  button->setAccessibleName(title);
  setRole(button, "segment");
  m_group->addButton(button, id);
  layout()->addWidget(button);
  m_buttons << button;
  for (qsizetype i = 0; i < m_buttons.size(); ++i) {
    m_buttons[i]->setProperty("edge", QString::fromLatin1(edgeOf(i, m_buttons.size())));
    restyle(m_buttons[i]);
  }
  return button;
}

void Segments::setCurrent(int id) {
  if (QAbstractButton* button = m_group->button(id)) button->setChecked(true);
}

int Segments::current() const { return m_group->checkedId(); }

}  // namespace strata::ui
