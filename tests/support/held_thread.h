// SPDX-License-Identifier: Apache-2.0
// Holds a thread wherever it is, as if another program used its processor.
// Thread: any, but not the held thread.
#pragma once

#include <pthread.h>

namespace strata::test {

class HeldThread {
 public:
  /// Returns whether threads can be held. ThreadSanitizer delays signals, so they cannot be then.
  static bool canHold();
  /// Returns after the thread has stopped. Only one thread can be held at a time.
  explicit HeldThread(pthread_t thread);
  /// Lets the thread go on.
  ~HeldThread();
  HeldThread(const HeldThread&) = delete;
  HeldThread& operator=(const HeldThread&) = delete;
};

/// Holds the thread for this number of microseconds, soon, and does not wait until it is held.
void interrupt(pthread_t thread, int microseconds);

}  // namespace strata::test
