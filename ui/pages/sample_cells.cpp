// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/pages/sample_cells.h"

#include <QCoreApplication>
#include <nlohmann/json.hpp>

#include "core/project/json.h"
#include "gpu/base/error.h"
#include "ui/format.h"
#include "ui/pages/sample_image.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

QString cellText(const TableCell& cell) {
  // The digits of a float32
  constexpr int kDigits = 7;
  QString value = text(cell.word);
  if (cell.number)
    value = QString::number(*cell.number, 'g', kDigits);
  else if (value.isEmpty())
    value = QCoreApplication::translate("SampleCells", "unknown");
  return QCoreApplication::translate("SampleCells", "%1: %2").arg(text(cell.column), value);
}

}  // namespace

SampleCells::SampleCells(const Dataset& dataset) {
  for (const auto& encoding : dataset.encodings) {
    if (!encoding || memberOf(*encoding, "type") != "table") {
      m_encodings.clear();
      return;
    }
    m_encodings.push_back(parseTableEncoding(*encoding, {}));
  }
}

QStringList SampleCells::cells(const Samples& samples, int64_t index, qsizetype limit) const {
  QStringList result;
  const std::vector<Tensor> inputs = sampleOf(samples, index);
  for (size_t k = 0; k < inputs.size() && k < m_encodings.size(); ++k) {
    std::vector<double> values;
    for (int64_t i = 0; i < inputs[k].numElements(); ++i)
      values.push_back(numberAt(inputs[k], i));
    for (const TableCell& cell :
         decodeRow(m_encodings[k], values, static_cast<size_t>(limit) + 1)) {
      if (result.size() == limit) return result << u"…"_s;
      result << cellText(cell);
    }
  }
  return result;
}

QString SampleCells::text(const Samples& samples, int64_t index) const {
  if (!isTable()) return sampleNumbers(samples, index);
  constexpr qsizetype kShown = 12;
  return cells(samples, index, kShown).join(u", "_s);
}

QString SampleCells::lines(const Samples& samples, int64_t index) const {
  constexpr qsizetype kShown = 40;
  return cells(samples, index, kShown).join(u'\n');
}

}  // namespace strata::ui
