// SPDX-License-Identifier: GPL-3.0-or-later
// Shows how many samples two runs predict correctly: both, only one of them, or neither. A click on
// a count lists its samples. Not here: evaluating the runs (core/train/same_samples.h). Thread: GUI
// thread.
#pragma once

#include <QWidget>
#include <array>
#include <memory>

#include "core/train/same_samples.h"

class QLabel;
class QPushButton;

namespace strata::ui {

class SampleList;
class Segments;

class AgreementCard : public QWidget {
  Q_OBJECT
 public:
  explicit AgreementCard(QWidget* parent);
  /// Shows two runs, whose titles are given. Requires: same->agreement() is known.
  void setRuns(std::shared_ptr<const SameSamples> same, const QString& first,
               const QString& second);
  /// Shows no runs, and frees their samples.
  void clear();

 private:
  void fillList();
  const std::vector<int64_t>& chosen() const;

  std::shared_ptr<const SameSamples> m_same;
  Agreement m_agreement;
  Segments* m_counts;
  // The buttons of m_counts
  std::array<QPushButton*, 4> m_parts{};
  QLabel* m_sentence;
  SampleList* m_list;
};

}  // namespace strata::ui
