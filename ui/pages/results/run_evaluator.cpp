// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/run_evaluator.h"

#include <QMetaObject>
#include <algorithm>
#include <chrono>
#include <mutex>

#include "core/check/checked_project.h"
#include "core/data/image_reading.h"
#include "core/runs/run_directory.h"
#include "core/train/export_weights.h"
#include "ui/format.h"
#include "ui/pages/sample_image.h"
#include "ui/run/weights_version.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

/// Compares predictions of single samples with their true values. Stops after two seconds.
void compareValues(Evaluator& evaluator, const std::stop_token& stop, EvaluatedRun& run) {
  constexpr int64_t kMaxSamples = 500, kMaxValues = 4000;
  constexpr std::chrono::seconds kPatience{2};
  const Samples& samples = *run.samples();
  const int64_t count = run.evaluation.samples;
  const Tensor& truths = samples.y[run.output];
  const int64_t outputs = samples.count() > 0 ? truths.numElements() / samples.count() : 0;
  if (run.dataset->targets[run.output].hasLabels || outputs == 0) return;
  const int64_t wanted = std::clamp<int64_t>(kMaxValues / outputs, 1, std::min(kMaxSamples, count));
  const auto end = std::chrono::steady_clock::now() + kPatience;
  for (int64_t k = 0;
       k < wanted && !stop.stop_requested() && std::chrono::steady_clock::now() < end; ++k) {
    const int64_t sample = run.firstSample() + k * count / wanted;
    const std::vector<float> answer = evaluator.predict(sampleOf(samples, sample))[run.output];
    if (static_cast<int64_t>(answer.size()) != outputs) return;
    for (int64_t i = 0; i < outputs; ++i)
      run.values.push_back({sample, numberAt(truths, sample * outputs + i),
                            static_cast<double>(answer[static_cast<size_t>(i)])});
    ++run.comparedSamples;
  }
}

/// Computes the figures of the collected outputs, and frees these.
void addFigures(EvaluatedRun& run) {
  constexpr int64_t kResidualBins = 30;
  for (Figure<CollectedOutput>& collected : run.evaluation.collected) {
    OutputFigures& figures = run.figures.emplace_back();
    if (!collected) {
      figures.reason = collected.reason();
      continue;
    }
    figures.output = collected->output;
    figures.classNames = collected->classNames;
    if (collected->kind != OutputKind::Values) {
      figures.classes = classificationFigures(*collected);
      continue;
    }
    Figure<RegressionFigures> values = regressionFigures(collected->predicted, collected->truth,
                                                         collected->columns, kResidualBins);
    if (values)
      figures.values = std::move(*values);
    else
      figures.reason = values.reason();
  }
  run.evaluation.collected = {};
}

/// Returns a drawing of 8 bits in the range of the training images.
Tensor asTrainingImage(const Tensor& drawing, const Preprocessing& preprocessing) {
  const std::shared_ptr<const Json>& encoding = preprocessing.encodings[0];
  const bool hasReading = isImageEncoding(encoding);
  return hasReading && imageReadingIn(*encoding, 1).bits == 16 ? withSixteenBits(drawing) : drawing;
}

}  // namespace

struct RunEvaluator::Request {
  std::string directory, projectFile;
  Question question = Question::Evaluate;
  Tensor input = {};
  std::string target = {};
  Project project() const { return projectOfRun(directory, projectFile).value(); }
};

/// The network of one run, which is kept between drawings. The caller locks the mutex.
struct RunEvaluator::Loaded {
  std::mutex mutex;
  // That of weightsVersion()
  std::string version;
  std::unique_ptr<Evaluator> evaluator;

  Evaluator& of(const Request& request) {
    const std::string wanted = weightsVersion(request.directory);
    if (version != wanted || !evaluator) {
      evaluator = std::make_unique<Evaluator>(request.project(), request.directory, "auto", 1);
      version = wanted;
    }
    return *evaluator;
  }
};

