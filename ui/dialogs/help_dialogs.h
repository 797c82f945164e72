// SPDX-License-Identifier: GPL-3.0-or-later
// Help: the keys of all actions, and what Strata is. Thread: the window's.
#pragma once

class QWidget;

namespace strata::ui {

class ActionTable;

void openShortcutsDialog(QWidget* parent, const ActionTable& actions);
void openAboutDialog(QWidget* parent);

}  // namespace strata::ui
