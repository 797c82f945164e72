// SPDX-License-Identifier: Apache-2.0
// The exact history of a run: every step's values, bit for bit, in `history.bin` of the run
// directory.
//
// File, little-endian: "STRATAH1", u32 version (1), u32 bytes of this head (a multiple of 8), u32
// bytes of a record, u32 number of metrics M, then M times u16 length and UTF-8 name, zeros up to
// the head's end. Then records of equal size, in the order they happened:
//   i64 step, i32 epoch, i32 kind (0 step, 1 training means of an epoch, 2 validation of an epoch), f64 seconds (of training up to here; of the epoch for 1 and 2),
//   f64 learning rate, i64 samples, f64 loss, M times f64 metric.
// A record cut short at the end (power cut) does not count.
// Thread: a writer or reader belongs to one thread at a time; a reader may read what a writer is
// still appending to.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "core/project/seal.h"

namespace strata {

enum class HistoryKind : int32_t { Step = 0, Epoch = 1, Validation = 2 };

struct HistoryRecord {
  int64_t step = 0;
  int32_t epoch = 0;
  HistoryKind kind = HistoryKind::Step;
  double seconds = 0, learningRate = 0;
  int64_t samples = 0;
  double loss = 0;
  // Of a reader: valid as long as the reader
  std::span<const double> metrics;
};

class HistoryWriter {
 public:
  /// A new file. Fails: IoFailure.
  HistoryWriter(const std::string& path, const std::vector<std::string>& metricNames);
  /// What a checkpoint says of the history up to it.
  struct Place {
    uint64_t bytes = 0;
    // hash() then; "" in checkpoints of earlier versions
    std::string hash;
    int64_t step = 0;
  };
  /// Goes on with a file cut to `place`. The curves decide nothing, so the run goes on without
  /// them: a file that is lost or damaged is begun anew (a damaged one is kept as
  /// history.damaged.bin), of one that is cut short the whole records stay, one whose hash differs
  /// stays as it is. `warning` then says what is wrong with the curves, else it is "". Fails:
  /// IoFailure.
  HistoryWriter(const std::string& path, const std::vector<std::string>& metricNames,
                const Place& place, std::string& warning);
  ~HistoryWriter();
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  /// Buffered; allocates nothing. Fails: IoFailure when the buffer is written.
  void append(const HistoryRecord& record);
  void flush();
  /// flush() and fsync: what a checkpoint refers to is on the disk before the checkpoint is.
  void sync();
  // Of the file, the buffer included
  uint64_t bytes() const { return m_written + m_buffer.size(); }
  // Of what is written, the buffer not included
  std::string hash() const { return m_hash.text(); }

 private:
  void begin(const std::vector<std::string>& metricNames);
  std::string m_path;
  int m_descriptor = -1;
  size_t m_numMetrics = 0;
  uint64_t m_written = 0;
  RunningHash m_hash;
  std::vector<std::byte> m_buffer;
};

class HistoryReader {
 public:
  /// Maps the file as it is now. Fails: IoFailure, InvalidFile.
  explicit HistoryReader(const std::string& path);
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  const std::vector<std::string>& metricNames() const { return m_metricNames; }
  size_t size() const { return m_count; }
  /// The head and the whole records.
  std::span<const std::byte> whole() const {
    return {m_data, m_headBytes + m_count * m_recordBytes};
  }
  HistoryRecord operator[](size_t index) const;
  /// Index of the first record with at least this step; size() where none.
  size_t firstOfStep(int64_t step) const;

 private:
  std::vector<std::string> m_metricNames;
  const std::byte* m_data = nullptr;
  size_t m_mappedBytes = 0, m_headBytes = 0, m_recordBytes = 0, m_count = 0;
};

}  // namespace strata
