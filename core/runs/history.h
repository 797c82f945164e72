// SPDX-License-Identifier: Apache-2.0
// The exact values of every step of a run, in `history.bin` of the run directory. Not here: events
// as text (event_log.h).
//
// File format, little-endian: "STRATAH1", u32 version (2), u32 bytes of this header (a multiple of
// 8), u32 bytes of a record (a multiple of 8), u32 number of metrics M, u32 number of measures E,
// u32 zero, then M + E times u16 length and UTF-8 name, zeros up to the end of the header. Then
// records of equal size, in the order of their events:
//   i64 step, i32 epoch,
//   i32 kind (0 step, 1 training means of an epoch, 2 validation of an epoch),
//   f64 seconds (of training so far; of the epoch for kinds 1 and 2),
//   f64 learning rate, i64 samples, f64 loss, M times f64 metric, E times f32 measure, zeros.
// A measure is NaN where it is unknown, and in records of kinds 1 and 2. Files of version 1 have no
// measures: M is followed by the names, and records end after the metrics. A run that began with
// such a file goes on with it. A record that is cut short at the end, for example by a power
// failure, is ignored.
// Thread: only one thread at a time may use a writer or a reader. A reader may read a file while a
// writer appends to it.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/project/seal.h"

namespace strata {

/// What the loop measures in each step, in addition to the metrics:
/// - "gradient_norm": the norm of all gradients before clipping (see kGradientNorm in
///   core/compile/compile.h);
/// - "loss_scale": the scale of the loss after the step, with a dynamic loss scale;
/// - "data_wait": the seconds that the step waited for its samples;
/// - "replica_wait": the mean of the seconds that each replica waited for others.
enum class Measure : uint8_t { GradientNorm, LossScale, DataWait, ReplicaWait };
constexpr size_t kNumMeasures = 4;
using Measures = std::array<float, kNumMeasures>;
std::string_view measureName(Measure measure);

enum class HistoryKind : int32_t { Step = 0, Epoch = 1, Validation = 2 };

struct HistoryRecord {
  int64_t step = 0;
  int32_t epoch = 0;
  HistoryKind kind = HistoryKind::Step;
  double seconds = 0, learningRate = 0;
  int64_t samples = 0;
  double loss = 0;
  // Values of the metrics. In a record from a reader, they are valid as long as the reader exists.
  std::span<const double> metrics;
  // In a record from a reader, those of measureNames(), with the same lifetime. Missing ones are
  // NaN when written.
  std::span<const float> measures = {};
};

class HistoryWriter {
 public:
  /// Creates a new file. Fails: IoFailure.
  HistoryWriter(const std::string& path, const std::vector<std::string>& metricNames);
  /// The part of the history that belongs to a checkpoint.
  struct Place {
    uint64_t bytes = 0;
    // The value of hash() at the checkpoint; "" in checkpoints of earlier versions
    std::string hash;
    int64_t step = 0;
  };
  /// Continues a file, and removes everything after `place`. Training does not depend on the
  /// history, so damage only sets `warning` ("" if there is no damage). If the file is missing or
  /// its header is damaged, begins a new file, and keeps the damaged one as history.damaged.bin. If
  /// the file is truncated, keeps its complete records. If only the hash differs, keeps all records
  /// up to `place`. Fails: IoFailure.
  HistoryWriter(const std::string& path, const std::vector<std::string>& metricNames,
                const Place& place, std::string& warning);
  ~HistoryWriter();
  HistoryWriter(const HistoryWriter&) = delete;
  HistoryWriter& operator=(const HistoryWriter&) = delete;

  /// Appends a record to the buffer, without allocating memory unless the full buffer cannot be
  /// written. The records then stay in memory until flush() can write them.
  void append(const HistoryRecord& record);
  /// Fails: IoFailure. A later call writes the rest.
  void flush();
  /// Opens the file at `path`, a copy of the present one, for moveTo(). Fails: IoFailure,
  /// InvalidFile.
  int openCopy(const std::string& path) const;
  /// Goes on in this file. Takes over its descriptor.
  void moveTo(std::string path, int descriptor);
  /// Calls flush() and fsync(), so that the history is on disk before a checkpoint refers to it.
  void sync();
  // Returns the size of the file, including the buffer.
  uint64_t bytes() const { return m_written + m_buffer.size(); }
  // Returns the hash of the written bytes, without the buffer.
  std::string hash() const { return m_hash.text(); }

 private:
  static constexpr size_t kBufferBytes = 64 * 1024;
  void begin(const std::vector<std::string>& metricNames);
  std::string m_path;
  int m_descriptor = -1;
  size_t m_numMetrics = 0, m_numMeasures = kNumMeasures;
  uint64_t m_written = 0;
  RunningHash m_hash;
  std::vector<std::byte> m_buffer;
  // The size of the buffer at which append() writes it
  size_t m_flushBytes = kBufferBytes;
};

class HistoryReader {
 public:
  /// Maps the current content of the file. Fails: IoFailure, InvalidFile.
  explicit HistoryReader(const std::string& path);
  ~HistoryReader();
  HistoryReader(const HistoryReader&) = delete;
  HistoryReader& operator=(const HistoryReader&) = delete;

  const std::vector<std::string>& metricNames() const { return m_metricNames; }
  /// Returns the names of the measures; none in a file of version 1.
  const std::vector<std::string>& measureNames() const { return m_measureNames; }
  size_t size() const { return m_count; }
  /// Returns the bytes of the header and all complete records.
  std::span<const std::byte> whole() const {
    return {m_data, m_headBytes + m_count * m_recordBytes};
  }
  HistoryRecord operator[](size_t index) const;
  /// Returns the index of the first record with at least this step, or size() if there is none.
  size_t firstOfStep(int64_t step) const;

 private:
  std::string readHead();
  std::vector<std::string> m_metricNames, m_measureNames;
  const std::byte* m_data = nullptr;
  size_t m_mappedBytes = 0, m_headBytes = 0, m_recordBytes = 0, m_count = 0;
};

}  // namespace strata
