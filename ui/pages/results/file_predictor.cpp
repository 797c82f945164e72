// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/file_predictor.h"

#include <QDirIterator>
#include <QElapsedTimer>
#include <QFileInfo>
#include <QMetaObject>
#include <algorithm>
#include <numeric>
#include <utility>

#include "core/data/inputs.h"
#include "core/runs/run_directory.h"
#include "core/train/evaluator.h"
#include "gpu/base/error.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr size_t kTopClasses = 3;

/// The files of a request, and how many were left out.
struct FoundFiles {
  QStringList files;
  int left = 0;
};

FoundFiles filesIn(const QStringList& paths, const std::stop_token& stop) {
  FoundFiles found;
  const auto add = [&](const QString& file) {
    if (found.files.size() < FilePredictor::kMaxFiles)
      found.files << file;
    else
      ++found.left;
  };
  for (const QString& path : paths) {
    if (!QFileInfo(path).isDir()) {
      add(path);
      continue;
    }
    QStringList images;
    QDirIterator all(path, {u"*.png"_s, u"*.jpg"_s, u"*.jpeg"_s}, QDir::Files,
                     QDirIterator::Subdirectories);
    while (all.hasNext() && !stop.stop_requested())
      images << all.next();
    std::ranges::sort(images);
    for (const QString& image : images)
      add(image);
  }
  return found;
}

QString classNameOf(const Evaluator& evaluator, int64_t index) {
  const ClassNames& all = evaluator.preprocessing().classNames;
  const auto place = static_cast<size_t>(index);
  return !all.empty() && place < all[0].size() ? text(all[0][place]) : QString::number(index);
}

/// Predicts a sample with the first output.
FilePrediction predictionOf(Evaluator& evaluator, const NamedInput& input) {
  FilePrediction row;
  row.name = text(input.name);
  const std::vector<float> values = evaluator.predict(input.arrays)[0];
  const auto best = evaluator.classOf(0, values);
  if (!best) {
    row.values = values;
    return row;
  }
  row.classes.push_back({classNameOf(evaluator, best->index), best->probability});
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, [&](size_t a, size_t b) { return values[a] > values[b]; });
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  // Only probabilities of several classes are comparable with the best one
  constexpr double kTolerance = 1e-3;
  if (std::abs(sum - 1) > kTolerance || values.size() < 2) return row;
  for (const size_t i : order)
    if (static_cast<int64_t>(i) != best->index && row.classes.size() < kTopClasses)
      row.classes.push_back({classNameOf(evaluator, static_cast<int64_t>(i)), values[i]});
  return row;
}

}  // namespace

FilePredictor::FilePredictor(QObject* parent) : QObject(parent) {
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

FilePredictor::~FilePredictor() { m_worker.reset(); }

void FilePredictor::setRun(const std::string& directory, const std::string& projectFile) {
  cancel();
  m_directory = directory;
  m_projectFile = projectFile;
}

void FilePredictor::post(const QStringList& paths) {
  if (m_directory.empty()) return;
  m_worker->post(Request{++m_number, m_directory, m_projectFile, paths});
}

void FilePredictor::predict(const QStringList& paths) {
  if (!paths.isEmpty()) post(paths);
}

void FilePredictor::measure() { post({}); }

void FilePredictor::cancel() {
  ++m_number;
  m_worker->cancel();
}

template <class F>
void FilePredictor::deliver(int number, F f) {
  QMetaObject::invokeMethod(
      this,
      [this, number, f = std::move(f)] {
        if (number == m_number) f();
      },
      Qt::QueuedConnection);
}

void FilePredictor::work(const Request& request, const std::stop_token& stop) {
  try {
    if (request.paths.isEmpty())
      measureTimes(request, stop);
    else
      predictFiles(request, stop);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    deliver(request.number, [this, line = text(error.line())] { Q_EMIT failed(line); });
  }
}

void FilePredictor::predictFiles(const Request& request, const std::stop_token& stop) {
  Evaluator evaluator(projectOfRun(request.directory, request.projectFile).value(),
                      request.directory, "auto", 1);
  const FoundFiles found = filesIn(request.paths, stop);
  std::vector<FilePrediction> rows;
  QElapsedTimer sent;
  sent.start();
  const auto send = [&] {
    deliver(request.number, [this, rows = std::exchange(rows, {})] { Q_EMIT predicted(rows); });
    sent.restart();
  };
  for (const QString& file : found.files) {
    if (stop.stop_requested()) return;
    try {
      for (const NamedInput& input : readInputs(file.toStdString(), evaluator.inputs(),
                                                evaluator.preprocessing(), [](const auto&) {})) {
        if (stop.stop_requested()) return;
        rows.push_back(predictionOf(evaluator, input));
      }
    }
    catch (const Error& error) {
      rows.push_back({file, {}, {}, text(error.line())});
    }
    constexpr qint64 kMilliseconds = 100;
    if (sent.elapsed() > kMilliseconds) send();
  }
  send();
  deliver(request.number, [this, left = found.left] { Q_EMIT finished(left); });
}

void FilePredictor::measureTimes(const Request& request, const std::stop_token& stop) {
  Evaluator evaluator(projectOfRun(request.directory, request.projectFile).value(),
                      request.directory);
  Network& network = evaluator.network();
  std::vector<InferenceTime> times{inferenceTime(network, 1, 0.5, stop)};
  const int64_t batch = network.steps().evaluatedSamples();
  if (batch > 1) times.push_back(inferenceTime(network, batch, 0.5, stop));
  const int threads = network.steps().device().numWorkers();
  deliver(request.number, [this, times, threads] { Q_EMIT measured(times, threads); });
}

}  // namespace strata::ui
