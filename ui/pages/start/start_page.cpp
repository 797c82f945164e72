// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/start/start_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QListWidget>
#include <QMenu>
#include <QPushButton>
#include <QVBoxLayout>

#include "gpu/base/error.h"
#include "ui/dialogs/file_desk.h"
#include "ui/dialogs/templates.h"
#include "ui/format.h"
#include "ui/models/title_delegate.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/workspace.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMaxBodyWidth = 1060, kMargin = 32, kBottom = 18, kColumnGap = 24,
              kFilePathRole = Qt::UserRole, kKindRole = Qt::UserRole + 16;
// What a click in the list of templates creates
enum Kind { kTemplate, kEmpty, kTable };

/// A list that is as high as its rows if there is enough space.
class FittingList : public QListWidget {
 public:
  using QListWidget::QListWidget;
  QSize sizeHint() const override {
    int height = 2 * frameWidth();
    for (int row = 0; row < count(); ++row)
      height += sizeHintForRow(row);
    return {300, height};
  }

 protected:
  void resizeEvent(QResizeEvent* event) override {
    QListWidget::resizeEvent(event);
    // With a new width, the text wraps differently.
    updateGeometry();
  }
};

QLabel* heading(const QString& words, const char* role, QWidget* parent) {
  auto* label = new QLabel(words, parent);
  setRole(label, role);
  return label;
}

}  // namespace

StartPage::StartPage(const PageContext& context, FileDesk& files, QWidget* parent)
    : QWidget(parent), m_context(context), m_files(files) {
  auto* body = new QWidget(this);
  body->setMaximumWidth(kMaxBodyWidth);
  auto* outer = new QHBoxLayout(this);
  outer->setContentsMargins(kMargin, kMargin, kMargin, kBottom);
  outer->addStretch(1);
  outer->addWidget(body, 1000);
  outer->addStretch(1);

  auto* column = new QVBoxLayout(body);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(6);
  column->addWidget(heading(tr("Start"), "headline", body));
  column->addWidget(heading(tr("Choose a project to train."), "muted", body));
  column->addSpacing(10);
  column->addWidget(makeActions());
  column->addSpacing(18);

  m_recent = makeList(tr("Recent projects"), Qt::ElideMiddle);
  m_templates = makeList(tr("Templates"), Qt::ElideNone);
  m_noRecent = heading(tr("Projects that you open or save appear here."), "muted", body);
  m_noRecent->setWordWrap(true);
  m_noRecent->setAlignment(Qt::AlignTop | Qt::AlignLeft);
  auto* lists = new QHBoxLayout;
  lists->setSpacing(kColumnGap);
  const auto addColumn = [&](std::initializer_list<QWidget*> widgets, int stretch) {
    auto* side = new QVBoxLayout;
    side->setSpacing(8);
    for (QWidget* widget : widgets)
      side->addWidget(widget, qobject_cast<QListWidget*>(widget) ? 100 : 0);
    side->addStretch(1);
    lists->addLayout(side, stretch);
  };
  addColumn({heading(tr("Recent projects"), "section", body), m_recent, m_noRecent}, 2);
  addColumn({heading(tr("Templates"), "section", body), m_templates}, 3);
  column->addLayout(lists, 1);

  connect(&context.workspace, &Workspace::recentChanged, this, &StartPage::fillRecent);
  fillRecent();
}

QWidget* StartPage::makeActions() {
  auto* row = new QWidget(this);
  auto* layout = new QHBoxLayout(row);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(10);
  auto* create = new QPushButton(tr("New project"), row);
  setRole(create, "primary");
  auto* open = new QPushButton(tr("Open…"), row);
  auto* ownData = new QPushButton(tr("Use my own data"), row);
  for (QPushButton* button : {create, open, ownData}) {
    button->setAccessibleName(button->text());
    layout->addWidget(button);
  }
  layout->addStretch(1);
  setFocusProxy(create);
  connect(create, &QPushButton::clicked, &m_files, &FileDesk::newFromTemplate);
  connect(open, &QPushButton::clicked, &m_files, &FileDesk::open);
  setRole(ownData, "menu");
  auto* kinds = new QMenu(ownData);
  connect(kinds->addAction(tr("A table (CSV)…")), &QAction::triggered, &m_files,
          &FileDesk::newFromTable);
  connect(kinds->addAction(tr("A folder of images…")), &QAction::triggered, &m_files,
          &FileDesk::newFromImages);
  ownData->setMenu(kinds);
  return row;
}

