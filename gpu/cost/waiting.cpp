// SPDX-License-Identifier: Apache-2.0
#include "gpu/cost/waiting.h"

#include <filesystem>
#include <fstream>

namespace strata {

double secondsWaitedForCores() {
  double seconds = 0;
  // Errors are ignored, because a thread may end while its file is read
  std::error_code failed;
  for (const auto& task : std::filesystem::directory_iterator("/proc/self/task", failed)) {
    double ran = 0, waited = 0;
    if (std::ifstream(task.path() / "schedstat") >> ran >> waited) seconds += 1e-9 * waited;
  }
  return seconds;
}

bool WaitingWatch::wasDisturbed(int workers) const {
  constexpr double kMaxWaiting = 0.1;
  return secondsWaitedForCores() - m_waited > kMaxWaiting * workers * secondsSince(m_start);
}

}  // namespace strata
