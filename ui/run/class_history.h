// SPDX-License-Identifier: GPL-3.0-or-later
// The classes of a run over its validations, in bounded memory. Not here: counting them
// (core/train/class_counter.h), their file (core/evaluation/class_file.h). It does not use Qt.
// Thread: a value without locks.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <stop_token>
#include <string>
#include <vector>

#include "core/evaluation/class_validation.h"

namespace strata::ui {

class ClassHistory {
 public:
  /// The accuracy of each class of each output at a validation; NaN for a class without samples.
  struct Point {
    int64_t step = 0, epoch = 0;
    std::vector<std::vector<float>> accuracy;
  };
  /// What all points together may take, about.
  static constexpr size_t kMaxBytes = size_t{16} << 20;

  /// Adds a validation. When there are too many, every second one is dropped, and from then on only
  /// every second, fourth, ... one is kept. Those of another network replace all.
  void add(std::shared_ptr<const ClassValidation> validation);
  bool isEmpty() const { return !m_latest; }
  /// Returns the kept validations, oldest first. The newest one is always among them.
  std::span<const Point> points() const { return m_points; }
  /// Returns the newest validation. Requires: !isEmpty().
  const ClassValidation& latest() const { return *m_latest; }
  /// Returns the validation before it, or null.
  const Point* previous() const { return m_previous ? &*m_previous : nullptr; }

 private:
  std::shared_ptr<const ClassValidation> m_latest;
  std::optional<Point> m_previous;
  std::vector<Point> m_points;
  size_t m_most = 0;
  int64_t m_stride = 1, m_added = 0;
  // Whether the newest point stays when the next one arrives
  bool m_isLastKept = true;
};

/// Reads the classes of a run from its files.
ClassHistory readClassHistory(const std::string& runDirectory, const std::stop_token& stop = {});

/// Reads the validations of a run for a replay, at most so many that they stay small.
std::vector<std::shared_ptr<const ClassValidation>> readClassValidations(
    const std::string& runDirectory, const std::stop_token& stop = {});

}  // namespace strata::ui
