// SPDX-License-Identifier: Apache-2.0
#include "core/data/standard_input.h"

#include <cerrno>
#include <system_error>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

#include "gpu/base/error.h"

namespace strata {

static constexpr const char* kSubject = "standard input";

[[noreturn]] static void failReading(int number) {
  throw Error(ErrorCode::IoFailure, kSubject,
              "cannot be read (" + std::generic_category().message(number) +
                  "). Pipe the data to standard input, or give a file.");
}

/// Copies all of standard input to the file. Fails with the errors of StandardInput().
static void copyInto(int descriptor) {
  std::vector<char> piece(size_t{1} << 16);
  uint64_t taken = 0;
  for (;;) {
    const ssize_t got = ::read(STDIN_FILENO, piece.data(), piece.size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) failReading(errno);
    if (got == 0) break;
    taken += static_cast<uint64_t>(got);
    if (taken > kMaxStandardInputBytes)
      throw Error(ErrorCode::InvalidFile, kSubject,
                  "has too much data (expected at most " + std::to_string(kMaxStandardInputBytes) +
                      " bytes, got more). Save the data to a file, and give that file.");
    for (ssize_t done = 0; done < got;) {
      const ssize_t put = ::write(descriptor, piece.data() + done, static_cast<size_t>(got - done));
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) failReading(errno);
      done += put;
    }
  }
  if (taken == 0)
    throw Error(ErrorCode::InvalidFile, kSubject,
                "is empty (expected an image, arrays or rows). Pipe the data to it.");
}

StandardInput::StandardInput() : m_descriptor(::memfd_create("standard input", MFD_CLOEXEC)) {
  if (m_descriptor < 0) failReading(errno);
  m_path = "/proc/self/fd/" + std::to_string(m_descriptor);
  try {
    copyInto(m_descriptor);
  }
  catch (...) {
    ::close(m_descriptor);
    throw;
  }
}

StandardInput::~StandardInput() { ::close(m_descriptor); }

}  // namespace strata
