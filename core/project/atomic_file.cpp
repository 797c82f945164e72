// SPDX-License-Identifier: Apache-2.0
#include "core/project/atomic_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/base/error.h"
#include "gpu/base/own_folder.h"

namespace strata {

namespace {

std::string reason(int number) { return std::generic_category().message(number); }

const char* remedy(int number) {
  switch (number) {
    case ENOSPC:
    case EDQUOT: return "Free some space and save again.";
    case EFBIG:
      return "The file would exceed the size limit of this system or process. Raise the limit or "
             "save elsewhere.";
    case EACCES:
    case EPERM:
    case EROFS: return "Choose a folder that you can write to.";
    case ENOENT:
    case ENOTDIR: return "Create the folder first, or choose another one.";
    default: return "Save elsewhere, or try again.";
  }
}

std::string folderOf(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// Whether everybody may make links in the folder of this path, and another user made this one.
bool isForeignLink(const std::string& path, const struct stat& link) {
  struct stat folder {};
  return link.st_uid != ::geteuid() && ::stat(folderOf(path).c_str(), &folder) == 0 &&
         (folder.st_mode & S_IWOTH) != 0 && folder.st_uid != link.st_uid;
}

/// Follows symbolic links, and returns the path of the file that they lead to.
std::string targetOf(const std::string& path) {
  constexpr int kMaxLinks = 40;
  std::filesystem::path target = path;
  struct stat status {};
  for (int i = 0; i < kMaxLinks; ++i) {
    if (::lstat(target.c_str(), &status) != 0 || !S_ISLNK(status.st_mode)) return target.string();
    if (isForeignLink(target.string(), status))
      throw Error(ErrorCode::InvalidFile, path,
                  "is a link of another user in a folder that everybody may write (expected a "
                  "file). Remove the link, or name another file.");
    std::error_code error;
    const auto next = std::filesystem::read_symlink(target, error);
    if (error) return target.string();
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  throw Error(ErrorCode::InvalidFile, path,
              "is a link that leads to itself (expected a file). Remove it.");
}

}  // namespace

void requireFollowable(const std::string& path) { targetOf(path); }

void syncFolder(const std::string& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0)
    throw Error(ErrorCode::IoFailure, folder,
                "the folder cannot be opened (" + reason(errno) +
                    "). Check that it exists and that you can read it.");
  const int result = ::fsync(descriptor), number = errno;
  ::close(descriptor);
  // Some network file systems do not support fsync of a folder. This is not an error, because the
  // rename itself has succeeded.
  if (result != 0 && number != EINVAL && number != ENOTSUP)
    throw Error(
        ErrorCode::IoFailure, folder,
        "the folder cannot be written to the disk (" + reason(number) + "). " + remedy(number));
}

bool isTemporaryOf(std::string_view name, std::string_view target) {
  constexpr std::string_view kSuffix = ".tmp";
  if (!name.starts_with(target) || !name.ends_with(kSuffix) ||
      name.size() <= target.size() + kSuffix.size())
    return false;
  name.remove_prefix(target.size());
  name.remove_suffix(kSuffix.size());
  const size_t dash = name.find('-');
  // Earlier versions used the numbers of the process and of the file
  const auto isNumber = [](std::string_view text) {
    return !text.empty() && text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
  };
  return name[0] == '.' && dash != std::string_view::npos && isNumber(name.substr(1, dash - 1)) &&
         isNumber(name.substr(dash + 1));
}

AtomicFile::AtomicFile(std::string path, Links links) : m_path(std::move(path)), m_target(m_path) {
  if (links == Links::Follow) m_target = targetOf(m_path);
  m_temporary = m_target + "." + randomNamePart() + ".tmp";
  m_descriptor = ::open(m_temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (m_descriptor < 0) {
    const int number = errno;
    m_temporary.clear();
    fail("cannot be written", number);
  }
}

AtomicFile::~AtomicFile() {
  if (m_descriptor >= 0) ::close(m_descriptor);
  if (!m_temporary.empty()) ::unlink(m_temporary.c_str());
}

void AtomicFile::fail(const char* what, int number) {
  throw Error(ErrorCode::IoFailure, m_path,
              std::string(what) + " (" + reason(number) + "). " + remedy(number));
}

void AtomicFile::write(std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(m_descriptor, bytes.data(), bytes.size());
    if (written < 0) {
      if (errno == EINTR) continue;
      fail("cannot be written", errno);
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
}

void AtomicFile::commit(bool isDurable) {
  if (isDurable && ::fsync(m_descriptor) != 0) fail("cannot be written to the disk", errno);
  const int closed = ::close(m_descriptor), number = errno;
  m_descriptor = -1;
  if (closed != 0) fail("cannot be written", number);
  if (::rename(m_temporary.c_str(), m_target.c_str()) != 0)
    fail("cannot replace the old file", errno);
  m_temporary.clear();
  if (isDurable) syncFolder(folderOf(m_target));
}

}  // namespace strata
