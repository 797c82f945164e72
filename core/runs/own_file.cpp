// SPDX-License-Identifier: Apache-2.0
#include "core/runs/own_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <span>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/interchange/file_bytes.h"
#include "core/project/atomic_file.h"
#include "gpu/base/error.h"
#include "gpu/base/own_folder.h"

namespace strata {

namespace fs = std::filesystem;

namespace {

[[noreturn]] void failOwnFile(const std::string& path, const char* what, int number) {
  const bool isFull = number == ENOSPC || number == EDQUOT;
  throw Error(ErrorCode::IoFailure, path,
              std::string(what) + " (" + std::generic_category().message(number) + "). " +
                  (isFull ? "Free some space and continue the run."
                          : "Check the folder and that you may write to it."));
}

/// Replaces a file or a link by a copy of its first `keptBytes` bytes, or by an empty file if the
/// target of the link does not exist. Fails with the errors of FileBytes if it is not a regular
/// file.
void replaceByCopy(const std::string& path, uint64_t keptBytes) {
  AtomicFile copy(path, Links::Replace);
  std::error_code error;
  if (fs::exists(path, error)) {
    FileBytes linked(path);
    std::array<std::byte, 65536> buffer{};
    const uint64_t bytes = std::min(keptBytes, linked.size());
    for (uint64_t at = 0; at < bytes; at += buffer.size()) {
      const auto piece = std::span(buffer).first(
          static_cast<size_t>(std::min<uint64_t>(buffer.size(), bytes - at)));
      linked.read(piece.data(), piece.size(), at);
      copy.write(piece);
    }
  }
  copy.commit();
}

/// Opens or creates the file as it is. Returns -1 with ELOOP if it is a link, or one of several
/// hard links to a file.
int openAsItIs(const std::string& path) {
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
  struct stat status {};
  if (descriptor < 0 || ::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      status.st_nlink <= 1)
    return descriptor;
  ::close(descriptor);
  errno = ELOOP;
  return -1;
}

/// Replaces a file that is too long by a copy, because other programs may have mapped it, and ends
/// with the descriptor to go on with. Keeps the file as it is if the copy has no room.
int shortened(const std::string& path, uint64_t keptBytes, int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<uint64_t>(status.st_size) <= keptBytes)
    return descriptor;
  try {
    replaceByCopy(path, keptBytes);
  }
  catch (const Error&) {
    return descriptor;
  }
  ::close(descriptor);
  return openAsItIs(path);
}

}  // namespace

bool isNameOfRun(std::string_view name) {
  static constexpr std::string_view kNames[] = {"project.json",
                                                "record.json",
                                                "environment.json",
                                                "choices.json",
                                                "preprocessing.json",
                                                "events.jsonl",
                                                "history.bin",
                                                "checkpoints",
                                                "profile.json",
                                                "weights.safetensors",
                                                "lock",
                                                "best.safetensors",
                                                "moved.json",
                                                "identity.json",
                                                "notes.json",
                                                "memory.json",
                                                "trace.bin",
                                                "layers.bin",
                                                "classes.jsonl",
                                                "bad_batch.safetensors"};
  return std::find(std::begin(kNames), std::end(kNames), name) != std::end(kNames);
}

int openOwnFile(const std::string& path, uint64_t keptBytes) {
  int descriptor = openAsItIs(path);
  if (descriptor < 0 && errno == ELOOP) {
    replaceByCopy(path, keptBytes);
    descriptor = openAsItIs(path);
  }
  else if (descriptor >= 0) {
    descriptor = shortened(path, keptBytes, descriptor);
  }
  if (descriptor < 0) failOwnFile(path, "cannot be written", errno);
  struct stat status {};
  const char* failed = nullptr;
  if (::fstat(descriptor, &status) != 0) {
    failed = "cannot be read";
  }
  else if (!S_ISREG(status.st_mode)) {
    ::close(descriptor);
    throw Error(ErrorCode::InvalidFile, path,
                "is not a regular file (expected a file that the run wrote). Move it away.");
  }
  else if (static_cast<uint64_t>(status.st_size) > keptBytes &&
           ::ftruncate(descriptor, static_cast<off_t>(keptBytes)) != 0) {
    failed = "cannot be truncated";
  }
  else if (::lseek(descriptor, 0, SEEK_END) < 0) {
    failed = "cannot be written";
  }
  if (!failed) return descriptor;
  const int number = errno;
  ::close(descriptor);
  failOwnFile(path, failed, number);
}

bool requireOwnFolder(const std::string& path) {
  const fs::path folder(path);
  return OwnFolder::find(folder.parent_path(), {folder.filename().string()}, OthersMay::Read)
      .has_value();
}

OwnFileBuffer::OwnFileBuffer(int descriptor)
    : m_descriptor(descriptor),
      m_written(static_cast<uint64_t>(std::max<off_t>(0, ::lseek(descriptor, 0, SEEK_CUR)))) {}

OwnFileBuffer::~OwnFileBuffer() {
  writeAll();
  ::close(m_descriptor);
}

void OwnFileBuffer::moveTo(int descriptor) {
  ::close(m_descriptor);
  m_descriptor = descriptor;
}

OwnFileBuffer::int_type OwnFileBuffer::overflow(int_type character) {
  if (traits_type::eq_int_type(character, traits_type::eof()))
    return traits_type::not_eof(character);
  const char one = traits_type::to_char_type(character);
  xsputn(&one, 1);
  return character;
}

std::streamsize OwnFileBuffer::xsputn(const char* text, std::streamsize size) {
  constexpr size_t kBufferBytes = 8192;
  m_waiting.append(text, static_cast<size_t>(size));
  if (m_waiting.size() >= kBufferBytes) writeAll();
  return size;
}

int OwnFileBuffer::sync() { return writeAll() ? 0 : -1; }

OwnFileBuffer::pos_type OwnFileBuffer::seekoff(off_type offset, std::ios_base::seekdir from,
                                               std::ios_base::openmode) {
  if (offset != 0 || from != std::ios_base::cur) return pos_type(off_type(-1));
  return pos_type(static_cast<off_type>(m_written + m_waiting.size()));
}

bool OwnFileBuffer::writeAll() {
  size_t done = 0;
  bool isWhole = true;
  while (done < m_waiting.size() && isWhole) {
    const ssize_t written = ::write(m_descriptor, m_waiting.data() + done, m_waiting.size() - done);
    if (written > 0)
      done += static_cast<size_t>(written);
    else
      isWhole = written < 0 && errno == EINTR;
  }
  m_waiting.erase(0, done);
  m_written += done;
  return isWhole;
}

}  // namespace strata
