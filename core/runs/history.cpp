// SPDX-License-Identifier: Apache-2.0
#include "core/runs/history.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <limits>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/runs/own_file.h"
#include "gpu/base/error.h"

namespace strata {

namespace {

constexpr char kMagic[9] = "STRATAH1";
constexpr uint32_t kVersion = 2;
// The bytes of the header before the names, by version
constexpr size_t kFixedHeadBytes[] = {0, 24, 32};
constexpr uint32_t kMaxMetrics = 1000;
constexpr std::array<std::string_view, kNumMeasures> kMeasureNames{"gradient_norm", "loss_scale",
                                                                   "data_wait", "replica_wait"};

/// The part of a record before its metrics, with the same layout as in the file.
struct FixedPart {
  int64_t step;
  int32_t epoch;
  int32_t kind;
  double seconds, learningRate;
  int64_t samples;
  double loss;
};
static_assert(sizeof(FixedPart) == 48);

const char* remedyFor(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT: return "Free some space and continue the run.";
    case EFBIG: return "Raise the limit on the size of files and continue the run.";
    default: return "Check the folder and that you may write to it.";
  }
}

[[noreturn]] void ioFail(const std::string& path, const char* what, int number) {
  throw Error(ErrorCode::IoFailure, path,
              std::string(what) + " (" + std::generic_category().message(number) + "). " +
                  remedyFor(number));
}

template <class T>
void put(std::vector<std::byte>& bytes, T value) {
  const auto* data = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), data, data + sizeof value);
}

size_t recordBytesOf(size_t numMetrics, size_t numMeasures) {
  return (sizeof(FixedPart) + sizeof(double) * numMetrics + sizeof(float) * numMeasures + 7) / 8 *
         8;
}

std::vector<std::byte> headOf(const std::vector<std::string>& metricNames) {
  std::vector<std::byte> names;
  const auto putName = [&](std::string_view name) {
    put(names, static_cast<uint16_t>(name.size()));
    const auto* data = reinterpret_cast<const std::byte*>(name.data());
    names.insert(names.end(), data, data + static_cast<uint16_t>(name.size()));
  };
  std::ranges::for_each(metricNames, putName);
  std::ranges::for_each(kMeasureNames, putName);
  const size_t bytes = (kFixedHeadBytes[kVersion] + names.size() + 7) / 8 * 8;
  std::vector<std::byte> head(reinterpret_cast<const std::byte*>(kMagic),
                              reinterpret_cast<const std::byte*>(kMagic) + 8);
  put(head, kVersion);
  put(head, static_cast<uint32_t>(bytes));
  put(head, static_cast<uint32_t>(recordBytesOf(metricNames.size(), kNumMeasures)));
  put(head, static_cast<uint32_t>(metricNames.size()));
  put(head, static_cast<uint32_t>(kNumMeasures));
  put(head, uint32_t{0});
  head.insert(head.end(), names.begin(), names.end());
  head.resize(bytes);
  return head;
}

}  // namespace

std::string_view measureName(Measure measure) {
  return kMeasureNames[static_cast<size_t>(measure)];
}

/// Renames a damaged history to an unused name in the same folder, and returns that name.
static std::string moveAside(const std::string& path) {
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code error;
  for (int number = 1;; ++number) {
    const auto target =
        folder / (number == 1 ? "history.damaged.bin"
                              : "history.damaged-" + std::to_string(number) + ".bin");
    if (std::filesystem::exists(std::filesystem::symlink_status(target, error))) continue;
    std::filesystem::rename(path, target, error);
    if (error) ioFail(path, "cannot be renamed", error.value());
    return target.filename().string();
  }
}

void HistoryWriter::begin(const std::vector<std::string>& metricNames) {
  m_descriptor = openOwnFile(m_path, 0);
  m_buffer.reserve(kBufferBytes + 64 + recordBytesOf(m_numMetrics, m_numMeasures));
  const auto head = headOf(metricNames);
  m_buffer.insert(m_buffer.end(), head.begin(), head.end());
}

HistoryWriter::HistoryWriter(const std::string& path, const std::vector<std::string>& metricNames)
    : m_path(path), m_numMetrics(metricNames.size()) {
  begin(metricNames);
}

