// SPDX-License-Identifier: Apache-2.0
#include "core/layer_statistics/layer_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <span>
#include <string_view>
#include <system_error>
#include <utility>

#include <unistd.h>

#include "core/interchange/file_bytes.h"
#include "core/project/atomic_file.h"
#include "core/project/seal.h"
#include "core/project/text.h"
#include "core/runs/own_file.h"
#include "gpu/base/error.h"
#include "gpu/base/log.h"
#include "gpu/base/round_up.h"

namespace strata {

namespace {

constexpr std::string_view kMagic = "STRATAL1";
constexpr uint32_t kVersion = 1;
// Magic, and six numbers
constexpr size_t kFixedHeadBytes = 32;
constexpr size_t kHashBytes = 8, kRecordHeadBytes = 40;
constexpr size_t kMaxHeadBytes = size_t{16} << 20;
constexpr size_t kMaxNameBytes = 4096;
constexpr size_t kTensorBytes =
    3 * sizeof(int64_t) + 10 * sizeof(uint32_t) + TensorStatistics::kBins * sizeof(uint32_t);
static_assert(kTensorBytes % 8 == 0);

size_t layerBytes(const WatchedLayer& layer) {
  return roundUp(3 * kTensorBytes + (3 + layer.weights.size()) * sizeof(uint32_t), size_t{8});
}

size_t recordBytesOf(const WatchedLayers& layers) {
  size_t bytes = kRecordHeadBytes + kHashBytes;
  for (const WatchedLayer& layer : layers)
    bytes += layerBytes(layer);
  return bytes;
}

size_t maxRecordsOf(size_t recordBytes) {
  return std::min<size_t>(kMaxLayerRecords, static_cast<size_t>(kMaxLayerFileBytes) / recordBytes);
}

/// Appends values to bytes, as they are in memory of a little-endian machine.
class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::byte>& bytes) : m_bytes(bytes) {}
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T>);
    const auto* data = reinterpret_cast<const std::byte*>(&value);
    m_bytes.insert(m_bytes.end(), data, data + sizeof value);
  }
  void putText(std::string_view text) {
    put(static_cast<uint16_t>(text.size()));
    const auto* data = reinterpret_cast<const std::byte*>(text.data());
    m_bytes.insert(m_bytes.end(), data, data + text.size());
  }
  void fillUp(size_t from) { m_bytes.resize(from + roundUp(m_bytes.size() - from, size_t{8})); }
  /// Appends the hash of what follows `from`.
  void putHash(size_t from) { put(hashOf(std::span(m_bytes).subspan(from))); }

 private:
  std::vector<std::byte>& m_bytes;
};

/// Takes values from bytes. A value beyond their end throws out_of_range.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}
  template <class T>
  T take() {
    static_assert(std::is_arithmetic_v<T>);
    T value;
    std::memcpy(&value, next(sizeof value).data(), sizeof value);
    return value;
  }
  std::string takeText() {
    const auto size = take<uint16_t>();
    if (size > kMaxNameBytes) throw std::out_of_range("text");
    const auto bytes = next(size);
    std::string text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    if (!isUtf8(text)) throw std::out_of_range("text");
    return text;
  }
  size_t left() const { return m_bytes.size() - m_at; }

 private:
  std::span<const std::byte> next(size_t count) {
    if (count > left()) throw std::out_of_range("bytes");
    m_at += count;
    return m_bytes.subspan(m_at - count, count);
  }
  std::span<const std::byte> m_bytes;
  size_t m_at = 0;
};

std::vector<std::byte> headOf(const WatchedLayers& layers, uint32_t thinned) {
  std::vector<std::byte> names;
  ByteWriter body(names);
  for (const WatchedLayer& layer : layers) {
    body.putText(layer.name);
    body.putText(layer.type);
    body.putText(layer.activation);
    body.put(static_cast<uint8_t>(layer.isOutput ? 1 : 0));
    body.put(layer.units);
    body.put(static_cast<uint32_t>(layer.weights.size()));
    for (const WatchedLayer::Weight& weight : layer.weights) {
      body.putText(weight.name);
      body.put(weight.elements);
    }
  }
  const size_t bytes = roundUp(kFixedHeadBytes + names.size() + kHashBytes, size_t{8});
  std::vector<std::byte> head;
  head.reserve(bytes);
  for (const char letter : kMagic)
    head.push_back(static_cast<std::byte>(letter));
  ByteWriter out(head);
  out.put(kVersion);
  out.put(static_cast<uint32_t>(bytes));
  out.put(static_cast<uint32_t>(recordBytesOf(layers)));
  out.put(static_cast<uint32_t>(layers.size()));
  out.put(static_cast<uint32_t>(TensorStatistics::kBins));
  out.put(thinned);
  head.insert(head.end(), names.begin(), names.end());
  head.resize(bytes - kHashBytes);
  out.putHash(0);
  return head;
}

