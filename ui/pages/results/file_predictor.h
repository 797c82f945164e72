// SPDX-License-Identifier: GPL-3.0-or-later
// Predicts files with the network of a run, and measures how long a prediction takes. A file that
// cannot be read is a row with the reason. Not here: reading inputs (core/data/inputs.h). Thread:
// GUI thread. A worker does the work.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <memory>
#include <string>
#include <vector>

#include "core/train/inference_time.h"
#include "ui/document/latest_worker.h"

namespace strata::ui {

/// The prediction for a sample of a file.
struct FilePrediction {
  struct Class {
    QString name;
    double probability = 0;
  };
  // Path of the file, with the row or index of a sample if it has several
  QString name;
  // The most probable classes, best first; empty for an output that does not classify
  std::vector<Class> classes;
  // The values of an output that does not classify
  std::vector<float> values;
  // Why there is no prediction, or ""
  QString problem;
};

class FilePredictor : public QObject {
  Q_OBJECT
 public:
  explicit FilePredictor(QObject* parent = nullptr);
  ~FilePredictor() override;
  /// Selects the run, and stops the work on an earlier one. "" selects none.
  void setRun(const std::string& directory, const std::string& projectFile);
  /// Predicts files, and the images in folders.
  void predict(const QStringList& paths);
  /// Measures predictions of one sample, and of a whole batch.
  void measure();
  void cancel();

  /// The largest number of files that one request predicts.
  static constexpr int kMaxFiles = 10'000;

 Q_SIGNALS:
  void predicted(const std::vector<FilePrediction>& rows);
  /// Emitted when all files are predicted. `left` is the number of files beyond kMaxFiles.
  void finished(int left);
  void measured(const std::vector<InferenceTime>& times, int threads);
  void failed(const QString& line);

 private:
  struct Request {
    int number = 0;
    std::string directory, projectFile;
    // Empty to measure
    QStringList paths;
  };
  void post(const QStringList& paths);
  void work(const Request& request, const std::stop_token& stop);
  void predictFiles(const Request& request, const std::stop_token& stop);
  void measureTimes(const Request& request, const std::stop_token& stop);
  template <class F>
  void deliver(int number, F f);

  std::string m_directory, m_projectFile;
  int m_number = 0;
  std::unique_ptr<LatestWorker<Request>> m_worker;
};

}  // namespace strata::ui
