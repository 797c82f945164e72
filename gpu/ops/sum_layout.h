// SPDX-License-Identifier: Apache-2.0
// How replicas divide the elements of a sum: each process adds one share of the elements of each
// operand, or each card one share of all elements together. Thread: plain values.
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

/// How cards divide a sum. Each card packs the elements of all operands, one after the other, in
/// one shard for each replica. A shard begins with a header, whose first element is 1 if the
/// replica may change something in this step.
class PackedSums {
 public:
  /// Requires: the operands are f32.
  PackedSums(std::span<const TensorType> operands, int replicas);

  static constexpr int64_t kHeader = 4;
  int replicas() const { return m_replicas; }
  size_t numOperands() const { return m_counts.size(); }
  int64_t countOf(size_t operand) const { return m_counts[operand]; }
  /// Returns the elements of operands in a shard.
  int64_t payload() const { return m_payload; }
  size_t shardBytes() const {
    return static_cast<size_t>(m_payload + kHeader) * dtypeBytes(DType::F32);
  }
  /// Returns the bytes of the shards of a replica, and of the received ones.
  size_t bufferBytes() const { return shardBytes() * static_cast<size_t>(2 * m_replicas - 1); }

 private:
  const int m_replicas;
  std::vector<int64_t> m_counts;
  int64_t m_payload = 0;
};

}  // namespace strata