void putTensor(ByteWriter& out, const TensorStatistics& tensor) {
  for (const int64_t number : {tensor.count, tensor.zeros, tensor.nonFinite})
    out.put(number);
  for (const float number : {tensor.mean, tensor.deviation, tensor.minimum, tensor.maximum,
                             tensor.meanMagnitude, tensor.norm, tensor.low, tensor.high})
    out.put(number);
  out.put(tensor.below);
  out.put(tensor.above);
  for (const uint32_t bin : tensor.bins)
    out.put(bin);
}

TensorStatistics takeTensor(ByteReader& in) {
  TensorStatistics tensor;
  for (int64_t* const number : {&tensor.count, &tensor.zeros, &tensor.nonFinite})
    *number = in.take<int64_t>();
  for (float* const number : {&tensor.mean, &tensor.deviation, &tensor.minimum, &tensor.maximum,
                              &tensor.meanMagnitude, &tensor.norm, &tensor.low, &tensor.high})
    *number = in.take<float>();
  tensor.below = in.take<uint32_t>();
  tensor.above = in.take<uint32_t>();
  for (uint32_t& bin : tensor.bins)
    bin = in.take<uint32_t>();
  // A forged file may have a right hash
  const auto isPart = [&](int64_t number) {
    return number >= 0 && number <= tensor.count;
  };
  const bool isSound = isPart(tensor.zeros) && isPart(tensor.nonFinite);
  return isSound ? tensor : TensorStatistics{};
}

LayerStatistics takeLayer(std::span<const std::byte> bytes, const WatchedLayer& layer) {
  ByteReader in(bytes);
  LayerStatistics result;
  for (TensorStatistics* const tensor : {&result.weights, &result.gradients, &result.activations})
    *tensor = takeTensor(in);
  result.deadUnits = in.take<int32_t>();
  if (result.deadUnits < -1 || result.deadUnits > layer.units) result.deadUnits = -1;
  result.saturated = in.take<float>();
  result.updateRatio = in.take<float>();
  result.updateRatios.resize(layer.weights.size());
  for (float& ratio : result.updateRatios)
    ratio = in.take<float>();
  return result;
}

/// The layers of a file, and the sizes of its parts.
struct Head {
  std::shared_ptr<const WatchedLayers> layers;
  size_t headBytes = 0, recordBytes = 0;
};

std::span<const std::byte> spanOf(const std::vector<std::byte>& bytes) { return bytes; }

WatchedLayer takeWatched(ByteReader& in) {
  WatchedLayer layer;
  layer.name = in.takeText();
  layer.type = in.takeText();
  layer.activation = in.takeText();
  layer.isOutput = in.take<uint8_t>() != 0;
  layer.units = in.take<int64_t>();
  const auto weights = in.take<uint32_t>();
  // Each weight has at least the size of its name and its number
  if (layer.units < 0 || weights > in.left() / (sizeof(uint16_t) + sizeof(int64_t)))
    throw std::out_of_range("layer");
  for (uint32_t i = 0; i < weights; ++i) {
    std::string name = in.takeText();
    layer.weights.push_back({std::move(name), in.take<int64_t>()});
  }
  return layer;
}

