// SPDX-License-Identifier: Apache-2.0
#include "core/runs/history.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
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
constexpr uint32_t kVersion = 1;
constexpr size_t kFixedHeadBytes = 24;
constexpr uint32_t kMaxMetrics = 1000;

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

std::vector<std::byte> headOf(const std::vector<std::string>& metricNames) {
  std::vector<std::byte> names;
  for (const std::string& name : metricNames) {
    put(names, static_cast<uint16_t>(name.size()));
    const auto* data = reinterpret_cast<const std::byte*>(name.data());
    names.insert(names.end(), data, data + static_cast<uint16_t>(name.size()));
  }
  const size_t bytes = (kFixedHeadBytes + names.size() + 7) / 8 * 8;
  std::vector<std::byte> head(reinterpret_cast<const std::byte*>(kMagic),
                              reinterpret_cast<const std::byte*>(kMagic) + 8);
  put(head, kVersion);
  put(head, static_cast<uint32_t>(bytes));
  put(head, static_cast<uint32_t>(sizeof(FixedPart) + 8 * metricNames.size()));
  put(head, static_cast<uint32_t>(metricNames.size()));
  head.insert(head.end(), names.begin(), names.end());
  head.resize(bytes);
  return head;
}

}  // namespace

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
  m_buffer.reserve(kBufferBytes + 64 + sizeof(FixedPart) + 8 * m_numMetrics);
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
  m_buffer.reserve(kBufferBytes + 64 + sizeof(FixedPart) + 8 * m_numMetrics);
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

void HistoryWriter::moveTo(const std::string& path) {
  const int descriptor = openOwnFile(path, m_written);
  ::close(std::exchange(m_descriptor, descriptor));
  m_path = path;
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
  if (size < kFixedHeadBytes)
    bad("is not a history file (expected at least 24 bytes, got " + std::to_string(size) + ").");
  void* mapped = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, descriptor, 0);
  if (mapped == MAP_FAILED) {
    const int number = errno;
    ::close(descriptor);
    ioFail(path, "cannot be mapped", number);
  }
  m_data = static_cast<const std::byte*>(mapped);
  m_mappedBytes = size;
  const auto number = [&](size_t at) {
    uint32_t value = 0;
    std::memcpy(&value, m_data + at, 4);
    return value;
  };
  std::string problem;
  const uint32_t headBytes = number(12), recordBytes = number(16), numMetrics = number(20);
  if (std::memcmp(m_data, kMagic, 8) != 0)
    problem = "is not a history file (wrong first bytes).";
  else if (number(8) != kVersion)
    problem = "is a history of version " + std::to_string(number(8)) +
              " (expected 1). Open it with a newer version of Strata.";
  else if (headBytes < kFixedHeadBytes || headBytes > size || headBytes % 8 != 0 ||
           numMetrics > kMaxMetrics || recordBytes != sizeof(FixedPart) + 8 * size_t{numMetrics})
    problem = "has a damaged header (bytes 12 to 24).";
  size_t at = kFixedHeadBytes;
  for (uint32_t i = 0; problem.empty() && i < numMetrics; ++i) {
    uint16_t length = 0;
    if (at + 2 <= headBytes) std::memcpy(&length, m_data + at, 2);
    if (at + 2 + length > headBytes)
      problem = "has a damaged header (name of metric " + std::to_string(i) + ").";
    else
      m_metricNames.emplace_back(reinterpret_cast<const char*>(m_data + at + 2), length);
    at += 2u + length;
  }
  if (problem.empty() && (at + 7) / 8 * 8 != headBytes)
    problem = "has a damaged header (bytes 12 to 16).";
  if (!problem.empty()) {
    ::munmap(mapped, size);
    m_data = nullptr;
    bad(problem);
  }
  ::close(descriptor);
  m_headBytes = headBytes;
  m_recordBytes = recordBytes;
  m_count = (size - headBytes) / recordBytes;
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
                       {}};
  // The metrics are aligned to 8 bytes, because the sizes of header and records are multiples of 8.
  record.metrics = {reinterpret_cast<const double*>(at + sizeof fixed), m_metricNames.size()};
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
