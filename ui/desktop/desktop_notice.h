// SPDX-License-Identifier: GPL-3.0-or-later
// A notification of the desktop, through org.freedesktop.Notifications. Without this service, the
// window is marked in the task bar instead. Not here: when to notify (main_window/run_notice.h).
// Thread: GUI thread; nothing waits for the service.
#pragma once

#include <QObject>
#include <QSet>
#include <QString>

class QWidget;

namespace strata::ui {

class DesktopNotice : public QObject {
  Q_OBJECT
 public:
  /// `window` is the one that is marked without a service. It must outlive the object.
  explicit DesktopNotice(QWidget& window, QObject* parent = nullptr);
  /// Shows a notification. `words` is plain text.
  void show(const QString& title, const QString& words);

 Q_SIGNALS:
  // The user clicked a notification.
  void clicked();

 private Q_SLOTS:
  void onAction(uint id, const QString& action);
  void onToken(uint id, const QString& token);

 private:
  void notify(const QString& title, const QString& words, bool hasMarkup);
  void follow(const QString& service);

  QWidget& m_window;
  // The notifications of this window, and the service whose clicks it receives
  QSet<uint> m_ids;
  QString m_service;
};

}  // namespace strata::ui
