// SPDX-License-Identifier: Apache-2.0
#include "core/project/regular_file.h"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gpu/base/error.h"

namespace strata {

static const char* kindOf(mode_t mode) {
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

static void requireRegular(const struct stat& status, const std::string& path) {
  if (S_ISREG(status.st_mode)) return;
  if (S_ISDIR(status.st_mode))
    throw Error(ErrorCode::InvalidFile, path,
                "is a folder (expected a file). Choose a file in it.");
  throw Error(ErrorCode::InvalidFile, path,
              std::string("is not a regular file (expected a file, got ") + kindOf(status.st_mode) +
                  "). Save its data to a file, and use that file.");
}

[[noreturn]] static void failOpening(const std::string& path, int number) {
  throw Error(ErrorCode::InvalidFile, path,
              "cannot be opened (" + std::generic_category().message(number) +
                  "). Check the name and that you can read the file.");
}

RegularFile::Descriptor::~Descriptor() {
  if (number >= 0) ::close(number);
}

RegularFile::RegularFile(const std::string& path) {
  struct stat status {};
  if (::stat(path.c_str(), &status) != 0) failOpening(path, errno);
  // The check comes first, because opening a device may have side effects.
  requireRegular(status, path);
  // The file may have been replaced since stat. The flags prevent a pipe from blocking, and a
  // terminal from becoming the controlling terminal.
  m_descriptor.number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  if (m_descriptor.number < 0 || ::fstat(m_descriptor.number, &status) != 0)
    failOpening(path, errno);
  requireRegular(status, path);
  m_size = static_cast<uint64_t>(status.st_size);
}

}  // namespace strata
