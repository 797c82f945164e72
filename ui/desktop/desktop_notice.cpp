// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/desktop/desktop_notice.h"

#include <QApplication>

#ifdef STRATA_WITH_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QVariantMap>
#endif

namespace strata::ui {

using namespace Qt::StringLiterals;

DesktopNotice::DesktopNotice(QWidget& window, QObject* parent)
    : QObject(parent), m_window(window) {}

#ifdef STRATA_WITH_DBUS

namespace {

const QString kNotifications = u"org.freedesktop.Notifications"_s;
const QString kNotificationsPath = u"/org/freedesktop/Notifications"_s;
// The action that a click on the notification itself triggers
const QString kDefaultAction = u"default"_s;
constexpr int kTimeoutOfService = -1;

QDBusMessage callOf(const QString& method) {
  return QDBusMessage::createMethodCall(kNotifications, kNotificationsPath, kNotifications, method);
}

}  // namespace

void DesktopNotice::show(const QString& title, const QString& words) {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) {
    QApplication::alert(&m_window);
    return;
  }
  // Only a service with this capability reads markup, and others would show the escapes
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(callOf(u"GetCapabilities"_s)), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher, title, words] {
    const QDBusPendingReply<QStringList> reply = *watcher;
    watcher->deleteLater();
    if (reply.isError())
      QApplication::alert(&m_window);
    else
      notify(title, words, reply.value().contains(u"body-markup"_s));
  });
}

void DesktopNotice::notify(const QString& title, const QString& words, bool hasMarkup) {
  QDBusMessage call = callOf(u"Notify"_s);
  call << u"Strata"_s << uint(0) << QString() << title
       << (hasMarkup ? words.toHtmlEscaped() : words) << QStringList{kDefaultAction, tr("Show")}
       << QVariantMap() << kTimeoutOfService;
  auto* watcher = new QDBusPendingCallWatcher(QDBusConnection::sessionBus().asyncCall(call), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    const QDBusPendingReply<uint> reply = *watcher;
    watcher->deleteLater();
    if (reply.isError()) {
      QApplication::alert(&m_window);
      return;
    }
    m_ids.insert(reply.value());
    follow(reply.reply().service());
  });
}

/// Receives the clicks of the service that answered.
void DesktopNotice::follow(const QString& service) {
  if (service == m_service) return;
  m_service = service;
  QDBusConnection bus = QDBusConnection::sessionBus();
  bus.connect(service, kNotificationsPath, kNotifications, u"ActionInvoked"_s, this,
              SLOT(onAction(uint, QString)));
  bus.connect(service, kNotificationsPath, kNotifications, u"ActivationToken"_s, this,
              SLOT(onToken(uint, QString)));
}

#else

void DesktopNotice::show(const QString&, const QString&) { QApplication::alert(&m_window); }

#endif

void DesktopNotice::onAction(uint id, const QString& action) {
  if (action == "default"_L1 && m_ids.remove(id)) Q_EMIT clicked();
}

/// Takes the permission to come to the front, which Wayland requires.
void DesktopNotice::onToken(uint id, const QString& token) {
  if (m_ids.contains(id)) qputenv("XDG_ACTIVATION_TOKEN", token.toUtf8());
}

}  // namespace strata::ui
