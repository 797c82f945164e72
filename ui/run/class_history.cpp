// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/run/class_history.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "core/evaluation/class_file.h"

namespace strata::ui {

namespace {

ClassHistory::Point pointOf(const ClassValidation& validation) {
  ClassHistory::Point point{validation.step, validation.epoch, {}};
  for (const OutputClasses& output : validation.outputs) {
    std::vector<float>& accuracy = point.accuracy.emplace_back();
    for (int64_t k = 0; k < output.confusion.classes; ++k) {
      const ClassScores scores = output.confusion.scores(k);
      accuracy.push_back(scores.samples > 0 ? static_cast<float>(scores.recall)
                                            : std::numeric_limits<float>::quiet_NaN());
    }
  }
  return point;
}

/// Whether two validations are about the same outputs and classes.
bool areAlike(const ClassValidation& one, const ClassValidation& other) {
  return std::ranges::equal(
      one.outputs, other.outputs, [](const OutputClasses& a, const OutputClasses& b) {
        return a.output == b.output && a.confusion.classes == b.confusion.classes;
      });
}

/// Keeps the first of every two elements.
template <class T>
void dropHalf(std::vector<T>& elements) {
  for (size_t i = 1; 2 * i < elements.size(); ++i)
    elements[i] = std::move(elements[2 * i]);
  elements.resize((elements.size() + 1) / 2);
}

std::string fileOf(const std::string& runDirectory) { return runDirectory + "/" + kClassFile; }

}  // namespace

void ClassHistory::add(std::shared_ptr<const ClassValidation> validation) {
  Point point = pointOf(*validation);
  if (!m_latest || !areAlike(*m_latest, *validation)) {
    constexpr size_t kLeast = 64, kMost = 2048;
    *this = ClassHistory();
    size_t bytes = sizeof(Point);
    for (const std::vector<float>& accuracy : point.accuracy)
      bytes += sizeof accuracy + accuracy.size() * sizeof(float);
    m_most = std::clamp(kMaxBytes / bytes, kLeast, kMost);
  }
  else {
    m_previous = m_points.back();
    if (!m_isLastKept) m_points.pop_back();
  }
  m_latest = std::move(validation);
  m_isLastKept = m_added++ % m_stride == 0;
  if (m_isLastKept && m_points.size() >= m_most) {
    dropHalf(m_points);
    m_stride *= 2;
  }
  m_points.push_back(std::move(point));
}

ClassHistory readClassHistory(const std::string& runDirectory, const std::stop_token& stop) {
  ClassHistory history;
  const auto add = [&](ClassValidation&& validation) {
    history.add(std::make_shared<const ClassValidation>(std::move(validation)));
    return true;
  };
  readClassFile(fileOf(runDirectory), add, stop);
  return history;
}

std::vector<std::shared_ptr<const ClassValidation>> readClassValidations(
    const std::string& runDirectory, const std::stop_token& stop) {
  constexpr size_t kMaxCounts = size_t{8} << 20;
  std::vector<std::shared_ptr<const ClassValidation>> validations;
  size_t stride = 1, number = 0;
  const auto add = [&](ClassValidation&& validation) {
    if (number++ % stride != 0) return true;
    size_t counts = 1;
    for (const OutputClasses& output : validation.outputs)
      counts += output.confusion.counts.size();
    if (validations.size() > 1 && (validations.size() + 1) * counts > kMaxCounts) {
      dropHalf(validations);
      stride *= 2;
    }
    validations.push_back(std::make_shared<const ClassValidation>(std::move(validation)));
    return true;
  };
  readClassFile(fileOf(runDirectory), add, stop);
  return validations;
}

}  // namespace strata::ui
