// SPDX-License-Identifier: Apache-2.0
#include "core/interchange/file_bytes.h"

#include <cerrno>
#include <system_error>

#include <unistd.h>

#include "gpu/base/error.h"

namespace strata {

FileBytes::FileBytes(const std::string& path) : m_path(path), m_file(path) {}

void FileBytes::read(void* target, uint64_t bytes, uint64_t offset) {
  auto* to = static_cast<char*>(target);
  while (bytes > 0) {
    const ssize_t got = ::pread(m_file.descriptor(), to, bytes, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) ioFail(errno);
    if (got == 0)
      fail("ends at byte " + std::to_string(offset) + " (expected " + std::to_string(size()) +
           "): it shrank while it was read. Try again.");
    to += got;
    offset += static_cast<uint64_t>(got);
    bytes -= static_cast<uint64_t>(got);
  }
}

void FileBytes::fail(const std::string& message) const {
  throw Error(ErrorCode::InvalidFile, m_path, message);
}

void FileBytes::ioFail(int number) const {
  throw Error(ErrorCode::IoFailure, m_path,
              "cannot be read (" + std::generic_category().message(number) +
                  "). Check the name and the permissions.");
}

}  // namespace strata