QListWidget* StartPage::makeList(const QString& name, Qt::TextElideMode elide) {
  auto* list = new FittingList(this);
  list->setAccessibleName(name);
  setRole(list, "card");
  list->setItemDelegate(new TitleDelegate(elide, list));
  list->setMouseTracking(true);
  list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
  list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
  list->setResizeMode(QListView::Adjust);
  list->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Maximum);
  list->setMinimumSize(200, 0);
  list->installEventFilter(this);
  // The connection is queued, because opening a project hides the page. The list must first finish
  // handling the click.
  connect(
      list, &QListWidget::itemClicked, this, [this, list] { openItem(list); },
      Qt::QueuedConnection);
  return list;
}

void StartPage::fillRecent() {
  m_recent->clear();
  for (const QString& file : m_context.workspace.recentFiles()) {
    const QFileInfo info(file);
    if (!info.exists()) continue;
    auto* item = TitleDelegate::addTo(m_recent, info.completeBaseName(), info.path());
    item->setData(kFilePathRole, file);
    item->setToolTip(file);
  }
  m_recent->updateGeometry();
  m_recent->setVisible(m_recent->count() > 0);
  m_noRecent->setVisible(m_recent->count() == 0);
}

void StartPage::fillTemplates() {
  if (m_templates->count() > 0) return;
  const auto add = [this](const QString& name, const QString& notes) {
    return TitleDelegate::addTo(m_templates, name, notes);
  };
  add(tr("Empty network"), tr("No layers and no data: choose both yourself."))
      ->setData(kKindRole, kEmpty);
  add(tr("Your own table"), tr("Choose a CSV file, and start with a small network that fits it."))
      ->setData(kKindRole, kTable);
  try {
    for (const ProjectTemplate& each : projectTemplates()) {
      QListWidgetItem* item = add(each.name, each.firstSentence);
      item->setData(kFilePathRole, each.path);
      item->setToolTip(each.notes);
    }
  }
  catch (const Error& error) {
    auto* item = add(tr("The templates could not be found"), text(error.line()));
    item->setFlags(Qt::NoItemFlags);
  }
}

void StartPage::openItem(QListWidget* list) {
  const QListWidgetItem* item = list->currentItem();
  const QString path = item ? item->data(kFilePathRole).toString() : QString();
  const int kind = item ? item->data(kKindRole).toInt() : int{kTemplate};
  if ((path.isEmpty() && kind == kTemplate) || !isVisible()) return;
  if (kind == kEmpty) {
    m_files.newEmpty();
  }
  else if (kind == kTable) {
    m_files.newFromTable();
  }
  else if (list == m_recent) {
    m_files.openPath(path);
  }
  else {
    m_files.createFrom(path);
  }
}

/// Reads the templates when the page is first shown. Updates the recent files each time, because
/// files may have been deleted.
void StartPage::showEvent(QShowEvent* event) {
  QWidget::showEvent(event);
  fillTemplates();
  fillRecent();
  for (QListWidget* list : {m_recent, m_templates})
    list->clearSelection();
}

bool StartPage::eventFilter(QObject* watched, QEvent* event) {
  if (event->type() != QEvent::KeyPress) return QWidget::eventFilter(watched, event);
  const int key = static_cast<QKeyEvent*>(event)->key();
  if (key != Qt::Key_Return && key != Qt::Key_Enter && key != Qt::Key_Space)
    return QWidget::eventFilter(watched, event);
  openItem(static_cast<QListWidget*>(watched));
  return true;
}

}  // namespace strata::ui
