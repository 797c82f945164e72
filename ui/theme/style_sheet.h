// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the style sheet of the application from the colours. The property `role` of a widget
// selects its style, such as "card", "primary", "chip" or "muted". Thread: styleSheet() is pure.
// The other functions need the GUI thread.
#pragma once

#include <QString>

class QFrame;
class QWidget;

namespace strata::ui {

struct Colors;

QString styleSheet(const Colors& colors);
/// Sets the property `role` and restyles a visible widget.
void setRole(QWidget* widget, const char* role);
/// Applies the style sheet again after a property that it uses has changed.
void restyle(QWidget* widget);
/// Returns a framed card that holds `content`.
QFrame* cardAround(QWidget* content, QWidget* parent);

}  // namespace strata::ui
