// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/launch_dialog.h"

#include <QDialogButtonBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpressionValidator>
#include <QSettings>
#include <QSpinBox>
#include <QTreeWidget>
#include <QVBoxLayout>

#include "ui/dialogs/file_desk.h"
#include "ui/document/document.h"
#include "ui/format.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr const char* kHostsKey = "launch/hosts";
constexpr int kRowHeight = 26;
constexpr const char* kProcessesKey = "launch/processes";
enum Column { kProcess, kHost, kState, kStep, kSilence, kNumColumns };

/// Returns the state of a process in words.
QString stateText(const LaunchedWorker& worker) {
  if (!worker.error.isEmpty()) return LaunchDialog::tr("failed: %1").arg(worker.error);
  if (worker.code)
    return *worker.code == 0 ? LaunchDialog::tr("ended")
                             : LaunchDialog::tr("ended with exit code %1").arg(*worker.code);
  if (worker.state.isEmpty() || worker.state == u"starting"_s) return LaunchDialog::tr("starting");
  if (worker.state == u"lost"_s) return LaunchDialog::tr("lost");
  if (worker.state == u"preparing"_s) return LaunchDialog::tr("preparing");
  if (worker.state == u"stopping"_s) return LaunchDialog::tr("saving");
  return LaunchDialog::tr("training");
}

}  // namespace

LaunchDialog::LaunchDialog(FileDesk& files, QWidget* parent)
    : QDialog(parent),
      m_files(files),
      m_status(new QLabel(this)),
      m_processes(new QSpinBox(this)),
      m_hosts(new QLineEdit(this)),
      m_workers(new QTreeWidget(this)),
      m_logTitle(new QLabel(this)),
      m_log(new QPlainTextEdit(this)) {
  setWindowTitle(tr("Train in several processes"));
  resize(760, 560);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(16, 16, 16, 16);
  column->setSpacing(12);
  makeFields();
  makeViews();
  connect(&m_run, &LaunchedRun::changed, this, &LaunchDialog::refresh);
  connect(&m_run, &LaunchedRun::printed, this, [this](int rank) {
    if (rank == chosenRank()) showLog();
  });
}

void LaunchDialog::makeFields() {
  constexpr int kMostProcesses = 64;
  auto* column = static_cast<QVBoxLayout*>(layout());
  auto* form = new QFormLayout;
  const QSettings settings;
  m_processes->setRange(1, kMostProcesses);
  m_processes->setValue(settings.value(kProcessesKey, 2).toInt());
  m_processes->setAccessibleName(tr("Processes"));
  m_processes->setToolTip(
      tr("How many processes share each batch. Each has the devices of the project."));
  m_hosts->setText(settings.value(kHostsKey).toString());
  m_hosts->setPlaceholderText(tr("this machine"));
  m_hosts->setAccessibleName(tr("Hosts"));
  m_hosts->setToolTip(
      tr("Machines that share the processes, such as node1,node2. They have the "
         "same files at the same paths, and ssh reaches them without a password."));
  m_hosts->setValidator(new QRegularExpressionValidator(
      QRegularExpression(u"([A-Za-z0-9_.][A-Za-z0-9_.-]*(,[A-Za-z0-9_.][A-Za-z0-9_.-]*)*,?)?"_s),
      m_hosts));
  m_processes->setMinimumHeight(m_hosts->sizeHint().height());
  form->addRow(tr("Processes"), m_processes);
  form->addRow(tr("Hosts"), m_hosts);
  column->addLayout(form);
  m_status->setWordWrap(true);
  setRole(m_status, "muted");
  column->addWidget(m_status);
}

void LaunchDialog::makeViews() {
  auto* column = static_cast<QVBoxLayout*>(layout());
  m_workers->setAccessibleName(tr("State of each process"));
  setRole(m_workers, "card");
  m_workers->setRootIsDecorated(false);
  m_workers->setColumnCount(kNumColumns);
  m_workers->setHeaderLabels(
      {tr("Process"), tr("Host"), tr("State"), tr("Step"), tr("Last report")});
  m_workers->header()->setSectionResizeMode(QHeaderView::ResizeToContents);
  m_workers->header()->setSectionResizeMode(kState, QHeaderView::Stretch);
  m_workers->header()->setStretchLastSection(false);
  column->addWidget(m_workers, 2);
  setRole(m_logTitle, "section");
  column->addWidget(m_logTitle);
  m_log->setAccessibleName(tr("Log"));
  m_log->setReadOnly(true);
  column->addWidget(m_log, 3);
  auto* buttons = new QDialogButtonBox(QDialogButtonBox::Close, this);
  m_start = buttons->addButton(tr("Start"), QDialogButtonBox::ActionRole);
  m_stop = buttons->addButton(tr("Stop and save"), QDialogButtonBox::ActionRole);
  column->addWidget(buttons);
  connect(m_start, &QPushButton::clicked, this, &LaunchDialog::start);
  connect(m_stop, &QPushButton::clicked, &m_run, &LaunchedRun::stop);
  connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::hide);
  connect(m_workers, &QTreeWidget::currentItemChanged, this, [this] {
    m_shownLines = -1;
    showLog();
  });
}

