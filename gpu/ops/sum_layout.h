// SPDX-License-Identifier: Apache-2.0
// How processes divide the elements of a sum over replicas: each process adds one share of the
// elements of each operand. Thread: plain values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "gpu/tensor/tensor.h"

namespace strata {

class SumLayout {
 public:
  SumLayout(std::span<const TensorType> operands, int processes);

  int processes() const { return m_processes; }
  size_t numOperands() const { return m_operands.size(); }
  DType dtype(size_t operand) const { return m_operands[operand].dtype; }
  size_t bytesOf(size_t operand) const { return m_operands[operand].bytes(); }
  /// The elements of an operand that a process adds.
  struct Range {
    int64_t begin = 0, count = 0;
  };
  Range rangeOf(int process, size_t operand) const;
  /// Returns where the elements of an operand begin in what a process receives from a replica.
  size_t beginOf(int process, size_t operand) const {
    return m_begins[static_cast<size_t>(process) * m_operands.size() + operand];
  }
  /// Returns the bytes of the largest share of a replica.
  size_t shareBytes() const { return m_shareBytes; }
  /// Returns the bytes that a replica of a process receives from the others.
  size_t bufferBytes() const { return m_shareBytes * static_cast<size_t>(m_processes - 1); }

 private:
  std::vector<TensorType> m_operands;
  const int m_processes;
  std::vector<size_t> m_begins;
  size_t m_shareBytes = 0;
};

}  // namespace strata
