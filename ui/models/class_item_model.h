// SPDX-License-Identifier: GPL-3.0-or-later
// Lists the classes of an output at the newest validation of a run: accuracy, its change since the
// validation before, and the class that they are most often taken for. Views sort it by kSortRole.
// Thread: GUI thread.
#pragma once

#include <QAbstractTableModel>
#include <optional>
#include <utility>
#include <vector>

#include "core/evaluation/class_validation.h"

namespace strata::ui {

class ClassItemModel : public QAbstractTableModel {
  Q_OBJECT
 public:
  enum Columns { kName, kAccuracy, kChange, kTakenFor, kSamples, kNumColumns };
  enum Roles { kSortRole = Qt::UserRole };

  using QAbstractTableModel::QAbstractTableModel;
  /// Shows the classes. `before` has the accuracies at the validation of step `beforeStep`, or is
  /// empty.
  void setClasses(const OutputClasses& classes, const std::vector<float>& before,
                  int64_t beforeStep);
  void clear();

  int rowCount(const QModelIndex& parent = {}) const override;
  int columnCount(const QModelIndex& parent = {}) const override;
  QVariant data(const QModelIndex& index, int role) const override;
  QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

 private:
  struct Row {
    QString name;
    ClassScores scores;
    // NaN if it is not known
    double change = 0;
    // The other classes that its samples are taken for, with their numbers, most first
    std::vector<std::pair<int64_t, int64_t>> takenFor = {};
  };
  QVariant shown(const Row& row, int column) const;
  QString mistakesOf(const Row& row, size_t most) const;
  QVariant sorted(size_t index, int column) const;
  std::vector<Row> m_rows;
  // The step that changes are compared with; nullopt if there is none
  std::optional<int64_t> m_beforeStep;
};

}  // namespace strata::ui