HistoryWriter::HistoryWriter(const std::string& path, const std::vector<std::string>& metricNames,
                             const Place& place, std::string& warning)
    : m_path(path), m_numMetrics(metricNames.size()) {
  warning.clear();
  const auto startAgain = [&](const std::string& what) {
    if (place.step > 0)
      warning = path + ": " + what + ", so the curves lack steps 1 to " +
                std::to_string(place.step) + ". Training is not affected.";
    begin(metricNames);
  };
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, error))) {
    startAgain("is missing");
    return;
  }
  try {
    const HistoryReader reader(path);
    if (reader.metricNames() != metricNames)
      throw Error(ErrorCode::InvalidFile, path, "has other metrics than the run.");
    m_numMeasures = reader.measureNames().size();
    const auto kept = reader.whole().first(std::min<size_t>(reader.whole().size(), place.bytes));
    m_hash.add(kept);
    m_written = kept.size();
    if (m_written < place.bytes)
      warning = path + ": is truncated, so the curves lack steps " +
                std::to_string(reader.size() > 0 ? reader[reader.size() - 1].step + 1 : 1) +
                " to " + std::to_string(place.step) + ". Training is not affected.";
    else if (!place.hash.empty() && place.hash != hash())
      warning = path + ": is damaged (its hash differs), so the curves up to step " +
                std::to_string(place.step) + " may be wrong. Training is not affected.";
  }
  catch (const Error& failure) {
    if (failure.code() != ErrorCode::InvalidFile) throw;
    startAgain("is damaged (kept as " + moveAside(path) + ")");
    return;
  }
  m_descriptor = openOwnFile(path, m_written);
  m_buffer.reserve(kBufferBytes + 64 + recordBytesOf(m_numMetrics, m_numMeasures));
}

HistoryWriter::~HistoryWriter() {
  if (m_descriptor < 0) return;
  try {
    flush();
  }
  catch (const Error&) {
    // A destructor cannot report the error. Callers that depend on the records call flush()
    // themselves.
  }
  ::close(m_descriptor);
}

void HistoryWriter::append(const HistoryRecord& record) {
  put(m_buffer, FixedPart{record.step, record.epoch, static_cast<int32_t>(record.kind),
                          record.seconds, record.learningRate, record.samples, record.loss});
  for (size_t i = 0; i < m_numMetrics; ++i)
    put(m_buffer, i < record.metrics.size() ? record.metrics[i] : 0.0);
  for (size_t i = 0; i < m_numMeasures; ++i)
    put(m_buffer,
        i < record.measures.size() ? record.measures[i] : std::numeric_limits<float>::quiet_NaN());
  if (m_numMeasures % 2 != 0) put(m_buffer, uint32_t{0});
  if (m_buffer.size() < m_flushBytes) return;
  try {
    flush();
  }
  catch (const Error&) {
    // The next checkpoint calls flush() and reports the failure. A run without checkpoints must not
    // try again at each step.
    m_flushBytes = 2 * m_buffer.size();
  }
}

int HistoryWriter::openCopy(const std::string& path) const { return openOwnFile(path, m_written); }

void HistoryWriter::moveTo(std::string path, int descriptor) {
  ::close(std::exchange(m_descriptor, descriptor));
  m_path = std::move(path);
}

void HistoryWriter::flush() {
  size_t done = 0;
  while (done < m_buffer.size()) {
    const ssize_t written = ::write(m_descriptor, m_buffer.data() + done, m_buffer.size() - done);
    if (written < 0 && errno == EINTR) continue;
    const int number = errno;
    if (written > 0) done += static_cast<size_t>(written);
    if (written >= 0 && done < m_buffer.size()) continue;
    m_hash.add(std::span(m_buffer).first(done));
    m_written += done;
    m_buffer.erase(m_buffer.begin(), m_buffer.begin() + static_cast<std::ptrdiff_t>(done));
    if (written < 0) ioFail(m_path, "cannot be written", number);
    m_flushBytes = kBufferBytes;
    return;
  }
}

