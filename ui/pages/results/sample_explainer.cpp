// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/results/sample_explainer.h"

#include <QMetaObject>
#include <algorithm>
#include <utility>

#include "core/runs/run_directory.h"
#include "core/train/evaluator.h"
#include "gpu/base/error.h"
#include "ui/format.h"
#include "ui/run/weights_version.h"

namespace strata::ui {

/// The network of one run, which is kept between questions.
struct SampleExplainer::Loaded {
  // That of weightsVersion()
  std::string version;
  std::unique_ptr<Evaluator> evaluator;
  std::unique_ptr<Explainer> explainer;

  Explainer& of(const ExplainQuestion& question) {
    const std::string wanted = weightsVersion(question.runDirectory);
    if (version == wanted && explainer) return *explainer;
    explainer.reset();
    evaluator = std::make_unique<Evaluator>(
        projectOfRun(question.runDirectory, question.projectFile).value(), question.runDirectory,
        "auto", 1);
    explainer = std::make_unique<Explainer>(*evaluator);
    version = wanted;
    return *explainer;
  }
};

SampleExplainer::SampleExplainer(QObject* parent)
    : QObject(parent), m_loaded(std::make_unique<Loaded>()) {
  m_worker = std::make_unique<LatestWorker<Request>>(
      [this](const Request& request, const std::stop_token& stop) { work(request, stop); });
}

SampleExplainer::~SampleExplainer() { m_worker.reset(); }

void SampleExplainer::ask(const ExplainQuestion& question) {
  m_worker->post(Request{++m_number, question});
}

void SampleExplainer::cancel() {
  ++m_number;
  m_worker->cancel();
}

template <class F>
void SampleExplainer::deliver(int number, F f) {
  QMetaObject::invokeMethod(
      this,
      [this, number, f = std::move(f)] {
        if (number == m_number) f();
      },
      Qt::QueuedConnection);
}

/// Returns the mean of the patches that cover each place, in the size of the image.
static Tensor spreadPatches(const OcclusionMap& occlusion, int64_t height, int64_t width) {
  const Tensor& map = occlusion.explanation.map;
  Tensor spread(TensorType{DType::F32, Shape{height, width}});
  std::vector<float> counts(static_cast<size_t>(height * width), 0);
  float* values = spread.as<float>().data();
  std::fill_n(values, height * width, 0.0F);
  const auto sizeOf = [](const std::vector<int64_t>& list, size_t axis) {
    return list[std::min(axis, list.size() - 1)];
  };
  for (int64_t i = 0; i < map.numElements(); ++i) {
    const int64_t columns = map.shape()[1];
    const int64_t top = i / columns * sizeOf(occlusion.stride, 0);
    const int64_t left = i % columns * sizeOf(occlusion.stride, 1);
    for (int64_t y = top; y < std::min(height, top + sizeOf(occlusion.size, 0)); ++y)
      for (int64_t x = left; x < std::min(width, left + sizeOf(occlusion.size, 1)); ++x) {
        values[y * width + x] += map.as<float>()[static_cast<size_t>(i)];
        ++counts[static_cast<size_t>(y * width + x)];
      }
  }
  for (size_t i = 0; i < counts.size(); ++i)
    if (counts[i] > 0) values[i] /= counts[i];
  return spread;
}

/// Adds the contributions of the columns of all Input layers that have a gradient.
static void explainColumns(Explainer& explainer, const Evaluator& evaluator,
                           const std::vector<Tensor>& sample, ExplainedScore score,
                           ExplainAnswer& answer) {
  const std::vector<WantedInput> inputs = evaluator.inputs();
  std::optional<Error> problem;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const auto& encoding = evaluator.preprocessing().encodings[i];
    if (!encoding) continue;
    score.input = inputs[i].name;
    try {
      answer.explanation = explainer.gradientTimesInput(sample, score);
      for (ColumnContribution& each : columnContributions(
               parseTableEncoding(*encoding, score.input), sample[i], answer.explanation.map))
        answer.columns.push_back(std::move(each));
    }
    catch (const Error& error) {
      if (error.code() != ErrorCode::UnsupportedOp) throw;
      problem = error;
    }
  }
  if (answer.columns.empty() && problem) throw Error(*problem);
}

void SampleExplainer::work(const Request& request, const std::stop_token& stop) {
  const ExplainQuestion& question = request.question;
  try {
    Explainer& explainer = m_loaded->of(question);
    const std::vector<Tensor> sample = sampleOf(*question.samples, question.sample);
    ExplainedScore score;
    score.output = question.output;
    score.index = question.index;
    auto answer = std::make_shared<ExplainAnswer>();
    answer->question = question;
    for (const ExplainableLayer& layer : explainer.layers())
      if (layer.hasSpatialAxes) answer->layers << text(layer.name);
    switch (question.method) {
      case ExplainMethod::Saliency: answer->explanation = explainer.saliency(sample, score); break;
      case ExplainMethod::Columns:
        explainColumns(explainer, *m_loaded->evaluator, sample, score, *answer);
        break;
      case ExplainMethod::GradCam:
        answer->explanation = explainer.gradCam(sample, score, question.layer);
        break;
      case ExplainMethod::Occlusion: {
        OcclusionOptions options;
        options.stop = stop;
        const OcclusionMap map = explainer.occlusion(sample, score, options);
        answer->explanation = map.explanation;
        if (map.explanation.map.shape().rank() == 2)
          answer->map = spreadPatches(map, sample[0].shape()[0], sample[0].shape()[1]);
        break;
      }
    }
    if (question.method != ExplainMethod::Occlusion) answer->map = answer->explanation.map;
    deliver(request.number, [this, answer] { Q_EMIT answered(answer); });
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    // A network that failed to load is loaded again for the next question
    if (!m_loaded->explainer) m_loaded->version.clear();
    deliver(request.number, [this, line = text(error.line())] { Q_EMIT failed(line); });
  }
}

}  // namespace strata::ui
