// SPDX-License-Identifier: GPL-3.0-or-later
// Keeps the machine from going to sleep. It asks org.freedesktop.login1 on the system bus, and if
// this is refused, org.freedesktop.PowerManagement on the session bus. The screen may still turn
// off. Not here: when to keep it awake (workspace/runs.h). Thread: GUI thread; nothing waits for
// the services.
#pragma once

#include <QObject>
#include <QString>
#include <memory>

namespace strata::ui {

class SleepGuard : public QObject {
  Q_OBJECT
 public:
  enum class State { Off, Asking, On, Refused };

  explicit SleepGuard(QObject* parent = nullptr);
  /// Lets the machine sleep again.
  ~SleepGuard() override;
  /// Keeps the machine awake until release(). `reason` is shown by tools that list such requests.
  void hold(const QString& reason);
  void release();
  State state() const { return m_state; }
  /// Says that the machine may go to sleep, and why, if the services refused; "" otherwise.
  QString problem() const;

 Q_SIGNALS:
  void changed();

 private:
  struct Hold;
  void askLogin(const QString& reason);
  void askSession(const QString& reason);
  void setState(State state);

  State m_state = State::Off;
  // Why the first service refused
  QString m_why;
  // Grows with each hold(), so that late answers are recognized
  int m_request = 0;
  std::unique_ptr<Hold> m_hold;
};

}  // namespace strata::ui
