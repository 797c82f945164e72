// SPDX-License-Identifier: GPL-3.0-or-later
// Shows the samples of a table as the cells of their rows, because the encoded numbers of a
// category say little. Thread: any thread may call these functions.
#pragma once

#include <QString>
#include <QStringList>
#include <vector>

#include "core/data/dataset.h"
#include "core/data/table.h"

namespace strata::ui {

class SampleCells {
 public:
  explicit SampleCells(const Dataset& dataset);
  /// Returns whether all inputs are columns of a table.
  bool isTable() const { return !m_encodings.empty(); }
  /// Returns the first cells of a sample in one line, or its first numbers if it is not a row of a
  /// table.
  QString text(const Samples& samples, int64_t index) const;
  /// Returns the cells of a sample, one in each line.
  QString lines(const Samples& samples, int64_t index) const;

 private:
  QStringList cells(const Samples& samples, int64_t index, qsizetype limit) const;

  // The encoding of each Input layer
  std::vector<TableEncoding> m_encodings;
};

}  // namespace strata::ui
