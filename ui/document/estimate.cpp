// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/document/estimate.h"

#include <QCoreApplication>
#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <mutex>

#include <nlohmann/json.hpp>

#include "core/check/checked_project.h"
#include "core/cost/simulated_card.h"
#include "core/data/dataset.h"
#include "core/recipe/options.h"
#include "core/train/plan.h"
#include "gpu/devices/device_name.h"
#include "ui/document/latest_worker.h"
#include "ui/format.h"

namespace strata::ui {

QString busyWarning(bool wasBusy) { return wasBusy ? translated(kBusyTimes) : QString(); }

namespace {

struct Estimates {
  Q_DECLARE_TR_FUNCTIONS(strata::ui::Estimate)
};

// The time of a validation step as a fraction of a training step. Validation needs only the forward
// pass. A training step also computes the gradients of the inputs and of the weights.
constexpr double kForwardShare = 1.0 / 3;

/// Calls `visit` with the rows of the layer list that include a layer of the graph, except the row
/// of the outermost Block. A row includes all repetitions: "b/3/c/0/d" belongs to "b/c" and
/// "b/c/d".
template <class Visit>
void forEachRowInBlock(const std::string& graphLayer, Visit visit) {
  const std::string path = pathOfLayer(graphLayer);
  for (size_t slash = path.find('/'); slash != std::string::npos;) {
    slash = path.find('/', slash + 1);
    visit(path.substr(0, slash));
  }
}

/// Returns a key for known results. It contains all values that affect the memory or the time of a
/// step, including the shapes of the data.
std::string keyOf(const CheckedProject& project) {
  constexpr std::array kFree{
      "epochs",          "steps_per_epoch",       "seed",      "shuffle", "validation_freq",
      "initial_weights", "validation_freq_steps", "callbacks", "changes"};
  nlohmann::json key = nlohmann::json::object();
  const Json& document = project.project().document();
  for (const char* part : {"model", "training", "execution"})
    if (const auto found = document.find(part); found != document.end()) key[part] = *found;
  if (const auto training = key.find("training"); training != key.end() && training->is_object()) {
    for (const char* name : kFree)
      training->erase(name);
    // The learning rate is an input of the step, so its value and schedule do not change the step.
    if (const auto optimizer = training->find("optimizer");
        optimizer != training->end() && optimizer->is_object())
      optimizer->erase("learning_rate");
  }
  if (const auto data = document.find("data"); data != document.end() && data->is_object())
    for (const char* name : {"source", "transforms"})
      if (const auto found = data->find(name); found != data->end()) key["data"][name] = *found;
  const DatasetInfo& info = project.data();
  for (const DataInput& input : info.inputs)
    key["inputs"].push_back(input.shape.toString());
  for (const DataTarget& target : info.targets)
    key["targets"].push_back(target.shape.toString());
  key["path"] = project.project().path();
  return key.dump();
}

/// Updates the total time, which depends on epochs and sample counts. The time of a step does not.
void updateTotal(const CheckedProject& project, Estimate& estimate) {
  estimate.totalSeconds = 0;
  const DatasetInfo& data = project.data();
  const TrainingOptions& training = project.recipe();
  if (!estimate.hasTime || !data.isKnown || estimate.batchSize < 1) return;
  const auto steps = [&](int64_t samples) {
    const int64_t batches = (samples + estimate.batchSize - 1) / estimate.batchSize;
    return static_cast<double>(batches);
  };
  const double anEpoch = steps(data.trainCount) + kForwardShare * steps(data.validationCount);
  estimate.totalSeconds = estimate.stepSeconds * (static_cast<double>(training.epochs) * anEpoch +
                                                  kForwardShare * steps(data.testCount));
}

void readMemory(const TrainingPlan& plan, Estimate& estimate) {
  estimate.hasMemory = true;
  estimate.batchSize = plan.batchSize;
  estimate.device = plan.device;
  estimate.memory = plan.memoryFigures();
  estimate.peakBytes = static_cast<double>(estimate.memory.network);
  estimate.lowerBoundBytes = static_cast<double>(plan.lowerBoundBytes);
  estimate.limitBytes = static_cast<double>(estimate.memory.limit);
  estimate.fits = plan.fits;
  for (int i = 0; i < kNumCategories; ++i) {
    const size_t bytes = plan.memory.byCategoryAtPeak[static_cast<size_t>(i)];
    if (bytes > 0)
      estimate.byCategory.emplace_back(categoryName(static_cast<Category>(i)),
                                       static_cast<double>(bytes));
  }
  estimate.atPeak.assign(plan.atPeak.begin(),
                         plan.atPeak.begin() + static_cast<std::ptrdiff_t>(std::min(
                                                   Estimate::kMaxHolders, plan.atPeak.size())));
  for (const PlanLayer& layer : plan.layers) {
    estimate.bytesByLayer[layer.summary.name] = static_cast<double>(layer.bytesAtPeak);
    for (const PlanInnerLayer& inner : layer.inner)
      forEachRowInBlock(inner.name, [&](const std::string& row) {
        estimate.bytesByLayer[row] += static_cast<double>(inner.bytesAtPeak);
      });
  }
}

/// Waits until the machine may be quieter. Returns false if a stop is requested.
bool hasPaused(const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any stopped;
  std::unique_lock lock(mutex);
  stopped.wait_for(lock, stop, std::chrono::seconds(2), [] { return false; });
  return !stop.stop_requested();
}

void readTime(const CheckedProject& project, const TrainingPlan& plan, Estimate& estimate) {
  estimate.largestBatch = plan.largestBatch;
  estimate.curve = plan.curve;
  estimate.remedies = plan.remedies;
  estimate.smallestPeakBytes = static_cast<double>(plan.smallestPeakBytes);
  estimate.isBusy = plan.isMeasuredBusy;
  // A simulated card has only predicted times
  const bool isSimulated = DeviceName(plan.device).isSimulated();
  const std::optional<double>& step =
      isSimulated ? plan.predictedStepMicroseconds : plan.stepMicroseconds;
  if (!step) {
    estimate.whyNoTime =
        Estimates::tr("unknown, because: %1").arg(translatedWords(plan.whyNoStepTime));
    return;
  }
  estimate.hasTime = true;
  estimate.stepSeconds = *step * 1e-6;
  estimate.isPart = isSimulated && plan.leavesOutExchange;
  estimate.times = (isSimulated ? plan.predictedTimes : plan.measuredTimes).value_or(LayerTimes());
  updateTotal(project, estimate);
}

}  // namespace

void Estimator::run(const EstimateRequest& request, const std::stop_token& stop,
                    const Deliver& deliver) {
  Known known;
  try {
    const CheckedProject project(request.project);
    known.key = keyOf(project);
    const auto found = std::find_if(m_known.begin(), m_known.end(),
                                    [&](const Known& each) { return each.key == known.key; });
    if (found != m_known.end()) {
      known = *found;
      updateTotal(project, known.estimate);
    }
    known.estimate.revision = request.revision;
    if (known.isComplete) {
      keep(known);
      return deliver(known.estimate);
    }
    plan(project, request, stop, deliver, known);
  }
  catch (const Error& error) {
    if (error.code() == ErrorCode::Stopped) return;
    Estimate& estimate = known.estimate;
    estimate.whyNoTime = Estimates::tr("unknown, because: %1").arg(text(error.line()));
    if (!estimate.hasMemory) estimate.whyNoMemory = estimate.whyNoTime;
    deliver(estimate);
  }
  catch (const std::exception& error) {
    Estimate& estimate = known.estimate;
    estimate.whyNoMemory = estimate.whyNoTime =
        Estimates::tr("unknown, because: %1").arg(text(std::string(error.what())));
    deliver(estimate);
  }
}

void Estimator::plan(const CheckedProject& project, const EstimateRequest& request,
                     const std::stop_token& stop, const Deliver& deliver, Known& known) {
  Estimate& estimate = known.estimate;
  estimate.revision = request.revision;
  PlanOptions options;
  options.niceness = kNice;
  options.stop = stop;
  options.findsLargestBatch = false;
  options.measuresStepTime = false;
  options.device = project.execution().device;
  options.threads = project.execution().threads;
  if (!estimate.hasMemory) readMemory(planTraining(project, options), estimate);
  // Nothing runs to predict the time of a simulated card
  const bool isSimulated = DeviceName(options.device).isSimulated(),
             withTime = request.withTime || isSimulated;
  if (isSimulated)
    estimate.whyNoTime = Estimates::tr("unknown until it is predicted");
  else
    estimate.whyNoTime = withTime ? Estimates::tr("unknown until a few trial steps have run")
                                  : Estimates::tr("unknown, because a run is using this machine");
  deliver(estimate);
  keep(known);
  if (!withTime) return;
  options.findsLargestBatch = options.drawsCurve = true;
  options.measuresStepTime = estimate.fits && !isSimulated;
  // A step that does not fit cannot be measured. The cost model then predicts the times of the
  // remedies.
  options.predictsStepTime = !estimate.fits || isSimulated;
  estimate.trial = ++m_trials;
  // The program itself is busy while it starts, so the times are measured again after a pause. If
  // the machine stays busy, the next request measures them.
  constexpr int kMaxTries = 3;
  for (int tries = 1;; ++tries) {
    readTime(project, planTraining(project, options), estimate);
    if (!estimate.fits)
      estimate.whyNoTime = Estimates::tr("unknown, because the network does not fit in memory");
    known.isComplete = !estimate.isBusy || !options.measuresStepTime;
    keep(known);
    deliver(estimate);
    if (known.isComplete || tries == kMaxTries || !hasPaused(stop)) return;
  }
}

void Estimator::keep(Known known) {
  constexpr size_t kMaxKnown = 8;
  std::erase_if(m_known, [&](const Known& each) { return each.key == known.key; });
  m_known.push_front(std::move(known));
  if (m_known.size() > kMaxKnown) m_known.pop_back();
}

}  // namespace strata::ui
