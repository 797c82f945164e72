// SPDX-License-Identifier: GPL-3.0-or-later
// Selects the light or dark theme and applies it to the application: the Fusion style, palette,
// style sheet and fonts. The colours are in colors.h. Thread: GUI thread.
#pragma once

#include <QObject>

class QApplication;
class QDBusVariant;

namespace strata::ui {

class Theme : public QObject {
  Q_OBJECT
 public:
  enum class Mode { System, Light, Dark };

  /// Applies the Fusion style, the fonts and the palette of the stored mode.
  explicit Theme(QApplication& application);
  Mode mode() const { return m_mode; }
  bool isDark() const { return m_isDark; }
  /// Switches the theme at run time and stores the choice.
  void setMode(Mode mode);

 Q_SIGNALS:
  void changed();

 private Q_SLOTS:
  void onPortalSetting(const QString& space, const QString& key, const QDBusVariant& value);

 private:
  void askPortal();
  void apply();

  QApplication& m_application;
  Mode m_mode = Mode::System;
  bool m_isSystemDark = false;
  bool m_isDark = false;
};

}  // namespace strata::ui
