// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/own_folder.h"

#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <system_error>
#include <utility>

#include "gpu/base/error.h"

namespace strata {
namespace {

namespace fs = std::filesystem;

constexpr mode_t kOwnMode = 0700, kOthersWrite = 022, kOthers = 077;
// Opens folders and files as they are, and never waits for a pipe
constexpr int kAsItIs = O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;

std::string reasonOf(int number) { return std::generic_category().message(number); }

[[noreturn]] void refuseFolder(const fs::path& folder, const std::string& why) {
  throw Error(ErrorCode::InvalidFile, folder.string(), why);
}

/// Opens a folder relative to `parent`. Returns -1 and sets errno if it cannot be opened.
int openFolder(int parent, const std::string& name, bool mayBeLink) {
  return ::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | (mayBeLink ? O_CLOEXEC : kAsItIs));
}

/// Judges a folder by its descriptor, and takes rights of other users away if it has to.
void requireOwn(const fs::path& folder, int descriptor, OthersMay others) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0)
    throw Error(ErrorCode::IoFailure, folder.string(),
                "cannot be examined (" + reasonOf(errno) + "). Choose another folder.");
  if (status.st_uid != ::geteuid())
    refuseFolder(folder,
                 "belongs to another user (expected your own folder, because files in it "
                 "could be replaced by that user). Remove it, or choose another folder.");
  const mode_t taken = status.st_mode & (others == OthersMay::Nothing ? kOthers : kOthersWrite);
  if (taken == 0) return;
  const bool isChanged = ::fchmod(descriptor, status.st_mode & 07777 & ~taken) == 0 &&
                         ::fstat(descriptor, &status) == 0;
  if (isChanged && (status.st_mode & taken) == 0) return;
  if ((status.st_mode & taken & kOthersWrite) != 0)
    refuseFolder(folder,
                 "can be written by other users, and its mode cannot be changed (expected "
                 "mode 0700). Choose a folder on another file system.");
  refuseFolder(folder,
               "can be read by other users, and its mode cannot be changed (expected mode 0700). "
               "Choose a folder on another file system.");
}

/// Says why a folder could not be opened.
[[noreturn]] void failOpening(int parent, const std::string& name, const fs::path& folder,
                              int number) {
  struct stat status {};
  const bool isKnown = ::fstatat(parent, name.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0;
  if (isKnown && S_ISLNK(status.st_mode))
    refuseFolder(folder,
                 "is a link (expected a real folder, so that no files elsewhere are "
                 "written or deleted). Replace the link by the folder itself, or choose "
                 "another folder.");
  if (isKnown && !S_ISDIR(status.st_mode))
    refuseFolder(folder, "is not a folder (expected a folder of Strata). Move it away.");
  throw Error(ErrorCode::IoFailure, folder.string(),
              "the folder can't be created or opened (" + reasonOf(number) +
                  "). Choose a folder that you may write to.");
}

}  // namespace

std::optional<OwnFolder> OwnFolder::open(const fs::path& outer,
                                         const std::vector<std::string>& names, OthersMay others,
                                         bool makes) {
  std::error_code ignored;
  int failed = 0;
  if (makes && ::mkdir(outer.c_str(), kOwnMode) != 0) failed = errno;
  if (failed == ENOENT) {
    fs::create_directories(outer.parent_path(), ignored);
    failed = ignored ? ignored.value() : 0;
    if (failed == 0 && ::mkdir(outer.c_str(), kOwnMode) != 0) failed = errno;
  }
  OwnFolder at(outer, openFolder(AT_FDCWD, outer.string(), true));
  if (at.m_descriptor < 0) {
    const int number = errno;
    if (number == ENOENT && !makes) return std::nullopt;
    throw Error(ErrorCode::IoFailure, outer.string(),
                "the folder can't be created or opened (" +
                    reasonOf(number == ENOENT && failed != 0 ? failed : number) +
                    "). Choose a folder that you may write to.");
  }
  for (const std::string& name : names) {
    int made = 0;
    if (makes && ::mkdirat(at.m_descriptor, name.c_str(), kOwnMode) != 0) made = errno;
    OwnFolder inner(at.m_path / name, openFolder(at.m_descriptor, name, false));
    if (inner.m_descriptor < 0) {
      const int number = errno;
      if (number == ENOENT && !makes) return std::nullopt;
      failOpening(at.m_descriptor, name, inner.m_path,
                  number == ENOENT && made != 0 ? made : number);
    }
    requireOwn(inner.m_path, inner.m_descriptor, others);
    std::swap(at.m_path, inner.m_path);
    std::swap(at.m_descriptor, inner.m_descriptor);
  }
  return at;
}

