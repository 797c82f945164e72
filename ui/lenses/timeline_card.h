// SPDX-License-Identifier: GPL-3.0-or-later
// The card of the Time lens with a timeline: recorded steps of the run, or else its last profiled
// steps, or the trace of another program from a file. Records, opens and exports traces. Thread:
// GUI thread; files are read and written on workers.
#pragma once

#include <QWidget>
#include <memory>
#include <string>

#include "core/trace/trace.h"
#include "ui/document/latest_worker.h"
#include "ui/lenses/lens.h"

class QComboBox;
class QLabel;
class QProgressBar;
class QPushButton;

namespace strata::ui {

class TimelineView;

class TimelineCard : public QWidget {
  Q_OBJECT
 public:
  TimelineCard(const LensContext& context, QWidget* parent);
  /// Shows the trace of the shown run, if no file is open.
  void showRun();
  /// Reads a trace file of any known format and shows it as it grows.
  void openFile(const QString& path);
  /// Writes the shown trace in the format of the suffix. finished() tells the result.
  void writeTrace(const QString& target);
  /// Stops reading a file, and shows what was read of it.
  void cancel();
  TimelineView& view() { return *m_view; }
  bool isReading() const { return m_isReading; }

 Q_SIGNALS:
  // A file was written or could not be written; `problem` is "" after a success.
  void written(const QString& problem);
  // A file was read or could not be read
  void read(const QString& problem);

 private:
  struct Request {
    std::string path;
    // Whether the file is that of a run, and not one that a person chose
    bool isOfRun = false;
  };
  struct Export {
    std::string path;
    TracePointer trace;
  };
  QLayout* makeHead();
  void readFile(const Request& request, const std::stop_token& stop);
  void take(const Request& request, const TracePointer& trace, double part, bool isLast);
  void fail(const Request& request, const QString& problem);
  void show(const TracePointer& trace, bool isSameFile);
  void updateControls();
  void chooseFile();
  void chooseTarget();
  void describeRange(qint64 begin, qint64 end);
  QString titleOf(const TracePointer& trace) const;
  QString clocksOf(const TracePointer& trace) const;

  const LensContext m_context;
  TimelineView* m_view;
  QLabel *m_source, *m_clocks, *m_empty, *m_range;
  QComboBox* m_count;
  QPushButton *m_record, *m_open, *m_export, *m_back, *m_cancel;
  QProgressBar* m_progress;
  // The file that is shown instead of the run; "" if the run is shown
  QString m_file;
  // What the shown trace is of: kernels of a profile, recorded steps, or the directory of a run
  const void* m_shown = nullptr;
  // The run whose file was read, and the trace that it has
  std::string m_readRun;
  TracePointer m_readTrace;
  bool m_isReading = false;
  // The last members, so that their threads end first
  LatestWorker<Request> m_reader;
  LatestWorker<Export> m_writer;
};

}  // namespace strata::ui
