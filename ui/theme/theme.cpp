// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/theme/theme.h"

#include <QApplication>
#include <QFont>
#include <QPalette>
#include <QSettings>
#include <QStyleFactory>

#ifdef STRATA_WITH_DBUS
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>
#endif

#include "ui/theme/colors.h"
#include "ui/theme/style_sheet.h"

namespace strata::ui {

using namespace Qt::StringLiterals;

namespace {

#ifdef STRATA_WITH_DBUS
const QString kPortal = u"org.freedesktop.portal.Desktop"_s;
const QString kPortalPath = u"/org/freedesktop/portal/desktop"_s;
const QString kPortalSettings = u"org.freedesktop.portal.Settings"_s;
const QString kAppearance = u"org.freedesktop.appearance"_s;
const QString kColorScheme = u"color-scheme"_s;
constexpr uint kPrefersDark = 1;
#endif

const QString kDark = u"dark"_s;
const QString kLight = u"light"_s;
const QString kSystem = u"system"_s;

Theme::Mode modeOf(const QString& name) {
  if (name == kDark) return Theme::Mode::Dark;
  return name == kLight ? Theme::Mode::Light : Theme::Mode::System;
}

QString nameOf(Theme::Mode mode) {
  switch (mode) {
    case Theme::Mode::Dark: return kDark;
    case Theme::Mode::Light: return kLight;
    case Theme::Mode::System: break;
  }
  return kSystem;
}

#ifdef STRATA_WITH_DBUS
/// Reads the colour scheme. The portal's old Read method wraps its value in a second variant.
uint schemeOf(QVariant value) {
  while (value.userType() == qMetaTypeId<QDBusVariant>())
    value = value.value<QDBusVariant>().variant();
  return value.toUInt();
}
#endif

QPalette paletteOf(const Colors& c) {
  QPalette palette;
  palette.setColor(QPalette::Window, c.page);
  palette.setColor(QPalette::WindowText, c.text);
  palette.setColor(QPalette::Base, c.card);
  palette.setColor(QPalette::AlternateBase, c.hover);
  palette.setColor(QPalette::Text, c.text);
  palette.setColor(QPalette::PlaceholderText, c.faint);
  palette.setColor(QPalette::Button, c.card);
  palette.setColor(QPalette::ButtonText, c.text);
  palette.setColor(QPalette::BrightText, c.accentText);
  palette.setColor(QPalette::ToolTipBase, c.card);
  palette.setColor(QPalette::ToolTipText, c.text);
  palette.setColor(QPalette::Highlight, c.accent);
  palette.setColor(QPalette::HighlightedText, c.accentText);
  palette.setColor(QPalette::Link, c.accent);
  palette.setColor(QPalette::LinkVisited, c.accent);
  palette.setColor(QPalette::Light, c.card);
  palette.setColor(QPalette::Midlight, c.hairline);
  palette.setColor(QPalette::Mid, c.border);
  palette.setColor(QPalette::Dark, c.border);
  palette.setColor(QPalette::Shadow, c.border);
  for (const QPalette::ColorRole role :
       {QPalette::WindowText, QPalette::Text, QPalette::ButtonText}) {
    palette.setColor(QPalette::Disabled, role, c.faint);
  }
  palette.setColor(QPalette::Disabled, QPalette::Highlight, c.border);
  return palette;
}

}  // namespace

Theme::Theme(QApplication& application) : m_application(application) {
  m_application.setStyle(QStyleFactory::create(u"Fusion"_s));
  QFont font = m_application.font();
  font.setFamilies({u"DejaVu Sans"_s, u"Noto Sans CJK SC"_s, u"WenQuanYi Micro Hei"_s});
  font.setPointSizeF(9.5);
  m_application.setFont(font);

  m_mode = modeOf(QSettings().value("window/theme"_L1, kSystem).toString());
  askPortal();
  apply();
}

void Theme::setMode(Mode mode) {
  m_mode = mode;
  QSettings().setValue("window/theme"_L1, nameOf(mode));
  apply();
}

#ifdef STRATA_WITH_DBUS

void Theme::askPortal() {
  QDBusConnection bus = QDBusConnection::sessionBus();
  if (!bus.isConnected()) return;
  bus.connect(kPortal, kPortalPath, kPortalSettings, u"SettingChanged"_s, this,
              SLOT(onPortalSetting(QString, QString, QDBusVariant)));
  QDBusMessage ask =
      QDBusMessage::createMethodCall(kPortal, kPortalPath, kPortalSettings, u"Read"_s);
  ask << kAppearance << kColorScheme;
  auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(ask), this);
  connect(watcher, &QDBusPendingCallWatcher::finished, this, [this, watcher] {
    const QDBusPendingReply<QDBusVariant> reply = *watcher;
    watcher->deleteLater();
    // Without a portal, the theme stays light.
    if (reply.isError()) return;
    m_isSystemDark = schemeOf(reply.value().variant()) == kPrefersDark;
    if (m_mode == Mode::System) apply();
  });
}

void Theme::onPortalSetting(const QString& space, const QString& key, const QDBusVariant& value) {
  if (space != kAppearance || key != kColorScheme) return;
  m_isSystemDark = schemeOf(value.variant()) == kPrefersDark;
  if (m_mode == Mode::System) apply();
}

#else

void Theme::askPortal() {}

void Theme::onPortalSetting(const QString&, const QString&, const QDBusVariant&) {}

#endif

void Theme::apply() {
  m_isDark = m_mode == Mode::Dark || (m_mode == Mode::System && m_isSystemDark);
  const Colors& colors = m_isDark ? darkColors() : lightColors();
  m_application.setPalette(paletteOf(colors));
  m_application.setStyleSheet(styleSheet(colors));
  Q_EMIT changed();
}

}  // namespace strata::ui
