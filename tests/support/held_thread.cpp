// SPDX-License-Identifier: Apache-2.0
#include "tests/support/held_thread.h"

#include <cerrno>
#include <csignal>
#include <ctime>

#include <atomic>
#include <mutex>
#include <thread>

namespace strata::test {
namespace {

constexpr int kHold = 0;
std::atomic<bool> isHeld{false}, isReleased{false};

void rest(long microseconds) {
  const timespec time{0, microseconds * 1000};
  nanosleep(&time, nullptr);
}

// The value of the signal is a number of microseconds, or kHold
void handle(int, siginfo_t* info, void*) {
  const int before = errno;
  if (info->si_value.sival_int != kHold) {
    rest(info->si_value.sival_int);
  }
  else {
    isHeld = true;
    while (!isReleased)
      rest(100);
    isHeld = false;
  }
  errno = before;
}

void send(pthread_t thread, int value) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action {};
    action.sa_sigaction = handle;
    action.sa_flags = SA_SIGINFO | SA_RESTART;
    sigaction(SIGUSR1, &action, nullptr);
  });
  sigval argument{};
  argument.sival_int = value;
  pthread_sigqueue(thread, SIGUSR1, argument);
}

}  // namespace

bool HeldThread::canHold() {
#ifdef __SANITIZE_THREAD__
  return false;
#else
  return true;
#endif
}

HeldThread::HeldThread(pthread_t thread) {
  isReleased = false;
  send(thread, kHold);
  while (!isHeld)
    std::this_thread::yield();
}

HeldThread::~HeldThread() {
  isReleased = true;
  while (isHeld)
    std::this_thread::yield();
}

void interrupt(pthread_t thread, int microseconds) { send(thread, microseconds); }

}  // namespace strata::test
