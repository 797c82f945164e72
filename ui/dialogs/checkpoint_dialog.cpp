// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/checkpoint_dialog.h"

#include <QDateTime>
#include <QDialogButtonBox>
#include <QHeaderView>
#include <QLabel>
#include <QLocale>
#include <QPointer>
#include <QPushButton>
#include <QTreeWidget>
#include <QVBoxLayout>
#include <algorithm>
#include <utility>

#include "gpu/base/error.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/run/run_controller.h"
#include "ui/run/run_text.h"
#include "ui/steady_layout.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

namespace {

/// Returns the names of the validation results that the checkpoints have.
std::vector<std::string> namesIn(const std::vector<ListedCheckpoint>& checkpoints) {
  std::vector<std::string> names;
  for (const ListedCheckpoint& each : checkpoints)
    for (const auto& [name, value] : each.validation)
      if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  return names;
}

QString valueOf(const ListedCheckpoint& checkpoint, const std::string& name) {
  for (const auto& [own, value] : checkpoint.validation)
    if (own == name) return formatValue(value);
  return CheckpointDialog::tr("unknown");
}

}  // namespace

CheckpointDialog::CheckpointDialog(const Document& document, const UsedRun& run,
                                   std::vector<ListedCheckpoint> checkpoints, QWidget* parent)
    : QDialog(parent),
      m_run(run),
      m_checkpoints(std::move(checkpoints)),
      m_continue(run.canContinue ? continuationOf(document, run).text() : QString()),
      m_list(new QTreeWidget(this)),
      m_effect(new QLabel(this)) {
  setAttribute(Qt::WA_DeleteOnClose);
  setWindowTitle(tr("Checkpoints of %1").arg(RunText::title(run.directory).toLower()));
  constexpr QSize kSize(720, 380);
  resize(kSize);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  column->addWidget(m_list, 1);
  m_effect->setWordWrap(true);
  constexpr int kLines = 2;
  reserveLines(m_effect, kLines, tr("A new run begins with step %1.").arg(1));
  column->addWidget(m_effect);
  const QStringList differences = usedSettings(document, run);
  if (!differences.isEmpty()) {
    auto* note = new QLabel(
        tr("The run keeps the settings that it used:\n%1").arg(differences.join(u'\n')), this);
    note->setTextFormat(Qt::PlainText);
    note->setWordWrap(true);
    setRole(note, "muted");
    column->addWidget(note);
  }
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Cancel, this);
  m_choose = buttons->addButton(QString(), QDialogButtonBox::AcceptRole);
  m_choose->setDefault(true);
  fixWidth(m_choose,
           {m_continue, tr("New run from step %1").arg(formatCount(m_checkpoints.front().step))});
  column->addWidget(buttons);
  fillList();
  connect(m_list, &QTreeWidget::currentItemChanged, this, &CheckpointDialog::refresh);
  connect(m_list, &QTreeWidget::itemActivated, this, &CheckpointDialog::choose);
  connect(buttons, &QDialogButtonBox::accepted, this, &CheckpointDialog::choose);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
  refresh();
}

void CheckpointDialog::fillList() {
  const std::vector<std::string> names = namesIn(m_checkpoints);
  QStringList headings{tr("Step"), tr("Epoch")};
  for (const std::string& name : names)
    headings << tr("%1, validation").arg(metricTitle(name));
  headings << tr("Saved") << tr("Size");
  m_list->setAccessibleName(tr("Checkpoints"));
  setRole(m_list, "card");
  m_list->setRootIsDecorated(false);
  m_list->setAllColumnsShowFocus(true);
  m_list->setHeaderLabels(headings);
  for (const ListedCheckpoint& each : m_checkpoints) {
    QStringList cells{formatCount(each.step),
                      each.epoch > 0 ? formatCount(each.epoch) : tr("unknown")};
    for (const std::string& name : names)
      cells << valueOf(each, name);
    cells << QLocale().toString(QDateTime::fromSecsSinceEpoch(each.savedAt), QLocale::ShortFormat)
          << formatBytes(static_cast<double>(each.bytes));
    m_list->addTopLevelItem(new QTreeWidgetItem(cells));
  }
  for (int i = 0; i < headings.size(); ++i)
    m_list->header()->setSectionResizeMode(i, QHeaderView::ResizeToContents);
  m_list->setCurrentItem(m_list->topLevelItem(0));
}

bool CheckpointDialog::isNewest() const {
  return m_list->indexOfTopLevelItem(m_list->currentItem()) == 0 && !m_continue.isEmpty();
}

void CheckpointDialog::refresh() {
  const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
  m_choose->setEnabled(row >= 0);
  if (row < 0) return;
  const QString title = RunText::title(m_run.directory);
  const QString step = formatCount(m_checkpoints[static_cast<size_t>(row)].step);
  m_choose->setText(isNewest() ? m_continue : tr("New run from step %1").arg(step));
  m_choose->setAccessibleName(m_choose->text());
  m_effect->setText(isNewest() ? tr("%1 goes on in its own directory.").arg(title)
                               : tr("A new run begins with step %1 of %2. %3 stays as it is.")
                                     .arg(step, title.toLower(), title));
}

void CheckpointDialog::choose() {
  const int row = m_list->indexOfTopLevelItem(m_list->currentItem());
  if (row < 0) return;
  const bool continues = isNewest();
  accept();
  if (continues)
    Q_EMIT continueChosen();
  else
    Q_EMIT branchChosen(m_checkpoints[static_cast<size_t>(row)].step);
}

void openCheckpoints(QWidget* window, Document& document, const UsedRun& run,
                     RunController& controller, std::function<void()> shown,
                     const std::function<void(const QString&)>& failed) {
  std::vector<ListedCheckpoint> checkpoints;
  try {
    checkpoints = listCheckpoints(run.directory);
  }
  catch (const Error& error) {
    failed(text(error.line()));
    return;
  }
  if (checkpoints.empty() || !run.project) {
    failed(CheckpointDialog::tr("%1 has no checkpoint from which it could continue")
               .arg(RunText::title(run.directory)));
    return;
  }
  auto* dialog = new CheckpointDialog(document, run, std::move(checkpoints), window);
  const QPointer<Document> target(&document);
  const QPointer<RunController> own(&controller);
  QObject::connect(dialog, &CheckpointDialog::continueChosen, dialog, [target, own, run, shown] {
    if (!target || !own || own->isActive()) return;
    continueRun(*target, run, *own);
    shown();
  });
  QObject::connect(dialog, &CheckpointDialog::branchChosen, dialog,
                   [target, own, run, shown](qint64 step) {
                     if (!target || !own || own->isActive()) return;
                     branchRun(*target, run, step, *own);
                     shown();
                   });
  dialog->open();
}

}  // namespace strata::ui
