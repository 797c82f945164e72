// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/estimate.h"

#include <QCoreApplication>

#include "core/check/checked_project.h"
#include "core/data/dataset.h"
#include "core/recipe/options.h"
#include "core/train/plan.h"
#include "ui/document/latest_worker.h"
#include "ui/format.h"

namespace strata::ui {

namespace {

struct Estimates {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::Estimate)
};

/// Validating does the forward third of a step (forward, gradient of inputs, gradient of weights).
constexpr double kForwardShare = 1.0 / 3;

/// The rows that show a layer of a Block, all repeats in one: "b/3/c/0/d" is in "b/c" and "b/c/d".
template <class Visit>
void forEachRowInBlock(const std::string& graphLayer, Visit visit) {
  const std::string path = pathOfLayer(graphLayer);
  for (size_t slash = path.find('/'); slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    visit(path.substr(0, slash));
  }
}

void readMemory(const TrainingPlan& plan, Estimate& estimate) {
  estimate.hasMemory = true;
  estimate.peakBytes = static_cast<double>(plan.peakBytes);
  estimate.lowerBoundBytes = static_cast<double>(plan.lowerBoundBytes);
  estimate.limitBytes = static_cast<double>(plan.limitBytes);
  estimate.fits = plan.fits;
  for (int i = 0; i < kNumCategories; ++i) {
    const size_t bytes = plan.memory.byCategoryAtPeak[static_cast<size_t>(i)];
    if (bytes > 0) estimate.byCategory.emplace_back(categoryName(static_cast<Category>(i)), static_cast<double>(bytes));
  }
  for (const PlanLayer& layer : plan.layers) {
    estimate.bytesByLayer[layer.summary.name] = static_cast<double>(layer.bytesAtPeak);
    for (const PlanInnerLayer& inner : layer.inner)
      forEachRowInBlock(inner.name, [&](const std::string& row) { estimate.bytesByLayer[row] += static_cast<double>(inner.bytesAtPeak); });
  }
}

void readTime(const EstimateRequest& request, const TrainingPlan& plan, Estimate& estimate) {
  estimate.largestBatch = plan.largestBatch;
  estimate.curve = plan.curve;
  estimate.remedies = plan.remedies;
  estimate.smallestPeakBytes = static_cast<double>(plan.smallestPeakBytes);
  if (!plan.stepMicroseconds) {
    estimate.whyNoTime = Estimates::tr("unknown, because: %1").arg(translatedWords(plan.whyNoStepTime));
    return;
  }
  estimate.hasTime = true;
  estimate.stepSeconds = *plan.stepMicroseconds * 1e-6;
  for (const PlanLayer& layer : plan.layers) {
    if (layer.stepMicroseconds) estimate.secondsByLayer[layer.summary.name] = *layer.stepMicroseconds * 1e-6;
    for (const PlanInnerLayer& inner : layer.inner)
      if (inner.stepMicroseconds)
        forEachRowInBlock(inner.name, [&](const std::string& row) { estimate.secondsByLayer[row] += *inner.stepMicroseconds * 1e-6; });
  }
  Diagnostics ignored;
  const DatasetInfo data = describeDataset(request.project, ignored);
  const TrainingOptions training = parseTraining(request.project, ignored);
  if (!data.isKnown || plan.batchSize < 1) return;
  const auto steps = [&](int64_t samples) { return static_cast<double>((samples + plan.batchSize - 1) / plan.batchSize); };
  const double anEpoch = steps(data.trainCount) + kForwardShare * steps(data.validationCount);
  estimate.totalSeconds = estimate.stepSeconds * (static_cast<double>(training.epochs) * anEpoch + kForwardShare * steps(data.testCount));
}

}  // namespace

void makeEstimate(const EstimateRequest& request, const std::stop_token& stop, const std::function<void(const Estimate&)>& deliver) {
  Estimate estimate;
  estimate.revision = request.revision;
  try {
    PlanOptions options;
    options.niceness = kNice;
    options.stop = stop;
    options.findsLargestBatch = false;
    options.measuresStepTime = false;
    Diagnostics ignored;
    const ExecutionOptions execution = parseExecution(request.project, ignored);
    options.device = execution.device;
    options.threads = execution.threads;
    readMemory(planTraining(request.project, options), estimate);
    estimate.whyNoTime = request.withTime ? Estimates::tr("unknown until three trial steps have run")
                                          : Estimates::tr("unknown, because a run is using this machine");
    deliver(estimate);
    if (!request.withTime) return;
    options.findsLargestBatch = options.drawsCurve = true;
    options.measuresStepTime = estimate.fits;
    options.predictsStepTime = !estimate.fits;  // so that what would fit has a time
    readTime(request, planTraining(request.project, options), estimate);
    if (!estimate.fits) estimate.whyNoTime = Estimates::tr("unknown, because the network does not fit in memory");
    deliver(estimate);
  } catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    const QString why = Estimates::tr("unknown, because: %1").arg(text(error.line()));
    if (!estimate.hasMemory) estimate.whyNoMemory = why;
    estimate.whyNoTime = why;
    deliver(estimate);
  } catch (const std::exception& error) {
    estimate.whyNoMemory = estimate.whyNoTime = Estimates::tr("unknown, because: %1").arg(text(std::string(error.what())));
    deliver(estimate);
  }
}

}  // namespace strata::ui
