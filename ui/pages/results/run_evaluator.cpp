// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/run_evaluator.h"

#include <QMetaObject>
#include <mutex>

#include "core/interchange/export.h"
#include "core/project/project.h"
#include "ui/format.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

struct RunEvaluator::Request {
  std::string directory;
  Question question = Question::Evaluate;
  Tensor input;
  std::string target;
};

/// The network of one run, kept between drawings. Locked by whoever asks it.
struct RunEvaluator::Loaded {
  std::mutex mutex;
  std::string directory;
  std::unique_ptr<Evaluator> evaluator;

  Evaluator& of(const std::string& wanted) {
    if (directory != wanted || !evaluator) {
      evaluator = std::make_unique<Evaluator>(loadProject(wanted + "/project.json").value(), wanted, "auto", 1);
      directory = wanted;
    }
    return *evaluator;
  }
};

RunEvaluator::RunEvaluator(QObject* parent) : QObject(parent), m_loaded(std::make_shared<Loaded>()) {
  const auto run = [this](std::shared_ptr<Request> request, std::stop_token) { work(*request); };
  m_evaluation = std::make_unique<LatestWorker<std::shared_ptr<Request>>>(run);
  m_questions = std::make_unique<LatestWorker<std::shared_ptr<Request>>>(run);
  m_exports = std::make_unique<LatestWorker<std::shared_ptr<Request>>>(run);
}

RunEvaluator::~RunEvaluator() = default;

void RunEvaluator::setRun(const QString& directory) {
  m_directory = directory.toStdString();
  m_questions->cancel();
  if (m_directory.empty()) return m_evaluation->cancel();
  m_evaluation->post(std::make_shared<Request>(Request{m_directory, Question::Evaluate, {}, {}}));
}

void RunEvaluator::predict(const Tensor& input) {
  if (!m_directory.empty()) m_questions->post(std::make_shared<Request>(Request{m_directory, Question::Predict, input, {}}));
}

void RunEvaluator::exportWeights(const QString& target) {
  if (!m_directory.empty()) m_exports->post(std::make_shared<Request>(Request{m_directory, Question::Export, {}, target.toStdString()}));
}

template <class F>
void RunEvaluator::deliver(const std::string& directory, F f) {
  QMetaObject::invokeMethod(
      this,
      [this, directory, f = std::move(f)] {
        if (directory == m_directory) f();
      },
      Qt::QueuedConnection);
}

void RunEvaluator::work(const Request& request) {
  try {
    if (request.question == Question::Export) {
      const ExportReport report =
          strata::exportWeights(loadProject(request.directory + "/project.json").value(), request.directory, request.target);
      const QString sentence = tr("%1 written and read again: on %n sample(s) the outputs differ by at most %2.", nullptr,
                                  static_cast<int>(report.comparedSamples))
                                   .arg(text(request.target), formatValue(report.largestDifference, 2));
      deliver(request.directory, [this, sentence] { Q_EMIT exported(sentence); });
      return;
    }
    if (request.question == Question::Predict) {
      std::vector<float> output;
      {
        const std::lock_guard lock(m_loaded->mutex);
        output = m_loaded->of(request.directory).predict(request.input);
      }
      deliver(request.directory, [this, output = std::move(output)] { Q_EMIT predicted(output); });
      return;
    }
    // The evaluation has a network of its own: a drawing is answered while it runs.
    const Project project = loadProject(request.directory + "/project.json").value();
    Evaluator evaluator(project, request.directory, "auto", 1);
    auto result = std::make_shared<EvaluatedRun>();
    result->directory = request.directory;
    result->dataset = loadDataset(project);
    result->evaluation = evaluator.evaluate("test", result->dataset.get());
    deliver(request.directory, [this, result] { Q_EMIT evaluated(result); });
  } catch (const Error& error) {
    deliver(request.directory, [this, question = request.question, line = text(error.line())] { Q_EMIT failed(question, line); });
  }
}

}  // namespace strata::ui