void LaunchDialog::openFor(Document* document) {
  m_document = document;
  refresh();
  show();
  raise();
  activateWindow();
}

void LaunchDialog::start() {
  QSettings settings;
  settings.setValue(kProcessesKey, m_processes->value());
  settings.setValue(kHostsKey, m_hosts->text());
  // The processes read the file of the project
  m_files.save(m_document, [this, document = m_document] {
    if (!document || m_run.isActive()) return;
    m_name = document->name();
    QString hosts = m_hosts->text();
    if (hosts.endsWith(u',')) hosts.chop(1);
    m_workers->clear();
    m_run.start(document->path(), m_processes->value(), hosts);
  });
}

int LaunchDialog::chosenRank() const {
  return m_workers->indexOfTopLevelItem(m_workers->currentItem()) - 1;
}

void LaunchDialog::refresh() {
  const bool isActive = m_run.isActive();
  const QString problem = LaunchedRun::problem();
  m_processes->setEnabled(!isActive);
  m_hosts->setEnabled(!isActive);
  m_start->setEnabled(!isActive && problem.isEmpty() && m_document);
  m_stop->setEnabled(isActive);
  m_stop->setText(m_run.isStopping() && isActive ? tr("End without saving") : tr("Stop and save"));
  if (!problem.isEmpty())
    m_status->setText(problem);
  else if (isActive)
    m_status->setText(!m_run.loss().isEmpty() ? m_run.loss()
                      : m_run.isStopping()    ? tr("%1: saving the network").arg(m_name)
                      : m_run.directory().isEmpty()
                          ? tr("%1: the processes are starting").arg(m_name)
                          : tr("%1: trains in %2").arg(m_name, m_run.directory()));
  else if (m_run.exitCode())
    m_status->setText(
        *m_run.exitCode() == 0
            ? tr("%1: finished. Results lists the run %2.").arg(m_name, m_run.directory())
        : m_run.isStopping() ? tr("%1: stopped. The run is in %2.").arg(m_name, m_run.directory())
                             : tr("%1: failed. The log says why.").arg(m_name));
  else
    m_status->setText(m_document ? tr("Trains %1 in processes that share each batch. The result is "
                                      "that of as many devices in one process.")
                                       .arg(m_document->name())
                                 : QString());
  const std::vector<LaunchedWorker>& workers = m_run.workers();
  // The first row is that of launch
  while (m_workers->topLevelItemCount() < static_cast<int>(workers.size()) + 1 &&
         !workers.empty()) {
    auto* const item = new QTreeWidgetItem;
    // The width of this column does not depend on its texts
    item->setSizeHint(kState, {0, kRowHeight});
    m_workers->addTopLevelItem(item);
  }
  for (int row = 0; row < m_workers->topLevelItemCount(); ++row) {
    QTreeWidgetItem* const item = m_workers->topLevelItem(row);
    if (row == 0) {
      item->setText(kProcess, tr("Launch"));
      item->setText(kState, isActive ? tr("watches the processes") : tr("ended"));
      continue;
    }
    const LaunchedWorker& worker = workers[static_cast<size_t>(row) - 1];
    item->setText(kProcess, QString::number(row - 1));
    item->setText(kHost, worker.host);
    item->setText(kState, stateText(worker));
    item->setToolTip(kState, stateText(worker));
    item->setText(kStep, formatCount(worker.step));
    item->setText(kSilence, !isActive || worker.code || worker.host.isEmpty()
                                ? QString()
                                : tr("%1 s ago").arg(formatValue(worker.secondsSilent, 2)));
    item->setTextAlignment(kStep, Qt::AlignRight | Qt::AlignVCenter);
    item->setTextAlignment(kSilence, Qt::AlignRight | Qt::AlignVCenter);
  }
  // The first process prints the metrics, and launch why a run cannot begin
  const bool hasFailed = m_run.exitCode().value_or(0) != 0 && !m_run.isStopping();
  if (!m_workers->currentItem() && m_workers->topLevelItemCount() > 1)
    m_workers->setCurrentItem(m_workers->topLevelItem(1));
  if (hasFailed && m_run.log(chosenRank()).isEmpty() && m_workers->topLevelItemCount() > 0)
    m_workers->setCurrentItem(m_workers->topLevelItem(0));
  showLog();
}

/// Shows the log of the chosen process, and follows its end.
void LaunchDialog::showLog() {
  const int rank = chosenRank();
  m_logTitle->setText(rank < 0 ? tr("Log of launch") : tr("Log of process %1").arg(rank));
  if (m_run.printedLines(rank) == m_shownLines) return;
  m_shownLines = m_run.printedLines(rank);
  m_log->setPlainText(m_run.log(rank).join(u'\n'));
  m_log->moveCursor(QTextCursor::End);
}

}  // namespace strata::ui
