// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/template_dialog.h"

#include <QDialogButtonBox>
#include <QDir>
#include <QLabel>
#include <QListWidget>
#include <QPainter>
#include <QPushButton>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <nlohmann/json.hpp>

#include "core/project/project.h"
#include "core/project/resources.h"
#include "ui/format.h"
#include "ui/project_notes.h"
#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPathRole = Qt::UserRole, kNotesRole = Qt::UserRole + 1;
constexpr int kMargin = 12;

/// Name in bold, what it teaches under it.
class TemplateDelegate : public QStyledItemDelegate {
 public:
  using QStyledItemDelegate::QStyledItemDelegate;
  void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    painter->save();
    const Colors& colors = colorsOf(option.palette);
    painter->fillRect(option.rect, option.state & QStyle::State_Selected    ? colors.accentSoft
                                   : option.state & QStyle::State_MouseOver ? colors.hover
                                                                            : colors.card);
    painter->fillRect(QRect(option.rect.left(), option.rect.bottom(), option.rect.width(), 1), colors.hairline);
    QRect place = option.rect.adjusted(kMargin, 8, -kMargin, -8);
    QFont bold = option.font;
    bold.setWeight(QFont::DemiBold);
    painter->setFont(bold);
    painter->setPen(colors.text);
    painter->drawText(place, Qt::AlignTop | Qt::AlignLeft, index.data().toString());
    painter->setFont(option.font);
    painter->setPen(colors.muted);
    place.setTop(place.top() + QFontMetrics(bold).height() + 2);
    painter->drawText(place, Qt::AlignTop | Qt::AlignLeft | Qt::TextWordWrap, index.data(kNotesRole).toString());
    painter->restore();
  }
  QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const override {
    const int width = (option.widget ? static_cast<const QListWidget*>(option.widget)->viewport()->width() : 500) - 2 * kMargin;
    const QRect notes = option.fontMetrics.boundingRect(QRect(0, 0, width, 1000), Qt::TextWordWrap, index.data(kNotesRole).toString());
    return {width, option.fontMetrics.height() + notes.height() + 20};
  }
};

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
  m_list->setItemDelegate(new TemplateDelegate(m_list));
  m_list->setMouseTracking(true);
  m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  m_list->setResizeMode(QListView::Adjust);
  column->addWidget(m_list, 1);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_create = buttons->addButton(tr("Create"), QDialogButtonBox::AcceptRole);
  column->addWidget(buttons);

  try {
    const QDir folder(text(resourcePath("projects")));
    for (const QString& file : folder.entryList({u"*.json"_s}, QDir::Files, QDir::Name)) {
      const Result<Project> project = loadProject(folder.filePath(file).toStdString());
      if (!project) continue;
      const Json& json = project.value().document();
      auto* item = new QListWidgetItem(text(project.value().name()), m_list);
      item->setData(kPathRole, folder.filePath(file));
      item->setData(kNotesRole, projectNotes(json));
      item->setData(Qt::AccessibleDescriptionRole, item->data(kNotesRole));
    }
  } catch (const Error& error) {
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
  if (const QListWidgetItem* item = m_list->currentItem()) Q_EMIT templateChosen(item->data(kPathRole).toString());
  accept();
}

}  // namespace strata::ui
