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

/// Replaces a symbolic or hard link by a copy of the first `keptBytes` bytes of its target, or by
/// an empty file if the target does not exist. Fails with the errors of FileBytes if the target is
/// not a regular file.
void replaceLinkByCopy(const std::string& path, uint64_t keptBytes) {
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

}  // namespace

int openOwnFile(const std::string& path, uint64_t keptBytes) {
  std::error_code error;
  const fs::file_status link = fs::symlink_status(path, error);
  if (fs::is_symlink(link) || (fs::is_regular_file(link) && fs::hard_link_count(path, error) > 1))
    replaceLinkByCopy(path, keptBytes);
  const int descriptor =
      ::open(path.c_str(), O_WRONLY | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0666);
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
  std::error_code error;
  const fs::file_status status = fs::symlink_status(path, error);
  if (status.type() == fs::file_type::not_found) return false;
  if (fs::is_symlink(status))
    throw Error(ErrorCode::InvalidFile, path,
                "is a link (expected a real folder, so that no files elsewhere are written or "
                "deleted). Replace the link by the folder itself, or start a new run.");
  if (!error && !fs::is_directory(status))
    throw Error(ErrorCode::InvalidFile, path,
                "is not a folder (expected the checkpoints of the run). Restore it from a backup.");
  if (!error) fs::directory_iterator(path, error);
  if (error)
    throw Error(ErrorCode::IoFailure, path,
                "cannot be read (" + error.message() + "). Check that you may read the folder.");
  return true;
}

}  // namespace strata
