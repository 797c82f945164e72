// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/template_dialog.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QListWidget>
#include <QPushButton>
#include <QVBoxLayout>

#include "gpu/base/error.h"
#include "ui/dialogs/templates.h"
#include "ui/format.h"
#include "ui/models/title_delegate.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPathRole = Qt::UserRole;

}  // namespace

TemplateDialog::TemplateDialog(QWidget* parent) : QDialog(parent), m_list(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("New from a template"));
  resize(620, 520);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  m_list->setAccessibleName(tr("Templates"));
  setRole(m_list, "card");
  m_list->setItemDelegate(new TitleDelegate(Qt::ElideNone, m_list));
  m_list->setMouseTracking(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->setResizeMode(QListView::Adjust);
  column->addWidget(m_list, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_create = buttons->addButton(tr("Create"), QDialogButtonBox::AcceptRole);
  column->addWidget(buttons);

  try {
    for (const ProjectTemplate& each : projectTemplates()) {
      auto* item = new QListWidgetItem(each.name, m_list);
      item->setData(kPathRole, each.path);
      item->setData(TitleDelegate::kNotesRole, each.notes);
      item->setData(Qt::AccessibleDescriptionRole, each.notes);
    }
  }
  catch (const Error& error) {
    auto* label = new QLabel(text(error.line()), this);
    label->setWordWrap(true);
    column->insertWidget(1, label);
  }
  m_list->setCurrentRow(0);
  m_create->setEnabled(m_list->count() > 0);
  connect(buttons, &QDialogButtonBox::accepted, this, &TemplateDialog::choose);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  connect(m_list, &QListWidget::itemDoubleClicked, this, &TemplateDialog::choose);
}

void TemplateDialog::choose() {
  if (const QListWidgetItem* item = m_list->currentItem())
    Q_EMIT templateChosen(item->data(kPathRole).toString());
  accept();
}

}  // namespace strata::ui
