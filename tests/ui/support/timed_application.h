// SPDX-License-Identifier: GPL-3.0-or-later
// An application that measures the processor time of each event. Only the thread of the window may
// use it.
#pragma once

#include <QApplication>
#include <QByteArray>
#include <ctime>

namespace strata::ui {

inline double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The limit for the processor time of a dispatch, in seconds. It is larger than needed, because
/// machines with shared cores are sometimes slower by a factor of three or more.
#if defined(__SANITIZE_ADDRESS__)
// The sanitizer makes the program slower.
constexpr double kLongestDispatch = 0.400;
#else
constexpr double kLongestDispatch = 0.150;
#endif

/// Measures each dispatch of an event that is not nested in another dispatch.
class TimedApplication : public QApplication {
 public:
  using QApplication::QApplication;
  bool notify(QObject* receiver, QEvent* event) override {
    if (m_depth > 0) return QApplication::notify(receiver, event);
    ++m_depth;
    const double before = now(CLOCK_THREAD_CPUTIME_ID);
    const QByteArray name = receiver->metaObject()->className();
    const int type = event->type();
    const bool answer = QApplication::notify(receiver, event);
    const double seconds = now(CLOCK_THREAD_CPUTIME_ID) - before;
    --m_depth;
    if (seconds > longest) {
      longest = seconds;
      longestName = name + " event " + QByteArray::number(type);
    }
    return answer;
  }
  double longest = 0;
  QByteArray longestName;

 private:
  int m_depth = 0;
};

}  // namespace strata::ui
