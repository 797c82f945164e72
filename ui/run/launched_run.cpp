// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/launched_run.h"

#include <QCoreApplication>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <utility>

#include "gpu/replicate/mpi_link.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kPollMilliseconds = 500, kEndMilliseconds = 3000;
// Longer logs lose their oldest lines
constexpr qsizetype kMaxLines = 2000;

QString programPath() { return QCoreApplication::applicationDirPath() + u"/strata"_s; }

}  // namespace

LaunchedRun::LaunchedRun(QObject* parent) : QObject(parent) {
  m_process.setProcessChannelMode(QProcess::MergedChannels);
  m_timer.setInterval(kPollMilliseconds);
  connect(&m_process, &QProcess::readyRead, this, &LaunchedRun::readOutput);
  connect(&m_timer, &QTimer::timeout, this, &LaunchedRun::readState);
  connect(&m_process, &QProcess::finished, this, [this](int code) {
    m_timer.stop();
    readOutput();
    // The last line may have no end
    if (!m_rest.isEmpty()) take(QString::fromUtf8(std::exchange(m_rest, {})));
    readState();
    m_exitCode = code;
    Q_EMIT changed();
  });
  connect(&m_process, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
    if (error != QProcess::FailedToStart) return;
    m_timer.stop();
    m_exitCode = 1;
    take(tr("%1 cannot be started. Install Strata again.").arg(programPath()));
    Q_EMIT changed();
  });
}

LaunchedRun::~LaunchedRun() {
  disconnect(&m_process, nullptr, this, nullptr);
  if (!isActive()) return;
  m_process.terminate();
  m_process.waitForFinished(kEndMilliseconds);
}

QString LaunchedRun::problem() {
  if (!QFile::exists(programPath()))
    return tr("The program %1 is missing. Install Strata again.").arg(programPath());
  return text(mpiPluginState().problem);
}

void LaunchedRun::start(const QString& projectFile, int processes, const QString& hosts) {
  m_directory.clear();
  m_loss.clear();
  m_rest.clear();
  m_exitCode.reset();
  m_isStopping = false;
  m_workers.assign(static_cast<size_t>(processes), {});
  m_logs.assign(static_cast<size_t>(processes) + 1, {});
  m_printedLines.assign(m_logs.size(), 0);
  QFile::remove(m_folder.filePath(u"state.json"_s));
  QStringList words{u"launch"_s, u"-np"_s, QString::number(processes), u"--state"_s,
                    m_folder.filePath(u"state.json"_s)};
  if (!hosts.isEmpty()) words << u"--hosts"_s << hosts;
  words << u"train"_s << projectFile;
  m_process.start(programPath(), words);
  m_timer.start();
  Q_EMIT changed();
}

void LaunchedRun::stop() {
  if (!isActive()) return;
  m_isStopping = true;
  // launch takes the second one as the wish to end at once
  m_process.terminate();
  Q_EMIT changed();
}

QStringList LaunchedRun::log(int rank) const {
  const auto at = static_cast<size_t>(rank) + 1;
  return at < m_logs.size() ? m_logs[at] : QStringList();
}

qsizetype LaunchedRun::printedLines(int rank) const {
  const auto at = static_cast<size_t>(rank) + 1;
  return at < m_printedLines.size() ? m_printedLines[at] : 0;
}

void LaunchedRun::readOutput() {
  m_rest += m_process.readAll();
  for (qsizetype end = m_rest.indexOf('\n'); end >= 0; end = m_rest.indexOf('\n')) {
    take(QString::fromUtf8(m_rest.first(end)));
    m_rest.remove(0, end + 1);
  }
}

/// Adds a line to the log of the process whose number it begins with: "[1,0]<stdout>:" from mpirun,
/// "0: " from srun. Other lines are from launch.
void LaunchedRun::take(const QString& line) {
  static const QRegularExpression kTag(u"^(?:\\[\\d+,(\\d+)\\]<\\w+>:|(\\d+): )(.*)$"_s);
  const QRegularExpressionMatch match = kTag.match(line);
  int rank = -1;
  QString words = line;
  if (match.hasMatch()) {
    const QString number = match.captured(1).isEmpty() ? match.captured(2) : match.captured(1);
    if (number.toInt() < static_cast<int>(m_workers.size())) {
      rank = number.toInt();
      words = match.captured(3);
    }
  }
  QStringList& lines = m_logs[static_cast<size_t>(rank) + 1];
  lines << words;
  ++m_printedLines[static_cast<size_t>(rank) + 1];
  if (lines.size() > kMaxLines) lines.removeFirst();
  Q_EMIT printed(rank);
}

void LaunchedRun::readState() {
  QFile file(m_folder.filePath(u"state.json"_s));
  if (!file.open(QIODevice::ReadOnly)) return;
  const QJsonObject state = QJsonDocument::fromJson(file.readAll()).object();
  m_directory = state[u"run"_s].toString();
  m_loss = state[u"problem"_s].toString();
  const QJsonArray workers = state[u"workers"_s].toArray();
  for (qsizetype i = 0; i < workers.size() && i < std::ssize(m_workers); ++i) {
    const QJsonObject each = workers[i].toObject();
    LaunchedWorker& worker = m_workers[static_cast<size_t>(i)];
    worker.host = each[u"host"_s].toString();
    worker.state = each[u"state"_s].toString();
    worker.error = each[u"error"_s].toString();
    worker.process = each[u"process"_s].toInteger();
    worker.step = each[u"step"_s].toInteger();
    worker.secondsSilent = each[u"seconds_silent"_s].toDouble();
    worker.code.reset();
    if (each.contains(u"code"_s)) worker.code = each[u"code"_s].toInteger();
  }
  Q_EMIT changed();
}

}  // namespace strata::ui