Head readHead(FileBytes& file) {
  constexpr const char* kDamaged =
      "is damaged (its header is not that of layer statistics). Training does not need the file.";
  std::vector<std::byte> bytes(kFixedHeadBytes);
  if (file.size() < kFixedHeadBytes) file.fail(kDamaged);
  file.read(bytes.data(), bytes.size(), 0);
  if (std::memcmp(bytes.data(), kMagic.data(), kMagic.size()) != 0) file.fail(kDamaged);
  ByteReader fixed(spanOf(bytes).subspan(kMagic.size()));
  const auto version = fixed.take<uint32_t>(), headBytes = fixed.take<uint32_t>(),
             recordBytes = fixed.take<uint32_t>(), numLayers = fixed.take<uint32_t>(),
             bins = fixed.take<uint32_t>();
  if (version != kVersion)
    file.fail("has version " + std::to_string(version) +
              " (expected 1). Open it with a newer version of Strata.");
  if (headBytes < kFixedHeadBytes + kHashBytes || headBytes > kMaxHeadBytes ||
      headBytes > file.size() || numLayers > kMaxWatchedLayers || bins != TensorStatistics::kBins)
    file.fail(kDamaged);
  bytes.resize(headBytes);
  file.read(bytes.data(), bytes.size(), 0);
  const auto body = spanOf(bytes).first(headBytes - kHashBytes);
  ByteReader hash(spanOf(bytes).last(kHashBytes));
  if (hash.take<uint64_t>() != hashOf(body)) file.fail(kDamaged);
  WatchedLayers layers;
  try {
    ByteReader names(body.subspan(kFixedHeadBytes));
    for (uint32_t i = 0; i < numLayers; ++i)
      layers.push_back(takeWatched(names));
  }
  catch (const std::out_of_range&) {
    file.fail(kDamaged);
  }
  if (recordBytes != recordBytesOf(layers) || recordBytes > kMaxLayerRecordBytes)
    file.fail(kDamaged);
  return {std::make_shared<const WatchedLayers>(std::move(layers)), headBytes, recordBytes};
}

bool isWhole(std::span<const std::byte> record) {
  ByteReader hash(record.last(kHashBytes));
  return hash.take<uint64_t>() == hashOf(record.first(record.size() - kHashBytes));
}

int64_t stepOf(const std::byte* record) {
  int64_t step = 0;
  std::memcpy(&step, record, sizeof step);
  return step;
}

[[noreturn]] void ioFail(const std::string& path, int number) {
  throw Error(ErrorCode::IoFailure, path,
              "cannot be written (" + std::generic_category().message(number) +
                  "). Free some space, or check the folder and that you may write to it.");
}

bool areEqual(const WatchedLayers& layers, const WatchedLayers& others) {
  // Frozen layers have no weights, so a file of another stage differs
  return headOf(layers, 0) == headOf(others, 0);
}

}  // namespace

Phrase whyNotWatched(const WatchedLayers& layers) {
  if (layers.empty())
    return {STRATA_TEXT("layer sampling", "the network has no layer with an output"), {}};
  if (layers.size() > kMaxWatchedLayers || recordBytesOf(layers) > kMaxLayerRecordBytes)
    return {STRATA_TEXT("layer sampling", "the network has too many layers or weights (%1 layers)"),
            {std::to_string(layers.size())}};
  for (const WatchedLayer& layer : layers) {
    bool isShort = layer.name.size() <= kMaxNameBytes;
    for (const WatchedLayer::Weight& weight : layer.weights)
      isShort = isShort && weight.name.size() <= kMaxNameBytes;
    if (!isShort)
      return {STRATA_TEXT("layer sampling", "the name of a layer has more than 4096 bytes"), {}};
  }
  return {};
}

void LayerFileWriter::begin() {
  m_thinned = 0;
  m_count = 0;
  const std::vector<std::byte> head = headOf(*m_layers, 0);
  m_headBytes = head.size();
  // The file replaces another one as a whole, so that a reader never sees half a header
  AtomicFile file(m_path, Links::Replace);
  file.write(head);
  file.commit(false);
  m_descriptor = openOwnFile(m_path, m_headBytes);
}

LayerFileWriter::LayerFileWriter(const std::string& path,
                                 std::shared_ptr<const WatchedLayers> layers)
    : m_path(path), m_layers(std::move(layers)), m_recordBytes(recordBytesOf(*m_layers)) {
  begin();
}

