// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/sleep_guard.h"

#include <QApplication>

#ifdef STRATA_WITH_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusUnixFileDescriptor>
#endif

namespace strata::ui {

using namespace Qt::StringLiterals;

#ifdef STRATA_WITH_DBUS

namespace {

QDBusMessage loginCall(const QString& method) {
  return QDBusMessage::createMethodCall(u"org.freedesktop.login1"_s, u"/org/freedesktop/login1"_s,
                                        u"org.freedesktop.login1.Manager"_s, method);
}

QDBusMessage sessionCall(const QString& method) {
  return QDBusMessage::createMethodCall(u"org.freedesktop.PowerManagement"_s,
                                        u"/org/freedesktop/PowerManagement/Inhibit"_s,
                                        u"org.freedesktop.PowerManagement.Inhibit"_s, method);
}

void endSessionHold(uint cookie) {
  QDBusMessage call = sessionCall(u"UnInhibit"_s);
  call << cookie;
  QDBusConnection::sessionBus().send(call);
}

}  // namespace

/// What keeps the machine awake: an open file of login1, or a number of the session's service.
struct SleepGuard::Hold {
  QDBusUnixFileDescriptor file;
  uint cookie = 0;
  Hold() = default;
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() {
    if (!file.isValid()) endSessionHold(cookie);
  }
};

#else

struct SleepGuard::Hold {};

#endif

SleepGuard::SleepGuard(QObject* parent) : QObject(parent) {}

SleepGuard::~SleepGuard() = default;

void SleepGuard::hold(const QString& reason) {
  if (m_state == State::On || m_state == State::Asking) return;
  ++m_request;
  m_why.clear();
  setState(State::Asking);
  askLogin(reason);
}

void SleepGuard::release() {
  ++m_request;
  m_hold.reset();
  setState(State::Off);
}

void SleepGuard::setState(State state) {
  if (state == m_state) return;
  m_state = state;
  Q_EMIT changed();
}

QString SleepGuard::problem() const {
  if (m_state != State::Refused) return {};
  return tr("The machine may go to sleep during the run, because nothing can prevent this: %1")
      .arg(m_why);
}

#ifdef STRATA_WITH_DBUS

void SleepGuard::askLogin(const QString& reason) {
  QDBusConnection bus = QDBusConnection::systemBus();
  if (!bus.isConnected()) {
    m_why = tr("There is no system bus.");
    askSession(reason);
    return;
  }
  QDBusMessage call = loginCall(u"Inhibit"_s);
  call << u"sleep:idle"_s << u"Strata"_s << reason << u"block"_s;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this,
          [this, watcher, reason, request = m_request] {
            const QDBusPendingReply<QDBusUnixFileDescriptor> reply = *watcher;
            watcher->deleteLater();
            if (request != m_request) return;
            if (reply.isError() || !reply.value().isValid()) {
              m_why = reply.error().message();
              askSession(reason);
              return;
            }
            m_hold = std::make_unique<Hold>();
            m_hold->file = reply.value();
            setState(State::On);
          });
}

void SleepGuard::askSession(const QString& reason) {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) {
    setState(State::Refused);
    return;
  }
  QDBusMessage call = sessionCall(u"Inhibit"_s);
  call << u"Strata"_s << reason;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, request = m_request] {
    const QDBusPendingReply<uint> reply = *watcher;
    watcher->deleteLater();
    if (reply.isError()) {
      if (request == m_request) setState(State::Refused);
      return;
    }
    auto hold = std::make_unique<Hold>();
    hold->cookie = reply.value();
    // An answer that comes after release() ends its hold at once
    if (request != m_request) return;
    m_hold = std::move(hold);
    setState(State::On);
  });
}

#else

void SleepGuard::askLogin(const QString& reason) { askSession(reason); }

void SleepGuard::askSession(const QString&) {
  m_why = tr("This build has no D-Bus.");
  setState(State::Refused);
}

#endif

}  // namespace strata::ui
