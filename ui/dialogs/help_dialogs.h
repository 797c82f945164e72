// SPDX-License-Identifier: GPL-3.0-or-later
// Help: the keyboard shortcuts of all actions, and About Strata. Thread: GUI thread.
#pragma once

class QWidget;

namespace strata::ui {

class ActionTable;

void openShortcutsDialog(QWidget* parent, const ActionTable& actions);
void openAboutDialog(QWidget* parent);

}  // namespace strata::ui