LayerFileWriter::LayerFileWriter(const std::string& path,
                                 std::shared_ptr<const WatchedLayers> layers, int64_t lastStep,
                                 std::string& warning)
    : m_path(path), m_layers(std::move(layers)), m_recordBytes(recordBytesOf(*m_layers)) {
  warning.clear();
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    begin();
    return;
  }
  try {
    const LayerFileReader reader(path);
    if (!areEqual(*reader.layers(), *m_layers)) {
      warning = path + ": is about other layers, so the statistics of layers begin again.";
      begin();
      return;
    }
    while (m_count < reader.size() && reader.stepAt(m_count) <= lastStep)
      ++m_count;
    m_headBytes = headOf(*m_layers, 0).size();
    m_thinned = reader.thinned();
  }
  catch (const Error& failure) {
    if (failure.code() != ErrorCode::InvalidFile) throw;
    warning = path + ": is damaged, so the statistics of layers begin again.";
    begin();
    return;
  }
  m_descriptor = openOwnFile(path, m_headBytes + m_count * m_recordBytes);
}

LayerFileWriter::~LayerFileWriter() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

void LayerFileWriter::append(const LayerSample& sample) {
  if (m_count >= maxRecordsOf(m_recordBytes)) thin();
  m_record.clear();
  ByteWriter out(m_record);
  out.put(sample.step);
  out.put(sample.epoch);
  out.put(sample.recent);
  out.put(sample.seconds);
  out.put(sample.cost);
  out.put(sample.samples);
  for (size_t i = 0; i < m_layers->size(); ++i) {
    const LayerStatistics& layer = sample.layers.at(i);
    putTensor(out, layer.weights);
    putTensor(out, layer.gradients);
    putTensor(out, layer.activations);
    out.put(layer.deadUnits);
    out.put(layer.saturated);
    out.put(layer.updateRatio);
    for (size_t weight = 0; weight < (*m_layers)[i].weights.size(); ++weight)
      out.put(layer.updateRatios.at(weight));
    out.fillUp(0);
  }
  out.putHash(0);
  require(m_record.size() == m_recordBytes, "the sample is about the layers of the file");
  const auto place = static_cast<off_t>(m_headBytes + m_count * m_recordBytes);
  for (size_t done = 0; done < m_record.size();) {
    const ssize_t written = ::pwrite(m_descriptor, m_record.data() + done, m_record.size() - done,
                                     place + static_cast<off_t>(done));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int number = written < 0 ? errno : ENOSPC;
      // If this fails too, the hash tells readers that the record is not whole
      if (::ftruncate(m_descriptor, place) != 0) logLine(LogLevel::Debug, m_path);
      ioFail(m_path, number);
    }
    done += static_cast<size_t>(written);
  }
  ++m_count;
}

/// Drops every second record, but not the first and the last one.
void LayerFileWriter::thin() {
  std::vector<std::byte> bytes = headOf(*m_layers, m_thinned + 1);
  size_t kept = 0;
  {
    FileBytes file(m_path);
    std::vector<std::byte> record(m_recordBytes);
    for (size_t i = 0; i < m_count; ++i) {
      if (i != 0 && (m_count - 1 - i) % 2 != 0) continue;
      const uint64_t place = m_headBytes + i * m_recordBytes;
      if (place + m_recordBytes > file.size()) break;
      file.read(record.data(), record.size(), place);
      bytes.insert(bytes.end(), record.begin(), record.end());
      ++kept;
    }
  }
  AtomicFile file(m_path, Links::Replace);
  file.write(bytes);
  file.commit();
  ++m_thinned;
  m_count = kept;
  const int descriptor = openOwnFile(m_path, bytes.size());
  ::close(std::exchange(m_descriptor, descriptor));
}

int LayerFileWriter::openCopy(const std::string& path) const {
  return openOwnFile(path, m_headBytes + m_count * m_recordBytes);
}

void LayerFileWriter::moveTo(std::string path, int descriptor) {
  ::close(std::exchange(m_descriptor, descriptor));
  m_path = std::move(path);
}

LayerFileReader::LayerFileReader(const std::string& path) : m_path(path) { readAll(); }