OwnFolder OwnFolder::make(const fs::path& outer, const std::vector<std::string>& names,
                          OthersMay others) {
  return std::move(*open(outer, names, others, true));
}

std::optional<OwnFolder> OwnFolder::find(const fs::path& outer,
                                         const std::vector<std::string>& names, OthersMay others) {
  return open(outer, names, others, false);
}

OwnFolder::~OwnFolder() {
  if (m_descriptor >= 0) ::close(m_descriptor);
}

OwnFolder::OwnFolder(OwnFolder&& other) noexcept
    : m_path(std::move(other.m_path)), m_descriptor(std::exchange(other.m_descriptor, -1)) {}

int OwnFolder::makeFolder(const std::string& name) const {
  return ::mkdirat(m_descriptor, name.c_str(), kOwnMode) == 0 ? 0 : errno;
}

int OwnFolder::move(const std::string& name, const OwnFolder& to,
                    const std::string& newName) const {
  if (::renameat2(m_descriptor, name.c_str(), to.m_descriptor, newName.c_str(), RENAME_NOREPLACE) ==
      0)
    return 0;
  if (errno != EINVAL && errno != ENOSYS) return errno;
  // Some network file systems cannot refuse to replace, so a name in use is looked for first
  struct stat status {};
  if (::fstatat(to.m_descriptor, newName.c_str(), &status, AT_SYMLINK_NOFOLLOW) == 0) return EEXIST;
  return ::renameat(m_descriptor, name.c_str(), to.m_descriptor, newName.c_str()) == 0 ? 0 : errno;
}

std::optional<OwnFile> OwnFolder::read(const std::string& name, size_t maxBytes) const {
  const int file = ::openat(m_descriptor, name.c_str(), O_RDONLY | O_NOCTTY | kAsItIs);
  if (file < 0) return std::nullopt;
  struct stat status {};
  const bool isSound = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode) &&
                       status.st_uid == ::geteuid() && status.st_nlink == 1 &&
                       (status.st_mode & kOthersWrite) == 0 &&
                       static_cast<uint64_t>(status.st_size) <= maxBytes;
  std::string bytes;
  if (isSound) bytes.resize(static_cast<size_t>(status.st_size));
  size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t count = ::read(file, bytes.data() + done, bytes.size() - done);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break;
    done += static_cast<size_t>(count);
  }
  ::close(file);
  if (!isSound || done < bytes.size()) return std::nullopt;
  return OwnFile{std::move(bytes), std::chrono::seconds(::time(nullptr) - status.st_mtime)};
}

void OwnFolder::write(const std::string& name, std::string_view bytes) const {
  const std::string temporary = name + "." + randomNamePart() + ".tmp";
  const int file =
      ::openat(m_descriptor, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | kAsItIs, 0600);
  int number = file < 0 ? errno : 0;
  while (number == 0 && !bytes.empty()) {
    const ssize_t count = ::write(file, bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<size_t>(count));
    else if (errno != EINTR)
      number = errno;
  }
  if (file >= 0 && ::close(file) != 0 && number == 0) number = errno;
  if (number == 0 && ::renameat(m_descriptor, temporary.c_str(), m_descriptor, name.c_str()) != 0)
    number = errno;
  if (number == 0) return;
  if (file >= 0) ::unlinkat(m_descriptor, temporary.c_str(), 0);
  throw Error(ErrorCode::IoFailure, (m_path / name).string(),
              "cannot be written (" + reasonOf(number) + ").");
}

void OwnFolder::remove(const std::string& name) const { ::unlinkat(m_descriptor, name.c_str(), 0); }

std::string randomNamePart() {
  uint64_t bits = 0;
  // Early in the start of a machine, or in a strict sandbox, there may be no random bits. A new
  // file is then still never opened through a link, because it must not exist.
  if (::getrandom(&bits, sizeof bits, GRND_NONBLOCK) != sizeof bits)
    bits = static_cast<uint64_t>(::getpid()) << 32 ^ reinterpret_cast<uintptr_t>(&bits);
  char text[32];
  std::snprintf(text, sizeof text, "%08x-%04x", static_cast<unsigned>(bits >> 32),
                static_cast<unsigned>(bits & 0xFFFF));
  return text;
}

}  // namespace strata
