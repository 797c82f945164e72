// SPDX-License-Identifier: Apache-2.0
#include "gpu/ops/sum_layout.h"

#include <algorithm>

#include "gpu/base/error.h"

namespace strata {

// Shares begin at multiples of a cache line
static constexpr int64_t kBlock = 16;

SumLayout::SumLayout(std::span<const TensorType> operands, int processes)
    : m_operands(operands.begin(), operands.end()), m_processes(processes) {
  for (int process = 0; process < processes; ++process) {
    size_t end = 0;
    for (size_t i = 0; i < m_operands.size(); ++i) {
      m_begins.push_back(end);
      // Operands of 8 bytes stay aligned
      const size_t bytes =
          static_cast<size_t>(rangeOf(process, i).count) * dtypeBytes(m_operands[i].dtype);
      end += (bytes + 7) / 8 * 8;
    }
    m_shareBytes = std::max(m_shareBytes, end);
  }
}

SumLayout::Range SumLayout::rangeOf(int process, size_t operand) const {
  const int64_t count = m_operands[operand].shape.numElements(),
                blocks = (count + kBlock - 1) / kBlock;
  const auto at = [&](int64_t part) {
    return std::min(count, blocks * part / m_processes * kBlock);
  };
  return {at(process), at(process + 1) - at(process)};
}

PackedSums::PackedSums(std::span<const TensorType> operands, int replicas) : m_replicas(replicas) {
  // Copies between cards are fastest from and to multiples of this
  constexpr int64_t kElements = 32;
  int64_t total = 0;
  for (const TensorType& type : operands) {
    require(type.dtype == DType::F32, "cards sum f32");
    m_counts.push_back(type.shape.numElements());
    total += m_counts.back();
  }
  const int64_t share = (total + replicas - 1) / replicas;
  m_payload = (share + kElements - 1) / kElements * kElements;
}

}  // namespace strata
