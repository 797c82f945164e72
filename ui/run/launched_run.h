// SPDX-License-Identifier: GPL-3.0-or-later
// A run in several processes, perhaps on several machines: starts `strata launch`, and reads the
// state of each process and what it prints.
// Not here: how launch starts and watches the processes (core/launch).
// Thread: GUI thread.
#pragma once

#include <QObject>
#include <QProcess>
#include <QStringList>
#include <QTemporaryDir>
#include <QTimer>
#include <optional>
#include <vector>

namespace strata::ui {

/// What launch says of a process (core/launch/launcher.h).
struct LaunchedWorker {
  QString host, state, error;
  int64_t process = 0, step = 0;
  double secondsSilent = 0;
  // The exit code, once it has ended
  std::optional<int64_t> code;
};

class LaunchedRun : public QObject {
  Q_OBJECT
 public:
  explicit LaunchedRun(QObject* parent = nullptr);
  /// Lets a run that is not done save and end, for a few seconds.
  ~LaunchedRun() override;

  /// Returns why no run can be started here; empty if one can.
  static QString problem();
  /// Starts the project of a file in so many processes. `hosts` is a list such as "node1,node2", or
  /// empty for this machine. Requires: no run is active.
  void start(const QString& projectFile, int processes, const QString& hosts);
  /// Lets the run save the network and end; the second call ends it at once.
  void stop();

  bool isActive() const { return m_process.state() != QProcess::NotRunning; }
  bool isStopping() const { return m_isStopping; }
  /// Returns the exit code of the last run, or nullopt before the end.
  std::optional<int> exitCode() const { return m_exitCode; }
  /// Returns the directory of the run, or "" if it is not known yet.
  const QString& directory() const { return m_directory; }
  /// Returns why the run cannot go on, or "".
  const QString& loss() const { return m_loss; }
  const std::vector<LaunchedWorker>& workers() const { return m_workers; }
  /// Returns the lines that launch has printed (-1), or the process with this rank.
  QStringList log(int rank) const;
  /// Returns how many lines it has printed. The log has the last of them.
  qsizetype printedLines(int rank) const;

 Q_SIGNALS:
  void changed();
  /// `rank` has printed lines; -1 for launch.
  void printed(int rank);

 private:
  void readOutput();
  void readState();
  void take(const QString& line);

  QProcess m_process;
  QTimer m_timer;
  QTemporaryDir m_folder;
  QByteArray m_rest;
  QString m_directory, m_loss;
  std::vector<LaunchedWorker> m_workers;
  // What launch has printed, then each process
  std::vector<QStringList> m_logs;
  std::vector<qsizetype> m_printedLines;
  std::optional<int> m_exitCode;
  bool m_isStopping = false;
};

}  // namespace strata::ui
