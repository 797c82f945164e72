// SPDX-License-Identifier: GPL-3.0-or-later
// Writes the report of a run as HTML or PDF. Not here: its contents (core/report). Thread: GUI
// thread. A worker reads the run and writes the file.
#pragma once

#include <QObject>
#include <QString>
#include <QThreadPool>
#include <memory>
#include <string>

#include "core/report/run_report.h"

namespace strata::ui {

struct EvaluatedRun;

/// Returns the figures of an evaluation for a report.
ReportedEvaluation reportedEvaluation(const EvaluatedRun& run);

class ReportWriter : public QObject {
  Q_OBJECT
 public:
  explicit ReportWriter(QObject* parent = nullptr);
  ~ReportWriter() override;
  /// Writes the report of the run in `directory` in the language of the window to a file whose
  /// suffix is .html or .pdf. `evaluation` may be null.
  void write(const std::string& directory, std::shared_ptr<const EvaluatedRun> evaluation,
             const QString& target);

 Q_SIGNALS:
  void written(const QString& line);
  void failed(const QString& line);

 private:
  struct Request {
    std::string directory;
    std::shared_ptr<const EvaluatedRun> evaluation;
    QString target;
    ReportLanguage language = ReportLanguage::English;
  };
  void work(const Request& request);

  // Its threads are QThreads, which documents need
  QThreadPool m_pool;
};

}  // namespace strata::ui
