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

// An item has either the path of a template or one of these kinds.
constexpr int kPathRole = Qt::UserRole, kKindRole = Qt::UserRole + 16;
enum Kind { kTemplate, kEmpty, kTable };

}  // namespace

TemplateDialog::TemplateDialog(QWidget* parent) : QDialog(parent), m_list(new QListWidget(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("New project"));
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

  const auto add = [this](const QString& name, const QString& notes) {
    return TitleDelegate::addTo(m_list, name, notes);
  };
  add(tr("Empty network"), tr("No layers and no data: choose both yourself."))
      ->setData(kKindRole, kEmpty);
  add(tr("Your own table"), tr("Choose a CSV file, and start with a small network that fits it."))
      ->setData(kKindRole, kTable);
  try {
    for (const ProjectTemplate& each : projectTemplates()) {
      add(each.name, each.notes)->setData(kPathRole, each.path);
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
  const QListWidgetItem* item = m_list->currentItem();
  // The dialog closes first, because a table asks for its file.
  accept();
  if (!item) return;
  switch (item->data(kKindRole).toInt()) {
    case kEmpty: Q_EMIT emptyChosen(); break;
    case kTable: Q_EMIT tableChosen(); break;
    default: Q_EMIT templateChosen(item->data(kPathRole).toString());
  }
}

}  // namespace strata::ui