void HistoryWriter::sync() {
  flush();
  if (::fsync(m_descriptor) != 0) ioFail(m_path, "cannot be written to the disk", errno);
}

HistoryReader::HistoryReader(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (descriptor < 0) ioFail(path, "cannot be read", errno);
  struct stat status {};
  const bool isStat = ::fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
  const auto size = isStat ? static_cast<size_t>(status.st_size) : 0;
  const auto bad = [&](const std::string& message) {
    ::close(descriptor);
    throw Error(ErrorCode::InvalidFile, path, message);
  };
  if (size < kFixedHeadBytes[1])
    bad("is not a history file (expected at least 24 bytes, got " + std::to_string(size) + ").");
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    const int number = errno;
    ::close(descriptor);
    ioFail(path, "cannot be mapped", number);
  }
  ::close(descriptor);
  m_data = static_cast<const std::byte*>(mapped);
  m_mappedBytes = size;
  if (const std::string problem = readHead(); !problem.empty()) {
    ::munmap(mapped, size);
    m_data = nullptr;
    throw Error(ErrorCode::InvalidFile, path, problem);
  }
  m_count = (size - m_headBytes) / m_recordBytes;
}

/// Reads the header. Returns "", or what is wrong with it.
std::string HistoryReader::readHead() {
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, m_data + at, 4);
    return value;
  };
  if (std::memcmp(m_data, kMagic, 8) != 0) return "is not a history file (wrong first bytes).";
  const uint32_t version = number(8);
  if (version < 1 || version > kVersion)
    return "is a history of version " + std::to_string(version) +
           " (expected 1 or 2). Open it with a newer version of Strata.";
  const size_t fixed = kFixedHeadBytes[version];
  m_headBytes = number(12);
  m_recordBytes = number(16);
  const uint32_t numMetrics = number(20);
  if (m_headBytes < fixed || m_headBytes > m_mappedBytes || m_headBytes % 8 != 0 ||
      numMetrics > kMaxMetrics)
    return "has a damaged header (bytes 12 to 24).";
  const uint32_t numMeasures = version == 1 ? 0 : number(24);
  if (numMeasures > kMaxMetrics || m_recordBytes != recordBytesOf(numMetrics, numMeasures))
    return "has a damaged header (bytes 16 to 28).";
  size_t at = fixed;
  for (uint32_t i = 0; i < numMetrics + numMeasures; ++i) {
    uint16_t length = 0;
    if (at + 2 <= m_headBytes) std::memcpy(&length, m_data + at, 2);
    if (at + 2 + length > m_headBytes)
      return "has a damaged header (name of metric " + std::to_string(i) + ").";
    (i < numMetrics ? m_metricNames : m_measureNames)
        .emplace_back(reinterpret_cast<const char*>(m_data + at + 2), length);
    at += 2u + length;
  }
  if ((at + 7) / 8 * 8 != m_headBytes) return "has a damaged header (bytes 12 to 16).";
  return {};
}

HistoryReader::~HistoryReader() {
  if (m_data) ::munmap(const_cast<std::byte*>(m_data), m_mappedBytes);
}

HistoryRecord HistoryReader::operator[](size_t index) const {
  const std::byte* at = m_data + m_headBytes + index * m_recordBytes;
  FixedPart fixed{};
  std::memcpy(&fixed, at, sizeof fixed);
  HistoryRecord record{fixed.step,
                       fixed.epoch,
                       static_cast<HistoryKind>(fixed.kind),
                       fixed.seconds,
                       fixed.learningRate,
                       fixed.samples,
                       fixed.loss,
                       {},
                       {}};
  // The metrics are aligned to 8 bytes, because the sizes of header and records are multiples of 8.
  record.metrics = {reinterpret_cast<const double*>(at + sizeof fixed), m_metricNames.size()};
  record.measures = {reinterpret_cast<const float*>(record.metrics.data() + m_metricNames.size()),
                     m_measureNames.size()};
  return record;
}

size_t HistoryReader::firstOfStep(int64_t step) const {
  size_t low = 0, high = m_count;
  while (low < high) {
    const size_t middle = low + (high - low) / 2;
    if ((*this)[middle].step < step)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

}  // namespace strata
