// SPDX-License-Identifier: Apache-2.0
#include "core/explain/column_contributions.h"

#include "gpu/base/error.h"

namespace strata {

std::vector<ColumnContribution> columnContributions(const TableEncoding& encoding,
                                                    const Tensor& row, const Tensor& map) {
  if (row.numElements() != encoding.width() || map.numElements() != encoding.width())
    throw Error(ErrorCode::ShapeMismatch, "table",
                "the sample has another number of values than the columns of the table (expected " +
                    std::to_string(encoding.width()) + ", got " +
                    std::to_string(map.numElements()) + ").");
  const Tensor numbers = row.converted(DType::F32), shares = map.converted(DType::F32);
  const std::span<const float> raw = numbers.as<float>();
  const std::vector<TableCell> cells =
      decodeRow(encoding, std::vector<double>(raw.begin(), raw.end()));
  std::vector<ColumnContribution> result;
  size_t at = 0;
  for (size_t i = 0; i < cells.size(); ++i) {
    const TableColumn& column = encoding.inputs[i];
    const size_t width = column.isCategorical && encoding.isOneHot ? column.categories.size() : 1;
    double sum = 0;
    for (const size_t end = at + width; at < end; ++at)
      sum += static_cast<double>(shares.as<float>()[at]);
    result.push_back({cells[i], sum});
  }
  return result;
}

}  // namespace strata
