// SPDX-License-Identifier: Apache-2.0
#include "gpu/base/standard_streams.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

namespace strata {

void openMissingStreams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (::fcntl(stream, F_GETFD) != -1 || errno != EBADF) continue;
    // A new descriptor gets the lowest free number, which is this one
    if (::open("/dev/null", O_RDWR) != stream) std::_Exit(EXIT_FAILURE);
  }
}

}  // namespace strata
