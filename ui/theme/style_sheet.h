// SPDX-License-Identifier: GPL-3.0-or-later
// The style sheet of the application, made from the colours. Widgets name their part by a property:
// role="card", "primary", "chip", "segment", "muted", "title", "link", "section". Thread: pure.
#pragma once

#include <QString>

class QFrame;
class QWidget;

namespace strata::ui {

struct Colors;

QString styleSheet(const Colors& colors);
/// Sets the property that the style sheet selects by, and restyles a widget that is already shown.
void setRole(QWidget* widget, const char* role);
/// A framed card that holds `content`.
QFrame* cardAround(QWidget* content, QWidget* parent);

}  // namespace strata::ui
