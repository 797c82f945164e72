// SPDX-License-Identifier: Apache-2.0
// The statistics of the layers of a run over time, in `layers.bin` of the run directory.
// Not here: what they mean (layer_verdict.h).
//
// File format, little-endian: "STRATAL1", u32 version (1), u32 bytes of this header (a multiple of
// 8), u32 bytes of a record (a multiple of 8), u32 number of layers L, u32 number of bins B,
// u32 how often the file was thinned, then for each layer three texts (u16 length and UTF-8: name,
// type, activation), u8 whether it is an output, i64 units, u32 number of weights W and for each
// weight its name (text) and i64 elements, then zeros up to the last 8 bytes of the header, which
// are the XXH3-64 hash of the bytes before them. Then records of equal size, sorted by step:
//   i64 step, i32 epoch, i32 recent, f64 seconds, f64 cost, i64 samples,
//   for each layer three tensors (weights, gradients, activations) of
//     i64 count, i64 zeros, i64 non-finite, f32 mean, f32 standard deviation, f32 minimum,
//     f32 maximum, f32 mean magnitude, f32 norm, f32 low, f32 high, u32 below, u32 above, B x u32,
//   i32 dead units, f32 saturated, f32 update ratio, W x f32 update ratios, zeros up to 8 bytes,
//   and after the layers the XXH3-64 hash of the record's bytes before it.
// A record is valid only if its hash is right. What follows the last valid record, for example
// after a power failure, is ignored and cut by the next writer.
// A file has at most kMaxLayerRecords records and about kMaxLayerFileBytes bytes. A writer that
// reaches a limit drops every second record, and keeps the first and the last one.
// Thread: only one thread at a time may use a writer or a reader. A reader may read a file while a
// writer appends to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/layer_statistics/layer_sample.h"
#include "core/project/diagnostic.h"

namespace strata {

constexpr const char* kLayerFile = "layers.bin";
constexpr size_t kMaxLayerRecords = 2048;
constexpr uint64_t kMaxLayerFileBytes = uint64_t{64} << 20;
/// Networks with more layers or weights, or whose record is larger, are not sampled.
constexpr size_t kMaxWatchedLayers = 16384;
constexpr size_t kMaxLayerRecordBytes = size_t{8} << 20;

/// Returns why the statistics of these layers do not fit into a file, as the rest of a sentence; an
/// empty one if they do.
Phrase whyNotWatched(const WatchedLayers& layers);

class LayerFileWriter {
 public:
  /// Creates a new file. Requires: whyNotWatched() is empty. Fails: IoFailure.
  LayerFileWriter(const std::string& path, std::shared_ptr<const WatchedLayers> layers);
  /// Continues a file, and removes the records after `lastStep`. Training does not depend on the
  /// statistics, so damage only sets `warning` ("" if there is no damage): the file begins again if
  /// it is missing, damaged or about other layers. Fails: IoFailure.
  LayerFileWriter(const std::string& path, std::shared_ptr<const WatchedLayers> layers,
                  int64_t lastStep, std::string& warning);
  ~LayerFileWriter();
  LayerFileWriter(const LayerFileWriter&) = delete;
  LayerFileWriter& operator=(const LayerFileWriter&) = delete;

  /// Writes a record. A record that cannot be written whole leaves nothing. Requires: the sample is
  /// about the layers of the file. Fails: IoFailure.
  void append(const LayerSample& sample);
  /// Opens the file at `path`, a copy of the present one, for moveTo(). Fails: IoFailure.
  int openCopy(const std::string& path) const;
  /// Goes on in this file. Takes over its descriptor.
  void moveTo(std::string path, int descriptor);
  size_t size() const { return m_count; }

 private:
  void begin();
  void thin();
  std::string m_path;
  std::shared_ptr<const WatchedLayers> m_layers;
  int m_descriptor = -1;
  size_t m_headBytes = 0, m_recordBytes = 0, m_count = 0;
  uint32_t m_thinned = 0;
  std::vector<std::byte> m_record;
};

class LayerFileReader {
 public:
  /// Reads the current content of the file. Fails: IoFailure; InvalidFile if the file is missing,
  /// is not such a file, or has wrong sizes.
  explicit LayerFileReader(const std::string& path);

  const std::shared_ptr<const WatchedLayers>& layers() const { return m_layers; }
  size_t size() const { return m_count; }
  /// Returns the number of records, valid or not, that were ignored after the last valid one when
  /// all of the file was read. An incomplete one counts.
  size_t numIgnored() const { return m_ignored; }
  /// Returns a record. Requires: index < size().
  LayerSample operator[](size_t index) const;
  int64_t stepAt(size_t index) const;
  /// Returns the position of the layer, or nullopt if there is none with this name.
  std::optional<size_t> find(const std::string& layer) const;
  /// Returns the statistics of one layer, without decoding the others.
  LayerStatistics layerAt(size_t index, size_t layer) const;
  /// Reads what was appended. Returns false if nothing has changed. If the writer has thinned the
  /// file or begun it again, reads all of it: the indices of earlier records are then others, and
  /// generation() has changed. Fails: as the constructor; the object then stays as it was.
  bool update();
  int generation() const { return m_generation; }
  /// Returns how often the file was thinned.
  uint32_t thinned() const;

 private:
  void readAll();
  void countRecords();
  const std::byte* recordAt(size_t index) const;
  std::string m_path;
  std::shared_ptr<const WatchedLayers> m_layers;
  // Header and all valid records
  std::vector<std::byte> m_bytes;
  // Where the statistics of each layer begin within a record
  std::vector<size_t> m_begins;
  size_t m_headBytes = 0, m_recordBytes = 0, m_count = 0, m_ignored = 0;
  int m_generation = 0;
};

}  // namespace strata
