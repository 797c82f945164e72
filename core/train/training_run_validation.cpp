// SPDX-License-Identifier: Apache-2.0
// Evaluations of a run: the validation with its classes, and the figures of any samples.
#include <algorithm>
#include <cmath>
#include <functional>

#include "core/train/training_run.h"

namespace strata {

bool TrainingRun::evaluate(const Samples& samples, int64_t begin, int64_t count, double& loss,
                           std::vector<double>& metrics, ClassCounter* classes) {
  BatchSums sums;
  std::function<void(const Program&, int64_t, int64_t)> onBatch;
  if (classes)
    onBatch = [classes](const Program& program, int64_t, int64_t size) {
      classes->add(program, size);
    };
  const bool isDone = m_network->evaluate(samples, m_dataset->transforms, begin, count,
                                          m_control.stopToken(), sums, onBatch);
  // All processes evaluate the same samples, because an evaluation communicates nothing
  if (m_processes && &samples == m_dataset->train.get() ? !m_processes->isTrueInAll(isDone)
                                                        : !isDone)
    return false;
  const auto total = static_cast<double>(std::max<int64_t>(1, sums.samples));
  loss = sums.loss / total;
  m_network->sums().metricValues(sums.metrics, sums.samples, sums.collected, metrics);
  return true;
}

/// Whether the optimizer keeps moving averages, and has made an update since it began to.
bool TrainingRun::hasAverages() const {
  if (!m_network->steps().training().usesAverages()) return false;
  const auto scale = m_network->state().lossScale();
  return m_position.step - m_position.updateOffset > (scale ? scale->skippedSteps : 0);
}

/// Evaluates the validation samples with the weights that a finished run saves.
bool TrainingRun::validate(double& loss, std::vector<double>& metrics) {
  const NetworkState::AveragedWeights averaged(m_network->state(), hasAverages());
  if (!m_classes && isFirstProcess()) m_classes.emplace(*m_network, *m_dataset);
  ClassCounter* const classes = m_classes && m_classes->mayClassify() ? &*m_classes : nullptr;
  if (classes) classes->begin();
  if (!evaluate(*m_dataset->train, m_dataset->trainCount, m_dataset->validationCount, loss, metrics,
                classes))
    return false;
  if (classes) tellClasses(loss);
  return true;
}

/// Saves the classes of the validation with this loss, and passes them to the observer.
void TrainingRun::tellClasses(double loss) {
  // NaN would count as a class
  if (std::isnan(loss)) return;
  const std::shared_ptr<const ClassValidation> classes =
      m_classes->take(m_position.step, m_position.epoch);
  if (!classes) return;
  if (m_files && m_files->classes() && !m_isWithoutFiles && !m_hasClassFailure) {
    try {
      m_files->classes()->append(*classes);
    }
    catch (const Error& error) {
      // The run does not depend on them
      m_hasClassFailure = true;
      const std::string warning = error.line() + " The accuracy of each class is not saved.";
      notify([&](RunObserver& o) { o.onWarning(warning); });
    }
  }
  m_observer.onClasses(classes);
}

/// Whether a validation within an epoch is due.
bool TrainingRun::isValidationDue() const {
  if (m_validationSteps == 0 || m_position.step == 0 || m_position.step % m_validationSteps != 0)
    return false;
  if (m_position.validatedStep == m_position.step || m_position.stepInEpoch == 0) return false;
  return m_position.stepInEpoch != m_stepsPerEpoch ||
         !m_network->steps().training().isValidated(m_position.epoch);
}

/// Validates within an epoch. Returns false if the run was stopped meanwhile. A continued run then
/// repeats this validation first.
bool TrainingRun::validateInside() {
  const auto started = Clock::now();
  EpochMetrics values = meansSoFar();
  values.hasValidation = true;
  if (!validate(values.validationLoss, values.validationMetrics)) return false;
  ValidationMetrics validation{m_position.step, m_position.epoch, values.validationLoss,
                               secondsSince(started), values.validationMetrics};
  m_position.seconds += validation.seconds;
  m_position.epochSeconds += validation.seconds;
  m_position.validatedStep = m_position.step;
  if (m_files)
    m_files->history().append({validation.step, static_cast<int32_t>(validation.epoch),
                               HistoryKind::Validation, validation.seconds, m_position.learningRate,
                               m_dataset->validationCount, validation.loss, validation.metrics});
  notify([&](RunObserver& o) { o.onValidation(validation); });
  act(m_callbacks->validated(values), m_position.step, false);
  return true;
}

}  // namespace strata
