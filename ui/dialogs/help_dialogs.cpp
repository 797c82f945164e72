// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/help_dialogs.h"

#include <QApplication>
#include <QDialog>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QMessageBox>
#include <QTableWidget>
#include <QVBoxLayout>

#include "gpu/devices/devices.h"
#include "gpu/exec/device.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"
#include "ui/workspace/action_table.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

struct HelpDialogs {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::HelpDialogs)
};

}  // namespace

void openShortcutsDialog(QWidget* parent, const ActionTable& actions) {
  auto* dialog = new QDialog(parent);
  dialog->setAttribute(Qt::WA_DeleteOnClose);
  dialog->setWindowTitle(HelpDialogs::tr("Keyboard shortcuts"));
  dialog->resize(480, 560);
  auto* column = new QVBoxLayout(dialog);
  column->setContentsMargins(16, 16, 16, 16);
  auto* table = new QTableWidget(0, 2, dialog);
  setRole(table, "card");
  table->setAccessibleName(dialog->windowTitle());
  table->setHorizontalHeaderLabels({HelpDialogs::tr("Action"), HelpDialogs::tr("Keys")});
  table->verticalHeader()->hide();
  table->setShowGrid(false);
  table->setEditTriggers(QAbstractItemView::NoEditTriggers);
  table->setSelectionBehavior(QAbstractItemView::SelectRows);
  table->setTabKeyNavigation(false);
  table->horizontalHeader()->setDefaultAlignment(Qt::AlignLeft | Qt::AlignVCenter);
  table->horizontalHeader()->setHighlightSections(false);
  table->setStyleSheet(u"QTableView::item { padding: 0 11px; }"_s);
  table->horizontalHeader()->setSectionResizeMode(0, QHeaderView::Stretch);
  table->horizontalHeader()->setSectionResizeMode(1, QHeaderView::ResizeToContents);
  const auto addRow = [table](const QString& title, const QString& keys) {
    const int row = table->rowCount();
    table->insertRow(row);
    table->setItem(row, 0, new QTableWidgetItem(title));
    table->setItem(row, 1, new QTableWidgetItem(keys));
  };
  const QAction* const pause = actions[u"run.pause"_s];
  const QAction* const nextPane = actions[u"view.nextPane"_s];
  const QKeySequence ctrlF6(Qt::CTRL | Qt::Key_F6);
  for (const QAction* action : actions.all()) {
    if (action->shortcuts().isEmpty() || !action->isVisible()) continue;
    QString title = action->text();
    title.remove(u'&');
    // The same key pauses an active run and otherwise moves between panes. The list shows it once,
    // with both meanings.
    if (action == pause)
      title = HelpDialogs::tr("%1 (if no run is active: %2)")
                  .arg(title, QString(nextPane->text()).remove(u'&'));
    if (action == nextPane) {
      addRow(title, ctrlF6.toString(QKeySequence::NativeText));
      continue;
    }
    addRow(title, QKeySequence::listToString(action->shortcuts(), QKeySequence::NativeText));
  }
  addRow(HelpDialogs::tr("Find a layer to add (in the list of layers)"),
         QKeySequence(Qt::Key_Return).toString(QKeySequence::NativeText));
  column->addWidget(table);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, dialog);
  QObject::connect(buttons, &QDialogButtonBox::rejected, dialog, &QDialog::reject);
  column->addWidget(buttons);
  dialog->open();
}

void openAboutDialog(QWidget* parent) {
  QStringList versions;
  for (const auto& [name, version] : libraryVersions())
    versions << HelpDialogs::tr("%1 %2").arg(text(name), text(version));
  versions << HelpDialogs::tr("Qt %1").arg(QLatin1String(qVersion()));
  auto* box = new QMessageBox(parent);
  box->setAttribute(Qt::WA_DeleteOnClose);
  box->setWindowTitle(HelpDialogs::tr("About Strata"));
  box->setIconPixmap(parent->windowIcon().pixmap(56, 56));
  box->setText(HelpDialogs::tr("<b>Strata %1</b><br>A workbench for training neural networks.")
                   .arg(QApplication::applicationVersion()));
  box->setInformativeText(
      HelpDialogs::tr(
          "Window and programs: GPL 3 or later. Engine and core: Apache 2.0.\n\nBuilt with %1.")
          .arg(versions.join(u", "_s)));
  box->setStandardButtons(QMessageBox::Close);
  box->open();
}

}  // namespace strata::ui
