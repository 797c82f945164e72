// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of the application, made from the colours. Widgets set a property to select their
// style: role="card", "primary", "chip", "segment", "muted", "title", "link", "section". Thread:
// any (pure functions).
#pragma once

#include <QString>

class QFrame;
class QWidget;

namespace strata::ui {

struct Colors;

QString styleSheet(const Colors& colors);
/// Sets the property that the style sheet uses, and restyles a visible widget.
void setRole(QWidget* widget, const char* role);
/// A framed card that holds `content`.
QFrame* cardAround(QWidget* content, QWidget* parent);

}  // namespace strata::ui
