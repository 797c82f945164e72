// SPDX-License-Identifier: GPL-3.0-or-later
// Made-up services of a desktop on the private session bus of a test: notifications, and requests
// not to sleep. They have a connection of their own, so that calls go through the bus. Thread: GUI
// thread.
#pragma once

#include <QDBusConnection>
#include <QDBusContext>
#include <QDBusMessage>
#include <QDBusUnixFileDescriptor>
#include <QObject>
#include <QStringList>
#include <QVariantMap>

#include <fcntl.h>
#include <unistd.h>

namespace strata::ui {

/// org.freedesktop.Notifications
class FakeNotifications : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.Notifications")
 public:
  struct Notice {
    uint id;
    QString title, words;
    QStringList actions;
  };
  QList<Notice> notices;
  QStringList capabilities;

 public Q_SLOTS:
  QStringList GetCapabilities() { return capabilities; }
  uint Notify(const QString&, uint, const QString&, const QString& title, const QString& words,
              const QStringList& actions, const QVariantMap&, int) {
    notices << Notice{static_cast<uint>(notices.size()) + 7, title, words, actions};
    return notices.back().id;
  }

 Q_SIGNALS:
  void ActionInvoked(uint id, const QString& action);
};

/// org.freedesktop.login1.Manager
class FakeLogin : public QObject, protected QDBusContext {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.login1.Manager")
 public:
  bool refuses = false;
  QStringList requests;
  ~FakeLogin() override { closeEnd(); }
  /// Returns whether the program still has its end of the last pipe.
  bool isHeld() {
    if (m_end < 0) return false;
    char byte = 0;
    // The reading end gets the end of the file when the writing end is closed
    return ::read(m_end, &byte, 1) != 0;
  }

 public Q_SLOTS:
  QDBusUnixFileDescriptor Inhibit(const QString& what, const QString& who, const QString& why,
                                  const QString& mode) {
    requests << QStringList{what, who, why, mode}.join(QLatin1Char('|'));
    if (refuses) {
      sendErrorReply(QDBusError::AccessDenied, QStringLiteral("Not allowed here."));
      return {};
    }
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0) return {};
    closeEnd();
    m_end = ends[0];
    QDBusUnixFileDescriptor given(ends[1]);
    ::close(ends[1]);
    return given;
  }

 private:
  void closeEnd() {
    if (m_end >= 0) ::close(m_end);
    m_end = -1;
  }
  int m_end = -1;
};

/// org.freedesktop.PowerManagement.Inhibit
class FakePower : public QObject {
  Q_OBJECT
  Q_CLASSINFO("D-Bus Interface", "org.freedesktop.PowerManagement.Inhibit")
 public:
  QList<uint> held;

 public Q_SLOTS:
  uint Inhibit(const QString&, const QString&) {
    held << 41;
    return held.back();
  }
  void UnInhibit(uint cookie) { held.removeOne(cookie); }
};

/// Offers an object as a service on a connection of its own.
class FakeService {
 public:
  FakeService(QObject& object, const QString& service, const QString& path)
      : m_bus(QDBusConnection::connectToBus(QDBusConnection::SessionBus, service)),
        m_service(service) {
    m_isThere =
        m_bus.registerObject(path, &object,
                             QDBusConnection::ExportAllSlots | QDBusConnection::ExportAllSignals) &&
        m_bus.registerService(service);
  }
  ~FakeService() {
    m_bus.unregisterService(m_service);
    QDBusConnection::disconnectFromBus(m_service);
  }
  FakeService(const FakeService&) = delete;
  FakeService& operator=(const FakeService&) = delete;
  bool isThere() const { return m_isThere; }

 private:
  QDBusConnection m_bus;
  const QString m_service;
  bool m_isThere = false;
};

}  // namespace strata::ui