void LayerFileReader::readAll() {
  FileBytes file(m_path);
  Head head = readHead(file);
  const uint64_t maxBytes = head.headBytes + maxRecordsOf(head.recordBytes) * head.recordBytes;
  std::vector<std::byte> bytes(static_cast<size_t>(std::min<uint64_t>(file.size(), maxBytes)));
  file.read(bytes.data(), bytes.size(), 0);
  std::vector<size_t> begins;
  size_t begin = kRecordHeadBytes;
  for (const WatchedLayer& layer : *head.layers) {
    begins.push_back(begin);
    begin += layerBytes(layer);
  }
  m_layers = std::move(head.layers);
  m_begins = std::move(begins);
  m_headBytes = head.headBytes;
  m_recordBytes = head.recordBytes;
  m_bytes = std::move(bytes);
  m_count = 0;
  const size_t filled = m_bytes.size() - m_headBytes;
  countRecords();
  m_ignored = (filled + m_recordBytes - 1) / m_recordBytes - m_count;
}

/// Counts the valid records after the known ones, and forgets what follows them.
void LayerFileReader::countRecords() {
  const size_t all = (m_bytes.size() - m_headBytes) / m_recordBytes;
  while (m_count < all) {
    const std::byte* const next = m_bytes.data() + m_headBytes + m_count * m_recordBytes;
    if (!isWhole({next, m_recordBytes})) break;
    if (m_count > 0 && stepOf(next) <= stepAt(m_count - 1)) break;
    ++m_count;
  }
  m_bytes.resize(m_headBytes + m_count * m_recordBytes);
}

bool LayerFileReader::update() {
  FileBytes file(m_path);
  // The header and the last record change if the file was thinned or begun again
  const auto isSame = [&](size_t begin, size_t count) {
    std::vector<std::byte> now(count);
    file.read(now.data(), count, begin);
    return std::memcmp(now.data(), m_bytes.data() + begin, count) == 0;
  };
  const bool isContinued = file.size() >= m_bytes.size() && isSame(0, m_headBytes) &&
                           (m_count == 0 || isSame(m_bytes.size() - m_recordBytes, m_recordBytes));
  if (!isContinued) {
    readAll();
    ++m_generation;
    return true;
  }
  const size_t known = m_count, before = m_bytes.size();
  const size_t room = maxRecordsOf(m_recordBytes) - std::min(known, maxRecordsOf(m_recordBytes));
  const size_t added =
      std::min<size_t>(static_cast<size_t>(file.size() - before) / m_recordBytes, room);
  if (added == 0) return false;
  m_bytes.resize(before + added * m_recordBytes);
  try {
    file.read(m_bytes.data() + before, added * m_recordBytes, before);
  }
  catch (...) {
    m_bytes.resize(before);
    throw;
  }
  countRecords();
  return m_count > known;
}

uint32_t LayerFileReader::thinned() const {
  uint32_t number = 0;
  std::memcpy(&number, m_bytes.data() + kFixedHeadBytes - sizeof number, sizeof number);
  return number;
}

const std::byte* LayerFileReader::recordAt(size_t index) const {
  return m_bytes.data() + m_headBytes + index * m_recordBytes;
}

int64_t LayerFileReader::stepAt(size_t index) const { return stepOf(recordAt(index)); }

std::optional<size_t> LayerFileReader::find(const std::string& layer) const {
  const auto found = std::ranges::find(*m_layers, layer, &WatchedLayer::name);
  if (found == m_layers->end()) return std::nullopt;
  return static_cast<size_t>(found - m_layers->begin());
}

LayerStatistics LayerFileReader::layerAt(size_t index, size_t layer) const {
  const WatchedLayer& watched = m_layers->at(layer);
  return takeLayer({recordAt(index) + m_begins[layer], layerBytes(watched)}, watched);
}

LayerSample LayerFileReader::operator[](size_t index) const {
  LayerSample sample;
  sample.watched = m_layers;
  ByteReader in({recordAt(index), kRecordHeadBytes});
  sample.step = in.take<int64_t>();
  sample.epoch = in.take<int32_t>();
  sample.recent = in.take<int32_t>();
  sample.seconds = in.take<double>();
  sample.cost = in.take<double>();
  sample.samples = in.take<int64_t>();
  sample.layers.reserve(m_layers->size());
  for (size_t i = 0; i < m_layers->size(); ++i)
    sample.layers.push_back(layerAt(index, i));
  return sample;
}

}  // namespace strata