RunEvaluator::RunEvaluator(QObject* parent)
    : QObject(parent), m_loaded(std::make_shared<Loaded>()) {
  const auto run = [this](std::shared_ptr<Request> request, const std::stop_token& stop) {
    work(*request, stop);
  };
  m_evaluation = std::make_unique<LatestWorker<std::shared_ptr<Request>>>(run);
  m_questions = std::make_unique<LatestWorker<std::shared_ptr<Request>>>(run);
  m_exports = std::make_unique<LatestWorker<std::shared_ptr<Request>>>(run);
}

RunEvaluator::~RunEvaluator() = default;

void RunEvaluator::setRun(const QString& directory, const QString& projectFile) {
  m_directory = directory.toStdString();
  m_projectFile = projectFile.toStdString();
  m_questions->cancel();
  if (m_directory.empty()) return m_evaluation->cancel();
  m_evaluation->post(
      std::make_shared<Request>(Request{m_directory, m_projectFile, Question::Evaluate}));
}

void RunEvaluator::predict(const Tensor& input) {
  if (!m_directory.empty())
    m_questions->post(
        std::make_shared<Request>(Request{m_directory, m_projectFile, Question::Predict, input}));
}

void RunEvaluator::exportWeights(const QString& target) {
  if (!m_directory.empty())
    m_exports->post(std::make_shared<Request>(
        Request{m_directory, m_projectFile, Question::Export, {}, target.toStdString()}));
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

void RunEvaluator::work(const Request& request, const std::stop_token& stop) {
  try {
    if (request.question == Question::Export) {
      const ExportReport report =
          strata::exportWeights(request.project(), request.directory, request.target);
      const auto samples = static_cast<int>(report.comparedSamples);
      const QString target = text(request.target);
      const QString sentence =
          report.largestDifference == 0
              ? tr("%1 exported and verified: identical outputs on %n sample(s).", nullptr, samples)
                    .arg(target)
              : tr("%1 exported and verified: on %n sample(s) the outputs differ by at most %2.",
                   nullptr, samples)
                    .arg(target, formatValue(report.largestDifference, 2));
      deliver(request.directory, [this, sentence] { Q_EMIT exported(sentence); });
      return;
    }
    if (request.question == Question::Predict) {
      std::vector<float> output;
      {
        const std::lock_guard lock(m_loaded->mutex);
        Evaluator& evaluator = m_loaded->of(request);
        const Tensor input = asTrainingImage(request.input, evaluator.preprocessing());
        output = evaluator.predict({&input, 1})[0];
      }
      deliver(request.directory, [this, output = std::move(output)] { Q_EMIT predicted(output); });
      return;
    }
    // The evaluation uses a separate network, so that a drawing can be evaluated at the same time.
    const Project project = request.project();
    Evaluator evaluator(project, request.directory, "auto", 1);
    auto result = std::make_shared<EvaluatedRun>();
    result->directory = request.directory;
    result->dataset = loadDataset(evaluator.project());
    const bool hasTest = result->dataset->test && result->dataset->test->count() > 0;
    if (!hasTest && result->dataset->validationCount == 0) {
      deliver(request.directory, [this] { Q_EMIT unmeasurable(); });
      return;
    }
    result->evaluation = evaluator.evaluate(hasTest ? "test" : "validation", result->dataset.get(),
                                            Collect::Outputs);
    addFigures(*result);
    const auto& outputs = result->evaluation.outputs;
    const auto classifying =
        std::find_if(outputs.begin(), outputs.end(),
                     [](const EvaluatedClasses& each) { return !each.predictedClasses.empty(); });
    if (classifying != outputs.end())
      result->output = static_cast<size_t>(classifying - outputs.begin());
    try {
      if (result->evaluation.outputs[result->output].predictedClasses.empty())
        compareValues(evaluator, stop, *result);
    }
    catch (const Error&) {
      // The page shows the evaluation without the compared values.
      result->values.clear();
      result->comparedSamples = 0;
    }
    deliver(request.directory, [this, result] { Q_EMIT evaluated(result); });
  }
  catch (const Error& error) {
    deliver(request.directory, [this, question = request.question, line = text(error.line())] {
      Q_EMIT failed(question, line);
    });
  }
}

}  // namespace strata::ui
